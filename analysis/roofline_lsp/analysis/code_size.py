"""The machine code of a kernel, as far as its summary tells: it is fetched from DRAM like data."""

from __future__ import annotations

from typing import Final

from roofline_lsp.analysis.device.regions import WORK_KINDS, KernelSummary, Region, Work

_BYTES: Final = 32.0
"""Of code for each counted instruction: 16 are the instruction itself (compute capability 7.0 and
later), as many are moves, branches, predicates and reads of special registers, which are not
counted. Fitted to 60 development kernels that touch hardly any data."""
_INSTRUCTIONS: Final = tuple(
    {Work.SP: 1 / 1.5, Work.DP: 1 / 1.5}.get(kind, 1.0) for kind in map(Work, range(WORK_KINDS))
)
"""For one operation: every other floating-point instruction is taken to be a multiply-add."""


def code_bytes(summary: KernelSummary) -> float:
    """Bytes of the machine code of a kernel and all that is inlined into it, loops unrolled."""
    return _BYTES * _instructions(summary.root)


def _instructions(region: Region) -> float:
    total = float(len(region.accesses))
    for row in region.work.values():
        total += sum(each * count for each, count in zip(_INSTRUCTIONS, row, strict=True))
    total += sum(map(_instructions, region.children))
    if region.kind != "loop":
        return total
    trips = region.trips.constant if region.trips is not None else None
    if region.unrolled and trips is not None:
        return total * max(1.0, float(trips))
    return total * region.copies
