"""Launches of few blocks, or of one too many, are findings where something is left to share out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> set[str]:
    return {finding.code for finding in report.all_findings()}


ROWS = """
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = value * value + 0.5f;
    x[i] = value;
}
int main() {
    int n = 80 * %d;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    polynomial<<<80, %d>>>(n, x);
}
"""


@pytest.mark.parametrize(("threads", "found"), [(1024, True), (64, False), (32, False)])
def test_a_last_round_of_warps_with_schedulers_of_their_own(
    threads: int, found: bool, analyse: Analyse
) -> None:
    report = analyse(ROWS % (threads, threads), gpu="RTX 3080")  # 68 multiprocessors
    assert ("RL303" in codes(report)) is found


TABLE = """
__global__ void table(int n, unsigned long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long value = i;
        for (int k = 0; k < 100000; k++) value = value * 6364136223846793005ull + k;
        out[i] = value;
    }
}
int main() {
    unsigned long long *out;
    cudaMalloc(&out, 4096 * sizeof(*out));
    table<<<%d, 256>>>(%d, out);
}
"""


@pytest.mark.parametrize(("blocks", "values", "found"), [(16, 4096, True), (1, 8, False)])
def test_few_values_are_not_shared_out(
    blocks: int, values: int, found: bool, analyse: Analyse
) -> None:
    assert ("RL302" in codes(analyse(TABLE % (blocks, values)))) is found
