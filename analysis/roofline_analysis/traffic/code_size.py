"""The size of a kernel's machine code, which DRAM supplies like data, from its summary."""

from __future__ import annotations

from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import (
    WORK_KINDS,
    KernelSummary,
    Region,
    RegionForm,
    Work,
)
from roofline_core.program.units import Dialect

_BYTES: Final = 32.0
"""Bytes of code per counted instruction: 16 for the instruction (compute capability 7.0 and
later) and 16 for moves, branches, predicates and reads of special registers, which are not
counted. Fitted to the measured DRAM bytes of 60 development kernels that touch hardly any data."""
_INSTRUCTIONS: Final = tuple(
    {Work.SP: 1 / 1.5, Work.DP: 1 / 1.5, Work.FUSED: 0.0, Work.DP_TESTS: 0.0}.get(kind, 1.0)
    for kind in map(Work, range(WORK_KINDS))
)
"""Instructions per operation. Assumed, chosen without measurement: every other floating-point
instruction is a multiply-add, so two instructions do three operations."""
_LEAST_REACHED: Final = 1 / 8
"""The least credible share of a kernel's code that a launch executes. Assumed, not measured."""
_LAUNCH_BYTES: Final = 2560.0
"""DRAM bytes of a launch that accesses no data: its arguments and bookkeeping. Fitted: the least
measured DRAM bytes of 564 development kernels."""
_OFFLOAD_BYTES: Final = 3584.0
"""The same for an OpenMP target region, including its runtime's start-up. Fitted: the median of
the measured DRAM bytes less code and data, of 40 small development kernels."""


_REDUCTION_BYTES: Final = 4800.0
"""Code of LLVM's device runtime that joins what all teams have reduced, besides what its operations
take. Read off machine code for sm_86 of Clang 19 and ptxas 13: 7,040 bytes for a maximum of
integers, of which 2,240 are counted otherwise; 5,400 more for a sum of doubles. Where a file's
regions do not start their threads themselves it is 11,600, of which most is not reached."""


def launch_bytes(summary: KernelSummary) -> float:
    """DRAM bytes of a launch besides code and data: arguments and bookkeeping."""
    offloaded = summary.kernel.dialect is Dialect.OPENMP
    return _OFFLOAD_BYTES if offloaded else _LAUNCH_BYTES


def code_bytes(summary: KernelSummary, execution: Execution | None = None) -> float:
    """Bytes of a kernel's machine code with inlined functions and unrolled loops.

    Regions that no thread of ``execution`` reaches count 0.
    """
    whole = _instructions(summary.root, None)
    reached = _instructions(summary.root, execution) if execution is not None else whole
    # If almost no code is reached, the values of the launch are unknown: count all of it.
    counted = _BYTES * (reached if reached > _LEAST_REACHED * whole else whole)
    reductions = sum(region.grid_reductions for region in summary.root.walk())
    return counted + _REDUCTION_BYTES * reductions


def _instructions(region: Region, execution: Execution | None) -> float:
    runs = execution.regions.get(region) if execution is not None else None
    if runs is not None and not runs.runs:
        return 0.0
    total = float(len(region.accesses))
    for row in region.work.values():
        total += sum(each * count for each, count in zip(_INSTRUCTIONS, row, strict=True))
    total += sum(_instructions(child, execution) for child in region.children)
    if region.form is not RegionForm.LOOP:
        return total
    trips = region.trips.constant if region.trips is not None else None
    if region.unrolled and trips is not None:
        return total * max(1.0, float(trips))
    return total * region.copies
