"""What rules leave alone: code that looks like a problem and is none, or costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules import RULES

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> list[str]:
    return [finding.code for finding in report.all_findings()]


def changed(code: str, *pairs: tuple[str, str]) -> str:
    """A rule's bad example with some of its text replaced."""
    text = RULES[code].bad
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


FLOATS = ("const float *x, float *y", "const double *x, double *y")
CONSTANT = ("const float *w", "float *w")
BLOCKS = ("blockIdx.x * blockDim.x +", "")
TILE = "template<class A, class B> __device__ void copy(const A &a, B &b);\n__global__"
ARRAY = "    __shared__ float s[UNKNOWN::size];\n    float sum"
SWAPPED = ("    square<<<", "    float *t = d_x; d_x = d_y; d_y = t;\n    square<<<")


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        # A launch too small to gain.
        ("RL204", [("n, 500, 0.7f", "n, 1, 0.7f")]),
        ("RL101", [("rows = 1 << 16", "rows = 256"), ("columns = 512", "columns = 2")]),
        ("RL109", [("n = 1 << 20", "n = 1 << 9")]),
        # Double precision is what the kernel is about.
        ("RL201", [FLOATS, ("float *x, *y", "double *x, *y")]),
        ("RL202", [FLOATS, ("float *x, *y", "double *x, *y")]),
        # Exponents and divisors that have no cheaper form.
        ("RL203", [("2.0f)", "2.5f)")]),
        ("RL204", [("/ h + value / 3.0f", "/ value + value / 4.0f")]),
        ("RL206", [("unsigned value", "int value"), ("(at % 32) + (at % 8)", "(value % 32)")]),
        # Whole ranges of threads, and a choice that is no branch.
        ("RL307", [("threadIdx.x % 2 == 0", "threadIdx.x >= 96")]),
        # The barrier is for all threads, or orders something.
        ("RL308", [("threadIdx.x < 255", "threadIdx.x < 256")]),
        ("RL308", [("threadIdx.x < 255", "n > 255")]),
        ("RL309", [("y[i] = sum;", "y[i] = sum + y[n - 1 - i];")]),
        # The callee may write what others read after the barrier.
        ("RL309", [("__global__", TILE), ("    float sum", ARRAY), ("sum += x[k]", "copy(x, s)")]),
        # Each step copies or needs something else.
        ("RL401", [("weights, n * sizeof", "weights + step, n * sizeof")]),
        ("RL401", [("        apply<<<", "        weights[0] = step;\n        apply<<<")]),
        ("RL401", [CONSTANT, ("x[i] = weights", "weights[i] = weights")]),
        ("RL402", [("    cudaMemcpyA", "    cudaHostRegister(x, 4 * n, 0);\n    cudaMemcpyA")]),
        ("RL403", [SWAPPED]),
        ("RL403", [("y[i] = x[i] * x[i];", "if (i > 0) y[i] = x[i] * x[i];")]),
        ("RL403", [("y[i] = x[i] * x[i];", "y[i] += x[i] * x[i];")]),
        ("RL404", [("        cudaDevice", "        report(k);\n        cudaDevice")]),
        ("RL405", [("k & 1, x", "1, x")]),
        # Pointers that may be the same memory.
        ("RL106", [("(n, m, basis, x, y, z)", "(n, m, basis, x, y, y)")]),
        # The kernel is made for one block.
        ("RL302", [BLOCKS, ("gridDim.x * ", ""), ("<<<8,", "<<<1,")]),
        # One block, whose threads go on together.
        ("RL302", [("<<<8,", "<<<1,"), ("        x[i] = a * x[i];\n",
                                        "        { x[i] = a * x[i ^ 1]; __syncthreads(); }\n")]),
        # Few atomic operations of each block.
        ("RL109", [("if (i < n) atomic", "if (threadIdx.x % 32 == 0) atomic")]),
    ],
)  # fmt: skip
def test_what_is_no_problem_is_not_found(
    code: str, pairs: list[tuple[str, str]], analyse: Analyse
) -> None:
    assert code not in codes(analyse(changed(code, *pairs)))


@pytest.mark.parametrize("blocks", [1, 8])
def test_one_block_that_ends_with_a_tree_leaves_the_gpu_idle(blocks: int, analyse: Analyse) -> None:
    text = """\
__global__ void sum(int n, const float *x, float *out) {
    __shared__ float s[256];
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i];
    s[threadIdx.x] = own;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
    int n = 1 << 22;
    float *x, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    sum<<<BLOCKS, 256>>>(n, x, out);
}
"""
    assert "RL302" in codes(analyse(text.replace("BLOCKS", str(blocks))))


def test_a_thread_that_uses_its_sectors_whole_is_not_uncoalesced(analyse: Analyse) -> None:
    text = """\
__global__ void pack(int n, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[8 * i] + x[8 * i + 1] + x[8 * i + 2] + x[8 * i + 3] + x[8 * i + 4]
        + x[8 * i + 5] + x[8 * i + 6] + x[8 * i + 7];
}
int main() {
    int n = 1 << 20;
    int *x, *y;
    cudaMalloc(&x, 8 * n * sizeof(int));
    cudaMalloc(&y, n * sizeof(int));
    pack<<<n / 256, 256>>>(n, x, y);
}
"""
    assert codes(analyse(text)) == []


def test_a_division_in_each_thread_is_counted_by_threads_not_by_what_it_decides(
    analyse: Analyse,
) -> None:
    text = """\
__constant__ float weights[1024];
__global__ void widen(int m, int n, int r, const float *x, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % m, j = t / m;
    float most = 0.0f;
    for (int a = 0; a < r; a++) {
        int u = i - r / 2 + a;
        if (u >= 0 && u < m) {
            for (int b = 0; b < r; b++) {
                int v = j - r / 2 + b;
                if (v >= 0 && v < n && weights[a * r + b] != 0)
                    if (x[v * m + u] > most) most = x[v * m + u];
            }
        }
    }
    y[i * n + j] = most;
}
int main() {
    int m = 1024, n = 1000;
    float *x, *y;
    cudaMalloc(&x, m * n * sizeof(float));
    cudaMalloc(&y, m * n * sizeof(float));
    widen<<<4000, 256>>>(m, n, 31, x, y);
}
"""
    assert "RL205" not in codes(analyse(text))


def test_lines_that_macros_made_have_a_finding_without_a_fix(analyse: Analyse) -> None:
    text = changed("RL201", ("0.25 *", "QUARTER *"))
    (finding,) = analyse("#define QUARTER 0.25\n" + text).all_findings()
    assert finding.code == "RL201"
    assert finding.fix is None


def test_collapsed_loops_divide_by_themselves(analyse: Analyse) -> None:
    from pathlib import Path

    text = """\
int main() {
  int n = 1 << 12, m = 1 << 10;
  int *x = new int[n * m];
  #pragma omp target teams distribute parallel for collapse(2) map(tofrom: x[0:n*m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i * m + j] += 1;
}
"""
    report = analyse(text, Path("/nowhere/main.cpp"))
    assert len(report.kernels) == 1
    assert "RL205" not in codes(report)


@pytest.mark.parametrize(
    ("divisor", "found"),
    [
        ("PERIOD", False),
        ("LOCAL", False),
        ("(LOCAL + 1)", False),
        ("N", False),
        ("(int)sizeof(float)", False),
        ("given", True),
        ("changed", True),
    ],
)
def test_a_divisor_that_the_compiler_knows_is_no_finding(
    analyse: Analyse, divisor: str, found: bool
) -> None:
    text = f"""
    static const int PERIOD = 5 + 2;
    template <int N> __global__ void fold(int *a, int n, int given) {{
      static const int LOCAL = PERIOD * 3; int changed = 7; changed += given;
      int i = blockIdx.x * blockDim.x + threadIdx.x, v = a[i];
      for (int k = 0; k < 64; k++) v = (v + k) % {divisor} + v * 3;
      a[i] = v;
    }}
    int main() {{ int n = 1 << 24; int *a; cudaMalloc(&a, n * 4L);
      fold<9><<<n / 256, 256>>>(a, n, atoi("x")); }}"""
    assert ("RL205" in codes(analyse(text))) is found


def test_the_effect_is_for_the_numbers_of_the_launch(analyse: Analyse) -> None:
    found = []
    for exponent in (21, 22):
        text = changed("RL201", ("1 << 22", f"1 << {exponent}"))
        (finding,) = analyse(text).all_findings()
        assert finding.effect is not None
        found.append(finding.effect.saved_operations)
    (less, more) = found
    for precision, amount in less.items():
        assert more[precision] == pytest.approx(2 * amount, rel=1e-4)


WEIGHTS = """
#include <cuda_fp16.h>
__global__ void product(int k, const signed char *w, const half *x, const half *scale, half *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int b = 0; b < %s; b++)
        for (int i = 0; i < k; i++)
            s += __half2float(x[b * k + i]) * (float)w[i * 65536 + row] * __half2float(scale[i]);
    y[row] = __float2half(s);
}
int main() {
    signed char *w; half *x, *scale, *y;
    cudaMalloc(&w, 65536 * 1024); cudaMalloc(&x, 1 << 20);
    cudaMalloc(&scale, 1 << 20); cudaMalloc(&y, 1 << 20);
    product<<<256, 256>>>(1024, w, x, scale, y);
}
"""


@pytest.mark.parametrize(("rows", "count"), [("1", 0), ("200", 1)])
def test_tensor_cores_are_for_weights_that_are_used_often(
    rows: str, count: int, analyse: Analyse
) -> None:
    """A vector's product with a matrix of bytes uses each of them once."""
    findings = analyse(WEIGHTS % rows).all_findings()
    assert sum(finding.code == "RL212" for finding in findings) == count
