"""Numbers that loops step in more ways than by one addition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]


def trips(loop: str, m: int) -> int:
    """What Python says of the same loop, written as ``start; condition; step; before``."""
    start, condition, step, before = loop.split(";")
    names = {"m": m, "d": int(start), "trips": 0}
    while eval(condition, {}, names):
        exec(before.strip() or "pass", {}, names)
        names["trips"] += 1
        exec(step.strip(), {}, names)
    return names["trips"]


@pytest.mark.parametrize("m", [1, 5, 64, 255, 256, 1000])
@pytest.mark.parametrize(
    "loop",
    [
        "0;d < m;d = d << 1;d += 1",
        "1;d <= m;d = d * 2 + 1;",
        "0;d < m;d += 2;d *= 3",
        "1;d < m;d *= 4;d = d - 0",
        "3;d < m;d -= 1;d *= 2",
        "0;d < m;d += 2;d += 1",
    ],
)
def test_trips_of_a_loop_with_two_updates(count: Count, loop: str, m: int) -> None:
    start, condition, step, before = loop.split(";")
    if step == "d = d * 2 + 1":
        before, step = "d *= 2", "d += 1"
    source = f"""__global__ void f(float *y, int m) {{
        float s = 0;
        for (int d = {start}; {condition}; ) {{ s = s * y[threadIdx.x + d]; {before}; {step}; }}
        y[threadIdx.x] = s; }}"""
    assert count(source, 1, 1, m=m).work(0) == trips(loop, m)


@pytest.mark.parametrize("update", ["act >>= 1", "act /= 2", "act = act / 2", "act = act >> 1"])
def test_a_guard_that_halves_lets_half_of_the_threads_through(count: Count, update: str) -> None:
    source = f"""__global__ void f(float *y, int levels) {{
        int act = blockDim.x;
        for (int i = 0; i < levels; i++) {{
          if (threadIdx.x < act) y[threadIdx.x + i] *= 0.5f;
          {update};
        }} }}"""
    assert count(source, 1, 64, levels=7).work(0) == 64 + 32 + 16 + 8 + 4 + 2 + 1


def test_a_shifted_number_is_known_after_the_loop(count: Count) -> None:
    source = """__global__ void f(float *y, int levels) {
        int rest = 1024;
        for (int i = 0; i < levels; i++) { y[i] = i; rest >>= 1; }
        for (int i = 0; i < rest; i++) y[i] *= 0.5f; }"""
    assert count(source, 1, 1, levels=7).work(0) == 8
