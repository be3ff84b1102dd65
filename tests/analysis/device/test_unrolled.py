"""Loops that are walked run by run: what the counter decides, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import RegionForm, Work

Count = Callable[..., Any]

TREE = """
__global__ void tree(float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = out[t];
  for (int i = 1; i <= 64; i *= 2) {
    if (t % i == 0 && i > 1) s[t] = s[t] + s[t + i / 2];
    __syncthreads();
  }
  out[t] = s[t];
}
"""


def test_a_tree_adds_half_as_often_in_each_run(count: Count) -> None:
    assert count(TREE, 1, 64).work(Work.SP) == 32 + 16 + 8 + 4 + 2 + 1


def kernel(statements: str) -> str:
    return f"""
__global__ void k(float *a, const int *m, int n) {{
  int i = threadIdx.x; {statements}
}}"""


@pytest.mark.parametrize(
    ("statements", "flops"),
    [
        ("for (int j = 0; j < 6; j++) if (j % 3 == 0) a[i + j] += 1.f;", 2),
        ("for (int j = 0; j < 4; j++) a[j] = j ? a[j] * 2.f : a[j] * 2.f + 1.f;", 5),
        ("float t[3]; for (int j = 0; j < 3; j++) t[j] = a[j]; a[9] = t[0] + t[1] + t[2];", 2),
        ("float x = a[i]; for (int j = 0; j < 5; j++) a[j] = x * x;", 1),  # computed once
        ("for (int j = 0; j < 3; j++) { if (j == 1) continue; a[j] += 1.f; }", 2),
        ("for (int j = 0; j < 2; j++) for (int k = 0; k < 3; k++) if (j != k) a[k] += 1.f;", 4),
        ("for (int j = 0; j < 4; j++) switch (j) { case 1: a[j] += 1.f; break; default: ; }", 1),
        ("#pragma unroll\n for (int j = 4; j > 0; j >>= 1) if (j > 1) a[j] += 1.f;", 2),
    ],
)
def test_conditions_on_the_counter_are_decided(count: Count, statements: str, flops: float) -> None:
    assert count(kernel(statements)).work(Work.SP) == flops


def test_a_loop_that_may_end_early_stays_a_loop(count: Count) -> None:
    found = count(kernel("for (int j = 0; j < 4; j++) { if (m[j]) break; a[j] += 1.f; }"))
    assert any(region.form is RegionForm.LOOP for region in found.summary.root.walk())


def test_long_loops_stay_loops(count: Count) -> None:
    found = count(kernel("for (int j = 0; j < 100000; j++) a[j] += 1.f;"))
    assert found.work(Work.SP) == 100_000
    (loop,) = (region for region in found.summary.root.walk() if region.form is RegionForm.LOOP)
    assert not loop.unrolled


def test_the_runs_are_told(count: Count) -> None:
    found = count(kernel("for (int j = 0; j < 7; j++) a[j] += 1.f;"))
    assert [region.walked_runs for region in found.summary.root.walk()] == [1, 7]


def test_unroll_1_keeps_the_loop(count: Count) -> None:
    found = count(kernel("#pragma unroll 1\n for (int j = 0; j < 4; j++) a[j] += 1.f;"))
    assert any(region.form is RegionForm.LOOP for region in found.summary.root.walk())
    assert found.work(Work.SP) == 4


def test_a_constant_function_that_calls_itself_gives_the_trips(count: Count) -> None:
    """``constexpr int log2(int)`` is computed when compiled, however deep it calls itself."""
    counted = count(
        """
        namespace m {
        __host__ __device__ constexpr int log2_of(int v) {
          return v > 1 ? 1 + log2_of(v >> 1) : 0;
        }
        }
        template <int N> __global__ void k(float *a) {
          constexpr int steps = m::log2_of(N);
          for (int i = 0; i < steps; i++) a[threadIdx.x + i * 32] += 1.f;
        }
        """,
        block=32,
        bindings={"N": 1024},
    )
    assert counted.flops == {"sp": 32 * 10}
    assert not counted.unseen
    assert not counted.execution.assumed_trips
