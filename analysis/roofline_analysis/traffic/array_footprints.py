"""Distinct bytes that the accesses to one allocation touch: in a launch, in a wave, in L2."""

from __future__ import annotations

from typing import Final

from roofline_analysis.traffic.access_footprints import Touched
from roofline_analysis.traffic.footprint import Box, sector_bytes, union_bytes
from roofline_analysis.traffic.gathers import distinct_bytes, missed_bytes
from roofline_core.program.records import record

LINE_BYTES: Final = 128
"""What a line of L2 holds room for, however few of its sectors are there."""
_SIZE_EXCEEDED: Final = 1.5
"""Times an allocation's size that an access may reach before the size is taken to be wrong.

Assumed, chosen without measurement."""
_SIZE_EXCEEDED_GUARDED: Final = 4.0
"""The same for an access under a condition, of which less may be left than the model sees. Assumed,
chosen without measurement."""
_SIZE_SLACK_BYTES: Final = 64
"""Bytes more that an access may reach: two sectors. Assumed, chosen without measurement."""


@record(frozen=True, slots=True)
class Footprint:
    """Bytes of one allocation, each touched place counted once."""

    read: float
    written: float
    wave_read: float
    wave: float
    thrashed_read: float
    """Bytes that random reads fetch again because L2 does not hold the allocation."""
    thrashed_written: float
    written_lines: float
    """Bytes of the lines in which something is written."""


def credible_size(items: list[Touched], size: float | None) -> float | None:
    """The allocation's size, unless an access in plain sight reaches far beyond it."""
    if size is None:
        return None
    for item in items:
        if item.box is None:
            continue
        factor = _SIZE_EXCEEDED_GUARDED if item.guarded else _SIZE_EXCEEDED
        if sector_bytes(item.box, item.sector) > factor * size + _SIZE_SLACK_BYTES:
            return None
    return size


def footprint_of(
    items: list[Touched], size: float | None, waves: float, threads: float, l2_bytes: float
) -> Footprint:
    """The footprint of accesses to an allocation of ``size`` bytes, in so many waves."""
    reads = [item for item in items if item.access.kind != "write"]
    writes = [item for item in items if item.access.kind != "read"]
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


def _picked(items: list[Touched]) -> float:
    return sum(item.places * item.sectors_each for item in items)


def _guessed(items: list[Touched], threads: float) -> float:
    """Bytes of an allocation of unknown size: as if each thread had a place of its own.

    Where an access goes on from its place in a loop, as through the row of a matrix, the place is
    as large as what the thread goes through.
    """
    result = 0.0
    for item in items:
        own = item.sectors_each
        for trips, stride in item.loops.values():
            if stride:
                own *= max(1.0, trips)
        result = max(result, threads * max(own, item.sector))
    return result


def _thrashed(items: list[Touched], size: float | None, threads: float, l2_bytes: float) -> float:
    picked = _picked([item for item in items if item.random and not item.local])
    guess = _guessed(items, threads)
    fetched = missed_bytes(picked, size, guess, l2_bytes)
    return max(0.0, fetched - distinct_bytes(picked, size, guess))


def _line_of(items: list[Touched]) -> int:
    return max(LINE_BYTES, items[0].sector)


def held_bytes(items: list[Touched], size: float | None, threads: float, waves: float) -> float:
    """Bytes of L2 that one wave's accesses to an allocation occupy: whole lines."""
    return touched_bytes(items, size, threads, waves, _line_of(items)) if items else 0.0


def touched_bytes(
    items: list[Touched],
    size: float | None,
    threads: float,
    waves: float | None = None,
    unit: int | None = None,
) -> float:
    """Distinct bytes of accesses to one allocation, in a launch or in one of its waves.

    They are counted in whole sectors, or in units of ``unit`` bytes.
    """
    boxes: list[Box] = []
    scattered: list[Touched] = []
    local: list[Touched] = []
    most = 0.0
    for item in items:
        box = item.box if waves is None else item.wave_box
        if box is None or item.random:
            (local if item.local else scattered).append(item)
        else:
            boxes.append(box)
            most += item.executions / (waves or 1.0) * max(item.sector, item.access.size_bytes)
    wider = (unit or items[0].sector) / items[0].sector if items else 1.0
    regular = min(union_bytes(boxes, size, unit or items[0].sector), most * wider) if boxes else 0.0
    if not scattered and not local:
        return regular
    guess = _guessed([*scattered, *local], threads)
    # Random picks from the sectors of the allocation: some are met more than once.
    total = regular + distinct_bytes(wider * _picked(scattered) / (waves or 1.0), size, guess)
    if local:
        # Each wave has its own neighbourhood.
        total += distinct_bytes(_picked(local), size, guess) / (waves or 1.0)
    return total if size is None else min(total, size)
