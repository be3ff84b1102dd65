"""Distinct bytes that the accesses to one allocation touch: in a launch, in a wave, in L2."""

from __future__ import annotations

from typing import Final

from roofline_analysis.regions.kernel_summary import AccessMode, Region
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.traffic.coalescing import LINE_BYTES
from roofline_analysis.traffic.footprint import Box, sector_bytes, union_bytes
from roofline_analysis.traffic.gathers import (
    halves,
    missed_bytes,
    missed_in_searches,
    picked_bytes,
)
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED
from roofline_core.program.records import record

_SIZE_EXCEEDED: Final = 1.5
"""An access that reaches beyond this multiple of an allocation's size disproves the size, unless
conditions that the range of addresses leaves out may keep it inside.

Assumed, chosen without measurement."""
_SIZE_SLACK_BYTES: Final = 64
"""Bytes beyond that multiple that are tolerated: two sectors. Assumed, not measured."""


@record(frozen=True, slots=True)
class Footprint:
    """Distinct bytes of one allocation that a launch touches."""

    read: float
    written: float
    wave_read: float
    wave: float
    thrashed_read: float
    """Bytes that random reads fetch again because the allocation does not fit in L2."""
    thrashed_written: float
    written_lines: float
    """Bytes of the L2 lines that hold at least one written sector."""


def credible_size(items: list[AccessFootprint], size: float | None) -> float | None:
    """The allocation's size in bytes; None if unknown, or if an access reaches far beyond it."""
    if size is None:
        return None
    for item in items:
        if item.box is None or item.guarded:
            continue
        if sector_bytes(item.box, item.sector) > _SIZE_EXCEEDED * size + _SIZE_SLACK_BYTES:
            return None
    return size


def footprint_of(
    items: list[AccessFootprint], size: float | None, waves: float, threads: float, l2_bytes: float
) -> Footprint:
    """The footprint of a launch's accesses to one allocation.

    ``size`` is the allocation's bytes (None: unknown); the launch takes ``waves`` waves of blocks.
    """
    reads = [item for item in items if item.access.mode is not AccessMode.WRITE]
    writes = [item for item in items if item.access.mode is not AccessMode.READ]
    read = touched_bytes(reads, size, threads)
    written = touched_bytes(writes, size, threads)
    wave_read = touched_bytes(reads, size, threads, waves)
    wave = max(held_bytes(reads, size, threads, waves), held_bytes(writes, size, threads, waves))
    return Footprint(
        read,
        written,
        min(wave_read, read),
        wave,
        _thrashed(reads, size, threads, l2_bytes),
        _thrashed(writes, size, threads, l2_bytes),
        touched_bytes(writes, size, threads, unit=_line_of(items)),
    )


def _picked(items: list[AccessFootprint]) -> float:
    return sum(item.places * item.sectors_each for item in items)


def _picked_within(items: list[AccessFootprint]) -> dict[float, float]:
    """For each number of bytes within which addresses lie, the bytes that are picked there.

    Accesses of one reach go to the same places, as those to members of one element do.
    """
    result: dict[float, float] = {}
    for item in items:
        if item.span_bytes is not None:
            span = max(item.span_bytes, float(item.sector))
            result[span] = result.get(span, 0.0) + _picked([item])
    return result


def _guessed(items: list[AccessFootprint], threads: float) -> float:
    """Estimated bytes of an allocation of unknown size: one separate element per thread.

    An element of a thread's own is in a sector of its own, but where neighbours' are near to it.
    Where a loop advances the address, as along a row of a matrix, each thread has the whole range
    that its loop covers. In a grid-stride loop it does the work of as many threads. Where several
    loops go around a place that data name, as over the cells around a particle, neighbours go
    around the same places.
    """
    result = 0.0
    for item in items:
        own = float(item.access.size_bytes) if item.local else item.sectors_each
        is_window = sum(bool(stride) for _, stride in item.loops.values()) > 1
        for loop, (trips, stride) in item.loops.items():
            if (stride and not is_window) or _is_grid_stride(loop):
                own *= max(1.0, trips)
        least = item.access.size_bytes if item.local else item.sector
        result = max(result, threads * max(own, least))
    return result


def _is_grid_stride(loop: Region) -> bool:
    """Whether a loop's trips depend on how many blocks share its work, and not on data."""
    symbols = loop.trips.symbols() if loop.trips is not None else ()
    return any(symbol.name.startswith("gridDim.") for symbol in symbols) and not any(
        symbol.scope in DATA_OR_CARRIED for symbol in symbols
    )


def _thrashed(
    items: list[AccessFootprint], size: float | None, threads: float, l2_bytes: float
) -> float:
    scattered = [item for item in items if item.random and not item.local]
    anywhere = [item for item in scattered if item.span_bytes is None]
    picked = _picked(anywhere)
    guess = _guessed(items, threads)
    searches = [item for item in anywhere if _is_search(item, size)]
    others = [item for item in anywhere if not _is_search(item, size)]
    fetched = missed_bytes(_picked(others), size, guess, l2_bytes) + sum(
        missed_in_searches(item.walks, size or guess, item.sector, l2_bytes) for item in searches
    )
    again = max(0.0, fetched - picked_bytes(picked, size, guess))
    for span, picked in _picked_within(scattered).items():
        fetched = missed_bytes(picked, span, span, l2_bytes)
        again += max(0.0, fetched - picked_bytes(picked, span, span))
    return again


def _is_search(item: AccessFootprint, size: float | None) -> bool:
    if item.walk_trips is None or size is None:
        return False
    return halves(item.walk_trips, size / max(1, item.access.size_bytes))


def _line_of(items: list[AccessFootprint]) -> int:
    return max(LINE_BYTES, items[0].sector)


def held_bytes(
    items: list[AccessFootprint], size: float | None, threads: float, waves: float
) -> float:
    """Bytes of L2, in whole lines, that one wave's accesses to an allocation occupy."""
    return touched_bytes(items, size, threads, waves, _line_of(items)) if items else 0.0


def touched_bytes(
    items: list[AccessFootprint],
    size: float | None,
    threads: float,
    waves: float | None = None,
    unit: int | None = None,
) -> float:
    """Distinct bytes that accesses to one allocation touch, in a launch or in one wave.

    Counted in whole sectors, or in units of ``unit`` bytes.
    """
    boxes: list[Box] = []
    scattered: list[AccessFootprint] = []
    local: list[AccessFootprint] = []
    most = 0.0
    for item in items:
        box = item.box if waves is None else item.wave_box
        if box is None or item.random:
            (local if item.local else scattered).append(item)
        else:
            boxes.append(box)
            each = item.asked_each or max(item.sector, item.access.size_bytes)
            most += item.executions / (waves or 1.0) * each
    wider = (unit or items[0].sector) / items[0].sector if items else 1.0
    regular = min(union_bytes(boxes, size, unit or items[0].sector), most * wider) if boxes else 0.0
    if not scattered and not local:
        return regular
    guess = _guessed([*scattered, *local], threads)
    total = regular + sum(
        picked_bytes(wider * picked / (waves or 1.0), span, guess)
        for span, picked in _picked_within([*scattered, *local]).items()
    )
    scattered = [item for item in scattered if item.span_bytes is None]
    local = [item for item in local if item.span_bytes is None]
    total += picked_bytes(wider * _picked(scattered) / (waves or 1.0), size, guess)
    if local:
        # Accesses with locality: each wave touches a range of its own.
        total += picked_bytes(_picked(local), size, guess) / (waves or 1.0)
    return total if size is None else min(total, size)
