"""What Clang computes in the branch that needs it, and nvcc before the condition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

DIVISION = 10.0
"""Operations of a division of floats (counted in machine code of nvcc 13.0)."""
Counted = Callable[[str, str], float]

HOST = """
int main() {
  const int n = 1 << 16;
  float *a, *o; int *m, *h = (int *)malloc(4 * n);
  for (int i = 0; i < n; i++) h[i] = i % 8;
  cudaMalloc(&a, 12 * n); cudaMalloc(&o, 4 * n); cudaMalloc(&m, 4 * n);
  cudaMemcpy(m, h, 4 * n, cudaMemcpyHostToDevice);
  k<<<n / 256, 256>>>(a, o, m, n);
}
"""


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    """SP operations of a thread on average, of a kernel by its body and the compiler."""

    def found(body: str, compiler: str) -> float:
        start = "int i = blockIdx.x * blockDim.x + threadIdx.x; float x = a[i], y = a[i + n];"
        head = "__global__ void k(const float *a, float *o, const int *m, int n)"
        path = tmp_path / "k.cu"
        path.write_text(f"{head} {{ {start} bool rare = i < n / 4; {body} }}\n{HOST}")
        settings = Settings(compiler="clang" if compiler == "clang" else "nvcc")
        prediction = ProgramAnalysis.load([path], settings, argv=()).predict("k")
        assert prediction is not None
        return (prediction.operations(Precision.SP) or 0.0) / 2**16

    return found


SLOPE = "float s = (x - 1.5f) / (y - 2.5f);"


@pytest.mark.parametrize(
    ("body", "by_clang", "by_nvcc"),
    [
        # Once in a branch, with all that it is made of.
        (SLOPE + "if (rare) o[i] = s;", 0.25 * (2 + DIVISION), 2 + DIVISION),
        (SLOPE + "if (rare) o[i] = s + 1;", 0.25 * (3 + DIVISION), 2.25 + DIVISION),
        # Also through the body of a loop that runs once, but not into one of several runs.
        (
            SLOPE + "for (int t = 0; t < 1; t++) if (rare) o[i + t] = s;",
            0.25 * (2 + DIVISION),
            2 + DIVISION,
        ),
        (SLOPE + "for (int t = 0; t < 2; t++) if (rare) o[i + t] = s;", 2 + DIVISION, 2 + DIVISION),
        # Out of the body of an unrolled loop: of five sums of a warp the last, by the store.
        (
            "for (int b = 16; b; b >>= 1) x += __shfl_xor_sync(~0u, x, b); if (rare) o[i] = x;",
            4.25,
            5.0,
        ),
        # In the innermost branch around all uses.
        (SLOPE + "if (rare) { if (i < n / 8) o[i] = s; }", 0.125 * (2 + DIVISION), 2 + DIVISION),
        (
            SLOPE + "if (rare) { if (i < n / 8) o[i] = s; o[i + 1] = s; }",
            0.25 * (2 + DIVISION),
            2 + DIVISION,
        ),
        (SLOPE + "if (rare) o[i] = s; o[i + 1] = s;", 2 + DIVISION, 2 + DIVISION),
        (SLOPE + "if (rare) o[i] = s; else o[i] = s + 1;", 2.75 + DIVISION, 2.75 + DIVISION),
        # What follows a return is a branch, too.
        (SLOPE + "if (!rare) return; o[i] = s;", 0.25 * (2 + DIVISION), 2 + DIVISION),
        # Not into a loop, nor into a side of ``?``.
        (SLOPE + "for (int j = 0; j < m[i]; j++) o[j] = s;", 2 + DIVISION, 2 + DIVISION),
        ("float s = x * y; o[i] = rare ? s : 1.f;", 1.0, 1.0),
        # The right side of a condition, where it takes more than a branch.
        (
            SLOPE + "if (rare && y < s * (x - 3.5f) + x) o[i] = 1;",
            0.25 * (5 + DIVISION),
            5 + DIVISION,
        ),
        ("if (rare && x * y + y < 1) o[i] = 1;", 2.0, 2.0),
        (SLOPE + "o[i] = s; if (rare && y < s * x) o[i + 1] = 1;", 3 + DIVISION, 3 + DIVISION),
        # A value that the branch changes is used behind it.
        ("float s = x * y; if (rare) s += 1; o[i] = s;", 1.25, 1.25),
    ],
)
def test_what_one_branch_uses(counted: Counted, body: str, by_clang: float, by_nvcc: float) -> None:
    assert counted(body, "clang") == pytest.approx(by_clang)
    assert counted(body, "nvcc") == pytest.approx(by_nvcc)


def test_functions_with_branches_of_their_own_stay(counted: Counted) -> None:
    body = "float s = {}; if (rare) o[i] = s;"
    sine = counted("o[i] = sinf(x);", "clang")
    assert counted(body.format("sinf(x)"), "clang") == pytest.approx(sine)
    exponential = counted("o[i] = expf(x);", "clang")
    assert counted(body.format("expf(x)"), "clang") == pytest.approx(0.25 * exponential)
