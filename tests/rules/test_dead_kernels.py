"""Kernels that a program never launches have mistakes, but nothing to save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

KERNELS = """
__global__ void powers(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = pow(x[i], 2.0) + pow(x[i], 3.0) + 1.5 * x[i];
}
__global__ void waits(int n, const float *x, float *y) {
    __shared__ float part[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 77) {
        part[threadIdx.x] = x[i];
        __syncthreads();
    }
    y[i] = part[threadIdx.x / 2];
}
__global__ void fill(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
"""
HOST = """
%s
%s() {
    int n = 1 << 21;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    fill<<<n / 256, 256>>>(n, x);
    %s
}
"""
MAIN = "int main"
CALL = "powers<<<n / 256, 256>>>(n, x, y);"
TABLE = "void (*table[])(int, const float *, float *) = {powers};"


def codes(report: FileReport, kernel: str) -> set[str]:
    (found,) = [each for each in report.kernels if each.base_name == kernel]
    return {finding.code for finding in found.findings}


@pytest.mark.parametrize("host", [MAIN, "void benchmark"])
def test_a_kernel_that_is_never_launched_has_only_mistakes(host: str, analyse: Analyse) -> None:
    report = analyse(KERNELS + HOST % ("", host, ""))
    assert codes(report, "powers") == set()
    assert codes(report, "waits") == {"RL308"}


@pytest.mark.parametrize(
    "source",
    [
        KERNELS + HOST % ("", MAIN, CALL),
        KERNELS + HOST % (TABLE, MAIN, ""),  # a table that something may launch from
        KERNELS + HOST % ("", MAIN, "void *chosen = (void *)powers; start(chosen, n, x, y);"),
        KERNELS,  # a library, whose user launches
    ],
)
def test_a_kernel_that_may_be_launched_has_findings(source: str, analyse: Analyse) -> None:
    assert "RL203" in codes(analyse(source), "powers")


def test_a_header_is_launched_from_elsewhere(analyse: Analyse) -> None:
    source = KERNELS + HOST % ("", "inline void start", "")
    assert "RL203" in codes(analyse(source, Path("/nowhere/kernels.cuh")), "powers")
