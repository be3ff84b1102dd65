"""RL106 is found where loops load again what a store may have changed, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void step(int n, int m, const float *w, float *x, float *y, float *flag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    %s
}
int main() {
    int n = 1 << 14, m = 2048;
    float *w, *x, *y, *flag;
    cudaMalloc(&w, m * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, 4 * n * sizeof(float));
    cudaMalloc(&flag, 4);
    step<<<n / 256, 256>>>(n, m, w, x, y, flag);
}
"""
STORES = "y[(k & 1) * n + i] = w[k] * x[i]; y[(2 + (k & 1)) * n + i] = w[k] - x[i];"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"for (int k = 0; k < m; k++) {{ {STORES} }}", True),
        # Two runs, once in a thread, and no load after the store.
        (f"for (int k = 0; k < m - 2046; k++) {{ {STORES} }}", False),
        ("float a = x[i]; y[i] = a < 0 ? 0 : a; x[i] -= 1.0f;", False),
        ("for (int k = 0; k < m; k++) y[(k & 3) * n + i] = w[k] * 2.0f;", False),
        # The thread ends after the store.
        ("if (x[i] < 0) { *flag = 1; return; } x[i] = log(x[i]);", False),
    ],
)
def test_loads_in_loops_are_found(body: str, found: bool, analyse: Analyse) -> None:
    report = analyse(PROGRAM % body)
    assert [f.code for f in report.all_findings() if f.code == "RL106"] == ["RL106"] * found
