"""The accesses of one launch: how often each runs, and which addresses it touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from roofline_analysis.counting.execution import Execution, thread_extents
from roofline_analysis.regions.kernel_summary import Access, KernelSummary, Region
from roofline_analysis.traffic.addresses import DATA_SCOPES, AddressReader, without_data
from roofline_analysis.traffic.footprint import Box, Dimension
from roofline_analysis.traffic.gathers import has_locality
from roofline_analysis.traffic.index_ranges import cut_by_guards
from roofline_core.algebra.evaluate import median
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.records import record

_DRAM_SPACES: Final = frozenset(("global", "texture", "local"))


@record(frozen=True, slots=True)
class Touched:
    """One access of the source in one launch."""

    access: Access
    region: Region
    executions: float
    """Threads times trips."""
    places: float
    """Of these, those that have an address of their own: not the runs of loops it stays in."""
    box: Box | None
    """The addresses over the whole launch; None where they depend on data."""
    wave_box: Box | None
    """The addresses of the blocks that are resident together."""
    random: bool
    """The address depends on loaded data."""
    local: bool
    """And yet neighbouring threads find neighbouring data."""
    sectors_each: float
    """Bytes of sectors fetched for one thread's access, as coalescing leaves it."""
    guarded: bool
    """A condition may keep threads from it."""
    loops: Mapping[Region, tuple[float, float | None]]
    """Loops around: mean trips, and the stride of the address in the loop (None: not affine)."""
    sector: int
    """Bytes that memory transfers at least."""

    def runs_of(self, loop: Region) -> float:
        """Trips of a loop around the access."""
        return self.loops[loop][0] if loop in self.loops else 1.0

    def kept_in(self, loop: Region) -> float:
        """The share of the sectors touched in a run of the loop that the next run touches too."""
        stride = self.loops[loop][1]
        return 0.0 if stride is None else max(0.0, 1.0 - abs(stride) / self.sector)

    def in_one_run(self, loop: Region) -> Touched:
        """The access within one run of a loop: no dimension of it or of a loop around it."""
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


def touched_by(
    summary: KernelSummary, execution: Execution, resident: int, sector: int
) -> list[Touched]:
    """The accesses to memory behind L2 of a launch of which ``resident`` blocks run at a time.

    ``sector`` is the bytes that memory transfers at least.
    """
    extents = thread_extents(execution.grid, execution.block)
    wave_extents = thread_extents(_wave_grid(execution.grid, resident), execution.block)
    result = []
    reader = AddressReader(execution.environment)
    loaded = {
        access.yields
        for region in summary.root.walk()
        for access in region.accesses
        if access.yields is not None and access.array.space == "global"
    }
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None or runs.runs <= 0:
            continue
        if not region.accesses:
            continue
        loops = _loop_extents(region, execution)
        cut = cut_by_guards(region, execution, {**extents, **loops})
        wave_cut = cut_by_guards(region, execution, {**wave_extents, **loops})
        for access in region.accesses:
            if access.array.space not in _DRAM_SPACES:
                continue
            finest: float | None = None
            if access.array.indirect:
                box, wave_box, random = None, None, True
                finest = reader.finest_step(access.offset, cut.extents)
            else:
                size = access.size_bytes
                found = reader.read(access.offset, size, cut.extents)
                wave = reader.read(access.offset, size, wave_cut.extents)
                box, wave_box, random = found.box, wave.box, found.random
                finest = found.finest_stride
            share = cut.share_of(without_data(access.offset), access, execution.environment)
            box = _thinned(box, share)
            wave_box = _thinned(wave_box, share)
            each = _sectors_each(access, box, execution, finest, sector, random=random)
            around = _loops_around(access, region, execution)
            result.append(
                Touched(
                    access=access,
                    region=region,
                    executions=runs.runs,
                    places=runs.runs / _idle_runs(access, region, around, execution),
                    box=box,
                    wave_box=wave_box,
                    random=random,
                    local=random and (access.array.indirect or has_locality(access, loaded)),
                    sectors_each=each,
                    guarded=any(region.guards()),
                    loops=around,
                    sector=sector,
                )
            )
    return result


def _idle_runs(
    access: Access,
    region: Region,
    around: Mapping[Region, tuple[float, float | None]],
    execution: Execution,
) -> float:
    """Runs of the loops around in which the address does not change."""
    result = 1.0
    for loop in region.ancestors():
        # A loop that goes by data changes what other threads share.
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


def _thinned(box: Box | None, share: float) -> Box | None:
    """The box of those threads that pass the guards around, where these cut its indices."""
    if box is None or share >= 1.0 or not box.dimensions:
        return box
    widest = max(box.dimensions, key=lambda d: abs(d.stride) * d.extent)
    cut = Dimension(widest.stride, max(1.0, widest.extent * share))
    return Box(box.start, tuple(cut if d is widest else d for d in box.dimensions), box.size_bytes)


def _sectors_each(
    access: Access,
    box: Box | None,
    execution: Execution,
    finest: float | None,
    sector: int,
    *,
    random: bool,
) -> float:
    """Sector bytes that one thread's access costs: shared with the neighbours in its warp."""
    if random or access.array.indirect:
        whole = max(sector, access.size_bytes)
        return float(whole if finest is None else min(whole, max(finest, access.size_bytes)))
    lanes = execution.lanes
    addresses = lanes.evaluate(access.offset) if lanes is not None and box is None else None
    if addresses is None or not isinstance(addresses, np.ndarray) or addresses.size < 2:
        return float(max(access.size_bytes, sector if box is None else access.size_bytes))
    steps = np.abs(np.diff(addresses.astype(np.float64)))
    typical = median(steps)
    return float(min(max(typical, 0.0), sector) or access.size_bytes)
