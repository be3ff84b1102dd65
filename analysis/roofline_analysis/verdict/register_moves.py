"""Register moves that count as integer operations, as many as are to be expected of a launch."""

from __future__ import annotations

import math
from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import KernelSummary

_FROM: Final = 10.0
"""Other integer operations a thread from which on there are such moves: of executed kernels with
fewer, both by nvcc and by clang, the median has none."""


def moves_share(summary: KernelSummary, execution: Execution, others: float) -> float:
    """The register moves to expect, as a part of a launch's ``others``: its integer operations."""
    threads = math.prod((*execution.grid, *execution.block))
    return summary.moves_share if others >= _FROM * threads else 0.0
