"""Demand of a launch: instructions, requests and round trips from which its time is computed.

An instruction is issued once for a warp, whichever lanes are active. A request is one access of one
warp; it costs the sectors and cache lines that its lanes' addresses fall into. Cache hits follow
from the traffic: requested bytes that do not come from DRAM come from L2, and a sector that the
same thread read in its previous iteration comes from L1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from roofline_analysis.counting.execution import Execution, RegionRuns
from roofline_analysis.language.types import is_float
from roofline_analysis.regions.kernel_summary import (
    WORK_KINDS,
    Access,
    AccessMode,
    KernelSummary,
    MemorySpace,
    Region,
    RegionForm,
    Role,
)
from roofline_analysis.timing.merged_accesses import merged_widths
from roofline_analysis.traffic.access_footprints import AccessFootprint
from roofline_analysis.traffic.coalescing import LINE_BYTES, WarpAddresses
from roofline_analysis.traffic.dram import Traffic
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.records import record
from roofline_core.program.units import Dialect

_DATA: Final = SymbolScope.DATA
_CARRIED: Final = SymbolScope.CARRIED
_ON_CHIP: Final = (MemorySpace.SHARED, MemorySpace.CONSTANT)
"""Memory whose loads are taken to wait for neither L2 nor DRAM."""
_TRIPS_AHEAD: Final = 4
"""Trips of an unrolled loop whose loads are in flight together: registers hold no more. Assumed."""
_ENTRY_BRANCHES: Final = 6.0
"""Uncounted instructions at a kernel's start and end: reads of special registers, loads of
arguments, the exit. Assumed, chosen without measurement; only the time depends on it."""


@record(frozen=True, slots=True)
class WarpRequest:
    """One access of the source, made by one warp."""

    mode: AccessMode
    """``read``, ``write`` or ``atomic``."""
    sectors: float
    """Sectors of global memory that the lanes' addresses fall into; 0 for shared memory."""
    wavefronts: float
    """Clocks of L1 (lines) or of shared memory (words in the busiest bank)."""
    l2_share: float = 1.0
    """The share of the sectors that miss in L1."""
    dram_share: float = 1.0
    """The share of the L1 misses that also miss in L2."""


@record(frozen=True, slots=True)
class RegionDemand:
    """A region's demand for each run of a warp."""

    warp_runs: float
    """Runs summed over all warps."""
    longest: float
    """Runs of the warp that runs the region most often."""
    in_block: float
    """Runs summed over the warps of the block that runs it most often."""
    work: tuple[float, ...]
    """Work of one lane per run, indexed by ``Work``."""
    requests: tuple[WarpRequest, ...] = ()
    branches: float = 0.0
    rounds: float = 0.0
    """Dependent round trips to memory per run."""
    barriers: int = 0
    exchanges: float = 0.0
    """Shuffles and votes per run."""
    known: dict[str, float] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What one run costs, by what it is called: changes of a launch leave most regions alone."""


@record(frozen=True, slots=True)
class Demand:
    """The demand of one launch on a GPU."""

    blocks: int
    warps_per_block: int
    regions: tuple[RegionDemand, ...]
    sector_bytes: int = 32
    team_runtime: bool = False
    """OpenMP's device runtime begins and ends each block."""
    starts_parallel: bool = True
    """Of a target region: its own directive starts the threads, and no ``parallel`` within."""
    grid_reductions: float = 0.0
    """Updates of values that are reduced over the grid, one after another; summed over blocks."""
    line_atomics: float = 0.0
    """Atomic operations on the busiest cache line."""
    scale: float = 1.0
    """Factor for all regions' demand: 1 unless measured counts replace the predicted ones."""


def launch_demand(
    summary: KernelSummary, execution: Execution, traffic: Traffic, warp_size: int, sector: int
) -> Demand:
    """The demand of one launch on a GPU with this warp size (threads) and sector size (bytes)."""
    threads = math.prod(execution.block)
    reader = traffic.warp
    footprints = {id(item.access): item for array in traffic.arrays for item in array.footprints}
    rows = []
    grid_reductions = line_atomics = 0.0
    for region in demanding_regions(summary, execution):
        runs = execution.regions[region]
        grid_reductions += region.grid_reductions * runs.runs / threads
        active = min(float(warp_size), runs.runs / runs.warp_runs)
        requests = []
        widths = merged_widths(region)
        for access in region.accesses:
            item = footprints.get(id(access))
            width = widths.get(access, access.size_bytes)
            request = _request(access, item, reader, active, width, region)
            requests.append(request)
            if access.mode is AccessMode.ATOMIC and request.sectors:
                line_atomics = max(line_atomics, _line_atomics(access, item, request, runs))
        rows.append((region, runs, requests))
    shares = _dram_shares(rows, traffic, sector)
    return Demand(
        blocks=math.prod(execution.grid),
        warps_per_block=-(-threads // warp_size),
        regions=tuple(_region(region, runs, made, shares) for region, runs, made in rows),
        sector_bytes=sector,
        team_runtime=summary.kernel.dialect is Dialect.OPENMP,
        starts_parallel="parallel" in summary.kernel.qualifiers,
        grid_reductions=grid_reductions,
        line_atomics=line_atomics,
    )


def demanding_regions(summary: KernelSummary, execution: Execution) -> Iterator[Region]:
    """The regions that at least one warp runs, in pre-order."""
    for region in summary.root.walk():
        runs = execution.regions.get(region)
        if runs is not None and runs.runs > 0 and runs.warp_runs > 0:
            yield region


def _request(
    access: Access,
    item: AccessFootprint | None,
    reader: WarpAddresses,
    active: float,
    width_bytes: int,
    region: Region,
) -> WarpRequest:
    """``width_bytes``: of the instruction that makes the access, or it and its neighbours."""
    if access.array.space is MemorySpace.SHARED:
        share = access.size_bytes / width_bytes
        words = reader.bank_words(access, active, width_bytes, region)
        return WarpRequest(access.mode, 0.0, words * share)
    if access.array.space is MemorySpace.CONSTANT:
        return WarpRequest(access.mode, 0.0, 1.0)
    scattered = item is not None and item.random
    each = item.sectors_each if item is not None else None
    if item is not None and item.apart:
        sectors, lines = active * max(1.0, access.size_bytes / reader.sector), active
    else:
        sectors, lines = reader.sectors_and_lines(access, active, each if scattered else None)
    share = (
        _l1_missed(item, reader.sector)
        if access.mode is AccessMode.READ and item is not None
        else 1.0
    )
    return WarpRequest(access.mode, sectors, lines, l2_share=share)


def _l1_missed(item: AccessFootprint, sector: int) -> float:
    """The share of the loop's iterations in which a thread's access moves to a new sector."""
    loop = item.region.innermost_loop
    if loop is None or loop not in item.loops:
        return 1.0
    trips, stride = item.loops[loop]
    if stride is None or trips <= 1:
        return 1.0
    return max(min(1.0, abs(stride) / sector), 1.0 / trips)


def _line_atomics(
    access: Access, item: AccessFootprint | None, request: WarpRequest, runs: RegionRuns
) -> float:
    """Atomic operations on each cache line of the allocation.

    Additions, maxima and the like of one warp to one address are combined first if they are of
    integers; of floats they go to L2 one by one, as do exchanges and steps with a limit.
    """
    single = request.wavefronts <= 1.0
    apart = access.one_by_one or is_float(access.array.element.name)
    count = runs.runs if apart else runs.warp_runs * request.wavefronts
    if single and item is not None and item.box is not None and not item.random:
        span = item.box.span
    else:
        span = request.sectors * LINE_BYTES
        if item is not None and item.box is not None:
            span = max(span, item.box.span)
    return count / max(1.0, span / LINE_BYTES)


_Row = tuple[Region, RegionRuns, list[WarpRequest]]


def _dram_shares(rows: Sequence[_Row], traffic: Traffic, sector: int) -> Mapping[str, float]:
    """For each allocation, the share of its L2 requests that DRAM serves."""
    asked: dict[str, float] = {}
    for region, runs, requests in rows:
        for access, request in zip(region.accesses, requests, strict=True):
            amount = runs.warp_runs * request.sectors * request.l2_share * sector
            asked[access.array.name] = asked.get(access.array.name, 0.0) + amount
    moved = {item.array.name: item.read_bytes + item.write_bytes for item in traffic.arrays}
    return {
        name: min(1.0, moved.get(name, 0.0) / amount) for name, amount in asked.items() if amount
    }


def _region(
    region: Region, runs: RegionRuns, requests: Sequence[WarpRequest], shares: Mapping[str, float]
) -> RegionDemand:
    columns = zip(*region.work.values(), strict=True)
    work = tuple([sum(column, 0.0) for column in columns]) or (0.0,) * WORK_KINDS
    named = tuple(
        WarpRequest(q.mode, q.sectors, q.wavefronts, q.l2_share, shares.get(access.array.name, 1.0))
        for access, q in zip(region.accesses, requests, strict=True)
    )
    branches = _ENTRY_BRANCHES
    if region.form is RegionForm.LOOP:
        branches = 1.0 / region.copies
    elif region.form is RegionForm.GUARD:
        branches = 1.0
    if region.role is Role.ENTERS or region.unrolled:
        branches = 0.0  # The loop's own test, or none.
    return RegionDemand(
        warp_runs=runs.warp_runs,
        longest=runs.longest,
        in_block=runs.in_block,
        work=work,
        requests=named,
        branches=branches,
        rounds=_rounds(region, runs),
        barriers=region.barriers,
        exchanges=region.exchanges,
    )


def _keeps_one_place(region: Region) -> bool:
    """Whether all that the trips of a loop load and store is one place, the same in each."""
    places = {
        (access.array, access.offset)
        for access in region.accesses
        if access.array.space not in _ON_CHIP
    }
    return (
        len(places) == 1
        and not region.barriers
        and not any(each.accesses for each in region.children)
        and all(
            access.mode is not AccessMode.ATOMIC
            and not access.varies & region.bit
            and not access.array.element.volatile
            for access in region.accesses
        )
    )


def _rounds(region: Region, runs: RegionRuns) -> float:
    """Dependent round trips to memory in one run of the region.

    A load whose address was loaded waits for that load. A load after a store that may alias it is
    not moved ahead of the store, and the store waits for the loads before it. Loads of unrolled
    iterations are issued together, unless a store or a carried address forbids it. One place that
    a loop alone goes to is kept in a register.
    """
    if region.form is RegionForm.LOOP and _keeps_one_place(region):
        return 0.0
    depths: dict[str, int] = {}
    rounds = deepest = 0
    stored = chained = False
    for access in region.accesses:
        if access.array.space in _ON_CHIP:
            continue
        if access.mode is AccessMode.WRITE:
            stored = True
            continue
        depth = 1
        for symbol in access.offset.symbols():
            if symbol.scope is _DATA:
                depth = max(depth, 1 + depths.get(symbol.name.split("#")[0], 0))
            chained |= symbol.scope is _CARRIED
        if stored and not access.array.read_only:
            rounds, deepest, stored = rounds + deepest, 0, False
        depths[access.array.name] = max(depth, depths.get(access.array.name, 0))
        deepest = max(deepest, depth)
        stored |= access.mode is AccessMode.ATOMIC
    total = float(rounds + deepest)
    if region.form is not RegionForm.LOOP or chained or stored or rounds:
        return total
    if region.unrolled:
        return total / max(1.0, runs.trips)
    return total / min(region.copies, _TRIPS_AHEAD)
