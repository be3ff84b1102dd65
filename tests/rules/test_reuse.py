"""RL110 is found in loops over shared data, not where threads share a few numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void k(int n, int m, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    %s
    c[row * n + column] = sum;
}
int main() {
    int n = 1024, m = 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * m * sizeof(float));
    cudaMalloc(&b, n * m * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    k<<<dim3(%s), dim3(32, 16)>>>(n, m, a, b, c);
}
"""
TILES = "n / 32, n / 16"


@pytest.mark.parametrize(
    ("loop", "grid", "found"),
    [
        ("for (int k = 0; k < m; k++) sum += a[row * m + k] * b[k * n + column];", TILES, True),
        # One element for a whole warp takes as many requests from a tile.
        ("for (int k = 0; k < m; k++) sum += b[k] * b[k * n] * b[k * m + 7];", TILES, False),
        # Each run is for other elements, which the rows of a block load together.
        (
            "for (int i = column; i < n * m; i += blockDim.x * gridDim.x) sum += a[i] * b[i];",
            "4, 64",
            False,
        ),
    ],
)
def test_loops(loop: str, grid: str, found: bool, analyse: Analyse) -> None:
    text = PROGRAM % (loop, grid)
    assert [f.code for f in analyse(text).all_findings() if f.code == "RL110"] == ["RL110"] * found
