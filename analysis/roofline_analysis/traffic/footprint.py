"""The bytes of an allocation that an access touches over a whole launch, in whole sectors.

An access whose address is affine in the thread indices and loop counters touches a box of
addresses: one dimension for each index, with a stride and an extent. Nested strides that tile are
merged into contiguous runs; each of the remaining runs is rounded to whole sectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from roofline_core.program.records import record

SECTOR_BYTES: Final = 32
"""The unit in which L2 and DRAM are read, on every NVIDIA GPU since Maxwell.

Functions here take another GPU's sector size as ``sector``.
"""


@record(frozen=True, slots=True)
class Dimension:
    """One index of an address: its stride in bytes and how many values it takes."""

    stride: float
    extent: float


@record(frozen=True, slots=True)
class Box:
    """The addresses of one access: a start, dimensions, and the bytes of one element."""

    start: float
    dimensions: tuple[Dimension, ...]
    size_bytes: float
    _known: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)
    """Cache of computed properties: one box takes part in several unions."""

    @property
    def low(self) -> float:
        """The lowest address of the box, in bytes."""
        found: float | None = self._known.get("low")
        if found is None:
            below = 0.0
            for dimension in self.dimensions:
                reach = dimension.stride * (dimension.extent - 1)
                if reach < 0.0:
                    below += reach
            found = self._known["low"] = self.start + below
        return found

    @property
    def span(self) -> float:
        """Bytes from the lowest to the end of the highest element."""
        return self.size_bytes + sum(abs(d.stride) * (d.extent - 1) for d in self.dimensions)

    @property
    def signature(self) -> tuple[tuple[float, float], ...]:
        """The box's shape: equal for boxes that are translations of each other."""
        found: tuple[tuple[float, float], ...] | None = self._known.get("signature")
        if found is None:
            found = self._known["signature"] = _tidied(self.dimensions)
        return found


def _tidied(dimensions: Iterable[Dimension]) -> tuple[tuple[float, float], ...]:
    """Strides and extents, finest first; an index that continues another is merged with it.

    ``8 * i + 32 * j`` with ``i`` below 16 takes the values that ``8 * k`` takes with ``k`` below
    ``16 + 4 * (extent of j - 1)``.
    """
    result: list[tuple[float, float]] = []
    for stride, extent in sorted((abs(d.stride), d.extent) for d in dimensions):
        if extent <= 1 or stride == 0:
            continue
        for position, (finer, reach) in enumerate(result):
            steps = stride / finer
            if steps <= reach and steps == int(steps):
                result[position] = (finer, reach + steps * (extent - 1))
                break
        else:
            result.append((stride, extent))
    return tuple(result)


def sector_bytes(box: Box, sector: int = SECTOR_BYTES) -> float:
    """Distinct bytes that a box touches, in whole sectors of ``sector`` bytes."""
    found: float | None = box._known.get(sector)
    if found is None:
        found = box._known[sector] = _sector_bytes(box, sector)
    return found


def _sector_bytes(box: Box, sector: int) -> float:
    run, runs, span = box.size_bytes, 1.0, box.size_bytes
    dense = True
    gaps: list[tuple[float, float]] = []
    for stride, extent in box.signature:
        if dense and stride < run + sector:
            # Gaps are shorter than a sector: every sector of the run is touched.
            run += stride * (extent - 1)
            span = run
            continue
        dense = False
        gaps.append((stride, extent))
        reach = span + stride * (extent - 1)
        # Interleaved strides fill at most the whole span.
        runs *= extent
        if stride < span:
            runs = min(runs, reach / min(run, sector))
        span = reach
    if not gaps:
        return _sectors(run, box.low, sector)
    common = _common_step(stride for stride, _ in gaps)
    if common:
        # All runs start at multiples of the greatest common divisor of the strides.
        runs = min(runs, (span - run) // common + 1)
        steps = tuple((stride % sector, extent) for stride, extent in gaps if stride % sector)
    else:
        steps = ((1.0, float(sector)),)
    each = _average_sectors(run, box.low % sector, steps, sector)
    return min(runs * each, _sectors(span, box.low, sector))


def _common_step(strides: Iterable[float]) -> int:
    """The greatest common divisor of the strides; 0 if a stride is not a whole number of bytes."""
    step = 0
    for stride in strides:
        if stride != int(stride):
            return 0
        step = math.gcd(step, int(stride))
    return step


def _round_up(size: float, sector: int) -> float:
    return -(-size // sector) * sector


def _sectors(size: float, low: float, sector: int) -> float:
    """Bytes of the sectors that ``size`` bytes from address ``low`` overlap."""
    return _round_up(low % sector + size, sector)


@lru_cache(maxsize=4096)
def _average_sectors(
    run: float, low: float, steps: tuple[tuple[float, float], ...], sector: int
) -> float:
    """Mean sector bytes that a run of ``run`` bytes overlaps, over all alignments of its start.

    ``steps`` has, for each index, its stride modulo the sector and its number of values.
    """
    weights = {0.0: 1.0}
    for stride, extent in steps:
        weights = _stepped(weights, stride, extent, sector)
    covered: float = sum(
        weight * _sectors(run, low + place, sector) for place, weight in weights.items()
    )
    total: float = sum(weights.values())
    return covered / total


def _stepped(
    weights: dict[float, float], stride: float, extent: float, sector: int
) -> dict[float, float]:
    """The number of runs by start offset within a sector, after adding one more index."""
    period = sector // math.gcd(sector, int(stride))
    cycles, rest = divmod(extent, period)
    if not rest:
        # Only the ratio of the weights matters; small weights stay exact.
        cycles = 1.0
    result: dict[float, float] = {}
    for step in range(period):
        times = cycles + min(1.0, max(0.0, rest - step))
        for place, weight in weights.items():
            there = (place + step * stride) % sector
            result[there] = result.get(there, 0.0) + weight * times
    return result


def union_bytes(boxes: Sequence[Box], limit: float | None, sector: int = SECTOR_BYTES) -> float:
    """Distinct sector bytes of several accesses to one allocation of ``limit`` bytes."""
    groups: dict[tuple[tuple[float, float], ...], list[Box]] = {}
    for box in boxes:
        groups.setdefault(box.signature, []).append(box)
    merged = [_merge_translations(group, shape, sector) for shape, group in groups.items()]
    total = _overlapping(merged, sector)
    return total if limit is None else min(total, _round_up(limit, sector))


# -- boxes of one shape at different starts: fields of a struct, neighbours of a stencil


@record(frozen=True, slots=True)
class _Extent:
    low: float
    high: float
    touched: float


@dataclass(slots=True)
class _Cluster:
    """Boxes of one shape that overlap or touch; positions are in steps of each index."""

    low: float
    places: list[tuple[float, ...]]
    known: set[tuple[float, ...]]
    """The same places, to ask for one."""
    fields: list[tuple[float, float]]
    """Start and end of each element in bytes, relative to its position."""
    volume: float
    """Elements of the union of the boxes."""
    apart: float
    """Sum of the boxes' sector bytes, as if no sector were shared."""
    largest: float
    """Sector bytes of the largest box: a lower bound for the union."""


_COMPARED: Final = 8
"""The number of earlier boxes with which a new box is compared."""


def _merge_translations(
    group: list[Box], shape: tuple[tuple[float, float], ...], sector: int
) -> _Extent:
    alike = {(box.low, box.size_bytes): box for box in group}
    group = [alike[key] for key in sorted(alike)]
    base = group[0].low
    extents = [extent for _, extent in reversed(shape)]
    whole = _volume(shape)
    clusters: list[_Cluster] = []
    near: list[_Cluster] = []
    # Steps of the coarsest index never fall: no box to come touches a cluster that is left behind.
    for box in group:
        place, rest = _place(box.low - base, shape)
        field = (rest, rest + box.size_bytes)
        own = sector_bytes(box, sector)
        if extents:
            near = [each for each in near if place[0] - each.places[-1][0] <= extents[0]]
        for cluster in near:
            if _add_near(cluster, place, field, extents, whole):
                cluster.apart += own
                cluster.largest = max(cluster.largest, own)
                break
        else:
            made = _Cluster(box.low - rest, [place], {place}, [field], whole, own, own)
            clusters.append(made)
            near.append(made)
    touched = sum(
        min(max(_cluster_bytes(cluster, shape, sector), cluster.largest), cluster.apart)
        for cluster in clusters
    )
    return _Extent(base, max(box.low + box.span for box in group), touched)


def _place(shift: float, shape: tuple[tuple[float, float], ...]) -> tuple[tuple[float, ...], float]:
    """A shift in bytes as steps of each index, coarsest first, and the remaining bytes."""
    steps = []
    for stride, _ in reversed(shape[1:]):
        count = float(round(shift / stride))
        shift -= count * stride
        steps.append(count)
    if shape:
        count = shift // shape[0][0]
        shift -= count * shape[0][0]
        steps.append(count)
    return tuple(steps), shift


def _volume(shape: tuple[tuple[float, float], ...]) -> float:
    return math.prod(extent for _, extent in shape)


def _add_near(
    cluster: _Cluster,
    place: tuple[float, ...],
    field: tuple[float, float],
    extents: list[float],
    whole: float,
) -> bool:
    """Add a box to a cluster if it overlaps or touches one of its boxes; False if not.

    ``extents`` are the shape's extents, coarsest first; ``whole`` is its volume in elements.
    """
    most = -1.0
    for other in cluster.places[-_COMPARED:]:
        shared = 1.0
        for extent, one, another in zip(extents, place, other, strict=True):
            left = extent - abs(one - another)
            if left < 0:
                break
            shared *= left
        else:
            most = max(most, shared)
    if most < 0:
        return False
    if place not in cluster.known:
        cluster.known.add(place)
        cluster.places.append(place)
        cluster.volume += whole - most
    cluster.fields.append(field)
    return True


def _cluster_bytes(cluster: _Cluster, shape: tuple[tuple[float, float], ...], sector: int) -> float:
    single = _record_bytes(cluster, shape, cluster.low, sector)
    if len(cluster.places) == 1:
        return single
    columns = list(zip(*cluster.places, strict=True))
    ranges = [(min(column), max(column)) for column in columns[::-1]]
    around = tuple(
        (stride, extent + high - low)
        for (stride, extent), (low, high) in zip(shape, ranges, strict=True)
    )
    # The first position is the cluster's start.
    first = reversed(cluster.places[0])
    steps = zip(shape, ranges, first, strict=True)
    start = cluster.low + sum((low - at) * stride for (stride, _), (low, _), at in steps)
    filled = _record_bytes(cluster, around, start, sector)
    if len(shape) == 1:
        # Along a single index, boxes that touch leave no gap.
        return filled
    return min(filled, single * max(1.0, cluster.volume / _volume(shape)))


def _record_bytes(
    cluster: _Cluster, shape: tuple[tuple[float, float], ...], start: float, sector: int
) -> float:
    """Sector bytes of all fields at every position of a shape."""
    dimensions = tuple(Dimension(stride, extent) for stride, extent in shape)
    stretches: list[tuple[float, float]] = []
    for low, high in sorted(cluster.fields):
        if stretches and low < stretches[-1][1] + sector:
            stretches[-1] = (stretches[-1][0], max(high, stretches[-1][1]))
        else:
            stretches.append((low, high))
    total = sum(
        sector_bytes(Box(start + low, dimensions, high - low), sector) for low, high in stretches
    )
    reach = stretches[-1][1] - stretches[0][0]
    return min(total, sector_bytes(Box(start + stretches[0][0], dimensions, reach), sector))


def _overlapping(extents: list[_Extent], sector: int) -> float:
    """Sector bytes of several shapes: disjoint ranges add up; overlapping ranges share sectors."""
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
        reach = _round_up(high - together[0].low, sector)
        # Overlap as for independent random sets of these densities.
        missed = 1.0
        for extent in together:
            missed *= 1.0 - min(1.0, extent.touched / max(reach, 1.0))
        total += max(most, min(reach * (1.0 - missed), sum(e.touched for e in together)))
    return total
