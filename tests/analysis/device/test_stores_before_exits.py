"""What a thread stores before it ends changes nothing that other paths have loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

CHECK = "__device__ void check(float v, float *f) { if (v < 0) { *f = 1; return; } }"


@pytest.mark.parametrize(
    ("statement", "reads"),
    [
        ("if (t < 5) { *f = x[t]; return; } y[t] = x[t];", 5 + 59),
        ("float a = x[t]; if (t < 5) { *f = a; return; } y[t] = x[t];", 64),
        ("float a = x[t]; if (t < 5) *f = a; y[t] = x[t];", 2 * 64),
        ("float a = x[t]; if (t < 5) y[t] = a; else { *f = a; return; } y[t] = x[t];", 64 + 5),
        # The function that is called ends; its caller goes on.
        ("check(x[t], f); y[t] = x[t];", 2 * 64),
    ],
)  # fmt: skip
def test_loads_after_stores(count: Count, statement: str, reads: float) -> None:
    source = f"""{CHECK}
    __global__ void k(int n, const float *x, float *y, float *f) {{
      int t = threadIdx.x; {statement} }}"""
    assert count(source, 1, 64, n=200).accesses["x", "read", 4] == reads
