"""The class that an answer in words means."""

from __future__ import annotations

import re

from roofline_analysis.report.report import Verdict

COMPUTE = "Compute"
BANDWIDTH = "Bandwidth"

_COMPUTE = re.compile(r"\b(?:compute|computation|computational|cb)(?![a-z])", re.IGNORECASE)
_BANDWIDTH = re.compile(r"\b(?:bandwidth|memory|bb)(?![a-z])", re.IGNORECASE)


def word_of(verdict: Verdict) -> str:
    """The word that questions ask for."""
    return COMPUTE if verdict is Verdict.COMPUTE_BOUND else BANDWIDTH


def class_of(answer: str) -> Verdict | None:
    """The class that an answer names; None where it names none or both."""
    compute, bandwidth = _COMPUTE.search(answer), _BANDWIDTH.search(answer)
    if (compute is None) == (bandwidth is None):
        return None
    return Verdict.BANDWIDTH_BOUND if compute is None else Verdict.COMPUTE_BOUND
