"""What the ledger notes of loops and branches, and what evidence says of lines."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

PROGRAM = """\
__global__ void k(float *y, long n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 65536) return;
    float sum = 0.0f;
    for (int j = 0; j < 16384; j++)
        for (long m = 0; m < n; m++) sum += y[m] * j;
    if (i == 0) y[i] = sum;
}

int main() {
    float *y;
    cudaMalloc(&y, 400000000);
    k<<<256, 256>>>(y, 100000000);
}
"""


def test_trips_and_shares_have_few_digits() -> None:
    report = analyze(PROGRAM.encode(), Path("k.cu"), Settings())
    (kernel,) = report.kernels
    notes = {line.line: line.notes for line in kernel.prediction.ledger}
    assert notes[3] == ("branch: taken by no thread",)
    assert "loop: 16,384 trips" in notes[5]
    assert "loop: 100 M trips" in notes[6]
    assert "branch: taken by <0.1% of threads" in notes[7]


THRICE = """\
__global__ void thrice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = x[i * 1024];
    for (int j = 0; j < 1024; j++) most = max(most, x[i * 1024 + j]);
    float sum = 0.0f;
    for (int j = 0; j < 1024; j++) sum += x[i * 1024 + j] - most;
    y[i] = sum;
}

int main() {
    float *x, *y;
    cudaMalloc(&x, 134217728);
    cudaMalloc(&y, 131072);
    thrice<<<128, 256>>>(x, y, 32768);
}
"""


def test_the_bytes_of_evidence_are_those_that_the_ledger_has_of_the_line() -> None:
    (kernel,) = analyze(THRICE.encode(), Path("k.cu"), Settings()).kernels
    lines = {line.line: line for line in kernel.prediction.ledger}
    evidence = [each for each in kernel.prediction.evidence if each.what.endswith("read of 'x'")]
    assert {each.line for each in evidence} == {4, 6}
    assert all(each.amount == lines[each.line].dram_read_bytes for each in evidence)
