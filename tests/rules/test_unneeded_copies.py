"""RL403 weighs a copy against the others of its function."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
#include <cstdlib>
__global__ void weigh(int n, const float *x, const float *w, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < %(rows)s; k++) sum += w[k * n + i] * x[i];
    y[i] = sum;
}
int main() {
    int n = 1 << 16;
    float *x = (float *)malloc(n * sizeof(float)), *y = (float *)malloc(n * sizeof(float));
    float *w = (float *)malloc(n * %(rows)s * sizeof(float));
    float *d_x, *d_y, *d_w;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMalloc(&d_w, n * %(rows)s * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, n * %(rows)s * sizeof(float), cudaMemcpyHostToDevice);
    weigh<<<n / 128, 128>>>(n, d_x, d_w, d_y);
    cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.parametrize(("rows", "count"), [(20, 1), (44, 1), (50, 0), (200, 0)])
def test_a_small_part_of_what_is_copied_is_no_finding(
    rows: int, count: int, analyse: Analyse
) -> None:
    report = analyse(PROGRAM % {"rows": rows})
    found = [finding for finding in report.all_findings() if finding.code == "RL403"]
    assert len(found) == count


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("", 1),
        ("cudaMemcpy(d_x, d_y, n * sizeof(float), cudaMemcpyDeviceToDevice);", 0),
        ("cudaMemcpyAsync(d_x, d_y, n * sizeof(float), cudaMemcpyDeviceToDevice, 0);", 0),
        ("cudaMemset(d_x, 0, n * sizeof(float));", 0),
        ("cudaMemcpy(d_y, d_x, n * sizeof(float), cudaMemcpyDeviceToDevice);", 1),
    ],
)
def test_what_a_call_writes_on_the_device(call: str, count: int, analyse: Analyse) -> None:
    text = PROGRAM % {"rows": 20}
    launch = "weigh<<<n / 128, 128>>>(n, d_x, d_w, d_y);"
    report = analyse(text.replace(launch, f"{launch}\n    {call}"))
    found = [finding for finding in report.all_findings() if finding.code == "RL403"]
    assert len(found) == count
