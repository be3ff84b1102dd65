"""What CUDA and the standard library give device code beside functions of one name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import Work

Count = Callable[..., Any]


@pytest.mark.parametrize(
    ("limit", "sp"),
    [("std::numeric_limits<int>::max() > n", 1), ("std::numeric_limits<int>::min() > n", 0)],
)
def test_integer_limits_are_constants(count: Count, limit: str, sp: int) -> None:
    source = f"__global__ void k(float *a, int n) {{ if ({limit}) a[threadIdx.x] += 1.0f; }}"
    assert count(source, 1, 32, n=7).work(Work.SP) == 32 * sp


def test_a_float_limit_is_no_unknown_function(count: Count) -> None:
    source = "__global__ void k(float *a) { a[0] = std::numeric_limits<float>::max(); }"
    assert count(source, 1, 1).summary.problems == ()


@pytest.mark.parametrize(
    ("group", "trips"),
    [
        ("cg::thread_block g = cg::this_thread_block();", 64),
        ("auto g = cg::tiled_partition<32>(cg::this_thread_block());", 32),
        ("cg::grid_group g = cg::this_grid();", 128),
    ],
)
def test_groups_know_their_size(count: Count, group: str, trips: int) -> None:
    source = f"""
      namespace cg = cooperative_groups;
      __global__ void k(float *a) {{
        {group}
        float s = 0;
        for (int i = 0; i < g.size(); i++) s += a[i];
        a[threadIdx.x] = s;
      }}"""
    found = count(source, 2, 64)
    assert found.work(Work.SP) == 128 * trips
    assert found.summary.problems == ()


@pytest.mark.parametrize(
    ("argument", "flops"),
    [("(float)i * 2.0f", {"sp": 5}), ("(double)i", {"dp": 3}), ("i", {"sp": 4})],
)
def test_a_call_means_the_overload_of_its_arguments_type(
    count: Count, argument: str, flops: dict[str, int]
) -> None:
    source = f"""
      template <class T> __device__ T f(T x);
      template <> __device__ double f<double>(double x) {{ return x * x * x + x; }}
      template <> __device__ float f<float>(float x) {{ return x * x * x * x + x; }}
      __device__ double g(double x) {{ return x * x * x + x; }}
      __device__ float g(float x) {{ return x * x * x * x + x; }}
      __global__ void k(double *a) {{ int i = threadIdx.x; float v = i; a[i] = g({argument}); }}"""
    expected = dict(flops)
    if argument == "i":
        source = source.replace("g(i)", "f(v)")
    assert count(source, 1, 1).flops == expected


@pytest.mark.parametrize(
    ("call", "sp"),
    [
        ("powf(p[threadIdx.x], (float)i)", 37 + 20 * (24 + 1)),
        ("powf(w, (float)i)", 37 + 20 * (24 + 1)),
        ("powf(3.0f, (float)i)", 26 + 20 * (24 + 1)),
        ("powf((float)i, w)", 20 * (61 + 1)),
        ("powf(p[i], w) + powf(p[i], 2.0f * w)", 1 + 20 * (37 + 2 * 24 + 2)),
    ],
)
def test_the_logarithm_of_a_power_is_computed_where_its_base_is(
    count: Count, call: str, sp: int
) -> None:
    source = f"""
__global__ void k(const float *p, float *q, float w, int n) {{
  float s = 0.0f;
  for (int i = 1; i <= n; i++) s += {call};
  q[threadIdx.x] = s;
}}"""
    assert count(source, 1, 32, n=20).work(Work.SP) == 32 * sp
