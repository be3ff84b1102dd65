"""The features of a verdict's confidence, computed from the counts behind the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import KernelSummary, Region, Work
from roofline_analysis.traffic.dram import Traffic
from roofline_analysis.verdict.prediction import ConfidenceFeatures
from roofline_analysis.verdict.rule import VerdictRule, nearest
from roofline_core.program.precision import Precision
from roofline_hardware_db import Roofline

COLUMNS: Final = {
    Precision.SP: Work.SP,
    Precision.DP: Work.DP,
    Precision.HP: Work.HP,
    Precision.INT: Work.INT,
    Precision.TENSOR: Work.TENSOR,
}
"""The kind of work that counts a precision's operations."""


def grounds_of(
    summary: KernelSummary,
    execution: Execution,
    traffic: Traffic,
    operations: Mapping[Precision, float],
    roofline: Roofline,
    rule: VerdictRule,
    unknowns: int,
) -> ConfidenceFeatures:
    """The grounds of a kernel's verdict, for which ``unknowns`` quantities were assumed.

    As if all was seen, and no size guessed.
    """
    moved = traffic.read_bytes + traffic.write_bytes
    precision, margin = nearest(operations, moved, roofline, rule)
    share = 0.0
    if precision is not None:
        assumed = _assumed_work(summary.root, execution, COLUMNS[precision], inside=False)
        share = assumed / operations[precision]
    return ConfidenceFeatures(
        margin=margin,
        assumed_share=min(1.0, share),
        uncertain_share=min(1.0, traffic.uncertain_bytes / moved) if moved else 0.0,
        unknowns=unknowns,
        reuse=_reuse(summary, execution, moved),
    )


def _reuse(summary: KernelSummary, execution: Execution, moved: float) -> float:
    """The natural logarithm of the bytes that accesses ask for over those moved, at least 0."""
    asked = 0.0
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is not None and runs.runs:
            asked += runs.runs * sum(access.size_bytes for access in region.accesses)
    return math.log(asked / moved) if asked > moved > 0 else 0.0


def _assumed_work(region: Region, execution: Execution, kind: Work, *, inside: bool) -> float:
    """Work of one kind in regions whose number of runs is assumed."""
    runs = execution.regions.get(region)
    if runs is None or not runs.runs:
        return 0.0
    inside = inside or runs.assumed
    own = sum(row[kind] for row in region.work.values()) * runs.runs if inside else 0.0
    return own + sum(
        _assumed_work(child, execution, kind, inside=inside) for child in region.children
    )
