"""The result of walking a kernel: nested regions, each with its work and memory accesses.

A region runs a number of times that its parent decides: a loop ``trips`` times for each run of its
parent, a guard with the share of threads for which its conditions hold. Work stands in the region
in which the compiler leaves it, loop-invariant work outside the loop. Everything stays symbolic
until ``evaluation`` binds a launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import wraps
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeVar

from roofline_analysis.regions.unseen import Unseen
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem


class Work(IntEnum):
    """The kinds of work; the value is the index into a work row."""

    SP = 0
    DP = 1
    HP = 2
    INT = 3
    TENSOR = 4
    SPECIAL = 5
    """Special-function unit operations: reciprocals, square roots, exponentials."""
    CONVERSION = 6
    FUSED = 7
    """Operations that share their instruction with another: the products of multiply-adds."""
    DP_TESTS = 8
    """Comparisons of doubles: no operations, but instructions of the units for these."""


WORK_KINDS = len(Work)
Site = tuple[Path, int]
"""A source line: file and 1-based number."""


class MemorySpace(Enum):
    """The memory that an array lies in; the values are what reports write."""

    GLOBAL = "global"
    """Device memory, through L2; textures too."""
    SHARED = "shared"
    """A block's on-chip memory."""
    LOCAL = "local"
    """A thread's own part of device memory."""
    CONSTANT = "constant"
    """Device memory that a launch only reads, through the constant cache."""

    __hash__ = object.__hash__  # Enum's own computes the hash of the name at each call.


TEXTURE_PITCH: Final = "pitch"
"""What the bytes from one row of a texture to the next are called: ``t.pitch``."""
TEXTURE_HEIGHT: Final = "height"
"""The same of the rows of a slice."""


@record(frozen=True, slots=True, eq=False)
class Array:
    """Memory that is indexed: a kernel's pointer argument, a shared or local array, a global."""

    name: str
    space: MemorySpace
    element: Type
    read_only: bool = False
    """``const`` with ``__restrict__``, or constant memory: no store can change it."""
    size_bytes: Expr | None = None
    indirect: bool = False
    """The pointer itself was loaded from memory."""
    apart: bool = False
    """It is what the pointers of one array point to: what those ``n`` bytes further point to lies
    ``APART`` times ``n`` bytes further."""
    restrict: bool = False
    """``__restrict__``: no store through another pointer changes it."""
    declared: bool = False
    """A variable in shared memory, of which the kernel says how large it is: a store to another one
    does not change it."""
    texels: bool = False
    """A texture or surface, whose rows are apart by the argument ``NAME.pitch``."""

    @property
    def is_anywhere(self) -> bool:
        """Its pointer was loaded, and nothing says which of the objects it points to is meant."""
        return self.indirect and not self.apart


APART: Final = 1 << 27
"""How far objects lie apart to which pointers in memory point, in bytes for each byte between two
pointers: none of them overlap. Assumed; those of neighbouring pointers are 1 GiB apart."""


UNKNOWN_FACTOR: Final = "?"
"""How the names of numbers begin of which nothing is known, in estimates of floats."""


class AccessMode(Enum):
    """What an access does to memory; the values are what reports write."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


@record(frozen=True, slots=True)
class StoredNumber:
    """A number that a store leaves in an array."""

    name: str
    """Of the array, or of the member of its objects: ``points.x``."""
    number: Expr | None
    """What it is, over loaded values; None where that is not known."""
    of_bytes: int
    """The size of the array's part that has one such number: an element."""


@record(frozen=True, slots=True, eq=False)
class Access:
    """One load, store or atomic of the source; it happens once in each run of its region."""

    array: Array
    offset: Expr
    """Bytes from the start of the array; data-dependent parts are symbols of ``DATA_SCOPES``."""
    size_bytes: int
    mode: AccessMode
    site: Site
    varies: int = -1
    """The bits of the loops in which the address may change."""
    yields: Symbol | None = None
    """For a load: the symbol of the loaded value."""
    stored: tuple[StoredNumber, ...] = ()
    """For a store: the numbers that it changes; none where it may change any of the array."""
    one_by_one: bool = False
    """For an atomic operation: those of a warp's lanes on one number are not joined to one."""
    members: tuple[tuple[str, Symbol], ...] = ()
    """For a load of an object or from an array of objects: the symbols of the numbers loaded, each
    with the name of the array and of the member, ``points.x``."""


@record(frozen=True, slots=True, eq=False)
class Exit:
    """A way out of a loop before its trip count: a ``break``, a ``return``, part of its test."""

    conditions: tuple[Expr | None, ...]
    """All must hold; a condition that is None is unknown."""
    at_start: bool = False
    """The trip in which the conditions hold is not executed; otherwise it is the last trip."""


class Role(Enum):
    """The part of a branch that a guard represents."""

    TAKEN = 0
    """A side of a branch after which control continues."""
    EXITS = 1
    """A side that ends in ``return``, ``break`` or ``continue``."""
    FALLS_THROUGH = 2
    """The code after a side that exits, run by the threads that did not exit."""
    ENTERS = 3
    """What a loop computes once before its first trip, run by the threads that have a trip."""
    SLOW = 4
    """What divisions compute besides where their dividend is 0, which is decided by samples of the
    data alone: without any it is taken for never."""


@record(frozen=True, slots=True)
class Stride:
    """An address that moves with a loop by the same in each run."""

    elements: float | None
    """By how much its index grows; None if that is known only at run time."""
    narrow: bool
    """Its index is one of 32 bits with a sign."""
    summed: bool
    """Its index is a sum."""
    known: bool
    """Where it starts is an address that was computed before the loop, or one of 32 bits."""
    charged: float
    """Integer operations that were charged in each run for moving it by a constant."""


@record(frozen=True, slots=True)
class Rounds:
    """What is known of a loop in rounds of copies before its body is."""

    site: Site
    own: float
    """Integer operations of its test and step, once a round."""
    step: float
    """By how much its variable grows in each run."""
    counted_otherwise: bool
    """Its variable is used for more than indices."""
    compiled: int
    """Copies that the compiler makes of a small body."""
    assembled: int
    """How many times the assembler copies these, if they are few instructions."""


class RegionForm(Enum):
    """What decides how often a region runs; the values are what reports write."""

    KERNEL = "kernel"
    """The launch: the whole kernel."""
    GUARD = "guard"
    """Conditions: the code runs for the threads that pass."""
    LOOP = "loop"
    """Trips: the code runs several times."""


_GUARD = RegionForm.GUARD  # Read for each region around an access, and slow to read in Python 3.11.
_LOOP = RegionForm.LOOP


@dataclass(slots=True, eq=False)
class Region:
    """A stretch of code that runs as a whole."""

    form: RegionForm
    parent: Region | None
    site: Site
    conditions: tuple[Expr | None, ...] = ()
    """For a guard: all must hold; a condition that is None is unknown."""
    odds: float | None = None
    """For a guard: the odds assumed for an unknown condition; None: the default of its role."""
    role: Role = Role.TAKEN
    dividend: Expr | None = None
    """For a guard whose role is ``SLOW``: the number that is 0 in the threads that pass."""
    trips: Expr | None = None
    """For a loop: its trip count; None if unknown."""
    counter: Symbol | None = None
    """For a loop: the index of its trips, 0, 1, 2 ..."""
    bit: int = 0
    """Of a loop: its bit in ``Value.varies``."""
    unrolled: bool = False
    """The compiler unrolls the loop fully: the counter is a constant in each copy."""
    copies: int = 1
    """For a partially unrolled loop: the trips that share one test and increment."""
    walked_runs: int = 1
    """For a guard without conditions that represents a fully unrolled loop: the loop's trips."""
    exits: list[Exit] = field(default_factory=list)
    """For a loop: the exits that can end it before its trip count."""
    entry: Region | None = None
    """For a loop: the guard with what is hoisted out of it; None if nothing was."""
    spins: bool = False
    """For a loop: it retries an atomic operation until it succeeds."""
    overhead: list[tuple[Region, Site, float]] = field(default_factory=list)
    """For a loop, during the walk: integer operations that it costs if it does anything, and the
    region that has them."""
    is_side: bool = False
    """For a guard, during the walk: a side of ``?``, into which nothing is moved."""
    other_side: Region | None = None
    """For a guard, during the walk: the other side of its branch; None where it has one only."""
    may_fold: bool = False
    """For a guard, during the walk: the right side of ``&&`` or ``||``, which the compiler computes
    for all threads if it takes little."""
    rounds: Rounds | None = None
    """For a loop whose runs may share a round, during the walk."""
    wrapping: list[Expr] = field(default_factory=list)
    """For a loop, during the walk: steps that are added to 32-bit variables without a sign."""
    widened: list[Expr] = field(default_factory=list)
    """For a loop, during the walk: steps of 32 bits that are added to variables of 64."""
    strides: list[Stride] = field(default_factory=list)
    """For a loop, during the walk: addresses that move with it, each kind once."""
    work: dict[Site, list[float]] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)
    """What could not be followed; it happens once in each run."""
    barriers: int = 0
    """Barriers of the block in each run."""
    exchanges: float = 0.0
    """Numbers that the lanes of a warp hand one another in each run: shuffles and votes."""
    grid_reductions: int = 0
    """Values per run that are reduced over all blocks of the grid, one block after another."""
    children: list[Region] = field(default_factory=list)
    available: dict[object, object] = field(default_factory=dict)
    """Value numbers already computed in this region; used only during the walk."""
    hoist_regions: dict[int, Region] = field(default_factory=dict)
    """Cache of the walk: loop bit set -> outermost region to which such a value can be hoisted."""
    decided: tuple[int | None, ...] | None = None
    """Cache of the counting: for each condition 1 or 0 where guards around decide it, else None."""

    def charge(self, site: Site, kind: Work, amount: float) -> None:
        """Add work done on a source line, per run of this region."""
        row = self.work.get(site)
        if row is None:
            row = self.work[site] = [0.0] * WORK_KINDS
        row[kind] += amount

    def end_walk(self) -> None:
        """Let go of what only the walk needed, here and in the regions inside."""
        for region in self.walk():
            region.available, region.hoist_regions = {}, {}

    @property
    def does_nothing(self) -> bool:
        """Whether nothing that a compiler must keep happens in it."""
        own = self.accesses or self.unseen or self.barriers or self.grid_reductions
        return (
            not own
            and not any(any(row) for row in self.work.values())
            and all(child.does_nothing for child in self.children)
        )

    def ancestors(self) -> Iterator[Region]:
        """This region and those around it, innermost first."""
        region: Region | None = self
        while region is not None:
            yield region
            region = region.parent

    def around(self) -> Iterator[Region]:
        """The regions around this one, innermost first, without itself."""
        return self.parent.ancestors() if self.parent is not None else iter(())

    def available_value(self, key: object) -> object | None:
        """The value numbered by ``key`` here or in a region around; None if there is none."""
        region: Region | None = self  # Asked for each value of the walk: no generator.
        while region is not None:
            found = region.available.get(key)
            if found is not None:
                return found
            region = region.parent
        return None

    def loops(self) -> Iterator[Region]:
        """The loops among this region and those around it, innermost first."""
        return (region for region in self.ancestors() if region.form is _LOOP)

    def guards(self) -> Iterator[Region]:
        """The guards among this region and those around it, innermost first."""
        return (region for region in self.ancestors() if region.form is _GUARD)

    def within(self, loop: Region) -> Iterator[Region]:
        """This region and those around it up to a loop, which is left out; innermost first."""
        return takewhile(lambda region: region is not loop, self.ancestors())

    def guards_in_run(self) -> Iterator[Region]:
        """The guards around this region in a run of the innermost loop around it."""
        return takewhile(lambda region: region.form is _GUARD, self.around())

    @property
    def innermost_loop(self) -> Region | None:
        """This region if it is a loop, else the innermost loop around it; None without any."""
        return next(self.loops(), None)

    def walk(self) -> Iterator[Region]:
        """This region and all regions inside it, in pre-order."""
        yield self
        levels = [iter(self.children)]  # No recursion: each region would pass all levels above it.
        while levels:
            child = next(levels[-1], None)
            if child is None:
                levels.pop()
            else:
                yield child
                if child.children:
                    levels.append(iter(child.children))


@record(frozen=True, slots=True, eq=False)
class AssumedSymbol:
    """A symbol of device code whose value the source does not give."""

    symbol: Symbol
    name: str


@record(frozen=True, slots=True, eq=False)
class LoopNumber:
    """What decides a number that a loop changes: its trips, and other numbers."""

    loop: Region
    others: frozenset[Symbol]
    """The symbols of its value before the loop and of the values that a trip gives it."""
    after: bool
    """Whether it is the value after the loop; else it is the one at the start of a trip."""
    first: Expr | None = None
    """Its value before the loop; None where that is not known, or not the only one."""
    following: Expr | None = None
    """Its value after a trip, of what is known in the trip; None likewise."""


@record(frozen=True, slots=True, eq=False)
class Ticket:
    """A number that an atomic gave which counts: another one each time that it is executed."""

    region: Region
    """Where it is executed."""
    blocks: frozenset[Symbol]
    """Indices of blocks that decide which number it counts on; without any all share one."""
    per_block: bool
    """It counts on a number in shared memory, of which each block has its own."""
    step: float = 1.0
    """How far it counts each time; 1 where that is not known."""


@record(frozen=True, slots=True, eq=False)
class KernelSummary:
    """What one thread of a kernel does, for one binding of its template parameters."""

    kernel: Function
    root: Region
    params: tuple[str, ...]
    arrays: tuple[Array, ...]
    shared_bytes: int
    """Statically declared shared memory of a block."""
    assumptions: tuple[AssumedSymbol, ...]
    problems: tuple[Problem, ...]
    barriers: int = 0
    """Barriers of the block in the source: ``__syncthreads`` and equivalents."""
    required_block: tuple[int, int, int] | None = None
    """The block that the kernel demands of every launch, x first; None if it takes any."""
    registers_per_thread: int = 32
    """Registers per thread. Assumed: the compiler decides."""
    value_counts: Mapping[tuple[Array, Symbol], int] = field(default_factory=dict)
    """How many values a loaded number can have where it picks an element of a declared array:
    ``table[60]`` in an object of memory has 60 that are valid."""
    meanings: Mapping[Symbol, Expr] = field(default_factory=dict)
    """Data-dependent symbols as exact expressions over loaded values."""
    tickets: Mapping[Symbol, Ticket] = field(default_factory=dict)
    """What atomics that count gave, by its symbol."""
    loop_numbers: Mapping[Symbol, LoopNumber] = field(default_factory=dict)
    """What decides the numbers that loops change, where the trips made and other symbols do."""
    asks_warp_size: bool = True
    """Whether the summary depends on the warp size."""
    unknown_sizes: Mapping[str, int] = field(default_factory=dict)
    """Types of unknown size, with the bytes assumed for each."""
    is_whole: bool = True
    """Whether the walk came to the kernel's end, and to no limit on the work before."""
    statements: int = 0
    """Statements that were walked, each time anew; of long ones more, by their expressions."""
    moves_share: float = 0.0
    """Register moves that count as integer operations, as a part of the others: to be expected."""
    facts: dict[object, Any] = field(default_factory=dict, repr=False)
    """What functions say of it alone, as ``once_a_summary`` keeps it."""


_Fact = TypeVar("_Fact")


def once_a_summary(
    work_out: Callable[[KernelSummary], _Fact],
) -> Callable[[KernelSummary], _Fact]:
    """Work out what a function says of a summary once: launches are bound to it many times.

    The result must not be changed.
    """

    @wraps(work_out)
    def known(summary: KernelSummary) -> _Fact:
        """What the summary's ``facts`` hold under the function, worked out if nothing yet."""
        found: _Fact
        try:
            found = summary.facts[work_out]
        except KeyError:
            found = summary.facts[work_out] = work_out(summary)
        return found

    return known


@once_a_summary
def accesses_in(summary: KernelSummary) -> int:
    """How many accesses to memory stand in the walked code."""
    return sum(len(region.accesses) for region in summary.root.walk())
