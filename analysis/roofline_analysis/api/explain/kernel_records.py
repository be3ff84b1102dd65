"""What an explanation says of a kernel: regions, accesses, operations. See ``records``."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.regions.kernel_summary import AccessMode, RegionForm
from roofline_core.program.precision import Precision, operations_of
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Operations:
    """Work over the whole launch; a multiply-add is two operations."""

    sp_flops: float = 0.0
    """32-bit floating-point operations."""
    dp_flops: float = 0.0
    """64-bit floating-point operations."""
    hp_flops: float = 0.0
    """16-bit floating-point operations outside tensor cores."""
    int_ops: float = 0.0
    """Integer operations."""
    int_moves: float = 0.0
    """Of the integer operations: register moves, as many as are to be expected."""
    tensor_flops: float = 0.0
    """Tensor-core operations."""
    special_ops: float = 0.0
    """Special-function instructions: reciprocals, square roots, exponentials."""
    conversion_ops: float = 0.0
    """Conversions between types."""

    def of(self, precision: Precision) -> float:
        """The operations of a precision."""
        return operations_of(self, precision)


@record(frozen=True, slots=True)
class RegionFacts:
    """A stretch of the kernel that runs as a whole. Regions stand outer ones first."""

    depth: int
    """0 for the kernel itself; a region is inside the nearest one above it with a smaller depth."""
    form: RegionForm
    """What decides how often it runs."""
    role: str
    """Of a guard: ``taken``, ``leaves`` (it ends in return, break or continue) or ``stays`` (what
    follows for those that did not leave)."""
    path: Path
    """Of the source line that makes it."""
    line: int
    """1-based."""
    counter: str | None
    """Of a loop: the name that its runs, 0, 1, 2 and so on, have in formulas."""
    formula: str | None
    """The conditions of a guard, the trips of a loop; null where nothing is known of them."""
    runs: float
    """Over all threads: those of the parent times trips or share."""
    warp_runs: float
    """Over all warps: a warp goes where any of its lanes goes."""
    trips: float
    """Of a loop: mean trips for each run of its parent, else 1."""
    share: float
    """Of a guard: the share of its parent's runs, else 1."""
    estimated: bool
    """Whether data decides trips or share, so that they were estimated."""
    why: str
    """What an estimate rests on; empty where nothing was estimated."""
    unrolled: bool
    """Whether the loop is taken to be unrolled whole."""
    walked_runs: int
    """Of a guard that stands for an unrolled loop: the runs it holds; else 1."""
    barriers: int
    """Barriers of the block in each run."""
    operations: Operations
    """Its own, those of regions inside it left out."""
    accesses: int
    """Loads, stores and atomics of its own in the source."""


@record(frozen=True, slots=True)
class AccessFacts:
    """One load, store or atomic of the source."""

    path: Path
    """Of its source line."""
    line: int
    """1-based."""
    mode: AccessMode
    """What it does to memory."""
    size_bytes: int
    """Of one element as it is accessed."""
    offset: str
    """Bytes from the start of the array, in C's notation. Of what pointers in memory point to
    ``*(pointer) + bytes``: where the pointer lies, and the bytes behind what it points to."""
    loads: str | None
    """The name that the loaded number has in formulas; null where nothing loads it."""
    pattern: str | None
    """``4 x 1024, 4096 x 64``: strides in bytes times extents over the whole launch, ``apart x
    8`` where each of 8 places is in an object of its own; ``one place``; ``data-dependent``; ``not
    affine``; null for what does not reach L2."""
    executions: float
    """Threads times trips."""
    requests: float
    """Warps times trips."""
    active_lanes: float | None
    """Lanes of a warp that take part, on average; null where nothing runs."""
    sectors_per_request: float | None
    """Sectors of global memory that a request of one warp falls into; null for shared memory."""
    least_sectors_per_request: float | None
    """What they would be if neighbouring lanes accessed neighbouring elements."""
    clocks_per_request: float | None
    """Clocks of L1 or of shared memory: lines, or words of the busiest bank."""
    footprint_bytes: float | None
    """Distinct bytes, in whole sectors, over the whole launch; null where data decides them."""
    dram_read_bytes: float
    """Its share of what is read of the array from DRAM."""
    dram_write_bytes: float
    """Likewise written."""


@record(frozen=True, slots=True)
class ArrayFacts:
    """One allocation, or one array of shared or local memory."""

    name: str
    """The parameter or variable."""
    space: str
    """``global``, ``shared``, ``local`` or ``constant``."""
    element: str
    """The type of the elements."""
    size_bytes: float | None
    """Of the allocation; null where it is not known."""
    first_read_bytes: float
    """Distinct bytes read from DRAM."""
    read_bytes: float
    """The same with what is fetched again."""
    written_bytes: float
    """Bytes that L2 is given to write."""
    write_bytes: float
    """Those of them that count for the class: all by the default rule, by the study's those that
    reach DRAM before the kernel ends."""
    accesses: tuple[AccessFacts, ...]
    """In the order of the walk."""


@record(frozen=True, slots=True)
class LineWork:
    """The operations of one source line."""

    path: Path
    """Of the source file."""
    line: int
    """1-based."""
    source: str | None
    """The line's text without the blanks around it; null where the file cannot be read."""
    executions: float
    """Threads that come to the line, times the trips of the loops around it."""
    operations: Operations
    """Over the whole launch."""
