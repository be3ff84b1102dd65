"""The machine code of a kernel, as far as its summary tells: it is fetched from DRAM like data."""

from __future__ import annotations

from typing import Final

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import WORK_KINDS, KernelSummary, Region, Work
from roofline_core.program.units import Dialect

_BYTES: Final = 32.0
"""Of code for each counted instruction: 16 are the instruction itself (compute capability 7.0 and
later), as many are moves, branches, predicates and reads of special registers, which are not
counted. Fitted to the measured DRAM bytes of 60 development kernels that touch hardly any data."""
_INSTRUCTIONS: Final = tuple(
    {Work.SP: 1 / 1.5, Work.DP: 1 / 1.5, Work.FUSED: 0.0}.get(kind, 1.0)
    for kind in map(Work, range(WORK_KINDS))
)
"""For one operation. Assumed, chosen without measurement: every other floating-point instruction
is a multiply-add, so that two instructions do three operations."""
_LEAST_REACHED: Final = 1 / 8
"""The share of its code that a launch comes to at least. Assumed, chosen without measurement."""
_LAUNCH_BYTES: Final = 2560.0
"""Traffic of a launch that touches nothing: its arguments and bookkeeping. Fitted: the least
measured DRAM bytes of 564 development kernels."""
_OFFLOAD_BYTES: Final = 3584.0
"""The same for a target region, whose runtime starts it. Fitted: the middle of what is left of the
measured DRAM bytes, beside code and data, of 40 small development kernels."""


def launch_bytes(summary: KernelSummary) -> float:
    """What a launch fetches besides code and data."""
    offloaded = summary.kernel.dialect is Dialect.OPENMP
    return _OFFLOAD_BYTES if offloaded else _LAUNCH_BYTES


def code_bytes(summary: KernelSummary, execution: Execution | None = None) -> float:
    """Bytes of the machine code of a kernel and all that is inlined into it, loops unrolled.

    Of code that no thread of ``execution`` comes to, nothing is fetched.
    """
    whole = _instructions(summary.root, None)
    reached = _instructions(summary.root, execution) if execution is not None else whole
    # Where next to nothing runs, it is the launch's values that are not known.
    return _BYTES * (reached if reached > _LEAST_REACHED * whole else whole)


def _instructions(region: Region, execution: Execution | None) -> float:
    runs = execution.regions.get(region) if execution is not None else None
    if runs is not None and not runs.runs:
        return 0.0
    total = float(len(region.accesses))
    for row in region.work.values():
        total += sum(each * count for each, count in zip(_INSTRUCTIONS, row, strict=True))
    total += sum(_instructions(child, execution) for child in region.children)
    if region.kind != "loop":
        return total
    trips = region.trips.constant if region.trips is not None else None
    if region.unrolled and trips is not None:
        return total * max(1.0, float(trips))
    return total * region.copies
