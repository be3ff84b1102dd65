"""The rules of the verdict: operations per byte compared with the ridges of precisions.

Two rules differ in the precisions that decide and in the bytes that they are compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.settings import VerdictRuleName
from roofline_hardware_db import Roofline


@record(frozen=True, slots=True)
class VerdictRule:
    """Which operations and which DRAM bytes decide the class."""

    name: VerdictRuleName
    deciding: tuple[Precision, ...]
    """The precisions whose ridges decide; a GPU may lack the ridges of some."""
    compulsory: bool
    """Whether DRAM bytes are those that must move: written bytes count that L2 still holds when the
    launch ends, and what spills from the caches of threads' own arrays does not."""
    counts_bus: bool
    """Whether bytes count that cross the bus to the memory of the host."""


COMPULSORY: Final = VerdictRule("compulsory", tuple(Precision), compulsory=True, counts_bus=True)
"""Every precision against compulsory traffic: what is written leaves L2 sooner or later."""
STUDY: Final = VerdictRule(
    "study",
    (Precision.SP, Precision.DP, Precision.INT),
    compulsory=False,
    counts_bus=False,
)
"""The rule of the HPDC'25 study: bytes as Nsight Compute counts them while the kernel runs."""
RULES_BY_NAME: Final = {rule.name: rule for rule in (COMPULSORY, STUDY)}
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


def verdict_of(verdicts: Mapping[Precision, Verdict], rule: VerdictRule) -> Verdict:
    """Compute-bound if at least one of the deciding precisions is."""
    if any(verdicts.get(precision) is Verdict.COMPUTE_BOUND for precision in rule.deciding):
        return Verdict.COMPUTE_BOUND
    return Verdict.BANDWIDTH_BOUND


def margin(
    operations: Mapping[Precision, float],
    moved_bytes: float,
    roofline: Roofline,
    rule: VerdictRule,
) -> float:
    """The natural logarithm of the largest intensity over ridge, at least ``LEAST_MARGIN``."""
    return nearest(operations, moved_bytes, roofline, rule)[1]


def nearest(
    operations: Mapping[Precision, float],
    moved_bytes: float,
    roofline: Roofline,
    rule: VerdictRule,
) -> tuple[Precision | None, float]:
    """The precision with the largest ratio of intensity to ridge, and its ``margin``.

    The precision is None if no deciding precision has operations.
    """
    found: tuple[Precision | None, float] = (None, LEAST_MARGIN)
    for precision in rule.deciding:
        ridge = roofline.ridge(precision)
        if ridge and operations.get(precision):
            ratio = operations[precision] / moved_bytes / ridge
            value = math.log(ratio) if ratio > 0.0 else LEAST_MARGIN
            if value > found[1]:
                found = precision, value
    return found
