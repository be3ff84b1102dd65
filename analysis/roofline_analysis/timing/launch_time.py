"""The time of a launch: the demand of its warps divided by the rates of the GPU.

These terms are computed, each the time that a launch would take if only it mattered:

- compute: the slowest of the pipes and of the schedulers that issue every instruction;
- first cache and shared memory, one line or bank conflict a clock;
- L2, by the sectors that L1 does not hold;
- DRAM, by the predicted traffic;
- the bus to the host, by the bytes of mapped host memory, where there are any;
- latency: the path of a warp through its dependent instructions and memory round trips, as many
  times as there are waves of blocks.

They overlap, but not perfectly: the time is their p-norm plus what it takes to launch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter, mul
from typing import Final

from roofline_analysis.regions.kernel_summary import AccessMode, Work
from roofline_analysis.timing.demand import Demand, RegionDemand
from roofline_analysis.timing.limiter import Limiter, Resource, TimeLimit
from roofline_analysis.traffic.coalescing import LINE_BYTES
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_hardware_db import Gpu, HostLink, Roofline


@record(frozen=True, slots=True)
class TimingConstants:
    """Constants of the time model that no GPU data sheet has, in clocks unless named otherwise.

    ``dependent``, ``dependent_dp``, ``dependent_special`` and ``barrier`` are not fitted; they
    follow published microbenchmarks of Ampere and Turing, as far as there are any. All others are
    fitted to the measured times of the development kernels, with their measured counts and bytes in
    the place of the predicted ones (``benchmarks/fit_timing.py``). None is sensitive: the median
    error changes by less than two points when any of them is changed by a third.
    """

    launch_clocks: float = 2300.0
    """The time of an empty launch, of which this part goes with the clock of the SMs."""
    launch_ns_per_sm: float = 6.0
    """What does not: more on larger GPUs. With the clocks some 2,000 ns on an RTX 3080."""
    dram_share: float = 0.9
    """The share of the DRAM bandwidth that streaming kernels reach."""
    bus_share: float = 0.8
    """The share of the bus's bandwidth that a kernel's loads and stores reach.

    Assumed, not measured: PCI Express packets of 128 bytes carry some 24 of headers and control."""
    l2_bytes_per_sm: float = 32.0
    """Bytes per clock from L2 to each SM."""
    issue_overhead: float = 1.6
    """Issued instructions per counted one that is not floating-point: moves, predicates."""
    dependent: float = 4.0
    """Latency from an arithmetic instruction to one that needs its result (Ampere)."""
    dependent_dp: float = 40.0
    """The same for double precision on a GPU that has few units for it."""
    dependent_special: float = 20.0
    """The same for special functions and conversions."""
    dependent_shared: float = 8.0
    """For each access to shared memory: about 25 clocks, three of which overlap."""
    exchange: float = 23.0
    """For each number that lanes of a warp hand one another: a shuffle's latency (Ampere)."""
    barrier: float = 30.0
    """For each barrier of a block."""
    l1_latency: float = 33.0
    """Latency of a load that the first cache has."""
    l2_latency: float = 150.0
    """Latency of a load that misses in L1, less what other loads hide."""
    dram_latency: float = 300.0
    """Additional latency if the load also misses in L2."""
    hbm_latency: float = 500.0
    """The same of stacked memory (HBM), which lies behind an L2 of two halves."""
    next_load: float = 8.0
    """For each further load of the same round trip."""
    block_start: float = 600.0
    """From the start of a block to its first load, and from its last store to its end."""
    team_start: float = 300.0
    """Additional for a block of an OpenMP target region: the runtime's loads and barriers."""
    team_turn: float = 1000.0
    """The same for a block that takes the place of another, while all run the runtime's code."""
    nested_start: float = 1000.0
    """In place of ``team_start`` where ``parallel`` stands within the region."""
    nested_turn: float = 3000.0
    """In place of ``team_turn`` there."""
    grid_reduction_ns: float = 60.0
    """For each value that a block adds to a reduction over the grid."""
    atomic_ns: float = 2.2
    """For each atomic operation on one line of L2."""
    overlap: float = 3.0
    """The exponent of the norm: 1 adds the terms, infinity takes the largest."""


CONSTANTS: Final = TimingConstants()

_FLOATING: Final = (Work.SP, Work.DP, Work.HP)
_of_floats: Final = itemgetter(*map(int, _FLOATING))
_INSTRUCTION_KINDS: Final = (
    (Resource.SP, Work.SP),
    (Resource.DP, Work.DP),
    (Resource.HP, Work.HP),
    (Resource.INT, Work.INT),
)
_TERMS: Final = {
    "l1": Resource.L1,
    "l2": Resource.L2,
    "dram": Resource.DRAM,
    "bus": Resource.BUS,
    "latency": Resource.LATENCY,
    "contention": Resource.ATOMICS,
    "launch": Resource.LAUNCH,
}
_UNITS: Final = {
    Resource.L1: "bytes",
    Resource.L2: "bytes",
    Resource.DRAM: "bytes",
    Resource.BUS: "bytes",
    Resource.ISSUE: "instructions",
    Resource.LATENCY: "clocks",
    Resource.ATOMICS: "atomics",
}
_CLASSES: Final = {
    Resource.DRAM: Limiter.BANDWIDTH,
    Resource.BUS: Limiter.BUS,
    Resource.L1: Limiter.BANDWIDTH,
    Resource.L2: Limiter.BANDWIDTH,
    Resource.SP: Limiter.SP,
    Resource.DP: Limiter.DP,
    Resource.HP: Limiter.HP,
    Resource.INT: Limiter.INT,
    Resource.SPECIAL: Limiter.SP,
    Resource.TENSOR: Limiter.TENSOR,
}
"""The class of a resource; contention and launch overhead count as latency."""


@record(frozen=True, slots=True)
class Timing:
    """A launch's time and the terms of it, in nanoseconds."""

    total_ns: float
    limiting: Limiter
    terms_ns: Mapping[str, float]
    """``compute``, ``l1``, ``l2``, ``dram``, ``latency``, ``contention`` and ``launch``.

    Also ``bus`` where bytes cross the bus to the host."""
    limit: TimeLimit
    """The longest term."""


@record(frozen=True, slots=True)
class _Pipe:
    """A pipe or the schedulers, as if one SM ran the whole launch."""

    clocks: float
    amount: float
    """Operations of lanes; of the schedulers instructions of warps."""


def launch_time(
    demand: Demand,
    moved_bytes: float,
    gpu: Gpu,
    roofline: Roofline,
    blocks_per_sm: int,
    constants: TimingConstants = CONSTANTS,
    bus_bytes: float = 0.0,
) -> Timing:
    """The time of a launch that moves ``moved_bytes`` bytes to and from DRAM.

    ``bus_bytes`` is what crosses the bus to the host besides.
    """
    clock_ghz = roofline.clock_mhz / 1000.0
    queue = _longest_queue(demand.blocks, gpu.sm_count)
    pipes = _pipes(demand, gpu, roofline, constants, [r.warp_runs for r in demand.regions])
    asking = [(r.warp_runs, r.requests) for r in demand.regions if r.requests]
    l1 = sum([runs * q.wavefronts for runs, requests in asking for q in requests])
    busiest = max((pipe.clocks for pipe in pipes.values()), default=0.0) * queue
    busiest_l1 = l1 * queue
    if any(r.in_block > queue * r.warp_runs for r in demand.regions):
        # One block has more to do than an SM's equal share.
        in_block = [r.in_block for r in demand.regions]
        alone = _pipes(demand, gpu, roofline, constants, in_block).values()
        busiest = max(busiest, *(pipe.clocks for pipe in alone))
        most = [(r.in_block, r.requests) for r in demand.regions if r.requests]
        own_l1 = sum([runs * q.wavefronts for runs, requests in most for q in requests])
        busiest_l1 = max(busiest_l1, own_l1)
    sectors = sum([runs * q.sectors * q.l2_share for runs, requests in asking for q in requests])
    l2_rate = l2_bandwidth_gbs(gpu, roofline.clock_mhz, constants)
    contention = (
        demand.grid_reductions * constants.grid_reduction_ns
        + demand.line_atomics * constants.atomic_ns
    )
    latency = _latency_clocks(demand, gpu, blocks_per_sm, constants)
    terms = {
        "compute": busiest / clock_ghz * demand.scale,
        "l1": busiest_l1 / clock_ghz * demand.scale,
        "l2": sectors * demand.sector_bytes * demand.scale / l2_rate,
        "dram": moved_bytes / (roofline.bandwidth_gbs * constants.dram_share),
        "latency": latency / clock_ghz,
        "contention": contention * demand.scale,
    }
    if bus_bytes:
        terms["bus"] = bus_bytes / bus_rate_gbs(gpu, roofline, constants)
    overhead = launch_overhead_ns(gpu, roofline, constants)
    total = norm(terms.values(), constants.overlap) + overhead
    terms["launch"] = overhead
    longest = max(terms, key=lambda name: terms[name])
    resource = _TERMS.get(longest) or max(pipes, key=lambda each: pipes[each].clocks)
    amounts = {
        Resource.L1: l1 * LINE_BYTES * demand.scale,
        Resource.L2: sectors * demand.sector_bytes * demand.scale,
        Resource.DRAM: moved_bytes,
        Resource.BUS: bus_bytes,
        Resource.LATENCY: latency,
        Resource.ATOMICS: (demand.grid_reductions + demand.line_atomics) * demand.scale,
        **{each: pipe.amount * demand.scale for each, pipe in pipes.items()},
    }
    rate = roofline.bandwidth_gbs * 1e9 if resource is Resource.DRAM else None
    limit = _time_limit(resource, terms[longest], amounts.get(resource), rate)
    if resource is Resource.BUS and gpu.host_link is None:
        limit = replace(limit, per_second=None)
    return Timing(total, _limiting(resource, pipes), terms, limit)


def launch_overhead_ns(
    gpu: Gpu, roofline: Roofline, constants: TimingConstants = CONSTANTS
) -> float:
    """The time of an empty launch."""
    clocks = constants.launch_clocks / roofline.clock_mhz * 1000.0
    return clocks + constants.launch_ns_per_sm * gpu.sm_count


def _time_limit(
    resource: Resource, time_ns: float, amount: float | None, rate: float | None
) -> TimeLimit:
    """Without a rate, that at which the amount takes the time."""
    if amount is None or not time_ns:
        return TimeLimit(resource, time_ns, None, "", None)
    unit = _UNITS.get(resource, "operations")
    return TimeLimit(resource, time_ns, amount, unit, rate or amount / time_ns * 1e9)


def l2_bandwidth_gbs(gpu: Gpu, clock_mhz: float, constants: TimingConstants = CONSTANTS) -> float:
    """Bandwidth from L2 to all SMs together, in 10^9 bytes per second."""
    return constants.l2_bytes_per_sm * gpu.sm_count * clock_mhz / 1000.0


def l1_bandwidth_gbs(gpu: Gpu, clock_mhz: float) -> float:
    """Bandwidth from L1 and shared memory to all SMs, in 10^9 bytes per second: a line a clock."""
    return LINE_BYTES * gpu.sm_count * clock_mhz / 1000.0


def bus_bandwidth_gbs(link: HostLink, constants: TimingConstants = CONSTANTS) -> float:
    """What a bus carries of a kernel's data, in 10^9 bytes per second."""
    return link.bandwidth_gbs * constants.bus_share


def bus_rate_gbs(gpu: Gpu, roofline: Roofline, constants: TimingConstants = CONSTANTS) -> float:
    """What the GPU's bus to the host carries, in 10^9 bytes per second.

    Where the bus is not known, the most that it can be: none is faster than the GPU's own memory.
    """
    link = gpu.host_link
    return bus_bandwidth_gbs(link, constants) if link is not None else roofline.bandwidth_gbs


def norm(terms: Iterable[float], exponent: float) -> float:
    """The p-norm of the terms: their largest for a large exponent, their sum for 1."""
    values = list(terms)
    largest = max(values, default=0.0)
    if largest <= 0.0:
        return 0.0
    parts = math.fsum(math.pow(value / largest, exponent) for value in values)
    return largest * math.pow(parts, 1.0 / exponent)


def _longest_queue(blocks: int, sm_count: int) -> float:
    """The share of a launch's work that the SM with most blocks does."""
    return math.ceil(blocks / sm_count) / max(1, blocks)


def _pipes(
    demand: Demand,
    gpu: Gpu,
    roofline: Roofline,
    constants: TimingConstants,
    runs: Sequence[float],
) -> dict[Resource, _Pipe]:
    """What one SM would need for so many runs of the regions, by pipe, and the schedulers' part."""
    rates, warp = gpu.rates, gpu.architecture.warp_size
    columns = zip(*(r.work for r in demand.regions), strict=True)
    work: list[float] = [sum(map(mul, runs, column)) for column in columns] or [0.0] * len(Work)
    unfused = _unfused(work)
    for kind in _FLOATING:
        work[kind] *= unfused
    work[Work.DP] += work[Work.DP_TESTS]
    per_clock = {
        Resource.SP: rates.fp32,
        Resource.DP: rates.fp64,
        Resource.HP: rates.fp16,
        Resource.INT: rates.int32,
    }
    pipes = {
        resource: _Pipe(work[kind] * warp / rate, work[kind] * warp)
        for resource, kind in _INSTRUCTION_KINDS
        if (rate := per_clock[resource]) and work[kind]
    }
    special = (work[Work.SPECIAL] + work[Work.CONVERSION]) * warp
    if rates.sfu and special:
        pipes[Resource.SPECIAL] = _Pipe(special / rates.sfu, special)
    tensor = roofline.peaks_gops.get(Precision.TENSOR)
    if tensor and work[Work.TENSOR]:
        lanes = work[Work.TENSOR] * warp
        clocks = lanes * gpu.sm_count * roofline.clock_mhz / 1000.0 / tensor
        pipes[Resource.TENSOR] = _Pipe(clocks, lanes)
    issued = sum(map(mul, runs, [_issued(r, constants) for r in demand.regions]))
    schedulers = gpu.architecture.occupancy.subpartitions_per_sm
    pipes[Resource.ISSUE] = _Pipe(issued / schedulers, issued)
    return pipes


def _floating(work: Sequence[float]) -> float:
    """Floating-point instructions of a row of work."""
    operations: float = sum(_of_floats(work))
    return max(0.0, operations - work[Work.FUSED])


def _others(region: RegionDemand) -> float:
    """Instructions per run that are not floating-point arithmetic."""
    work = region.work
    arithmetic = work[Work.INT] + work[Work.SPECIAL] + work[Work.CONVERSION]
    return arithmetic + region.branches + len(region.requests) + region.exchanges


def _issued(region: RegionDemand, constants: TimingConstants) -> float:
    """Instructions that a scheduler issues for one run of a region by a warp."""
    if constants is not CONSTANTS:
        return _floating(region.work) + constants.issue_overhead * _others(region)
    known = region.known.get("issued")
    if known is None:
        known = _floating(region.work) + constants.issue_overhead * _others(region)
        region.known["issued"] = known
    return known


def _unfused(work: Sequence[float]) -> float:
    """Instructions per floating-point operation: 1/2 if all are fused multiply-adds."""
    operations: float = sum(_of_floats(work))
    return max(0.5, 1.0 - work[Work.FUSED] / operations) if operations else 1.0


def _latency_clocks(
    demand: Demand, gpu: Gpu, blocks_per_sm: int, constants: TimingConstants
) -> float:
    """The longest warp's path, or the mean path for each wave of blocks if that is longer."""
    slow = (gpu.rates.fp64 or 0.0) < gpu.architecture.warp_size
    if gpu.has_hbm:
        constants = replace(constants, dram_latency=constants.hbm_latency)
    paths = [_path(region, constants, slow=slow) for region in demand.regions]
    warps = max(1, demand.blocks * demand.warps_per_block)
    start, turn = _starts(demand, constants)
    most = [region.longest for region in demand.regions]
    runs = [region.warp_runs for region in demand.regions]
    longest: float = sum(map(mul, most, paths)) * demand.scale
    mean: float = sum(map(mul, runs, paths)) / warps * demand.scale
    waves = max(1.0, demand.blocks / (blocks_per_sm * gpu.sm_count))
    return max(start + longest, (turn + mean) * waves if waves > 1.0 else 0.0)


def _starts(demand: Demand, constants: TimingConstants) -> tuple[float, float]:
    """Clocks that a block takes beside its work: one of the first, and one of those that follow."""
    start = turn = 0.0
    if demand.team_runtime and demand.starts_parallel:
        start, turn = constants.team_start, constants.team_turn
    elif demand.team_runtime:
        start, turn = constants.nested_start, constants.nested_turn
    return constants.block_start + start, constants.block_start + turn


def _path(region: RegionDemand, constants: TimingConstants, *, slow: bool) -> float:
    """Clocks of one run of a region by a warp that is alone on the SM.

    ``slow``: the SM has few units for double precision.
    """
    if constants is not CONSTANTS:
        return _path_of(region, constants, slow=slow)
    name = "path, few units for doubles" if slow else "path"
    known = region.known.get(name)
    if known is None:
        known = region.known[name] = _path_of(region, constants, slow=slow)
    return known


def _path_of(region: RegionDemand, constants: TimingConstants, *, slow: bool) -> float:
    work = region.work
    special = work[Work.SPECIAL] + work[Work.CONVERSION]
    doubles = work[Work.DP] * _unfused(work)
    plain = max(0.0, _floating(work) - doubles) + _others(region) - special
    clocks = plain * constants.dependent
    clocks += special * constants.dependent_special + region.barriers * constants.barrier
    doubles += work[Work.DP_TESTS]
    clocks += doubles * (constants.dependent_dp if slow else constants.dependent)
    clocks += region.exchanges * constants.exchange
    clocks += constants.dependent_shared * sum(1 for q in region.requests if not q.sectors)
    loads = [q for q in region.requests if q.sectors and q.mode is not AccessMode.WRITE]
    if loads:
        trip = max(
            (1.0 - q.l2_share) * constants.l1_latency
            + q.l2_share * (constants.l2_latency + q.dram_share * constants.dram_latency)
            for q in loads
        )
        clocks += trip * region.rounds + constants.next_load * (len(loads) - 1)
    return clocks


def _limiting(resource: Resource, pipes: Mapping[Resource, _Pipe]) -> Limiter:
    """The class of a resource; issue is charged to the arithmetic with most instructions."""
    if resource is Resource.ISSUE:
        arithmetic = [each for each, _ in _INSTRUCTION_KINDS if each in pipes]
        resource = max(arithmetic, key=lambda each: pipes[each].amount, default=Resource.SP)
    return _CLASSES.get(resource, Limiter.LATENCY)
