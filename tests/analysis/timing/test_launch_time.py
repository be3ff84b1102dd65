"""The time model: each term by hand, and what must never make a launch faster."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_analysis.regions.kernel_summary import AccessMode, Work
from roofline_analysis.timing.demand import Demand, RegionDemand, WarpRequest, launch_demand
from roofline_analysis.timing.launch_time import (
    CONSTANTS,
    Timing,
    l1_bandwidth_gbs,
    launch_overhead_ns,
    launch_time,
    norm,
)
from roofline_analysis.timing.limiter import Limiter
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import dram_traffic
from roofline_hardware_db import ClockKind, find_gpu

Count = Callable[..., Any]
GPU = find_gpu("rtx-3080-10gb")
ROOFLINE = GPU.roofline(ClockKind.BASE)
CLOCK = 1.44


_NO_LATENCY: dict[str, Any] = dict.fromkeys(
    ("dependent", "dependent_dp", "dependent_special", "block_start"), 0.0
)


def work(**amounts: float) -> tuple[float, ...]:
    """A row of work: ``work(sp=3, int=2)``."""
    return tuple(amounts.get(kind.name.lower(), 0.0) for kind in Work)


def region(runs: float, longest: float = 1.0, in_block: float = 0.0, **fields: Any) -> RegionDemand:
    """A region without work, but for what is given."""
    return replace(RegionDemand(runs, longest, in_block, work()), **fields)


def time_of(demand: Demand, moved: float = 0.0, resident: int = 6, **constants: Any) -> Timing:
    """The time on an RTX 3080 at its base clock."""
    tuned = replace(CONSTANTS, **constants)
    return launch_time(demand, moved, GPU, ROOFLINE, resident, tuned)


def test_what_is_known_of_a_region_is_not_known_of_one_made_from_it() -> None:
    first, fresh = region(10.0, work=work(dp=100)), region(10.0, work=work(dp=200))
    before = launch_time(Demand(1, 1, (first,)), 0.0, GPU, ROOFLINE, 6)
    doubled = launch_time(Demand(1, 1, (replace(first, work=fresh.work),)), 0.0, GPU, ROOFLINE, 6)
    assert doubled == launch_time(Demand(1, 1, (fresh,)), 0.0, GPU, ROOFLINE, 6)
    assert doubled.terms_ns["latency"] > before.terms_ns["latency"]
    assert before == launch_time(Demand(1, 1, (first,)), 0.0, GPU, ROOFLINE, 6)


def test_an_empty_launch_takes_the_launch_and_the_start_of_a_block() -> None:
    timing = time_of(Demand(1, 1, ()))
    clocks = CONSTANTS.launch_clocks + CONSTANTS.block_start
    distributed = CONSTANTS.launch_ns_per_sm * GPU.sm_count
    assert timing.total_ns == pytest.approx(distributed + clocks / CLOCK)
    assert timing.limiting is Limiter.LATENCY


def test_dram_takes_its_share_of_the_bandwidth() -> None:
    timing = time_of(Demand(680, 8, ()), 7.6e9, dram_share=0.5)
    assert timing.terms_ns["dram"] == pytest.approx(7.6e9 / (760.3 * 0.5))
    assert timing.limiting is Limiter.BANDWIDTH


def test_l1_gives_its_bandwidth_and_no_more() -> None:
    # A warp of each SM asks for 1000 lines, one a clock.
    request = WarpRequest(AccessMode.READ, sectors=4.0, wavefronts=1.0, l2_share=0.0)
    timing = time_of(Demand(68, 1, (region(68 * 1000.0, requests=(request,)),)))
    lines_bytes = 68 * 1000 * 128
    assert timing.terms_ns["l1"] == pytest.approx(lines_bytes / l1_bandwidth_gbs(GPU, 1440.0))
    assert l1_bandwidth_gbs(GPU, 1440.0) == pytest.approx(68 * 128 * 1.44)


def test_the_slowest_pipe_is_the_compute_term() -> None:
    # A block for each SM; one warp runs 1000 instructions: 32 lanes at 2, 64 or 128 a clock.
    for name, per_clock, limiter in (
        ("dp", 2, Limiter.DP),
        ("int", 64, Limiter.INT),
        ("sp", 128, Limiter.SP),
        ("special", 16, Limiter.SP),
    ):
        body = region(68.0, work=work(**{name: 1000.0}))
        timing = time_of(Demand(68, 1, (body,)), issue_overhead=0.0)
        assert timing.terms_ns["compute"] == pytest.approx(1000 * 32 / per_clock / CLOCK)
        many = Demand(6800, 1, (replace(body, warp_runs=1e6, longest=0.0),))
        busy = time_of(many, issue_overhead=0.0, **_NO_LATENCY)
        assert busy.limiting is limiter


def test_four_schedulers_issue_everything() -> None:
    body = region(
        68.0,
        work=work(sp=150.0, fused=50.0, int=50.0),
        branches=2.0,
        requests=(WarpRequest(AccessMode.READ, 0.0, 1.0),) * 8,
    )
    timing = time_of(Demand(68, 1, (body,)), issue_overhead=2.0)
    assert timing.terms_ns["compute"] == pytest.approx((100 + (50 + 2 + 8) * 2) / 4 / CLOCK)


def test_the_sm_with_most_blocks_is_waited_for() -> None:
    body = region(69.0, work=work(int=6400.0))
    alone = time_of(Demand(68, 1, (replace(body, warp_runs=68.0),)))
    timing = time_of(Demand(69, 1, (body,)))
    assert timing.terms_ns["compute"] == pytest.approx(2 * alone.terms_ns["compute"])


def test_caches_are_charged_by_line_and_by_sector() -> None:
    request = WarpRequest(AccessMode.READ, sectors=32.0, wavefronts=32.0, l2_share=0.5)
    timing = time_of(Demand(68, 1, (region(680.0, requests=(request,)),)), l2_bytes_per_sm=32.0)
    assert timing.terms_ns["l1"] == pytest.approx(10 * 32 / CLOCK)
    assert timing.terms_ns["l2"] == pytest.approx(10 * 16 / CLOCK)


def test_a_path_waits_for_memory_in_each_wave() -> None:
    load = WarpRequest(AccessMode.READ, 4.0, 1.0, dram_share=1.0)
    body = region(408.0 * 3, requests=(load,), rounds=2.0)
    tuned: dict[str, Any] = {
        "dependent": 4.0,
        "block_start": 100.0,
        "l2_latency": 200.0,
        "dram_latency": 300.0,
    }
    one = time_of(Demand(408, 1, (replace(body, warp_runs=408.0),)), **tuned)
    assert one.terms_ns["latency"] == pytest.approx((100 + 4 + 2 * 500) / CLOCK)
    three = time_of(Demand(408 * 3, 1, (body,)), **tuned)
    assert three.terms_ns["latency"] == pytest.approx(3 * one.terms_ns["latency"])
    assert three.limiting is Limiter.LATENCY


def test_one_long_warp_is_waited_for() -> None:
    body = region(1000.0, longest=1000.0, work=work(int=10.0))
    timing = time_of(Demand(4080, 8, (body,)), block_start=0.0)
    assert timing.terms_ns["latency"] == pytest.approx(1000 * 10 * CONSTANTS.dependent / CLOCK)


def test_a_slower_clock_launches_slower() -> None:
    fast, slow = (replace(ROOFLINE, clock_mhz=mhz) for mhz in (1440, 720))
    distributed = CONSTANTS.launch_ns_per_sm * GPU.sm_count
    overheads = [launch_overhead_ns(GPU, each) - distributed for each in (fast, slow)]
    assert overheads[1] == pytest.approx(2 * overheads[0])


@pytest.mark.parametrize("parallel", [True, False])
def test_teams_start_slower_and_take_turns(parallel: bool) -> None:
    plain = time_of(Demand(100, 8, ()))
    teams = time_of(
        Demand(100, 8, (), team_runtime=True, starts_parallel=parallel, grid_reductions=100.0)
    )
    more = teams.terms_ns["latency"] - plain.terms_ns["latency"]
    start = CONSTANTS.team_start if parallel else CONSTANTS.nested_start
    assert more == pytest.approx(start / CLOCK)
    assert teams.terms_ns["contention"] == pytest.approx(100 * CONSTANTS.grid_reduction_ns)


@pytest.mark.parametrize("parallel", [True, False])
def test_teams_that_follow_others_wait_for_the_runtime(parallel: bool) -> None:
    """4,080 blocks of which 6 run on each of 68 SMs: ten waves."""
    plain = time_of(Demand(4080, 8, ()))
    teams = time_of(Demand(4080, 8, (), team_runtime=True, starts_parallel=parallel))
    turn = CONSTANTS.team_turn if parallel else CONSTANTS.nested_turn
    more = teams.terms_ns["latency"] - plain.terms_ns["latency"]
    assert more == pytest.approx(10 * turn / CLOCK)


regions = st.builds(
    RegionDemand,
    warp_runs=st.floats(0, 1e7),
    longest=st.floats(0, 1e4),
    in_block=st.floats(0, 1e5),
    work=st.tuples(*[st.floats(0, 100)] * len(Work)),
    requests=st.lists(
        st.builds(
            WarpRequest,
            st.sampled_from(AccessMode),
            st.floats(0, 32),
            st.floats(1, 32),
            st.floats(0, 1),
            st.floats(0, 1),
        ),
        max_size=3,
    ).map(tuple),
    rounds=st.floats(0, 4),
    barriers=st.integers(0, 2),
)
demands = st.builds(
    Demand,
    blocks=st.integers(1, 10**6),
    warps_per_block=st.integers(1, 32),
    regions=st.lists(regions, max_size=3).map(tuple),
    team_runtime=st.booleans(),
    grid_reductions=st.floats(0, 100),
    line_atomics=st.floats(0, 1e6),
)


@settings(max_examples=40)
@given(demands, st.floats(0, 1e10), st.floats(1, 10))
def test_more_bytes_are_never_faster(demand: Demand, moved: float, factor: float) -> None:
    assert time_of(demand, moved * factor).total_ns >= time_of(demand, moved).total_ns * (1 - 1e-9)


@settings(max_examples=40)
@given(demands, st.floats(0, 1e10), st.floats(1, 10))
def test_more_bandwidth_is_never_slower(demand: Demand, moved: float, factor: float) -> None:
    faster = replace(ROOFLINE, bandwidth_gbs=ROOFLINE.bandwidth_gbs * factor)
    wide = launch_time(demand, moved, GPU, faster, 6).total_ns
    assert wide <= time_of(demand, moved).total_ns * (1 + 1e-9)


@settings(max_examples=40)
@given(demands, st.integers(1, 8))
def test_more_blocks_of_the_same_work_are_never_faster(demand: Demand, factor: int) -> None:
    more = replace(
        demand,
        blocks=demand.blocks * factor,
        regions=tuple(replace(r, warp_runs=r.warp_runs * factor) for r in demand.regions),
    )
    assert time_of(more).total_ns >= time_of(demand).total_ns * (1 - 1e-9)


@settings(max_examples=40)
@given(demands, st.integers(1, 15))
def test_more_resident_blocks_are_never_slower(demand: Demand, resident: int) -> None:
    more = time_of(demand, resident=resident + 1).total_ns
    assert more <= time_of(demand, resident=resident).total_ns * (1 + 1e-9)


@settings(max_examples=40)
@given(demands, st.floats(0, 1e9), st.sampled_from(["dependent", "l2_latency", "atomic_ns"]))
def test_slower_parts_are_never_faster(demand: Demand, moved: float, name: str) -> None:
    slower = time_of(demand, moved, **{name: getattr(CONSTANTS, name) * 2})
    assert slower.total_ns >= time_of(demand, moved).total_ns * (1 - 1e-9)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=6), st.floats(1, 50))
def test_the_norm_lies_between_the_largest_and_the_sum(terms: list[float], p: float) -> None:
    found = norm(terms, p)
    assert max(terms) * (1 - 1e-9) <= found <= math.fsum(terms) * (1 + 1e-9)


# -- from source


def demand_of(counted: Any, sizes: dict[str, float] | None = None) -> Demand:
    """The demand of a kernel counted for one launch."""
    traffic = dram_traffic(counted.summary, counted.execution, 408, Caches(5 * 2**20), sizes or {})
    return launch_demand(counted.summary, counted.execution, traffic, 32, 32)


@pytest.mark.parametrize(
    ("index", "sectors", "lines"),
    [
        ("i", 4.0, 1.0),
        ("i * 2", 8.0, 2.0),
        ("i * 32", 32.0, 32.0),
        ("blockIdx.x", 1.0, 1.0),
        ("i + 1", 5.0, 2.0),
        ("threadIdx.x / 8 * 1000", 4.0, 4.0),
    ],
)
def test_a_request_costs_the_sectors_it_falls_into(
    count: Count, index: str, sectors: float, lines: float
) -> None:
    source = f"""__global__ void k(float *a, const float *b) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      a[i] = b[{index}];
    }}"""
    read, written = demand_of(count(source, 4, 128)).regions[0].requests
    assert (read.mode, read.sectors, read.wavefronts) == (AccessMode.READ, sectors, lines)
    assert (written.mode, written.sectors, written.wavefronts) == (AccessMode.WRITE, 4.0, 1.0)


@pytest.mark.parametrize(
    ("index", "clocks"), [("t", 1.0), ("t * 2", 2.0), ("t * 32", 32.0), ("t * 33", 1.0), ("7", 1.0)]
)
def test_words_in_one_bank_take_turns(count: Count, index: str, clocks: float) -> None:
    source = f"""__global__ void k(float *a) {{
      __shared__ float s[4096];
      int t = threadIdx.x;
      a[t] = s[{index}];
    }}"""
    shared, _ = demand_of(count(source, 4, 128)).regions[0].requests
    assert (shared.sectors, shared.wavefronts) == (0.0, clocks)


def test_lanes_that_sit_out_request_nothing(count: Count) -> None:
    source = """__global__ void k(float *a, const float *b) {
      if (threadIdx.x == 0) a[blockIdx.x * 64] = b[blockIdx.x * 64 + threadIdx.x * 64];
    }"""
    *_, guard = demand_of(count(source, 4, 128)).regions
    assert [request.sectors for request in guard.requests] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("body", "rounds"),
    [
        ("a[i] = b[i] + c[i];", 1.0),
        ("a[i] = b[d[i]];", 2.0),
        ("a[i] = b[d[d[i]]];", 3.0),
        ("a[i] = b[i]; c[i] = e[i];", 2.0),  # the store to a may be to e
        ("a[i] = 1.0f;", 0.0),
    ],
)
def test_loads_wait_for_addresses_and_stores(count: Count, body: str, rounds: float) -> None:
    source = f"""__global__ void k(float *a, float *b, float *c, const int *d, float *e) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {body}
    }}"""
    assert demand_of(count(source, 4, 128)).regions[0].rounds == rounds


@pytest.mark.parametrize(
    ("body", "rounds"),
    [
        ("a[i] = a[i] * 3 + 1;", 0.0),
        ("a[i] = a[i] * 3 + b[i];", 1.0),  # the store to a may be to b
        ("a[i + j] = a[i + j] * 3 + 1;", 1.0),
        ("a[i] = a[i] * 3 + 1; __syncthreads();", 1.0),
    ],
)
def test_one_place_that_a_loop_goes_to_is_kept_in_a_register(
    count: Count, body: str, rounds: float
) -> None:
    source = f"""__global__ void k(float *a, float *b, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int j = 0; j < n; j++) {{ {body} }}
    }}"""
    assert demand_of(count(source, 4, 128, n=64)).regions[-1].rounds == rounds


def test_a_volatile_place_is_loaded_in_each_trip(count: Count) -> None:
    source = """__global__ void k(volatile float *a, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int j = 0; j < n; j++) a[i] = a[i] * 3 + 1;
    }"""
    assert demand_of(count(source, 4, 128, n=64)).regions[-1].rounds == 1.0


def test_a_reader_of_consecutive_floats_goes_to_l2_for_every_eighth(count: Count) -> None:
    source = """__global__ void k(float *a, const float *b, int n) {
      float s = 0;
      for (int j = 0; j < n; j++) s += b[threadIdx.x * n + j];
      a[threadIdx.x] = s;
    }"""
    *_, loop = demand_of(count(source, 1, 32, n=1024)).regions
    assert loop.requests[0].l2_share == 4 / 32


def test_integer_atomics_are_combined_and_floating_ones_are_not(count: Count) -> None:
    def source(kind: str) -> str:
        return f"__global__ void k({kind} *a) {{ atomicAdd(a, 1); }}"

    assert demand_of(count(source("int"), 10, 64)).line_atomics == 20.0
    assert demand_of(count(source("float"), 10, 64)).line_atomics == 640.0


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("atomicMax(a, 1)", 20.0),
        ("atomicXor(a, 1)", 20.0),
        ("atomicInc(a, 17)", 640.0),
        ("atomicDec(a, 17)", 640.0),
        ("atomicExch(a, 1)", 640.0),
        ("atomicCAS(a, 0, 1)", 640.0),
    ],
)
def test_exchanges_and_steps_with_a_limit_go_one_by_one(
    count: Count, operation: str, expected: float
) -> None:
    source = f"__global__ void k(unsigned *a) {{ {operation}; }}"
    assert demand_of(count(source, 10, 64)).line_atomics == expected


@pytest.mark.parametrize(
    ("expression", "operations", "fused"),
    [
        ("x * y + z", 2, 1),
        ("x * y - z", 2, 1),
        ("x * y + z * x", 3, 1),
        ("x * y * z", 2, 0),
        ("x + y + z", 2, 0),
        ("fmaf(x, y, z)", 2, 1),
    ],
)
def test_a_sum_takes_one_product_in(
    count: Count, expression: str, operations: int, fused: int
) -> None:
    source = f"""__global__ void k(float *a, float x, float y, float z) {{
      a[threadIdx.x] = {expression};
    }}"""
    counted = count(source, 1, 32)
    assert counted.work(Work.SP) == 32 * operations
    assert counted.work(Work.FUSED) == 32 * fused


@pytest.mark.parametrize("blocks", [4, 68])
def test_a_launch_waits_for_the_block_with_most_work(blocks: int) -> None:
    """Eight warps of one block do all of it; or each block the same."""
    shared = Demand(blocks, 8, (region(8.0 * blocks, in_block=8.0, work=work(dp=1e6)),))
    alone = Demand(blocks, 8, (region(8.0 * blocks, in_block=8.0 * blocks, work=work(dp=1e6)),))
    found = [time_of(each, **_NO_LATENCY).terms_ns["compute"] for each in (shared, alone)]
    assert found[1] == pytest.approx(blocks * found[0])


def test_of_many_blocks_none_is_waited_for() -> None:
    many = Demand(68 * 100, 8, (region(8.0 * 6800, in_block=800.0, work=work(dp=1e6)),))
    equal = Demand(68 * 100, 8, (region(8.0 * 6800, in_block=8.0, work=work(dp=1e6)),))
    assert time_of(many, **_NO_LATENCY) == time_of(equal, **_NO_LATENCY)


def test_lanes_wait_for_one_another() -> None:
    quiet, asking = region(8.0, 1.0, 8.0), region(8.0, 1.0, 8.0, exchanges=5.0)
    found = [time_of(Demand(1, 8, (each,))).terms_ns["latency"] for each in (quiet, asking)]
    # Each is an instruction that the next one waits for, too.
    assert (found[1] - found[0]) * CLOCK == pytest.approx(5 * 23 + 5 * 4)


def test_a_load_that_the_first_cache_has_is_waited_for() -> None:
    request = WarpRequest(AccessMode.READ, 4.0, 4.0, l2_share=0.0)
    found = [
        time_of(Demand(1, 8, (region(8.0, requests=(request,), rounds=rounds),)))
        for rounds in (1.0, 11.0)
    ]
    waited = found[1].terms_ns["latency"] - found[0].terms_ns["latency"]
    assert waited * CLOCK == pytest.approx(10 * 33)


def test_comparisons_of_doubles_take_the_units_for_doubles() -> None:
    found = [
        time_of(Demand(680, 8, (region(8.0 * 680, work=work(**amounts)),)), **_NO_LATENCY)
        for amounts in ({"dp": 3e4}, {"dp": 1e4, "dp_tests": 2e4})
    ]
    assert found[0].terms_ns["compute"] == pytest.approx(found[1].terms_ns["compute"])


def test_what_the_first_cache_serves_is_waited_for_likewise() -> None:
    request = WarpRequest(AccessMode.READ, 4.0, 32.0)
    found = [
        time_of(Demand(4, 8, (region(32.0, in_block=most, requests=(request,)),)), **_NO_LATENCY)
        for most in (8.0, 32.0)
    ]
    assert found[1].terms_ns["l1"] == pytest.approx(4 * found[0].terms_ns["l1"])


@pytest.mark.parametrize(
    ("body", "exchanges", "tests"),
    [
        ("out[i] = __shfl_down_sync(~0u, v, 1) + __shfl_xor_sync(~0u, v, 2);", 2, 0),
        ("out[i] = __any_sync(~0u, v > 0) ? v : 1;", 1, 1),
        ("out[i] = __ballot_sync(~0u, i > 5);", 1, 0),
        ("out[i] = v > 3 && v < 7;", 0, 2),
        ("out[i] = (float)v > 3.f;", 0, 0),
    ],
)
def test_what_lanes_exchange_and_compare(
    count: Count, body: str, exchanges: int, tests: int
) -> None:
    source = f"""__global__ void f(const double *x, double *out) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; double v = x[i]; {body} }}"""
    counted = count(source, 100, 256)
    traffic = dram_traffic(counted.summary, counted.execution, 6, Caches(5 * 2**20), {})
    demand = launch_demand(counted.summary, counted.execution, traffic, 32, 32)
    assert sum(each.exchanges for each in demand.regions) == exchanges
    assert sum(each.work[Work.DP_TESTS] for each in demand.regions) == tests
