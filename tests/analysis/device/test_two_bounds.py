"""A loop that ends at the nearer of two bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

TILES = """
__global__ void tiles(int n, int step, const float *b, float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (n + step - 1) / step; t++) {
        %s
        a[i] = sum;
    }
}
"""
BODY = "sum += b[k] * b[k + i];"


@pytest.mark.parametrize(
    ("loop", "n", "step", "runs"),
    [
        ("for (int k = t * step; k < n && k < t * step + step; k++)", 2048, 16, 2048),
        ("for (int k = t * step; k < t * step + step && k < n; k++)", 2048, 16, 2048),
        ("for (int k = t * step; k < n && k < t * step + step; k++)", 1000, 64, 1000),
        ("for (int k = t * step; k <= n - 1 && k - t * step < step; k += 2)", 2048, 16, 1024),
        ("for (int k = t * step + step - 1; k >= t * step && k >= 0; k--)", 2048, 16, 2048),
    ],
)
def test_the_nearer_bound_counts(loop: str, n: int, step: int, runs: int, count: Count) -> None:
    found = count(TILES % f"{loop} {BODY}", 4096, 256, n=n, step=step)
    assert found.flops == {"sp": pytest.approx(2 * runs * 4096 * 256)}


def test_a_bound_that_is_met_once_in_many_trips(count: Count) -> None:
    """With more trips than are tested one by one, over all threads."""
    loop = "for (int k = 0; k < n; k++) { if (3 * k >= step) break; " + BODY + " }"
    source = TILES.replace("(n + step - 1) / step", "1")
    found = count(source % loop, 4096, 256, n=1 << 19, step=300)
    assert found.flops == {"sp": pytest.approx(2 * 100 * 4096 * 256, rel=0.02)}
