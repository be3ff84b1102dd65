"""The accesses of one launch: how often each runs, and which addresses it touches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from roofline_analysis.counting.execution import Execution
from roofline_analysis.counting.progressions import thread_extents
from roofline_analysis.counting.thread_sample import volume
from roofline_analysis.regions.index_sources import index_sources
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    KernelSummary,
    MemorySpace,
    Region,
)
from roofline_analysis.traffic.access_boxes import Boxes, BoxReader
from roofline_analysis.traffic.addresses import without_data
from roofline_analysis.traffic.bounded_gathers import Spans
from roofline_analysis.traffic.coalescing import WarpAddresses
from roofline_analysis.traffic.footprint import Box, Dimension
from roofline_analysis.traffic.gathers import (
    differ_by_lane,
    has_locality,
    is_in_trip,
    picks_rows,
)
from roofline_analysis.traffic.index_ranges import IndexRanges, cut_by_guards
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.records import record

_DRAM_SPACES: Final = (MemorySpace.GLOBAL, MemorySpace.LOCAL)


@record(frozen=True, slots=True)
class AccessFootprint:
    """One access of the source in one launch."""

    access: Access
    region: Region
    executions: float
    """Executions over the whole launch: threads times trips of the loops around."""
    places: float
    """Executions with distinct addresses: trips of a loop that leaves the address unchanged count
    once."""
    box: Box | None
    """The addresses of the whole launch; None where they depend on loaded data."""
    wave_box: Box | None
    """The addresses of one wave: the blocks resident at a time. None as for ``box``."""
    random: bool
    """The address depends on loaded data."""
    local: bool
    """A random address that still has spatial locality across neighbouring threads."""
    sectors_each: float
    """Sector bytes fetched for one thread's access after coalescing within its warp."""
    loops: Mapping[Region, tuple[float, float | None]]
    """For each loop around the access: its mean trip count, and the address's stride in bytes per
    trip (None: not affine)."""
    sector: int
    """Bytes of the smallest transfer from memory."""
    followed: bool = True
    """False where a loop moves the address in a way that was not followed."""
    guarded: bool = False
    """Conditions on the address's indices leave fewer addresses than the box has."""
    span_bytes: float | None = None
    """For a random address: the bytes within which it lies; None where data alone bounds it."""
    walk_trips: float | None = None
    """For a random read by an index that a loop carries: the loop's mean trips."""
    walks: float = 0.0
    """How often that loop is entered, in all threads."""
    asked_each: float | None = None
    """Sector bytes that a thread's access asks for at most, where its box has more addresses than
    it is executed; None: a sector of its own."""
    apart: bool = False
    """Each lane of a warp goes along a row of its own, which loaded data picks."""

    def runs_of(self, loop: Region) -> float:
        """The mean trip count of a loop around the access; 1 for any other loop."""
        return self.loops[loop][0] if loop in self.loops else 1.0

    def kept_in(self, loop: Region) -> float:
        """The share of one trip's sectors that the next trip of the loop touches again."""
        stride = self.loops[loop][1]
        return 0.0 if stride is None else max(0.0, 1.0 - abs(stride) / self.sector)

    def in_one_run(self, loop: Region) -> AccessFootprint:
        """The access in one trip of ``loop``, without the dimensions of it and its outer loops."""
        wave_box = self.wave_box
        executions, places = self.executions, self.places
        dropped: list[float] = []
        for region in loop.ancestors():
            if region in self.loops:
                trips, stride = self.loops[region]
                executions /= max(1.0, trips)
                if self.access.varies & region.bit:
                    places /= max(1.0, trips)
                if stride:
                    dropped.append(abs(stride))
        if wave_box is not None and dropped:
            dims = list(wave_box.dimensions)
            for stride in dropped:
                match = next((d for d in dims if abs(d.stride) == stride), None)
                if match is not None:
                    dims.remove(match)
            wave_box = Box(wave_box.start, tuple(dims), wave_box.size_bytes)
        return replace(self, wave_box=wave_box, executions=executions, places=places)


def footprints_of(
    summary: KernelSummary, execution: Execution, resident: int, warp: WarpAddresses
) -> list[AccessFootprint]:
    """The accesses of a launch to memory behind L2 (global and local).

    ``resident`` blocks run at a time; ``warp`` tells how accesses are coalesced.
    """
    reader = _FootprintReader(summary, execution, resident, warp)
    return [
        footprint
        for region in summary.root.walk()
        if region.accesses and (runs := execution.regions.get(region)) is not None and runs.runs > 0
        for footprint in reader.of_region(region, runs.runs)
    ]


class _FootprintReader:
    """Reads the footprints of the accesses in one launch."""

    def __init__(
        self, summary: KernelSummary, execution: Execution, resident: int, warp: WarpAddresses
    ) -> None:
        self._execution = execution
        self._warp = warp
        self._extents = thread_extents(execution.grid, execution.block)
        self._wave_extents = thread_extents(_wave_grid(execution.grid, resident), execution.block)
        self._boxes = BoxReader(execution, warp.sector)
        self._loaded = {
            access.yields
            for region in summary.root.walk()
            for access in region.accesses
            if access.yields is not None and access.array.space is MemorySpace.GLOBAL
        }
        self._sources = index_sources(summary)
        self._tickets = summary.tickets
        self._wave_share = min(1.0, resident / volume(execution.grid))
        self._spans = Spans(execution.environment, self._sources, summary.value_counts)

    def of_region(self, region: Region, runs: float) -> Iterator[AccessFootprint]:
        """The footprints of a region's accesses; it runs ``runs`` times in all threads."""
        loops = _loop_extents(region, self._execution)
        ranges = cut_by_guards(region, self._execution, {**self._extents, **loops})
        wave = cut_by_guards(region, self._execution, {**self._wave_extents, **loops})
        for access in region.accesses:
            if access.array.space in _DRAM_SPACES:
                drawn, rest = self._drawn(access)
                boxes = self._boxes.read(rest, region, ranges.extents, wave.extents)
                if drawn is not None:
                    boxes = _counted(boxes, drawn, runs, self._wave_share)
                yield self._footprint(access, region, runs, ranges, boxes)

    def _footprint(
        self, access: Access, region: Region, runs: float, ranges: IndexRanges, boxes: Boxes
    ) -> AccessFootprint:
        """The footprint of an access whose indices have ``ranges``, and whose offsets ``boxes``."""
        environment, warp, random = self._execution.environment, self._warp, boxes.random
        share = (
            1.0
            if boxes.exact
            else ranges.share_of(without_data(access.offset), access, environment)
        )
        box = _thinned(boxes.box, share)
        rows = random and picks_rows(access, self._loaded, environment, ranges.extents)
        around = _loops_around(access, region, self._execution)
        places = runs / _idle_runs(access, region, around, self._execution)
        indirect = access.array.is_anywhere
        if random and not indirect:
            places = min(places, self._most_places(access, region, ranges) or places)
        walk = _walk(access, region, self._execution) if random and not indirect else None
        return AccessFootprint(
            access=access,
            region=region,
            executions=runs,
            places=places,
            box=box,
            wave_box=_thinned(boxes.wave_box, share),
            random=random,
            local=random and (indirect or (has_locality(access, self._loaded) and not rows)),
            sectors_each=_sectors_each(access, box, warp, boxes.finest, random=random),
            loops=around,
            sector=warp.sector,
            followed=boxes.followed,
            guarded=not boxes.exact and ranges.leaves_out(access.offset),
            span_bytes=self._spans.span_bytes(access, ranges.extents) if random else None,
            walk_trips=walk[0] if walk is not None else None,
            walks=walk[1] if walk is not None else 0.0,
            asked_each=None if random else self._asked_each(access, region, box, runs),
            apart=rows and differ_by_lane(self._sources, access, warp),
        )

    def _asked_each(
        self, access: Access, region: Region, box: Box | None, runs: float
    ) -> float | None:
        """As ``AccessFootprint.asked_each``: what its warps' lanes ask for, divided among them.

        None where data decides which lanes these are, which are then far from one another.
        """
        if box is None or math.prod(max(1.0, each.extent) for each in box.dimensions) <= runs:
            return None
        found = self._execution.regions.get(region)
        if found is None or not found.warp_runs:
            return None
        around = (self._execution.regions.get(each) for each in region.guards())
        if any(each is None or each.assumed for each in around):
            return None
        active = found.runs / found.warp_runs
        sectors, _ = self._warp.sectors_and_lines(access, active, None)
        return sectors * self._warp.sector / active

    def _drawn(self, access: Access) -> tuple[Dimension | None, Access]:
        """How an address goes along with what atomics count, and the access without it.

        Each draw has the place behind that of the one before. None, and the access as it is, where
        other data decides the address.
        """
        data = [s for s in access.offset.symbols() if s.scope in DATA_SCOPES]
        if not data or any(symbol not in self._tickets for symbol in data):
            return None, access
        rest, found = access.offset, []
        for symbol in data:
            each = access.offset.coefficient(symbol)
            stride = self._execution.environment.evaluate(each) if each is not None else None
            draws = self._execution.runs_of(self._tickets[symbol].region)
            if stride is None or np.ndim(stride) or not stride or draws is None:
                return None, access
            rest = rest.without(symbol)
            found.append((abs(float(stride)) * self._tickets[symbol].step, draws))
        stride, draws = min(found, key=lambda each: (each[0], -each[1]))
        return Dimension(stride, draws), replace(access, offset=rest)

    def _most_places(self, access: Access, region: Region, ranges: IndexRanges) -> float | None:
        """How many values a data-dependent address has at the most; None if that is not known."""
        moving = {loop.counter for loop in region.loops() if access.varies & loop.bit}
        execution = self._execution
        return self._sources.distinct(
            access.offset, ranges.extents, moving, execution.most_trips, execution.number
        )


def _idle_runs(
    access: Access,
    region: Region,
    around: Mapping[Region, tuple[float, float | None]],
    execution: Execution,
) -> float:
    """The number of executions for each distinct address: trips that leave it unchanged."""
    result = 1.0
    for loop in region.ancestors():
        # With a trip count that depends on data, threads no longer share addresses in step.
        if loop in around and not execution.regions[loop].assumed:
            result *= 1.0 if access.varies & loop.bit else max(1.0, around[loop][0])
    return result


def _loops_around(
    access: Access, region: Region, execution: Execution
) -> dict[Region, tuple[float, float | None]]:
    result: dict[Region, tuple[float, float | None]] = {}
    symbols = access.offset.symbols()
    for loop in region.loops():
        if loop.counter is None:
            continue
        runs = execution.regions.get(loop)
        stride: float | None = 0.0
        if loop.counter in symbols:
            coefficient = access.offset.coefficient(loop.counter)
            value = execution.environment.evaluate(coefficient) if coefficient is not None else None
            stride = float(value) if value is not None else None
        elif access.varies & loop.bit and any(s.scope in DATA_SCOPES for s in symbols):
            stride = None
        result[loop] = (runs.trips if runs is not None else 1.0, stride)
    return result


def _walk(access: Access, region: Region, execution: Execution) -> tuple[float, float] | None:
    """The innermost loop that moves a read's carried index: its mean trips, and its entries."""
    symbols = [symbol for symbol in access.offset.symbols() if symbol.scope in DATA_SCOPES]
    if access.mode is not AccessMode.READ or not any(map(is_in_trip, symbols)):
        return None
    loop = next((each for each in region.loops() if access.varies & each.bit), None)
    if loop is None or loop.parent is None:
        return None
    inside, outside = execution.regions.get(loop), execution.regions.get(loop.parent)
    return (inside.trips, outside.runs) if inside is not None and outside is not None else None


def _wave_grid(grid: tuple[int, int, int], resident: int) -> tuple[int, int, int]:
    """The blocks resident at a time: consecutive in x, then y, then z."""
    x = min(grid[0], resident)
    y = min(grid[1], max(1, resident // max(1, x)))
    z = min(grid[2], max(1, resident // max(1, x * y)))
    return x, y, z


def _loop_extents(region: Region, execution: Execution) -> dict[Symbol, float]:
    extents: dict[Symbol, float] = {}
    for loop in region.loops():
        if loop.counter is not None:
            runs = execution.regions.get(loop)
            extents[loop.counter] = runs.trips if runs is not None else 1.0
    return extents


def _counted(boxes: Boxes, drawn: Dimension, runs: float, wave_share: float) -> Boxes:
    """The boxes of an access that also goes along with what atomics count.

    Not each draw leads to the access: it runs ``runs`` times, for each draw at all other indices.
    """
    if boxes.box is None or boxes.wave_box is None:
        return boxes
    each = math.prod(max(1.0, other.extent) for other in boxes.box.dimensions)
    drawn = replace(drawn, extent=max(1.0, min(drawn.extent, runs / each)))
    box, wave = (replace(b, dimensions=(*b.dimensions, drawn)) for b in (boxes.box, boxes.wave_box))
    return replace(boxes, box=box, wave_box=_thinned(wave, wave_share))


def _thinned(box: Box | None, share: float) -> Box | None:
    """The box reduced to the share of its addresses that conditions around it leave."""
    if box is None or share >= 1.0 or not box.dimensions:
        return box
    widest = max(box.dimensions, key=lambda d: abs(d.stride) * d.extent)
    cut = Dimension(widest.stride, max(1.0, widest.extent * share))
    return Box(box.start, tuple(cut if d is widest else d for d in box.dimensions), box.size_bytes)


def _sectors_each(
    access: Access,
    box: Box | None,
    warp: WarpAddresses,
    finest: float | None,
    *,
    random: bool,
) -> float:
    """Sector bytes of one thread's access, sectors being shared within its warp."""
    if random or access.array.is_anywhere:
        whole = max(warp.sector, access.size_bytes)
        return float(whole if finest is None else min(whole, max(finest, access.size_bytes)))
    if box is not None:
        return float(access.size_bytes)
    each = warp.sector_bytes_each(access)
    return each if each is not None else float(max(access.size_bytes, warp.sector))
