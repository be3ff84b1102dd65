"""Loops whose bounds follow the thread and the loops around: counted address by address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.traffic.access_footprints import footprints_of
from roofline_analysis.traffic.array_footprints import touched_bytes
from roofline_analysis.traffic.coalescing import WarpAddresses

Count = Callable[..., Any]


def touched(count: Count, source: str, grid: int, block: int, **numbers: int) -> float:
    counted = count(source, grid, block, **numbers)
    items = footprints_of(
        counted.summary, counted.execution, 864, WarpAddresses(counted.execution, 32)
    )
    reads = [each for each in items if each.access.mode is AccessMode.READ]
    found: float = touched_bytes(reads, None, counted.execution.threads)
    return found


def places(b_step: int, t_step: int, length: int) -> Iterator[int]:
    """The elements that the kernel below reads."""
    for b in range(6):
        for t in range(32):
            for c in range(b_step * b, b_step * b + 3000, 32):
                low = max(0, b_step * b + t_step * t - c)
                for d in range(low, min(31, b_step * b + t_step * t - c + length) + 1):
                    yield b_step * b + t_step * t + c + d


@pytest.mark.parametrize("b_step", [64, 5888])
@pytest.mark.parametrize("t_step", [1, 50, 184])
@pytest.mark.parametrize("length", [10, 300])
def test_a_skewed_nest_touches_what_its_bounds_leave(
    count: Count, b_step: int, t_step: int, length: int
) -> None:
    source = f"""__global__ void f(const float *a, float *o) {{
        int b = blockIdx.x, t = threadIdx.x;
        float s = 0;
        for (int c = {b_step} * b; c < {b_step} * b + 3000; c += 32)
          for (int d = max(0, {b_step} * b + {t_step} * t - c);
               d <= min(31, {b_step} * b + {t_step} * t - c + {length}); d++)
            s += a[{b_step} * b + {t_step} * t + c + d];
        o[b * 32 + t] = s; }}"""
    sectors = {place // 8 for place in places(b_step, t_step, length)}
    assert touched(count, source, 6, 32) == pytest.approx(32 * len(sectors), rel=0.001)


def test_guards_around_a_skewed_loop_are_kept(count: Count) -> None:
    source = """__global__ void f(const float *a, float *o, int n, int m) {
        int t = threadIdx.x;
        float s = 0;
        if (t < n)
          for (int c = 0; c < m; c++)
            for (int d = max(c - 8, t); d < 48; d++) s += a[1024 * t + d];
        o[t] = s; }"""
    sectors = {
        (1024 * t + d) // 8 for t in range(5) for c in range(64) for d in range(max(c - 8, t), 48)
    }
    assert touched(count, source, 1, 64, n=5, m=64) == 32 * len(sectors)
