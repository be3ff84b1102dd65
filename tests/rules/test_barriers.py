"""RL308 is found where threads of a block miss a barrier, not where two groups meet at two."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void stage(int n, const float *x, float *y) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    %s
    if (i < n) y[i] = tile[255 - threadIdx.x];
}
int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    stage<<<n / 256, 256>>>(n, x, y);
}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if (threadIdx.x < 32) { tile[threadIdx.x] = x[i]; __syncthreads(); }", True),
        (
            """if (threadIdx.x < 32) { tile[i % 256] = 0; __syncthreads(); }
            else { tile[threadIdx.x] = x[i]; }""",
            True,
        ),
        # Producers and consumers: each thread arrives once.
        (
            """if (threadIdx.x < 32) { __syncthreads(); tile[threadIdx.x] = 0; }
            else { tile[threadIdx.x] = x[i]; __syncthreads(); }""",
            False,
        ),
        ("tile[threadIdx.x] = x[i]; __syncthreads();", False),
    ],
)
def test_barriers_that_threads_miss(body: str, found: bool, analyse: Analyse) -> None:
    codes = [finding.code for finding in analyse(PROGRAM % body).all_findings()]
    assert ("RL308" in codes) is found
