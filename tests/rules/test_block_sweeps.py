"""Programs that try several blocks on one line: what the fastest has is found, once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport, Finding

Analyse = Callable[..., FileReport]


def found(report: FileReport, code: str) -> list[Finding]:
    return [finding for finding in report.all_findings() if finding.code == code]


PROGRAM = """
__global__ void add(int n, const float *x, const float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
__global__ void columns(int n, int rows, const float *x, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++) sum += x[r * n + i];
    sums[i] = sum;
}
int main() {
    int n = 1 << 22, wide = 768, rows = 8192;
    float *x, *y, *z;
    cudaMalloc(&x, wide * rows * sizeof(float));
    cudaMalloc(&y, wide * rows * sizeof(float));
    cudaMalloc(&z, wide * rows * sizeof(float));
    int blocks[] = {%s};
    for (int b = 0; b < sizeof(blocks) / sizeof(int); b++) {
        int block = blocks[b];
        add<<<(n + block - 1) / block, block>>>(n, x, y, z);
        columns<<<(wide + block - 1) / block, block>>>(wide, rows, x, z);
    }
}
"""


@pytest.mark.parametrize(
    ("blocks", "count"), [("32", 1), ("32, 64", 0), ("32, 64, 128, 256", 0), ("256, 32", 0)]
)
def test_a_small_block_among_others_is_no_finding(
    blocks: str, count: int, analyse: Analyse
) -> None:
    assert len(found(analyse(PROGRAM % blocks), "RL305")) == count


SHARED = """
__global__ void columns(int n, int rows, const float *x, float *sums) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (int r = 0; r < rows; r++) sum += x[r * n + i];
        sums[i] = sum;
    }
}
int main() {
    int n = 1 << 19, rows = 48;
    float *x, *y;
    cudaMalloc(&x, n * rows * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    int blocks[] = {%s};
    for (int b = 0; b < sizeof(blocks) / sizeof(int); b++) {
        int block = blocks[b];
        columns<<<12, block>>>(n, rows, x, y);
    }
}
"""


def test_what_all_blocks_have_is_found_once_and_for_the_fastest(analyse: Analyse) -> None:
    (all_,) = found(analyse(SHARED % "512, 32, 128, 256"), "RL302")
    assert "12 blocks of 512 threads" in all_.message
    (one,) = found(analyse(SHARED % "512"), "RL302")
    assert one.message == all_.message


ATOMICS = """
__global__ void sums(int rows, int width, const float *x, float *total) {
    __shared__ float part[256];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int k = 0; k < 64; k++)
        %s;
    __syncthreads();
    atomicAdd(&total[threadIdx.x], part[threadIdx.x]);
}
int main() {
    int rows = 1 << 20;
    float *x, *total;
    cudaMalloc(&x, rows * 64 * sizeof(float));
    cudaMalloc(&total, 256 * sizeof(float));
    sums<<<rows / 256, 256>>>(rows, 64, x, total);
}
"""


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("atomicAdd(&total[k], x[k * rows + row])", 1),
        # Each block adds once to each element: there is nothing to combine first.
        ("part[threadIdx.x] += x[k * rows + row]", 0),
    ],
)
def test_blocks_that_combined_their_values(statement: str, count: int, analyse: Analyse) -> None:
    assert len(found(analyse(ATOMICS % statement), "RL109")) == count
