"""How often warps run: guards that lanes pass alone, loops that lanes leave at different times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.counting.execution import RegionRuns
from roofline_analysis.counting.warps import chance_of_any

Count = Callable[..., Any]


def innermost(counted: Any) -> RegionRuns:
    """The runs of the last region, in which these kernels store."""
    *_, region = counted.summary.root.walk()
    runs: RegionRuns = counted.execution.regions[region]
    return runs


@pytest.mark.parametrize(
    ("condition", "warps", "longest", "in_block"),
    [
        ("i < n", 3.0, 1.0, 2.0),  # 75 of 96 threads: three of the four warps
        ("threadIdx.x == 0", 2.0, 1.0, 1.0),  # one warp of each of two blocks
        ("i % 2 == 0", 4.0, 1.0, 2.0),  # every warp, half of its lanes
        ("threadIdx.x / 32 % 2 == 1", 2.0, 1.0, 1.0),  # whole warps
        ("i == 70", 1.0, 1.0, 1.0),
    ],
)
def test_a_warp_runs_what_any_of_its_lanes_runs(
    count: Count, condition: str, warps: float, longest: float, in_block: float
) -> None:
    source = f"""__global__ void k(float *a, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if ({condition}) a[i] = 1.0f;
    }}"""
    runs = innermost(count(source, 2, 64, n=75))
    assert runs.warp_runs == warps
    assert runs.longest == longest
    assert runs.in_block == in_block


@pytest.mark.parametrize("blocks", [16, 2000])
def test_few_blocks_may_have_all_the_work(count: Count, blocks: int) -> None:
    source = """__global__ void k(float *a, int n, int trips) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      for (int j = 0; j < trips; j++) a[i * trips + j] = 1.0f;
    }"""
    runs = innermost(count(source, blocks, 256, n=1024, trips=50))
    assert runs.warp_runs == pytest.approx(1024 / 32 * 50)
    assert runs.in_block == pytest.approx(256 / 32 * 50)


def test_a_warp_stays_in_a_loop_as_long_as_its_last_lane(count: Count) -> None:
    source = """__global__ void k(float *a) {
      for (int j = 0; j < threadIdx.x; j++) a[j * 64 + threadIdx.x] = 1.0f;
    }"""
    runs = innermost(count(source, 3, 64))
    assert runs.runs == 3 * sum(range(64))
    assert runs.warp_runs == 3 * (31 + 63)
    assert runs.longest == 63


def test_a_counter_that_guards_its_lane_diverges(count: Count) -> None:
    # Each iteration is one lane's turn, and the warp's.
    source = """__global__ void k(float *a, int n) {
      for (int j = 0; j < n; j++) if (j == threadIdx.x) a[j] = 1.0f;
    }"""
    runs = innermost(count(source, 1, 64, n=64))
    assert runs.runs == 64
    assert runs.warp_runs == 64
    assert runs.longest == 32


def test_one_thread_of_a_large_launch_is_one_long_path(count: Count) -> None:
    source = """__global__ void k(float *a, int n) {
      if (blockIdx.x == 0 && threadIdx.x == 0) for (int j = 0; j < n; j++) a[j] = 1.0f;
    }"""
    runs = innermost(count(source, 5000, 256, n=700))
    assert runs.runs == pytest.approx(700)
    assert runs.warp_runs == pytest.approx(700)
    assert runs.longest == pytest.approx(700)


def test_no_warp_runs_a_branch_more_often_than_it_comes_to_it(count: Count) -> None:
    # Few blocks of many, hardly any of which are among those looked at.
    source = """__global__ void k(float *a, int n) {
      for (int j = 0; j < n; j++)
        if (blockIdx.x % 2000 == 1003 + j) a[j] = 1.0f;
    }"""
    runs = innermost(count(source, 5000, 256, n=20))
    assert runs.runs == pytest.approx(256 * sum(3 <= (b - 1000) % 2000 < 23 for b in range(5000)))
    assert 1 <= runs.longest <= 20


def test_a_branch_on_data_is_taken_by_some_lane_of_every_warp(count: Count) -> None:
    source = """__global__ void k(float *a, const int *b) {
      int i = threadIdx.x;
      if (b[i] > 7) a[i] = 1.0f;
    }"""
    runs = innermost(count(source, 1, 64))
    assert runs.runs == 32
    assert runs.warp_runs == pytest.approx(2.0, abs=1e-6)


@given(st.floats(0.0, 1.0), st.floats(1.0, 64.0))
def test_some_lane_is_at_least_as_likely_as_one(odds: float, lanes: float) -> None:
    chance = chance_of_any(odds, lanes)
    assert odds - 1e-12 <= chance <= 1.0
    assert chance <= odds * lanes + 1e-9
