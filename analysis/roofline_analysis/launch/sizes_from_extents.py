"""Assumed numbers, made small enough for loops to stay within shared and local arrays.

``__shared__ float s[64]; for (j = 0; j < n; ++j) sum += s[j];`` says that n is at most 64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from roofline_analysis.launch.assumed_numbers import AssumedNumber, largest, numbers_behind
from roofline_analysis.launch.sizes_from_guards import Corner, KernelArguments, corner
from roofline_analysis.regions.kernel_summary import (
    Access,
    KernelSummary,
    MemorySpace,
    Region,
    RegionForm,
    once_a_summary,
)
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.operations import finite
from roofline_core.program.dims import Dim3

WITHIN: Final = "so that a loop stays within its array"
_MOST_SHARED_BYTES: Final = 227 << 10
"""The most shared memory of a block on any GPU (CUDA C++ programming guide, compute capability 9.0
and 10.0), for an array whose size the launch gives."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """An access that loops take along an array, and these loops, outermost first."""

    access: Access
    loops: Sequence[Region]


def keep_within(
    summary: KernelSummary, arguments: KernelArguments, grid: Dim3, block: Dim3
) -> None:
    """Reduce assumed numbers by which loops would leave arrays of shared or local memory.

    Those of the kernel alone, or of the host; what is reduced stays a guess.
    """
    if not (arguments.assumed or arguments.ties):
        return
    first = corner(grid, block, 0.0)
    for walk in _walks(summary):
        if _excess_bytes(walk, {**arguments.values, **first}) > 0:
            _shorten(walk, arguments, first)


def _shorten(walk: _Walk, arguments: KernelArguments, first: Corner) -> None:
    """Reduce the number that has to be reduced least for a walk to stay within its array."""
    best: tuple[float, AssumedNumber, int] | None = None
    for number in _numbers(walk, arguments):
        size = largest(partial(_stays, walk, number, first), number.now)
        if size is not None and (best is None or size / number.now > best[0]):
            best = size / number.now, number, size
    if best is not None:
        _, number, size = best
        number.reduce(size, WITHIN)


def _stays(walk: _Walk, number: AssumedNumber, first: Corner, size: int) -> bool:
    """Whether a walk stays within its array if a number is of this size."""
    return _excess_bytes(walk, {**number.values(size), **first}) <= 0


def _numbers(walk: _Walk, arguments: KernelArguments) -> Iterator[AssumedNumber]:
    """The assumed numbers on which the length of a walk rests."""
    symbols = set(walk.access.offset.symbols())
    for loop in walk.loops:
        symbols |= loop.trips.symbols() if loop.trips is not None else frozenset()
    return numbers_behind(symbols, arguments)


@once_a_summary
def _walks(summary: KernelSummary) -> tuple[_Walk, ...]:
    """The accesses to shared and local arrays at places that depend on loops' counters."""
    found = []
    for region in summary.root.walk():
        near = [a for a in region.accesses if a.array.space is not MemorySpace.GLOBAL]
        if not near:
            continue
        around = list(region.ancestors())[::-1]
        loops = [each for each in around if each.form is RegionForm.LOOP and each.counter]
        checked = {s for each in around for c in each.conditions if c for s in c.symbols()}
        counters = {each.counter for each in loops}
        found += [
            _Walk(access, loops)
            for access in near
            if (used := counters & access.offset.symbols()) and used.isdisjoint(checked)
        ]
    return tuple(found)


def _excess_bytes(walk: _Walk, values: Corner) -> float:
    """By how much the last trips of a launch's first thread leave the array.

    At most 0 where they do not, or where that is not known.
    """
    known = Environment(values)
    for loop in walk.loops:
        trips = known.evaluate(loop.trips) if loop.trips is not None and not loop.exits else None
        if trips is None or loop.counter is None or not trips >= 1:
            return 0.0
        known = known.extended(loop.counter, int(trips) - 1)
    last = known.evaluate(walk.access.offset)
    declared = walk.access.array.size_bytes
    size = known.evaluate(declared) if declared is not None else _MOST_SHARED_BYTES
    if last is None or size is None or not size > 0:
        return 0.0
    return finite(float(last) + walk.access.size_bytes - float(size)) or 0.0
