"""Capacity misses: data fetched again because L2 did not hold it until it was needed again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from roofline_analysis.regions.kernel_summary import (
    AccessMode,
    Array,
    MemorySpace,
    Region,
    RegionForm,
)
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.traffic.array_footprints import held_bytes, touched_bytes
from roofline_analysis.traffic.caches import Caches

_MOST_KEPT_BYTES: Final = 512
"""More bytes than a thread keeps in registers across a loop: half of the 255 of four bytes."""


def missed_share(working_set_bytes: float, l2_bytes: float) -> float:
    """The share, 0 to 1, of a cyclically reused working set that does not fit in L2."""
    if working_set_bytes <= l2_bytes:
        return 0.0
    return 1.0 - l2_bytes / working_set_bytes


def loop_refetches(
    by_array: Mapping[Array, list[AccessFootprint]],
    caches: Caches,
    waves: float,
    sizes: Mapping[str, float],
    threads: float,
) -> dict[Array, tuple[float, float]]:
    """Bytes ``(fetched, written)`` again for each array because a loop's data exceeds L2.

    All resident threads are assumed to run the loop in step. Only sectors that the next trip
    touches again are refetched: all for an invariant address, none once it moves a sector per trip.
    What the first caches of the SMs hold of what is read is not asked of L2 again.
    """
    loops: dict[Region, list[AccessFootprint]] = {}
    for items in by_array.values():
        for item in items:
            for loop in item.region.loops():
                if item.runs_of(loop) > 1:
                    loops.setdefault(loop, []).append(item)
    result: dict[Array, tuple[float, float]] = {}
    for loop, every in loops.items():
        hoisted = _hoisted(loop, every)
        items = [item for item in every if item not in hoisted]
        in_run: dict[Array, list[AccessFootprint]] = {}
        for item in items:
            in_run.setdefault(item.access.array, []).append(item.in_one_run(loop))
        sets = {
            array: held_bytes(inner, sizes.get(array.name), threads, waves)
            for array, inner in in_run.items()
        }
        missed = missed_share(sum(sets.values()), caches.l2_bytes)
        if not missed:
            continue
        asked = missed_share(_read_bytes(in_run, sizes, threads, waves), caches.l1_bytes)
        for array, inner in in_run.items():
            again = (inner[0].runs_of(loop) - 1) * waves * missed
            size = sizes.get(array.name)
            read = written = 0.0
            for kept in {item.kept_in(loop) for item in inner} - {0.0}:
                same = [item for item in inner if item.kept_in(loop) == kept]
                reads = [item for item in same if item.access.mode is not AccessMode.WRITE]
                writes = [item for item in same if item.access.mode is not AccessMode.READ]
                read += kept * touched_bytes(reads, size, threads, waves)
                written += kept * touched_bytes(writes, size, threads, waves)
            old = result.get(array, (0.0, 0.0))
            result[array] = (max(old[0], read * again * asked), max(old[1], written * again))
    return result


def refetches_of_later_loops(
    by_array: Mapping[Array, list[AccessFootprint]],
    caches: Caches,
    waves: float,
    sizes: Mapping[str, float],
    threads: float,
) -> dict[Array, tuple[float, float]]:
    """Bytes ``(fetched, written)`` again because a loop goes over what an earlier one went over.

    A softmax goes over each row for its maximum, its sum and its result. Resident threads are
    assumed to run the loops in step, so what lies between two visits is what both loops touch. What
    both read is not asked of L2 again if the first caches of the SMs hold it. Only loops that
    follow one another in the same block of code count: others may be alternatives.
    """

    def touched(array: Array, items: Iterable[AccessFootprint]) -> float:
        """The bytes of an array that the accesses touch in one visit."""
        return touched_bytes(list(items), sizes.get(array.name), threads, waves)

    walks = _walks(by_array)
    result: dict[Array, tuple[float, float]] = {}
    for (first, second), arrays in _visits(by_array).items():
        walk, later = walks[first], walks[second]
        both = {each: [*walk.get(each, ()), *later.get(each, ())] for each in {*walk, *later}}
        between = sum(
            held_bytes(items, sizes.get(each.name), threads, waves) for each, items in both.items()
        )
        missed = waves * missed_share(between, caches.l2_bytes)
        if not missed:
            continue
        asked = _read_bytes(both, sizes, threads, waves) > caches.l1_bytes
        for array in arrays:
            reads = [item for item in later[array] if item.access.mode is not AccessMode.WRITE]
            writes = [item for item in later[array] if item.access.mode is not AccessMode.READ]
            before = [item for item in walk[array] if item.access.mode is not AccessMode.READ]
            read = min(touched(array, walk[array]), touched(array, reads)) if asked else 0.0
            written = min(touched(array, before), touched(array, writes))
            old = result.get(array, (0.0, 0.0))
            result[array] = old[0] + read * missed, old[1] + written * missed
    return result


def _hoisted(loop: Region, items: Sequence[AccessFootprint]) -> list[AccessFootprint]:
    """The reads that the compiler moves before a loop: it reads them once and keeps the numbers.

    Their addresses are the same in all trips, neither a condition nor a loop that stays one stands
    before them, and nothing in the loop is known to store to them; volatile numbers stay. None are
    moved where they take half of the registers.
    """
    stored = [a for part in loop.walk() for a in part.accesses if a.mode is not AccessMode.READ]
    open_stores = any(
        access.array.space is MemorySpace.GLOBAL and not access.array.restrict for access in stored
    )
    own = {access.array for access in stored}
    found = [
        item
        for item in items
        if item.access.mode is AccessMode.READ
        and not item.access.varies & loop.bit
        and not item.access.array.element.volatile
        and _is_in_each_trip(item.region, loop)
        and (item.access.array.read_only or not open_stores)
        and item.access.array not in own
    ]
    size_bytes = sum(item.access.size_bytes * _copies(item, loop) for item in found)
    return found if size_bytes < _MOST_KEPT_BYTES and not loop.barriers else []


def _is_in_each_trip(region: Region | None, loop: Region) -> bool:
    """Whether every trip of a loop runs a region in it, as often as the machine code has it."""
    while region is not None and region is not loop:
        if not region.unrolled and (region.form is RegionForm.LOOP or region.conditions):
            return False
        region = region.parent
    return region is loop


def _copies(item: AccessFootprint, loop: Region) -> float:
    """How many addresses a read has in one trip of a loop, in unrolled loops within."""
    inner = (each for each in item.loops if each is not loop and loop in tuple(each.ancestors()))
    runs = (item.runs_of(each) for each in inner if item.access.varies & each.bit)
    return math.prod(runs, start=1.0)


_Walk = dict[Array, list[AccessFootprint]]


def _walks(by_array: Mapping[Array, list[AccessFootprint]]) -> dict[Region, _Walk]:
    """What each outermost loop goes over, at addresses that are known."""
    walks: dict[Region, _Walk] = {}
    for array, items in by_array.items():
        for item in items:
            loop = _outermost(item)
            if loop is not None:
                walks.setdefault(loop, {}).setdefault(array, []).append(item)
    return walks


def _visits(
    by_array: Mapping[Array, list[AccessFootprint]],
) -> dict[tuple[Region, Region], list[Array]]:
    """Two loops of one block of code, and the arrays that none between them goes over."""
    pairs: dict[tuple[Region, Region], list[Array]] = {}
    for array, items in by_array.items():
        loops: dict[Region | None, dict[Region, None]] = {}
        for item in items:  # In the order of the program.
            loop = _outermost(item)
            if loop is not None:
                loops.setdefault(loop.parent, {})[loop] = None
        for found in loops.values():
            for pair in pairwise(found):
                pairs.setdefault(pair, []).append(array)
    return pairs


def _outermost(item: AccessFootprint) -> Region | None:
    """The outermost loop around an access; None without one, or where its address is not known."""
    if item.wave_box is None or item.random:
        return None
    return next(iter(reversed(list(item.region.loops()))), None)


def _read_bytes(
    touched: Mapping[Array, list[AccessFootprint]],
    sizes: Mapping[str, float],
    threads: float,
    waves: float,
) -> float:
    """Bytes that one wave's reads occupy in caches; stores take no place in the first ones."""
    reads = {
        array: [item for item in items if item.access.mode is AccessMode.READ]
        for array, items in touched.items()
    }
    return sum(
        held_bytes(items, sizes.get(array.name), threads, waves) for array, items in reads.items()
    )
