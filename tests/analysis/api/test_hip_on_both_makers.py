"""HIP is compiled by nvcc for NVIDIA's GPUs and by Clang for AMD's: operations are counted so."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

SOURCE = b"""
#include <hip/hip_runtime.h>
__global__ void sums(const float *x, float *y) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * 256 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
int main() {
    float *x, *y;
    hipMalloc(&x, 4 << 20);
    hipMalloc(&y, 16384);
    hipLaunchKernelGGL(sums, dim3(4096), dim3(256), 0, 0, x, y);
}
"""


@pytest.mark.parametrize(
    ("gpu", "attempts"),
    [("RTX 3080", (0.62 * 256 + 1) / 2), ("MI250X", 0)],  # AMD's instruction counts as none
)
def test_float_additions_to_shared_memory(gpu: str, attempts: float) -> None:
    report = analyze(SOURCE, Path("/p/sums.hip"), Settings(gpu=gpu), reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.sp_flops == pytest.approx(attempts * 4096 * 256)


def test_clang_may_compile_it_for_nvidia_too() -> None:
    def integers(compiler: str) -> float | None:
        settings = Settings(gpu="RTX 3080", compiler=compiler)  # type: ignore[arg-type]
        loop = SOURCE.replace(
            b"float *y) {",
            b"float *y, int n, int s) { for (int i = threadIdx.x; i < n; i += s) y[i] = x[i];",
        ).replace(b", x, y)", b", x, y, 4096, 256)")
        report = analyze(loop, Path("/p/sums.hip"), settings, reader=lambda _: None)
        return report.kernels[0].prediction.int_ops

    assert integers("auto") == integers("hipcc") == integers("nvcc") != integers("clang")
