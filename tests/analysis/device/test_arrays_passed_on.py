"""Loops that change a caller's local array: as if they stood in the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import Work

Count = Callable[..., Any]

ROUNDS = "for (int r = 0; r < n; r++) { s[0] = s[0] * 3u ^ s[1]; s[1] += s[0] >> 5; }"
FLOATS = "for (int r = 0; r < n; r++) { s[0] = s[0] * 3.f + s[1]; s[1] *= s[0]; }"


def kernel(element: str, body: str, helpers: str = "") -> str:
    return f"""
    {helpers}
    __global__ void k({element} *q, int n) {{
      {element} s[2] = {{q[0], q[1]}};
      {body}
      q[threadIdx.x] = s[0] + s[1];
    }}"""


@pytest.mark.parametrize("parameter", ["T *s", "T s[2]", "T (&s)[2]"])
@pytest.mark.parametrize(("element", "rounds"), [("unsigned", ROUNDS), ("float", FLOATS)])
def test_a_helpers_loop_over_a_callers_array(
    count: Count, element: str, rounds: str, parameter: str
) -> None:
    helper = f"__device__ void f({parameter.replace('T', element)}, int n) {{ {rounds} }}"
    here = count(kernel(element, rounds), 1, 1, n=50)
    there = count(kernel(element, "f(s, n);", helper), 1, 1, n=50)
    assert there.integers == here.integers
    assert there.work(Work.SP) == here.work(Work.SP)


def test_each_call_in_a_loop_works_on_what_the_one_before_left(count: Count) -> None:
    helper = "__device__ void f(float *s) { s[0] = s[0] * 3.f + s[1]; s[1] *= s[0]; }"
    found = count(kernel("float", "for (int r = 0; r < n; r++) f(s);", helper), 1, 1, n=50).work(
        Work.SP
    )
    assert found == 50 * 3 + 1


def test_a_helper_that_only_reads_leaves_the_array_as_it_is(count: Count) -> None:
    helper = "__device__ float f(const float *s) { return s[0] * 3.f + s[1]; }"
    body = "float t = 0.f; for (int r = 0; r < n; r++) t += f(s); s[0] = t;"
    found = count(kernel("float", body, helper), 1, 1, n=50).work(Work.SP)
    assert found == 2 + 50 + 1  # s[0] * 3 + s[1] once


STEP = "return z = 1664525u * z + 1013904223u;"


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        ("unsigned f(unsigned &z) { STEP }", "f(z)"),
        ("unsigned g(unsigned &z) { STEP } __device__ unsigned f(unsigned &z) { return g(z); }", 0),
        ("unsigned f(unsigned *z) { return *z = 1664525u * *z + 1013904223u; }", "f(&z)"),
        ("unsigned f(unsigned z) { STEP }", None),
        ("unsigned f(const unsigned &z) { return 1664525u * z + 1013904223u; }", None),
    ],
)
def test_a_state_passed_by_reference_differs_in_every_run(
    count: Count, helper: str, call: str | int | None
) -> None:
    source = f"""
    __device__ {helper.replace("STEP", STEP)}
    __global__ void k(unsigned *q, unsigned n) {{
      unsigned z = q[0], t = 0;
      for (unsigned r = 0; r < n; r++) t ^= {call or "f(z)"};
      q[threadIdx.x] = t + z;
    }}"""
    short, long_ = (count(source, 1, 1, n=n).integers for n in (50, 60))
    runs = (long_ - short) / 10
    assert runs >= 2 if call is not None else runs < 2
