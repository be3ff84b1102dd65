"""How much of what a kernel does the analysis has followed.

What is not followed is missing from the counts: a kernel that calls an unknown function may do
anything in it. Each run of a statement that was followed is set against each run of one that was
not; a verdict needs ``LEAST_SHARE``.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Final

from roofline_analysis.language.types import is_arithmetic
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    KernelSummary,
    MemorySpace,
    Region,
)
from roofline_analysis.regions.unseen import Unseen, UnseenKind
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function

if TYPE_CHECKING:  # Reports hold a Sight, and the server that shows them loads no analyser.
    from roofline_analysis.counting.execution import Execution
    from roofline_analysis.traffic.dram import Traffic

LEAST_SHARE: Final = 0.5
"""Below this share there is no verdict: most of what the kernel does is not known."""
NEARLY_ALL: Final = 0.9
"""From this share on the class stands, whatever the rest may move. Assumed."""
_WEIGHTS: Final = {
    UnseenKind.CALL: 2.0,
    UnseenKind.RECURSION: 2.0,
    UnseenKind.ACCESS: 1.0,
    UnseenKind.TYPE: 2.0,
    UnseenKind.ADDRESS: 1.0,
    UnseenKind.CODE: 4.0,
    UnseenKind.DIRECTIVE: 4.0,
}
"""Accesses that stand for what was not followed. Assumed: a short device function loads and
computes about as much."""
_ACCESSES: Final = {
    UnseenKind.CALL: 1.0,
    UnseenKind.RECURSION: 1.0,
    UnseenKind.ACCESS: 1.0,
    UnseenKind.TYPE: 0.0,
    UnseenKind.ADDRESS: 0.0,
    UnseenKind.CODE: 2.0,
    UnseenKind.DIRECTIVE: 2.0,
}
"""Accesses that may be missing. Assumed; those of unknown type or address are counted, if badly."""
_ELEMENT_BYTES: Final = 4.0
_OPERATIONS_PER_ACCESS: Final = 8.0
"""Operations that weigh as much as one access. Assumed."""


_ON_CHIP: Final = frozenset((MemorySpace.SHARED, MemorySpace.LOCAL))
_OUTPUT: Final = frozenset(("printf", "assert", "__trap"))
"""What a kernel without stores may be for."""


@record(frozen=True, slots=True)
class Sight:
    """The share of a launch's work and accesses that was followed, and what is missing."""

    share: float
    """0 to 1, weighted by how often each runs."""
    missing: tuple[Unseen, ...] = ()
    """What was not followed, what runs most often first; each name once."""
    unseen_bytes: float = 0.0
    """What the unseen would move if each access were to a 4-byte element of its own."""
    writes: bool = True
    """False for a kernel that could write but of which no store was found: it has no result."""
    stores: bool = True
    """False where no store was seen of a kernel that must have one: it is in what is missing."""
    is_whole: bool = True
    """False for a kernel that is too long to be followed to its end: it may compute any amount."""
    colliding_bytes: float = 0.0
    """What threads would write besides if sizes that are guessed did not make them store to the
    same places; 0 where no size is guessed."""
    idle_bytes: float | None = None
    """The DRAM bytes per thread, where a compute-bound verdict rests on a grid that is guessed and
    that leaves most threads so little to move that they seem to have nothing to do; else None."""
    too_long_ns: float | None = None
    """The time of a launch that no program would make, where sizes of it are guessed; else None."""
    fault: str | None = None
    """Why the launch fails, so that the kernel never runs by it; None where nothing is known."""

    @property
    def suffices(self) -> bool:
        """Whether the counts support a verdict."""
        possible = self.fault is None and self.too_long_ns is None
        return possible and self.writes and self.share >= LEAST_SHARE


def sight_of(summary: KernelSummary, execution: Execution, traffic: Traffic) -> Sight:
    """Measure how much of a launch was followed."""
    lost = {
        item.access for array in traffic.arrays for item in array.footprints if not item.followed
    }
    seen = 0.0
    weights: dict[Unseen, float] = {}
    accesses = 0.0
    for region, runs in _run(summary, execution):
        seen += runs * sum(access not in lost for access in region.accesses)
        work = sum(sum(row) for row in region.work.values())
        seen += runs * work / _OPERATIONS_PER_ACCESS
        for item in (*region.unseen, *_unread(region, lost)):
            weights[item] = weights.get(item, 0.0) + runs * _WEIGHTS[item.kind]
            accesses += runs * _ACCESSES[item.kind]
    missing = sum(weights.values())
    named: dict[tuple[UnseenKind, str], Unseen] = {}
    for item in sorted(weights, key=lambda each: -weights[each]):
        named.setdefault((item.kind, item.name), item)
    share = seen / (seen + missing) if missing else 1.0
    writes, stores = _results(summary)
    unseen_bytes = accesses * _ELEMENT_BYTES
    missed = tuple(named.values())
    return Sight(share, missed, unseen_bytes, writes, stores, summary.is_whole)


def _results(summary: KernelSummary) -> tuple[bool, bool]:
    """``Sight.writes`` and ``Sight.stores`` of a kernel."""
    kernel = summary.kernel
    if not _must_write(kernel):
        return True, True
    regions = tuple(summary.root.walk())
    unseen = {item.kind for region in regions for item in region.unseen}
    accesses = (access for region in regions for access in region.accesses)
    stored = {each.array.space for each in accesses if each.mode is not AccessMode.READ}
    tells = not _OUTPUT.isdisjoint(kernel.words or ())
    # What was not read of a long kernel may have any number of stores.
    stores = bool(stored - _ON_CHIP) or not unseen or UnseenKind.CODE in unseen
    return bool(tells or stored or unseen), stores


def _unread(region: Region, lost: Container[Access]) -> Iterator[Unseen]:
    for access in region.accesses:
        if access in lost:
            yield Unseen(UnseenKind.ADDRESS, access.array.name, *access.site)


def _must_write(kernel: Function) -> bool:
    """Whether a kernel must have a store somewhere: else what it is for is not known."""
    if kernel.dialect is Dialect.OPENMP:
        return False  # A target region may leave its result in a mapped or reduced variable.
    if kernel.body is not None and not kernel.body.body:
        return False  # It does nothing, and nothing else is said of it.
    return any(_writable(parameter.type) for parameter in kernel.params)


def _writable(type_: Type) -> bool:
    """Whether a kernel can write through a parameter of this type: a pointer or an object."""
    if type_.pointers or type_.dims:
        return not type_.const
    return not is_arithmetic(type_.name)


def _run(summary: KernelSummary, execution: Execution) -> Iterator[tuple[Region, float]]:
    """The regions that run, with how often all threads together run them."""
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is not None and runs.runs:
            yield region, runs.runs
