"""Numbers that loops step in more ways than by one addition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_core.algebra.symbol_scopes import SymbolScope

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


def is_followed(count: Count, body: str) -> bool:
    """Whether the address that a loop reads in each trip is known."""
    source = f"""__global__ void f(const float *x, float *y, const int *m, int n) {{
        int i = threadIdx.x, at = i, active = i < n; float s = 0.f;
        for (int k = 0; k < n * 9; k++) {{ {body} }}
        y[i] = s; }}"""
    regions = count(source, 1, 64, n=32).summary.root.walk()
    reads = [a for r in regions for a in r.accesses if a.array.name == "x"]
    assert reads
    symbols = {symbol for read in reads for symbol in read.offset.symbols()}
    return all(symbol.scope is not SymbolScope.CARRIED for symbol in symbols)


@pytest.mark.parametrize(
    "body",
    [
        "if (active) { s += x[at]; at += 64; }",
        "if (i < n && n > 3) at = at + n; s += x[at];",
        "if (i < n) { int b = at; at += n; s += x[b]; }",
        "if (active) { at += 64; { at += 3; } } if (active) s += x[at];",
    ],
)
def test_a_step_under_a_branch_that_is_the_same_in_each_trip(count: Count, body: str) -> None:
    assert is_followed(count, body)


@pytest.mark.parametrize(
    "body",
    [
        "if (k & 1) at += 64; s += x[at];",
        "if (m[i]) at += 64; s += x[at];",
        "if (active) { active = i < k; at += 64; } s += x[at];",
        "if (i < n) at += 64; else at += 32; s += x[at];",
        "if (i < n) at += 64; if (i < 5) at += 32; s += x[at];",
        "if (i < n) { if (k > 7) at += 64; } s += x[at];",
        "if (i < n) for (int j = 0; j < k; j++) at += 64; s += x[at];",
        "if (i < n) at += 64; at += 2; s += x[at];",
        "if (i < n) at += k; s += x[at];",
    ],
)
def test_a_step_under_a_branch_that_differs(count: Count, body: str) -> None:
    assert not is_followed(count, body)
