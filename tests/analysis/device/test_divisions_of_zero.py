"""Divisions whose dividend is 0 leave the fast path."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

THREADS = 1 << 16
PROGRAM = """
__global__ void k(const double *x, const double *y, double *out, double d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  BODY
}
int main() {
  const int n = 1 << 16;
  double *h = (double *)malloc(n * 8), *x, *y, *out;
  for (int i = 0; i < n; i++) h[i] = VALUE;
  cudaMalloc(&x, n * 8); cudaMalloc(&y, n * 8); cudaMalloc(&out, n * 8);
  cudaMemcpy(x, h, n * 8, cudaMemcpyHostToDevice);
  cudaMemcpy(y, h, n * 8, cudaMemcpyHostToDevice);
  k<<<n / 256, 256>>>(x, y, out, 3.7);
}
"""


def operations(tmp_path: Path, body: str, value: str) -> float:
    """Double-precision operations of one thread."""
    path = tmp_path / "k.cu"
    path.write_text(PROGRAM.replace("BODY", body).replace("VALUE", value))
    prediction = ProgramAnalysis.load([path], Settings(), argv=()).predict("k")
    assert prediction is not None
    assert prediction.unknowns == ()
    return (prediction.operations(Precision.DP) or 0.0) / THREADS


@pytest.mark.parametrize(
    ("body", "value", "expected"),
    [
        ("out[i] = x[i] / d;", "0", 15 + 17),
        ("out[i] = x[i] / d;", "i + 1", 15),
        ("out[i] = x[i] / d;", "i % 4 == 0 ? 0 : i", 15 + 17 / 4),
        ("out[i] = x[i] / d;", "strange(i)", 15),
        ("out[i] = x[i] / 3.7;", "0", 15 + 17),
        ("out[i] = (x[i] - y[i]) / d;", "5", 1 + 15 + 17),
        ("out[i] = d / x[i];", "0", 15),
        ("out[i] = x[i] / 4.0;", "0", 1),
        ("for (int j = 0; j < 8; j++) out[i + j] = x[i + j] / d;", "0", 8 * 32),
        ("if (i < 16384) out[i] = x[i] / d;", "0", 8),
        ("double q = x[i] / d, r = x[i] / (d + 1); out[i] = q * r;", "0", 1 + 1 + 2 * 32),
    ],
)
def test_operations(tmp_path: Path, body: str, value: str, expected: float) -> None:
    assert operations(tmp_path, body, value) == pytest.approx(expected, rel=0.02)
