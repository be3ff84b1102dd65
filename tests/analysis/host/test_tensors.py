"""Accessors of PyTorch's tensors, as kernels take them."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

SUM = """
#include <torch/extension.h>
__global__ void k(const at::PackedTensorAccessor64<float, 3, at::RestrictPtrTraits> p,
                  at::PackedTensorAccessor64<float, 2, at::RestrictPtrTraits> o) {
  int n = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.size(1)) {
    float sum = 0;
    for (int d = 0; d < p.size(2); ++d) sum += p[n][i][d];
    o[n][i] = sum;
  }
}
void run(const at::Tensor &p, at::Tensor &o) {
  int n = p.size(0), rows = p.size(1), width = p.size(2);
  if (n != 8 || rows != 4096 || width != 16) return;
  k<<<dim3((rows + 255) / 256, n), 256>>>(
      p.packed_accessor64<float, 3, at::RestrictPtrTraits>(),
      o.packed_accessor64<float, 2, at::RestrictPtrTraits>());
}
"""


def test_an_accessor_has_the_sizes_of_its_tensor_and_rows_side_by_side() -> None:
    settings = Settings(gpu="A100", args=())
    report = analyze(SUM.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    (launch,) = kernel.launches
    assert launch.grid == (None, None, 1)
    assert {u.name for u in kernel.prediction.unknowns} == {
        "p.size(0)", "p.size(1)", "p.size(2)", "o.strides_[0]"
    }  # fmt: skip
    assert kernel.prediction.sp_flops == 8 * 4096 * 16
    assert kernel.prediction.dram_read_bytes == pytest.approx(8 * 4096 * 16 * 4, rel=0.01)
    assert kernel.prediction.dram_write_bytes == pytest.approx(8 * 4096 * 4, rel=0.01)
