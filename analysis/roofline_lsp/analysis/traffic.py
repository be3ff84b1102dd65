"""DRAM traffic of a launch: footprints, what L2 must fetch again, what it writes back.

Each allocation's compulsory traffic is the union of the footprints of its accesses. Where what
the resident blocks touch at a time exceeds the L2, data shared between waves of blocks is fetched
again. Writes are write-back: each sector written leaves once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from roofline_lsp.analysis.device.regions import Access, Array, KernelSummary, Region, Site
from roofline_lsp.analysis.execution import Execution, thread_extents
from roofline_lsp.analysis.footprint import SECTOR_BYTES, Box, Dimension, sector_bytes, union_bytes
from roofline_lsp.kernel.symbolic import Expr, Symbol

FLOOR_BYTES: Final = 2048.0
"""Traffic of a launch that touches nothing: its code, arguments and bookkeeping."""
_GLOBAL: Final = frozenset(("global", "texture"))


@dataclass(frozen=True, slots=True)
class Touched:
    """One access of the source in one launch."""

    access: Access
    region: Region
    executions: float
    """Threads times trips."""
    box: Box | None
    """The addresses over the whole launch; None where they depend on data."""
    wave_box: Box | None
    """The addresses of the blocks that are resident together."""
    random: bool
    """The address depends on loaded data."""
    sectors_each: float
    """Bytes of sectors fetched for one thread's access, as coalescing leaves it."""


@dataclass(frozen=True, slots=True)
class ArrayTraffic:
    """Bytes of one allocation."""

    array: Array
    read_bytes: float
    write_bytes: float
    size_bytes: float | None
    touched: tuple[Touched, ...]


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
) -> Traffic:
    """The traffic of one launch. ``sizes`` gives allocations' bytes by array name."""
    touched = _touched(summary, execution, resident_blocks)
    by_array: dict[Array, list[Touched]] = {}
    for item in touched:
        by_array.setdefault(item.access.array, []).append(item)
    blocks = _volume(execution.grid)
    waves = max(1.0, blocks / max(1, resident_blocks))
    footprints = {
        array: _footprints(array, items, sizes.get(array.name)) for array, items in by_array.items()
    }
    per_wave = sum(footprint.wave for footprint in footprints.values())
    missed = max(0.0, 1.0 - l2_bytes / per_wave) if per_wave > l2_bytes else 0.0
    arrays = []
    uncertain = 0.0
    for array, footprint in footprints.items():
        again = max(0.0, waves * footprint.wave_read - footprint.read) * missed
        read = footprint.read + again
        arrays.append(
            ArrayTraffic(
                array, read, footprint.written, sizes.get(array.name), tuple(by_array[array])
            )
        )
        if any(item.random or item.box is None for item in by_array[array]):
            uncertain += read + footprint.written
    read_total = sum(item.read_bytes for item in arrays) + FLOOR_BYTES
    write_total = sum(item.write_bytes for item in arrays)
    return Traffic(read_total, write_total, tuple(arrays), _by_site(arrays), uncertain)


def _volume(dims: tuple[int, int, int]) -> int:
    return dims[0] * dims[1] * dims[2]


# -- footprints of an allocation


@dataclass(frozen=True, slots=True)
class _Footprint:
    read: float
    written: float
    wave_read: float
    wave: float


def _footprints(array: Array, items: list[Touched], size: float | None) -> _Footprint:
    reads = [item for item in items if item.access.kind != "write"]
    writes = [item for item in items if item.access.kind != "read"]
    read = _union(reads, size, wave=False)
    written = _union(writes, size, wave=False)
    wave_read = _union(reads, size, wave=True)
    wave = max(wave_read, _union(writes, size, wave=True))
    return _Footprint(read, written, min(wave_read, read), wave)


def _union(items: list[Touched], size: float | None, *, wave: bool) -> float:
    """Distinct bytes of accesses to one allocation."""
    boxes: list[Box] = []
    random = 0.0
    most = 0.0
    for item in items:
        box = item.wave_box if wave else item.box
        if box is None or item.random:
            random += item.executions * item.sectors_each
        else:
            boxes.append(box)
            most += item.executions * item.sectors_each
    regular = min(union_bytes(boxes, size), most) if boxes else 0.0
    if not random:
        return regular
    if size is None:
        return regular + random
    # Random picks from the sectors of the allocation: some are met more than once.
    expected = size * -np.expm1(-random / max(size, 1.0))
    return float(min(max(regular, 0.0) + expected, size))


# -- one access


def _touched(summary: KernelSummary, execution: Execution, resident: int) -> list[Touched]:
    extents = thread_extents(execution.grid, execution.block)
    wave_extents = thread_extents(_wave_grid(execution.grid, resident), execution.block)
    result = []
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is None or runs.runs <= 0:
            continue
        loops = _loop_extents(region, execution)
        for access in region.accesses:
            if access.array.space not in _GLOBAL:
                continue
            box, random = _box(access, execution, {**extents, **loops})
            wave_box, _ = _box(access, execution, {**wave_extents, **loops})
            box = _thinned(box, region, access, execution)
            wave_box = _thinned(wave_box, region, access, execution)
            each = _sectors_each(access, box, execution, random=random)
            result.append(Touched(access, region, runs.runs, box, wave_box, random, each))
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
            extents[current.counter] = max(1.0, runs.trips if runs is not None else 1.0)
        current = current.parent
    return extents


def _box(
    access: Access, execution: Execution, extents: Mapping[Symbol, float]
) -> tuple[Box | None, bool]:
    """The addresses as a box, and whether they depend on data."""
    if access.array.indirect:
        return None, True
    dimensions = []
    rest = access.offset
    random = False
    for symbol in access.offset.symbols():
        if symbol.scope in ("data", "carried", "unknown", "name"):
            random = True
            continue
        extent = extents.get(symbol)
        if extent is None:
            continue
        coefficient = access.offset.coefficient(symbol)
        stride = execution.environment.evaluate(coefficient) if coefficient is not None else None
        if coefficient is None or stride is None:
            return None, random
        rest = rest - coefficient * Expr({(symbol,): 1})
        if stride and extent > 1:
            dimensions.append(Dimension(float(stride), float(extent)))
    if random:
        return None, True
    start = execution.environment.evaluate(rest)
    if start is None:
        start = 0.0
    return Box(float(start), tuple(dimensions), access.size_bytes), False


def _thinned(
    box: Box | None, region: Region, access: Access, execution: Execution
) -> Box | None:
    """The box of those threads that pass the guards around, where these cut its indices."""
    if box is None:
        return None
    used = access.offset.symbols()
    share = 1.0
    current: Region | None = region
    while current is not None:
        if current.kind == "guard":
            runs = execution.regions.get(current)
            cuts = any(
                c is not None and (c.symbols() & used) and not _is_equality(c)
                for c in current.conditions
            )
            if runs is not None and cuts:
                share *= runs.share
        current = current.parent
    if share >= 1.0 or not box.dimensions:
        return box
    widest = max(box.dimensions, key=lambda d: abs(d.stride) * d.extent)
    cut = Dimension(widest.stride, max(1.0, widest.extent * share))
    return Box(box.start, tuple(cut if d is widest else d for d in box.dimensions), box.size_bytes)


def _is_equality(condition: Expr) -> bool:
    for atom in condition.atoms():
        if getattr(atom, "op", None) == "eq":
            return True
    return False


def _sectors_each(
    access: Access, box: Box | None, execution: Execution, *, random: bool
) -> float:
    """Sector bytes that one thread's access costs: shared with the neighbours in its warp."""
    if random or access.array.indirect:
        return float(max(SECTOR_BYTES, access.size_bytes))
    lanes = execution.lanes
    addresses = lanes.evaluate(access.offset) if lanes is not None and box is None else None
    if addresses is None or not isinstance(addresses, np.ndarray) or addresses.size < 2:
        return float(max(access.size_bytes, SECTOR_BYTES if box is None else access.size_bytes))
    steps = np.abs(np.diff(addresses.astype(np.float64)))
    typical = float(np.median(steps))
    return float(min(max(typical, 0.0), SECTOR_BYTES) or access.size_bytes)


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
    return min(sector_bytes(touched.box), most) if touched.box is not None else most
