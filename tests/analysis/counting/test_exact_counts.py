"""Counts over all threads, against counting them one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.counting.exact_counts import floor_sum, strided_trips, sum_of_positive_floors
from roofline_analysis.counting.progressions import count_satisfying
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import apply, symbol

Count = Callable[..., Any]
NUMBERS = st.integers(-60, 60)


@given(st.integers(0, 40), st.integers(1, 30), NUMBERS, NUMBERS)
def test_sums_of_floors(count: int, divisor: int, step: int, start: int) -> None:
    terms = [(start + step * j) // divisor for j in range(count)]
    assert floor_sum(count, divisor, step, start) == sum(terms)
    positive = sum(max(term, 0) for term in terms)
    assert sum_of_positive_floors(count, divisor, step, start) == positive


def test_trips_over_a_stride_are_told_from_others() -> None:
    distance, stride = symbol("n", SymbolScope.PARAM), symbol("s", SymbolScope.PARAM)
    assert strided_trips(apply("max", apply("div", distance, stride), 0)) == (distance, stride)
    assert strided_trips(distance) is None
    assert strided_trips(apply("max", distance, 0)) is None


STRIDED = """
__global__ void k(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    a[i] += 1.f;
}"""


@pytest.mark.parametrize("n", [1, 1_000, 4_194_304, 7_471_105, 30_000_001])
def test_a_loop_over_the_grid_runs_once_for_each_element(count: Count, n: int) -> None:
    assert count(STRIDED, 29_184, 256, n=n).work(Work.SP) == pytest.approx(n, rel=1e-12)


@pytest.mark.parametrize("divisor", [2, 3, 4, 7, 8, 16])
def test_conditions_on_remainders_count_every_thread(count: Count, divisor: int) -> None:
    source = f"""
    __global__ void k(float *a) {{
      int y = threadIdx.y, x = threadIdx.x;
      if (y % {divisor} == 0) {{ a[y] += 1.f; if ((x + y) % {divisor} == 1) a[x] *= 2.f; }}
    }}"""
    rows = [y for y in range(16) if y % divisor == 0]
    both = sum((x + y) % divisor == 1 for y in rows for x in range(16))
    found = count(source, (3, 4096), (16, 16)).work(Work.SP)
    assert found == pytest.approx(3 * 4096 * (16 * len(rows) + both), rel=1e-9)


@pytest.mark.parametrize(("op", "passing"), [("eq", 0), ("ne", 8), ("lt", 0), ("le", 0)])
def test_steps_too_small_to_divide_by(op: str, passing: int) -> None:
    """A step of a denormal number leaves each of ``start + step * j`` where the first is."""
    assert count_satisfying(op, 5.0, 1e-320, 8) == passing


def test_a_slope_too_small_to_divide_by_is_no_fault(count: Count) -> None:
    source = """__global__ void k(float *x, int n) {
      if (blockIdx.x * 1e-320 < n) x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    }"""
    assert count(source, 4, 32, n=7).work(Work.SP) == 0
