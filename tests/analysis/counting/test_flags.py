"""Conditions that a variable keeps are as exact as where they are tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]


@pytest.mark.parametrize("n", [1, 300, 4096])
@pytest.mark.parametrize(
    ("flag", "tested"),
    [
        ("bool done = false; if (i < n) done = true;", "done"),
        ("int done = 0; if (i < n) done = 1;", "done"),
        ("int done = 0; if (i < n) done = 1;", "done == 1"),
        ("bool left = true; if (i < n) left = false;", "!left"),
        ("int left = i < n ? 0 : 1;", "left == 0"),
        (
            "bool done; for (int t = 0; t < 5; t++) { done = false; if (i < n) done = true; }",
            "done",
        ),
    ],
)
def test_a_flag_lets_through_whom_its_condition_does(
    count: Count, n: int, flag: str, tested: str
) -> None:
    source = f"""__global__ void f(float *y, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {flag}
        if ({tested}) y[i] *= 0.5f; }}"""
    assert count(source, 4096, 256, n=n).work(0) == pytest.approx(n)


SET_ANEW = [
    "for (int t = 0; t < runs; t++) { done = false; if (i < n - t) done = true; }",
    # Rodinia's pyramids: the last run leaves the loop before what prepares the next one.
    """for (int t = 0; t < runs; t++) {
         done = false;
         if (i < n - t) done = true;
         __syncthreads();
         if (t == runs - 1) break;
         y[i] = 3;
         __syncthreads();
       }""",
    "for (int t = 0; t < runs; t++) { done = i < n - t; if (done) y[i] += 1.f; }",
]


@pytest.mark.parametrize("loop", SET_ANEW)
@pytest.mark.parametrize("runs", [1, 5, 64])
def test_a_flag_that_each_run_sets_is_that_of_the_last(count: Count, loop: str, runs: int) -> None:
    source = f"""__global__ void f(float *y, int n, int runs) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        bool done;
        {loop}
        if (done) y[i + (1 << 20)] = 5; }}"""
    counted = count(source, 64, 64, n=300, runs=runs)
    last = list(counted.summary.root.walk())[-1]
    assert counted.execution.regions[last].runs == pytest.approx(300 - runs + 1)
    assert not counted.execution.assumed_conditions


@pytest.mark.parametrize(
    "loop",
    [
        "for (int t = 0; t < runs; t++) { if (i < n - t) done = true; }",  # of any run
        "for (int t = 0; t < runs; t++) { done = i < n; if (y[i] > 3) break; }",  # data ends it
        "for (int t = 0; t < runs; t++) { done = y[i] > t; }",  # data decides it
        "for (int t = 0; t < runs; t++) { if (y[t] > 3) continue; done = i < n; }",
    ],
)
def test_a_flag_that_is_not_of_the_last_run_alone_is_not_known(count: Count, loop: str) -> None:
    source = f"""__global__ void f(float *y, int n, int runs) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        bool done = false;
        {loop}
        if (done) y[i + (1 << 20)] = 5; }}"""
    counted = count(source, 64, 64, n=300, runs=5)
    last = list(counted.summary.root.walk())[-1]
    assert last in counted.execution.assumed_conditions


def test_a_flag_stays_as_it_was_where_no_run_is_made(count: Count) -> None:
    source = """__global__ void f(float *y, int n, int runs) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        bool done = true;
        for (int t = 0; t < runs; t++) done = i < n;
        if (done) y[i] = 5; }"""
    for runs, wanted in ((0, 4096), (3, 300)):
        counted = count(source, 64, 64, n=300, runs=runs)
        assert counted.accesses["y", "write", 4] == pytest.approx(wanted)
