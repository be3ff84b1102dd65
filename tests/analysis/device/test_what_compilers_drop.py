"""What compilers drop, fold and add around loops, choices, atomics and ``printf``.

Counts of integers are those of machine code that was executed (``--profile --emulate``): nvcc 13.0
and clang 18 for sm_86, per thread of one warp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC

Count = Callable[..., Any]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) ;",
        "double s = 0; for (int i = 0; i < n; i++) s += 0.5;",
        "float s = 0; for (int i = 0; i < n; i++) s = s + sinf(0.1f);",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float u = i * 2.f; }",
    ],
)
def test_loops_without_effect_cost_nothing(count: Count, body: str) -> None:
    found = count(f"__global__ void k(int n) {{ {body} }}", 1, 32, n=1000)
    assert (found.integers, sum(found.flops.values())) == (0, 0)


def test_a_loop_of_invariants_does_them_once(count: Count) -> None:
    source = """__global__ void k(float a, float *out, int n) {
      float last = 0;
      for (int i = 0; i < n; i++) last = a * a;
      out[threadIdx.x] = last;
    }"""
    found = count(source, 1, 32, n=1000)
    assert found.flops == {"sp": 32}
    assert found.integers == 1  # Of each thread: the address.


def test_a_sum_that_is_stored_is_computed(count: Count) -> None:
    source = """__global__ void k(double *out, int n) {
      double s = 0;
      for (int i = 0; i < n; i++) s = s + 0.5;
      out[threadIdx.x] = s;
    }"""
    assert count(source, 1, 1, n=1000).flops == {"dp": 1000}


@pytest.mark.parametrize(
    ("result", "flops"),
    [
        ("a + b", 0),  # 100 or 200
        ("a * 2.f - b", 0),
        ("a + x", 1),
        ("a + c", 1),  # by another condition
    ],
)
def test_arithmetic_on_chosen_constants(count: Count, result: str, flops: float) -> None:
    source = f"""__global__ void k(float *out, float x) {{
      int t = threadIdx.x;
      float a = 0, b = 0, c = t > 5 ? 3.f : 1.f;
      if (t % 2 == 0) a = 100.f; else b = 200.f;
      out[t] = {result};
    }}"""
    assert sum(count(source, 1, 1).flops.values()) == flops


@pytest.mark.parametrize(
    ("added", "by_clang", "by_nvcc"),
    [
        ("d * d", 1, 2),
        ("d * d + y * y", 3, 4),
        ("d - 3.f", 1, 2),
        ("2.f - d", 1, 2),
        ("d + y * y", 2, 3),
        ("(float)m", 0, 0),
        ("__int2float_rn(m)", 1, 1),
        ("d * y", 2, 2),  # A negative zero, perhaps, as these are.
        ("d + y", 2, 2),
        ("d - y * y", 3, 3),
        ("-(d * d)", 2, 2),
        ("fabsf(d)", 1, 1),
    ],
)
def test_a_sum_with_zero(count: Count, added: str, by_clang: float, by_nvcc: float) -> None:
    """PTX of Clang 19 and machine code of nvcc 13.0, which adds most numbers to 0."""
    source = f"""__global__ void k(float *out, const float *x, const int *in) {{
      float s = 0, d = x[threadIdx.x], y = x[threadIdx.x + 9]; int m = in[threadIdx.x];
      s += {added};
      out[threadIdx.x] = s;
    }}"""
    for compiler, flops in ((CLANG, by_clang), (NVCC, by_nvcc)):
        assert count(source, 1, 1, compiler=compiler).flops.get("sp", 0) == flops, compiler


def test_a_first_sum_of_squares_is_none(count: Count) -> None:
    source = """__global__ void k(double *out, const double *x) {
      double s = 0;
      for (int i = 0; i < 4; i++) s += x[i] * x[i];
      out[threadIdx.x] = s;
    }"""
    assert count(source, 1, 1, compiler=CLANG).flops == {"dp": 7}
    assert count(source, 1, 1, compiler=NVCC).flops == {"dp": 8}


@pytest.mark.parametrize(
    ("call", "by_nvcc", "by_clang"),
    [
        ('printf("x")', 5, 2),
        ('printf("%d %d", threadIdx.x, blockIdx.x)', 8, 6),
        ('printf("a%d", threadIdx.x); printf("b%d", threadIdx.x)', 16, 12),
    ],
)
def test_printing(count: Count, call: str, by_nvcc: float, by_clang: float) -> None:
    source = f"__global__ void k() {{ {call}; }}"
    assert count(source, 1, 1, compiler=NVCC).integers == by_nvcc
    assert count(source, 1, 1, compiler=CLANG).integers == by_clang


@pytest.mark.parametrize(
    ("statement", "integers"),
    [
        ("atomicAdd(v, n);", 3),
        ("atomicAdd(v, x[threadIdx.x]);", 4),
        ("atomicMax(v, x[threadIdx.x]);", 4),
        ("atomicAdd(v + 1, n); atomicAdd(v + 2, n);", 3),  # Counted: 4.
        ("atomicAdd(v + x[threadIdx.x], n);", 2),  # Counted: 3.
        ("atomicExch(v, n);", 1),  # Counted: 2.
    ],
)
def test_one_lane_adds_for_a_warp(count: Count, statement: str, integers: float) -> None:
    source = f"__global__ void k(int *v, const int *__restrict__ x, int n) {{ {statement} }}"
    assert count(source, 1, 1, n=2).integers == integers


def test_a_running_sum_of_integers_moves(count: Count) -> None:
    """5 for each trip of a loop that is not unrolled: address, step, test, sum and a move."""
    source = """__global__ void k(const int *__restrict__ a, int *out, int n) {
      int s = 0;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += a[i];
      out[threadIdx.x] = s;
    }"""
    for compiler in (NVCC, CLANG):
        found = count(source, 1, 64, compiler=compiler, n=64_000)
        assert found.integers == pytest.approx(5004, abs=5)
