"""What stands behind ``&&`` and ``||`` runs for the threads that come to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

PROGRAM = """
__device__ unsigned taken;
__device__ unsigned first() { return !(threadIdx.y * 32 + threadIdx.x); }
__global__ void k(int n, const float *x, unsigned *out) {
    int i = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x;
    if (%s) out[i] = 1;
}
int main() {
    float *x;
    unsigned *out;
    cudaMalloc(&x, 4 << 20);
    cudaMalloc(&out, 4 << 20);
    k<<<1024, dim3(32, 32)>>>(4096, x, out);
}
"""


@pytest.mark.parametrize(
    ("condition", "read_bytes"),
    [
        ("i < n && x[i] > 0", 4 * 4096),
        ("i >= n || x[i] > 0", 4 * 4096),
        ("x[i] > 0 && i < n", 4 << 20),
        ("n > 5000 && x[i] > 0", 0),
        ("n > 4000 && x[i] > 0", 4 << 20),
        ("i % 1024 == 0 && x[i] > 0", 32 * 1024),
    ],
)
def test_loads_of_a_second_operand(condition: str, read_bytes: int) -> None:
    source = (PROGRAM % condition).encode()
    report = analyze(source, Path("/p/main.cu"), Settings(), reader=lambda _: None)
    (kernel,) = report.kernels
    read = kernel.prediction.dram_read_bytes
    assert read == pytest.approx(read_bytes, abs=8_000)


def test_an_atomic_of_the_first_thread_alone() -> None:
    """One a block: 32 times fewer wait than where each warp's first lane adds."""
    times = []
    for condition in ("first() && atomicAdd(&taken, 1) == 5", "atomicAdd(&taken, i) == 5"):
        source = (PROGRAM % condition).encode()
        report = analyze(source, Path("/p/main.cu"), Settings(), reader=lambda _: None)
        times.append(report.kernels[0].prediction.time_ns or 0.0)
    assert times[0] * 4 < times[1]
