"""RL306 tells one thread of each block from one of the whole grid, for which few wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport, Finding
from roofline_analysis.rules.finding_text import problem_of

Analyse = Callable[..., FileReport]

TOTAL = """
__global__ void total(int n, const float *x, float *y, float *sums) {
    __shared__ float first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
    if (%s) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) { sum += x[k]; }
        sums[blockIdx.x] = sum;
    }
    %s
    y[i] = x[i] + sums[0];
}
int main() {
    int n = 3000;
    float *x, *y, *sums;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&sums, 32 * sizeof(float));
    total<<<(n + 127) / 128, 128>>>(n, x, y, sums);
}
"""
BARRIER = "__syncthreads();"


def serial(report: FileReport) -> list[Finding]:
    return [finding for finding in report.all_findings() if finding.code == "RL306"]


@pytest.mark.parametrize(
    ("before", "guard", "after", "who"),
    [
        ("", "threadIdx.x == 0", "", "each block"),
        ("", "threadIdx.x == 0", BARRIER, "each block"),
        ("", "i == 0", BARRIER, "the whole grid"),
        (BARRIER, "i == 0", BARRIER, "the whole grid"),
        ("", "i == 0", "", None),
        (BARRIER, "i == 0", "", None),
    ],
)
def test_a_thread_that_nobody_waits_for_is_no_finding(
    before: str, guard: str, after: str, who: str | None, analyse: Analyse
) -> None:
    findings = serial(analyse(TOTAL % (before, guard, after)))
    told = [problem_of(finding).partition(" runs ")[0] for finding in findings]
    assert told == ([f"one thread of {who}"] if who else [])


def test_a_section_that_prints_is_no_finding(analyse: Analyse) -> None:
    text = TOTAL % ("", "threadIdx.x == 0", BARRIER)
    assert serial(analyse(text))
    printing = text.replace("sum += x[k];", 'sum += x[k]; printf("%f", x[k]);')
    assert not serial(analyse(printing))
