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
