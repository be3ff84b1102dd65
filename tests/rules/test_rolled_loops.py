"""RL211 finds the loops that nvcc leaves rolled, and no others.

What nvcc 13 unrolls was read off its PTX for ``sm_80``: short loops of constant and of signed
steps, none of unsigned steps that are known only at run time, and none that calls ``powf``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport, Finding
from roofline_analysis.rules.source_text import applied

Analyse = Callable[..., FileReport]

LOOP = """
__global__ void sums(int n, int step, unsigned by, const float *x, float *y) {
    int row = blockIdx.x * n;
    float sum = 0.0f;
    for (%s) sum += x[row + k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main(int argc, char **argv) {
    int n = 1 << 14, rows = 200;
    float *x, *y;
    cudaMalloc(&x, rows * n * sizeof(float));
    cudaMalloc(&y, rows * 96 * sizeof(float));
    sums<<<rows, 96>>>(n, 96, 96, x, y);
}
"""


def rolled(report: FileReport) -> list[Finding]:
    return [finding for finding in report.all_findings() if finding.code == "RL211"]


@pytest.mark.parametrize(
    "loop",
    [
        "int k = threadIdx.x; k < n; k += 96",
        "int k = threadIdx.x; k < n; k += 100",
        "int k = threadIdx.x; k < n; k += step",
        "unsigned k = threadIdx.x; k < n; k += 96",
        "long long k = threadIdx.x; k < n; k += by",
    ],
)
def test_what_the_compiler_unrolls_is_no_finding(loop: str, analyse: Analyse) -> None:
    assert rolled(analyse(LOOP % loop)) == []


@pytest.mark.parametrize(
    ("loop", "mended"),
    [
        ("int k = threadIdx.x; k < n; k += by", "k += (int)by)"),
        ("int k = threadIdx.x; k < n; k += blockDim.x", "k += (int)blockDim.x)"),
        ("unsigned k = threadIdx.x; k < n; k += step", None),
        ("size_t k = threadIdx.x; k < n; k += step", None),
    ],
)
def test_an_unsigned_step_keeps_a_loop_rolled(
    loop: str, mended: str | None, analyse: Analyse
) -> None:
    source = LOOP % loop
    (finding,) = rolled(analyse(source))
    assert finding.span.line == 5
    assert (finding.fix is not None) == (mended is not None)
    if finding.fix is not None and mended is not None:
        after = applied(source.encode(), finding.fix.edits).decode()
        assert mended in after
        assert rolled(analyse(after)) == []


STRIDED = """
__global__ void sums(int n, const float *x, float *y) {
    float sum = 0.0f;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x)
        sum += x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main(int argc, char **argv) {
    int n = %s;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, 108 * 64 * sizeof(float));
    sums<<<108, 64>>>(n, x, y);
}
"""


def test_a_loop_over_the_grid_runs_often_only_where_sizes_are_known(analyse: Analyse) -> None:
    assert len(rolled(analyse(STRIDED % "1 << 22"))) == 1
    assert rolled(analyse(STRIDED % "atoi(argv[1])")) == []


KEPT = """
__global__ void sums(int n, const float *x, float *y) {
    %s__shared__ float scale[32];
    scale[threadIdx.x & 31] = threadIdx.x;
    __syncthreads();
    int row = blockIdx.x * n;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += x[row + k] * scale[k & 31];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main(int argc, char **argv) {
    int n = 1 << 14, rows = 200;
    float *x, *y;
    cudaMalloc(&x, rows * n * sizeof(float));
    cudaMalloc(&y, rows * 96 * sizeof(float));
    sums<<<rows, 96>>>(n, x, y);
}
"""


@pytest.mark.parametrize(("qualifier", "count"), [("", 1), ("volatile ", 0)])
def test_volatile_memory_keeps_a_loop_rolled_whatever_its_step(
    qualifier: str, count: int, analyse: Analyse
) -> None:
    assert len(rolled(analyse(KEPT % qualifier))) == count


@pytest.mark.parametrize(
    ("added", "count"),
    [("1.0f", 1), ("atomicAdd(&scale[k & 31], 1.0f)", 0), ("(k > 9 ? atomicAdd(scale, 1) : 0)", 0)],
)
def test_atomic_operations_keep_a_loop_rolled(added: str, count: int, analyse: Analyse) -> None:
    """nvcc 13 makes no copies of such a loop for sm_80, whether its step has a sign or not."""
    text = (KEPT % "").replace("scale[k & 31];\n    y", f"scale[k & 31] + {added};\n    y")
    assert len(rolled(analyse(text))) == count
