"""What the ledger notes of loops and branches, in numbers that can be read."""

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
