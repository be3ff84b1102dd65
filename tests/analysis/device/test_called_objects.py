"""Objects whose ``operator()`` a loop calls: what the call changes, each run changes anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

RANDOM = """
struct Random {
  unsigned int x;
  __device__ Random(unsigned int s) { x = s; }
  __device__ int next() { x ^= x >> 6; x ^= x << 17; return int(x); }
  __device__ int operator()() { return next() & 0xffff; }
  __device__ int again() { this->x = this->x * 5 + 1; return x; }
};
struct Line { float a, b; __device__ float operator()(float x) { return a * x + b; } };
"""
SUM = "float s = 0; for (int j = 0; j < n; j++) { float t = CALL * 0.5f; s += t * t; } return s;"


def kernel(call: str, parameter: str, made: str, *, before: str = "") -> str:
    return f"""{RANDOM}
    __device__ float sum({parameter}, int n) {{ {before} {SUM.replace("CALL", call)} }}
    __global__ void k(float *o, int n, float a) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; {made} o[i] = sum(it, n); }}"""


@pytest.mark.parametrize("parameter", ["Random &it", "Random it"])
@pytest.mark.parametrize("call", ["it()", "it.next()", "it.again()"])
def test_a_random_number_is_drawn_in_each_run(count: Count, call: str, parameter: str) -> None:
    found = count(kernel(call, parameter, "Random it(i);"), grid=4, block=64, n=100)
    assert found.flops == {"sp": 4 * 64 * 100 * 3}
    assert found.integers > 100


@pytest.mark.parametrize(
    ("parameter", "made"),
    [
        ("Line it", "Line it; it.a = a; it.b = 2;"),
        ("const Line &it", "Line it; it.a = a; it.b = 2;"),
    ],
)
def test_what_only_reads_its_fields_is_computed_once(
    count: Count, parameter: str, made: str
) -> None:
    """Its result with the same argument is the same in all runs; the sum is not."""
    found = count(kernel("it(3.0f)", parameter, made), grid=4, block=64, n=100)
    assert found.flops == {"sp": 4 * 64 * (100 + 4)}


def test_lambdas_stay_what_they_are(count: Count) -> None:
    source = """__global__ void k(float *o, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      auto f = [=](float x) { return x * x + 1.0f; };
      float s = o[i];
      for (int j = 0; j < n; j++) s = f(s);
      o[i] = s; }"""
    found = count(source, grid=4, block=64, n=100)
    assert found.flops == {"sp": 4 * 64 * 100 * 2}
    assert found.unseen == []


def test_a_union_read_by_another_name_varies_with_what_was_stored(count: Count) -> None:
    before = """union { float f; int i; } u; float r = 0;
      for (int j = 0; j < n; j++) { u.i = (it() & 0x7fffff) | 0x3f800000; r += u.f * u.f; }"""
    source = kernel("r", "Random &it", "Random it(i);", before=before)
    found = count(source, grid=4, block=64, n=100)
    assert found.flops["sp"] >= 4 * 64 * 100 * 2
