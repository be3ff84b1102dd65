"""What is hoisted out of a loop is done by the threads that run the loop, once each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

LOOP = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"


@pytest.mark.parametrize(("n", "entering"), [(0, 0), (1, 1), (37, 37), (640, 640), (5000, 640)])
@pytest.mark.parametrize(
    "body", ["y[i] += a / b + c;", "if (i != 0) y[i] += a / b + c;", "{ y[i] = a / b + c; }"]
)
def test_invariant_work_is_done_by_threads_with_a_trip(
    count: Count, body: str, n: int, entering: int
) -> None:
    def work(body: str) -> float:  # operations of single precision
        source = (
            f"__global__ void f(float *y, float a, float b, float c, int n) {{ {LOOP} {body} }}"
        )
        found: float = count(source, 10, 64, n=n, a=1.5, b=2.5, c=0.5).work(0)
        return found

    each = work(body) - work(body.replace("a / b + c", "a"))
    assert each == pytest.approx(entering * _invariant(count))


def _invariant(count: Count) -> float:
    """Operations of the invariant expression, of one thread outside any loop."""
    source = "__global__ void f(float *y, float a, float b, float c) { y[0] = a / b + c; }"
    found: float = count(source, 1, 1, a=1.5, b=2.5, c=0.5).work(0)
    return found


def test_a_loop_of_unknown_length_is_entered_by_all(count: Count) -> None:
    source = """__global__ void f(float *y, const int *ends, float a, float b) {
        for (int i = 0; i < ends[threadIdx.x]; i++) y[i * 64 + threadIdx.x] = a / b; }"""
    once = "__global__ void f(float *y, float a, float b) { y[0] = a / b; }"
    one = count(once, 1, 1, a=1.5, b=2.5).work(0)
    assert count(source, 1, 64, a=1.5, b=2.5).work(0) == pytest.approx(64 * one)


def test_what_a_loop_computed_first_is_there_after_it(count: Count) -> None:
    source = """__global__ void f(float *y, float a, float b, int n) {
        for (int i = 0; i < n; i++) y[i] = a / b;
        y[n] = a / b; }"""
    once = "__global__ void f(float *y, float a, float b) { y[0] = a / b; }"
    numbers = {"a": 1.5, "b": 2.5}
    assert count(source, 1, 1, n=1000, **numbers).work(0) == count(once, 1, 1, **numbers).work(0)


@pytest.mark.parametrize("stride", ["blockDim.x * gridDim.x", "1"])
def test_threads_without_a_trip_share_out_no_rounds(count: Count, stride: str) -> None:
    def integers(n: int) -> float:
        loop = f"for (int i = threadIdx.x; i < n; i += {stride}) a[i] = h[i];"
        source = f"__global__ void f(int *a, const int *h, int n) {{ {loop} }}"
        found: float = count(source, 1, 256, n=n).integers  # of a thread, on average
        return found

    # One thread alone has a trip; the others test once, beside what all compute.
    nothing, one = integers(0), integers(1)
    assert nothing <= 3
    assert 5 <= 256 * (one - nothing) <= 60
