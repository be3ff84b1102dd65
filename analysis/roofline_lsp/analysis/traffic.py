"""DRAM traffic of a launch: footprints, what L2 must fetch again, what it writes back.

Each allocation's compulsory traffic is the union of the footprints of its accesses. Where what
the resident blocks touch at a time exceeds the L2, data shared between waves of blocks is fetched
again. Writes are write-back: each sector written leaves once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from roofline_lsp.analysis.addresses import DATA_SCOPES, AddressReader, without_data
from roofline_lsp.analysis.code_size import code_bytes, launch_bytes
from roofline_lsp.analysis.device.regions import Access, Array, KernelSummary, Region, Site
from roofline_lsp.analysis.execution import Execution, thread_extents
from roofline_lsp.analysis.footprint import SECTOR_BYTES, Box, Dimension, sector_bytes, union_bytes
from roofline_lsp.analysis.gathers import distinct_bytes, has_locality, missed_bytes
from roofline_lsp.analysis.guard_cuts import cut_by_guards
from roofline_lsp.kernel.symbolic import Symbol

FLOOR_BYTES: Final = 2048.0
"""The least traffic of a library's kernel: its arguments and bookkeeping."""
_KEPT_WHOLE: Final = 1 / 40
"""Writes of this share of L2 stay there."""
_KEPT_NONE: Final = 1.6
"""Of writes of this many times L2, nothing to speak of stays."""
LINE_BYTES: Final = 128
"""What a line of L2 holds room for, however few of its sectors are there."""
_DRAM_SPACES: Final = frozenset(("global", "texture", "local"))


@dataclass(frozen=True, slots=True)
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
        outer = loop
        wave_box = self.wave_box
        executions, places = self.executions, self.places
        region: Region | None = outer
        dropped: list[float] = []
        while region is not None:
            if region in self.loops:
                trips, stride = self.loops[region]
                executions /= max(1.0, trips)
                if self.access.varies & region.bit:
                    places /= max(1.0, trips)
                if stride:
                    dropped.append(abs(stride))
            region = region.parent
        if wave_box is not None and dropped:
            dims = list(wave_box.dimensions)
            for stride in dropped:
                match = next((d for d in dims if abs(d.stride) == stride), None)
                if match is not None:
                    dims.remove(match)
            wave_box = Box(wave_box.start, tuple(dims), wave_box.size_bytes)
        return replace(self, wave_box=wave_box, executions=executions, places=places)


@dataclass(frozen=True, slots=True)
class ArrayTraffic:
    """Bytes of one allocation."""

    array: Array
    read_bytes: float
    write_bytes: float
    size_bytes: float | None
    touched: tuple[Touched, ...]
    first_read_bytes: float = 0.0
    """Distinct bytes read: those that are fetched however large L2 is."""
    written_bytes: float = 0.0
    """Distinct bytes written, with those that L2 had to write again."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """DRAM bytes of a launch."""

    read_bytes: float
    write_bytes: float
    arrays: tuple[ArrayTraffic, ...]
    by_site: Mapping[Site, tuple[float, float]]
    """Bytes read and written, shared out over the source lines that cause them."""
    uncertain_bytes: float
    """Bytes that rest on addresses or sizes that could not be followed."""


def dram_traffic(
    summary: KernelSummary,
    execution: Execution,
    resident_blocks: int,
    l2_bytes: float,
    sizes: Mapping[str, float],
    host_arrays: frozenset[str] = frozenset(),
    sector: int = SECTOR_BYTES,
) -> Traffic:
    """The traffic of one launch.

    ``sizes`` gives allocations' bytes by array name; ``host_arrays`` are those in host memory,
    mapped, whose traffic goes over the bus instead; ``sector`` the bytes that memory transfers at
    least.
    """
    touched = _touched(summary, execution, resident_blocks, sector)
    by_array: dict[Array, list[Touched]] = {}
    for item in touched:
        if item.access.array.name not in host_arrays:
            by_array.setdefault(item.access.array, []).append(item)
    waves = max(1.0, _volume(execution.grid) / max(1, resident_blocks))
    threads = float(execution.threads)
    again = _loop_refetches(by_array, l2_bytes, waves, sizes, threads)
    footprints = {
        array: _footprints(
            items, _credible_size(items, sizes.get(array.name)), waves, threads, l2_bytes
        )
        for array, items in by_array.items()
    }
    per_wave = sum(footprint.wave for footprint in footprints.values())
    missed = _missed(per_wave, l2_bytes)
    arrays = []
    uncertain = 0.0
    for array, footprint in footprints.items():
        refetched = max(0.0, waves * footprint.wave_read - footprint.read) * missed
        extra_read, extra_written = again.get(array, (0.0, 0.0))
        read = footprint.read + max(refetched, extra_read, footprint.thrashed_read)
        written = footprint.written + max(extra_written, footprint.thrashed_written)
        if array.space == "local":
            # The next wave reuses the addresses; what a thread reads it has written before.
            read, written = extra_read, footprint.written * missed + extra_written
        arrays.append(
            ArrayTraffic(
                array,
                read,
                written,
                sizes.get(array.name),
                tuple(by_array[array]),
                min(read, footprint.read),
                written,
            )
        )
        if any(item.random or item.box is None for item in by_array[array]):
            uncertain += read + written
    share = write_back_share(sum(item.write_bytes for item in arrays), l2_bytes)
    arrays = [replace(item, write_bytes=item.write_bytes * share) for item in arrays]
    read_total = sum(item.read_bytes for item in arrays) + launch_bytes(summary)
    read_total += code_bytes(summary, execution)
    write_total = sum(item.write_bytes for item in arrays)
    return Traffic(read_total, write_total, tuple(arrays), _by_site(arrays), uncertain)


def _volume(dims: tuple[int, int, int]) -> int:
    return dims[0] * dims[1] * dims[2]


def write_back_share(written_bytes: float, l2_bytes: float) -> float:
    """The share of written bytes that reach DRAM before the kernel ends.

    The rest stays in L2 as modified lines. On an RTX 3080 (5 MB of L2) nearly nothing of 128 KB
    arrives, half of 1 MB and nearly all of 8 MB, close to linear in the logarithm between them
    (measured development kernels whose traffic is otherwise exact).
    """
    if written_bytes <= 0:
        return 1.0
    share = math.log(written_bytes / (l2_bytes * _KEPT_WHOLE)) / math.log(_KEPT_NONE / _KEPT_WHOLE)
    return min(1.0, max(0.02, share))


def _missed(working_set_bytes: float, l2_bytes: float) -> float:
    """The share of a cyclically reused working set that L2 does not hold."""
    if working_set_bytes <= l2_bytes:
        return 0.0
    return 1.0 - l2_bytes / working_set_bytes


# -- footprints of an allocation


@dataclass(frozen=True, slots=True)
class _Footprint:
    read: float
    written: float
    wave_read: float
    wave: float
    thrashed_read: float
    """Bytes that random reads fetch again because L2 does not hold the allocation."""
    thrashed_written: float


def _credible_size(items: list[Touched], size: float | None) -> float | None:
    """The allocation's size, unless an access in plain sight reaches far beyond it."""
    if size is None:
        return None
    for item in items:
        if item.box is None:
            continue
        factor = 4.0 if item.guarded else 1.5
        if sector_bytes(item.box, item.sector) > factor * size + 64:
            return None
    return size


def _footprints(
    items: list[Touched], size: float | None, waves: float, threads: float, l2_bytes: float
) -> _Footprint:
    reads = [item for item in items if item.access.kind != "write"]
    writes = [item for item in items if item.access.kind != "read"]
    read = _union(reads, size, threads)
    written = _union(writes, size, threads)
    wave_read = _union(reads, size, threads, waves)
    wave = max(_held(reads, size, threads, waves), _held(writes, size, threads, waves))
    return _Footprint(
        read,
        written,
        min(wave_read, read),
        wave,
        _thrashed(reads, size, threads, l2_bytes),
        _thrashed(writes, size, threads, l2_bytes),
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


def _held(items: list[Touched], size: float | None, threads: float, waves: float) -> float:
    """Bytes of L2 that one wave's accesses to an allocation occupy: whole lines."""
    return _union(items, size, threads, waves, max(LINE_BYTES, items[0].sector)) if items else 0.0


def _union(
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


def _loop_refetches(
    by_array: Mapping[Array, list[Touched]],
    l2_bytes: float,
    waves: float,
    sizes: Mapping[str, float],
    threads: float,
) -> dict[Array, tuple[float, float]]:
    """Bytes fetched and written again because a loop goes over more data than L2 holds.

    All resident threads are taken to run the loop in step. What an access touches anew in each
    run (its address advances with the counter) is not fetched again; what stays is, and of sectors
    that the address leaves slowly, the share that it stays in.
    """
    loops: dict[Region, list[Touched]] = {}
    for items in by_array.values():
        for item in items:
            region: Region | None = item.region
            while region is not None:
                if region.kind == "loop" and item.runs_of(region) > 1:
                    loops.setdefault(region, []).append(item)
                region = region.parent
    result: dict[Array, tuple[float, float]] = {}
    for loop, items in loops.items():
        in_run: dict[Array, list[Touched]] = {}
        for item in items:
            in_run.setdefault(item.access.array, []).append(item.in_one_run(loop))
        sets = {
            array: _held(inner, sizes.get(array.name), threads, waves)
            for array, inner in in_run.items()
        }
        missed = _missed(sum(sets.values()), l2_bytes)
        if not missed:
            continue
        for array, inner in in_run.items():
            again = (inner[0].runs_of(loop) - 1) * waves * missed
            size = sizes.get(array.name)
            read = written = 0.0
            for kept in {item.kept_in(loop) for item in inner} - {0.0}:
                same = [item for item in inner if item.kept_in(loop) == kept]
                reads = [item for item in same if item.access.kind != "write"]
                writes = [item for item in same if item.access.kind != "read"]
                read += kept * _union(reads, size, threads, waves)
                written += kept * _union(writes, size, threads, waves)
            old = result.get(array, (0.0, 0.0))
            result[array] = (max(old[0], read * again), max(old[1], written * again))
    return result


# -- one access


def _touched(
    summary: KernelSummary, execution: Execution, resident: int, sector: int
) -> list[Touched]:
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
            guarded = _is_guarded(region)
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
                    guarded=guarded,
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
    current: Region | None = region
    while current is not None:
        # A loop that goes by data changes what other threads share.
        if current in around and not execution.regions[current].assumed:
            result *= 1.0 if access.varies & current.bit else max(1.0, around[current][0])
        current = current.parent
    return result


def _is_guarded(region: Region) -> bool:
    current: Region | None = region
    while current is not None:
        if current.kind == "guard":
            return True
        current = current.parent
    return False


def _loops_around(
    access: Access, region: Region, execution: Execution
) -> dict[Region, tuple[float, float | None]]:
    result: dict[Region, tuple[float, float | None]] = {}
    current: Region | None = region
    symbols = access.offset.symbols()
    while current is not None:
        if current.kind == "loop" and current.counter is not None:
            runs = execution.regions.get(current)
            stride: float | None = 0.0
            if current.counter in symbols:
                coefficient = access.offset.coefficient(current.counter)
                value = (
                    execution.environment.evaluate(coefficient) if coefficient is not None else None
                )
                stride = float(value) if value is not None else None
            elif access.varies & current.bit and any(s.scope in DATA_SCOPES for s in symbols):
                stride = None
            result[current] = (runs.trips if runs is not None else 1.0, stride)
        current = current.parent
    return result


def _wave_grid(grid: tuple[int, int, int], resident: int) -> tuple[int, int, int]:
    """The blocks resident at a time: consecutive in x, then y, then z."""
    x = min(grid[0], resident)
    y = min(grid[1], max(1, resident // max(1, x)))
    z = min(grid[2], max(1, resident // max(1, x * y)))
    return x, y, z


def _loop_extents(region: Region, execution: Execution) -> dict[Symbol, float]:
    extents: dict[Symbol, float] = {}
    current: Region | None = region
    while current is not None:
        if current.kind == "loop" and current.counter is not None:
            runs = execution.regions.get(current)
            extents[current.counter] = runs.trips if runs is not None else 1.0
        current = current.parent
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
    typical = float(np.median(steps))
    return float(min(max(typical, 0.0), sector) or access.size_bytes)


def _by_site(arrays: list[ArrayTraffic]) -> dict[Site, tuple[float, float]]:
    """Share each allocation's bytes out by what each access would touch alone."""
    result: dict[Site, tuple[float, float]] = {}
    for item in arrays:
        for kinds, total, column in (
            (("read", "atomic"), item.read_bytes, 0),
            (("write", "atomic"), item.write_bytes, 1),
        ):
            shares = [
                (touched.access.site, _alone(touched))
                for touched in item.touched
                if touched.access.kind in kinds
            ]
            whole = sum(amount for _, amount in shares)
            for site, amount in shares:
                part = total * amount / whole if whole else 0.0
                old = result.get(site, (0.0, 0.0))
                result[site] = (old[0] + part, old[1]) if column == 0 else (old[0], old[1] + part)
    return result


def _alone(touched: Touched) -> float:
    most = touched.executions * touched.sectors_each
    return min(sector_bytes(touched.box, touched.sector), most) if touched.box is not None else most
