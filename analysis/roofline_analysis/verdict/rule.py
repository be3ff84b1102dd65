"""The rule of the verdict: operations per byte compared with the ridge of each precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.precision import Precision
from roofline_hardware_db import Roofline

DECIDING: Final = (Precision.SP, Precision.DP, Precision.INT)
"""The precisions whose ridges decide the class, by the rule of the HPDC'25 study."""
LEAST_MARGIN: Final = -20.0
"""The margin of a kernel without operations."""


def precision_verdicts(
    operations: Mapping[Precision, float], moved_bytes: float, roofline: Roofline
) -> dict[Precision, Verdict]:
    """The class of each precision that has operations and a ridge."""
    result = {}
    for precision, amount in operations.items():
        ridge = roofline.ridge(precision)
        if ridge is not None and amount:
            above = amount / moved_bytes > ridge
            result[precision] = Verdict.COMPUTE_BOUND if above else Verdict.BANDWIDTH_BOUND
    return result


def verdict_of(verdicts: Mapping[Precision, Verdict]) -> Verdict:
    """Compute-bound if at least one of the deciding precisions is."""
    if any(verdicts.get(precision) is Verdict.COMPUTE_BOUND for precision in DECIDING):
        return Verdict.COMPUTE_BOUND
    return Verdict.BANDWIDTH_BOUND


def margin(operations: Mapping[Precision, float], moved_bytes: float, roofline: Roofline) -> float:
    """The natural logarithm of the largest intensity over ridge, at least ``LEAST_MARGIN``."""
    return nearest(operations, moved_bytes, roofline)[1]


def nearest(
    operations: Mapping[Precision, float], moved_bytes: float, roofline: Roofline
) -> tuple[Precision | None, float]:
    """The precision with the largest ratio of intensity to ridge, and its ``margin``.

    The precision is None if no deciding precision has operations.
    """
    found: tuple[Precision | None, float] = (None, LEAST_MARGIN)
    for precision in DECIDING:
        ridge = roofline.ridge(precision)
        if ridge and operations.get(precision):
            value = math.log(operations[precision] / moved_bytes / ridge)
            if value > found[1]:
                found = precision, value
    return found
