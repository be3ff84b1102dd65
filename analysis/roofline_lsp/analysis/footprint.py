"""The bytes of an allocation that an access touches over a whole launch, in 32-byte sectors.

An access whose address is affine in the thread indices and loop counters touches a box of
addresses: one dimension an index, with a stride and an extent. Nested strides that tile are merged
into contiguous runs; what is left is a number of runs, each rounded to whole sectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

SECTOR_BYTES: Final = 32
"""The unit in which L2 and DRAM are read, on every NVIDIA GPU since Maxwell."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One index of an address: its stride in bytes and how many values it takes."""

    stride: float
    extent: float


@dataclass(frozen=True, slots=True)
class Box:
    """The addresses of one access: a start, dimensions, and the bytes of one element."""

    start: float
    dimensions: tuple[Dimension, ...]
    size_bytes: float

    @property
    def low(self) -> float:
        """The lowest address."""
        return self.start + sum(min(0.0, d.stride * (d.extent - 1)) for d in self.dimensions)

    @property
    def span(self) -> float:
        """Bytes from the lowest to the end of the highest element."""
        return self.size_bytes + sum(abs(d.stride) * (d.extent - 1) for d in self.dimensions)

    @property
    def signature(self) -> tuple[tuple[float, float], ...]:
        """What boxes that are translations of one another share."""
        return tuple(sorted((abs(d.stride), d.extent) for d in self.dimensions))


def sector_bytes(box: Box) -> float:
    """Distinct bytes touched, counted in whole sectors."""
    run, runs, span = box.size_bytes, 1.0, box.size_bytes
    gapless = True
    smallest_gap = 0.0
    for stride, extent in sorted((abs(d.stride), d.extent) for d in box.dimensions):
        if extent <= 1 or stride == 0:
            continue
        if gapless and stride <= run:
            run += stride * (extent - 1)
            span = run
        elif stride >= span:
            gapless = False
            smallest_gap = smallest_gap or stride
            runs *= extent
            span += stride * (extent - 1)
        else:
            # Interleaved with what is there: at most the whole span fills up.
            reach = span + stride * (extent - 1)
            runs = min(runs * extent, reach / run)
            gapless = False
            smallest_gap = smallest_gap or stride
            span = reach
    if runs <= 1:
        return _round_up(run)
    return min(runs * _sectors_of_run(run, box.start, smallest_gap), _round_up(span))


def _round_up(size: float) -> float:
    return -(-size // SECTOR_BYTES) * SECTOR_BYTES


def _sectors_of_run(run: float, start: float, stride: float) -> float:
    """Bytes of the sectors that one run covers, on average over its alignments."""
    if stride % SECTOR_BYTES == 0 and start % SECTOR_BYTES == 0:
        return _round_up(run)
    # A run at any multiple of four bytes covers (run - 4) / 32 + 1 sectors on average.
    return run - min(run, 4.0) + SECTOR_BYTES


def union_bytes(boxes: Sequence[Box], limit: float | None) -> float:
    """Distinct sector bytes of several accesses to one allocation of ``limit`` bytes."""
    groups: dict[tuple[tuple[float, float], ...], list[Box]] = {}
    for box in boxes:
        groups.setdefault(box.signature, []).append(box)
    merged = [_merge_translations(group) for group in groups.values()]
    total = _overlapping(merged)
    return total if limit is None else min(total, _round_up(limit))


@dataclass(frozen=True, slots=True)
class _Extent:
    low: float
    high: float
    touched: float


def _merge_translations(group: list[Box]) -> _Extent:
    """Boxes of one shape at different starts: fields of a record, neighbours of a stencil."""
    group = sorted(group, key=lambda box: box.low)
    first = group[0]
    strides = [abs(d.stride) for d in first.dimensions if d.extent > 1 and d.stride]
    nearest = min(strides, default=0.0)
    total, position = 0.0, 0
    high = first.low
    while position < len(group):
        # Take together the starts that lie within one stride of the finest index.
        box = group[position]
        end = box.low + box.size_bytes
        following = position + 1
        while following < len(group) and group[following].low <= max(end, box.low + nearest - 1):
            end = max(end, group[following].low + group[following].size_bytes)
            following += 1
        covered = min(_covered(group[position:following]), end - box.low)
        whole = sector_bytes(Box(box.start, box.dimensions, max(box.size_bytes, covered)))
        if position == 0:
            total = whole
        else:
            shift = box.low - group[position - 1].low
            total += min(whole, _shifted(box, shift))
        high = max(high, end + box.span - box.size_bytes)
        position = following
    return _Extent(first.low, high, total)


def _covered(boxes: Iterable[Box]) -> float:
    """Bytes that the elements at the boxes' starts cover."""
    covered, reached = 0.0, float("-inf")
    for box in boxes:
        start = max(reached, box.low)
        end = box.low + box.size_bytes
        if end > start:
            covered += end - start
            reached = end
    return covered


def _shifted(box: Box, shift: float) -> float:
    """Sector bytes that the same box adds when it is moved by ``shift``."""
    dims = sorted((abs(d.stride), d.extent) for d in box.dimensions if d.extent > 1 and d.stride)
    added = sector_bytes(box)
    for position, (stride, extent) in enumerate(dims):
        steps = shift / stride
        if steps == int(steps) and steps < extent:
            inner = tuple(Dimension(s, e) for i, (s, e) in enumerate(dims) if i != position)
            rest = Box(box.start, inner, box.size_bytes)
            added = min(added, sector_bytes(rest) * steps)
    return added


def _overlapping(extents: list[_Extent]) -> float:
    """Shapes that lie apart add up; of shapes over the same range the larger counts most."""
    extents = sorted(extents, key=lambda extent: extent.low)
    total = 0.0
    position = 0
    while position < len(extents):
        high = extents[position].high
        together = [extents[position]]
        position += 1
        while position < len(extents) and extents[position].low < high:
            together.append(extents[position])
            high = max(high, extents[position].high)
            position += 1
        most = max(e.touched for e in together)
        reach = _round_up(high - together[0].low)
        # Independent sets of this density over one range.
        missed = 1.0
        for extent in together:
            missed *= 1.0 - min(1.0, extent.touched / max(reach, 1.0))
        total += max(most, min(reach * (1.0 - missed), sum(e.touched for e in together)))
    return total
