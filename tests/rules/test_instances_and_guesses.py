"""Findings of templates hold for most instances, and sizes that are assumed fit one another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> list[str]:
    return [finding.code for finding in report.all_findings()]


TEMPLATE = """
template <int ROW> __global__ void turn(const float *x, float *y) {
    __shared__ float tile[32][ROW];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 200; k++) {
        tile[t / 32][t %% 32] = x[blockIdx.x * 256 + t] + k;
        __syncthreads();
        sum += tile[t %% 32][t / 32];
        __syncthreads();
    }
    y[blockIdx.x * 256 + t] = sum;
}
int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    %s
}
"""


@pytest.mark.parametrize(
    ("rows", "found"),
    [((32,), True), ((32, 64), True), ((32, 33), True), ((32, 33, 35), False), ((33, 32), False)],
)
def test_few_instances_of_a_template_are_no_finding(
    rows: tuple[int, ...], found: bool, analyse: Analyse
) -> None:
    launches = "\n".join(f"turn<{row}><<<n / 256, 256>>>(x, y);" for row in rows)
    assert ("RL108" in codes(analyse(TEMPLATE % launches))) is found


GUARDED = """
__global__ void take(int n, int first, int step, int period, const int *x, int *y) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * step + first;
    if (%s) return;
    int value = x[i];
    for (int k = 0; k < 1024; k++) value = (value * 7 + k) %% period;
    y[i] = value;
}
"""


@pytest.mark.parametrize(
    ("leaves", "found"), [("i >= n", True), ("i * step * step * step >= n + first", False)]
)
def test_assumed_sizes_that_leave_no_thread_at_work(
    leaves: str, found: bool, analyse: Analyse
) -> None:
    assert ("RL205" in codes(analyse(GUARDED % leaves))) is found


@pytest.mark.parametrize(
    ("divisor", "quoted"), [("period", "'% period'"), ("(period + 2 * first)", "'% (...)'")]
)
def test_a_division_is_quoted_with_its_divisor(divisor: str, quoted: str, analyse: Analyse) -> None:
    source = (GUARDED % "i >= n").replace("% period", f"% {divisor}")
    (kernel,) = analyse(source).kernels
    (message,) = [each.message for each in kernel.findings if each.code == "RL205"]
    assert quoted in message
