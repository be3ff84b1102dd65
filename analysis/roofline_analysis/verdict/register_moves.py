"""Register moves that count as integer operations, as many as are to be expected of a launch."""

from __future__ import annotations

import math
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import KernelSummary, Work

_FROM: Final = 10.0
"""Other integer operations a thread from which on there are such moves: of executed kernels with
fewer, both by nvcc and by clang, the median has none."""


def moves_share(summary: KernelSummary, execution: Execution) -> float:
    """The register moves to expect, as a part of a launch's other integer operations."""
    threads = math.prod((*execution.grid, *execution.block))
    others = math.fsum(
        row[Work.INT] * runs.runs
        for region in summary.root.walk()
        if (runs := execution.regions.get(region)) is not None
        for row in region.work.values()
    )
    return summary.moves_share if others >= _FROM * threads else 0.0
