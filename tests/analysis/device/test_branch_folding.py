"""Small branches of which all threads compute both outcomes.

The expected numbers are emulated counts of machine code by nvcc 13.0, and for Clang what PTX of
Clang 19 computes before it chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

Counted = Callable[[str, str], float]
SHARE = 34 / 256
"""The share of samples of ``i % 8`` that are 3."""

PROGRAM = """
__global__ void k(const float *a, float *o, const int *m, float g, float h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = a[i + n], z = a[i + 2 * n], r = a[i + 3 * n], s = 0, t = 0, u = 0;
  BODY
  o[i] = x * y * z * r * (s < t) * (u < t);
}
int main() {
  const int n = 1 << 16;
  float *a, *o; int *m, *f = (int *)malloc(4 * n);
  for (int i = 0; i < n; i++) f[i] = i % 8;
  cudaMalloc(&a, 16 * n); cudaMalloc(&o, 4 * n); cudaMalloc(&m, 4 * n);
  cudaMemcpy(m, f, 4 * n, cudaMemcpyHostToDevice);
  k<<<n / 256, 256>>>(a, o, m, 1.5f, 2.5f, n);
}
"""


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    """SP operations of a thread on average, by a branch's text and the compiler."""

    def found(body: str, compiler: str) -> float:
        path = tmp_path / "k.cu"
        path.write_text(PROGRAM.replace("BODY", body))
        settings = Settings(compiler="clang" if compiler == "clang" else "nvcc")
        prediction = ProgramAnalysis.load([path], settings, argv=()).predict("k")
        assert prediction is not None
        return (prediction.operations(Precision.SP) or 0.0) / 2**16

    without = found("", "nvcc")
    return lambda body, compiler: found(body, compiler) - without


@pytest.mark.parametrize(
    ("branch", "by_nvcc", "by_clang"),
    [
        # The last step is done by the threads that pass.
        ("r += x;", SHARE, SHARE),
        ("r = x * g;", SHARE, SHARE),
        ("r = r * x + y;", 2 * SHARE, 2 * SHARE),
        ("r += (x + h) * g;", 1 + 2 * SHARE, 1 + 2 * SHARE),
        ("r = r * g + x * h;", 1 + 2 * SHARE, 1 + 2 * SHARE),
        ("r = (x + h) * g + y;", 1 + 2 * SHARE, 1 + 2 * SHARE),
        ("{ s = (x + h) * g; t = (y + h) * g; }", 2 + 2 * SHARE, 2 + 2 * SHARE),
        # Larger branches stay branches: above 5 operations by nvcc, 7 by Clang.
        ("r = ((x + h) * g + y) * h + z;", 3 + 2 * SHARE, 3 + 2 * SHARE),
        ("r = (((x + h) * g + y) * h + z) * g;", 6 * SHARE, 5 + SHARE),
        ("r = ((((x + h) * g + y) * h + z) * g + h) * g;", 8 * SHARE, 8 * SHARE),
        # So do those that change more than three variables.
        ("{ r += x; s += h * x; t -= h; u += h * h; }", 6 * SHARE, 5 * SHARE),
        # And those that do anything else.
        ("{ r += (x + h) * g; o[i + n] = 1; }", 3 * SHARE, 3 * SHARE),
        ("r += a[i + 4 * n] * (x + h);", 3 * SHARE, 3 * SHARE),
        # Both sides are computed: up to 6 operations together by nvcc, 4 by Clang.
        ("r = x * h; else r = x + h;", 2, 2),
        ("r = (x + h) * g; else r = (y - h) * h;", 4, 4),
        ("r = (x + h) * g; else r = (y - h) * h + x;", 5, 2 * SHARE + 3 * (1 - SHARE)),
        (
            "r = (x + h) * g + y; else r = ((y - h) * h + x) * g;",
            3 * SHARE + 4 * (1 - SHARE),
            3 * SHARE + 4 * (1 - SHARE),
        ),
    ],
)
def test_operations_of_a_branch(
    counted: Counted, branch: str, by_nvcc: float, by_clang: float
) -> None:
    text = f"if (m[i] == 3) {branch}"
    assert counted(text, "nvcc") == pytest.approx(by_nvcc)
    assert counted(text, "clang") == pytest.approx(by_clang)


def test_a_sum_that_both_sides_add_to_is_added_to_once(counted: Counted) -> None:
    branch = "if (m[i + j] == 3) r += x * g; else r -= x;"
    loop = f"for (int j = 0; j < 16; j++) {{ x = a[i + j]; {branch} }}"
    assert counted(loop, "nvcc") == pytest.approx(16 * 2, abs=1)
