"""Findings are weighed against the time of the whole program, where that is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.model import Effect, Finding, Level
from roofline_analysis.rules.program_time import KernelTime, is_noticed
from roofline_core.program.units import Span

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void powers(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 40; k++) sum += pow(x[i] + k, 3.0);
    y[i] = sum;
}
__global__ void square(int n, const float *a, float *c) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * a[k * n + column];
    c[row * n + column] = sum;
}
int main(int argc, char **argv) {
    int n = 4096, m = %s;
    float *a, *c, *x, *y;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMalloc(&x, m * sizeof(float));
    cudaMalloc(&y, m * sizeof(float));
    %s powers<<<m / 256, 256>>>(m, x, y);
    %s square<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, a, c);
}
"""
SMALL, LARGE = "1 << 16", "1 << 22"


def codes(report: FileReport) -> set[str]:
    (powers,) = [each for each in report.kernels if each.base_name == "powers"]
    return {finding.code for finding in powers.findings}


@pytest.mark.parametrize(
    ("size", "loop", "other"),
    [
        (LARGE, "", ""),
        (SMALL, "for (int k = 0; k < 1000; k++)", ""),
        (SMALL, "while (y != x)", ""),  # who knows how often
        (SMALL, "", "if (argc > 7)"),  # which may not happen
        ("atoi(argv[1])", "", ""),
    ],
)
def test_what_matters_in_the_program_or_may_is_found(
    size: str, loop: str, other: str, analyse: Analyse
) -> None:
    assert "RL203" in codes(analyse(PROGRAM % (size, loop, other)))


def test_what_the_program_hardly_runs_is_not_found(analyse: Analyse) -> None:
    assert codes(analyse(PROGRAM % (SMALL, "", ""))) == set()
    assert codes(analyse(PROGRAM % (SMALL, "", "for (int k = 0; k < 10; k++)"))) == set()


def test_without_main_nobody_knows_what_else_runs(analyse: Analyse) -> None:
    source = PROGRAM % (SMALL, "", "")
    assert "RL203" in codes(analyse(source.replace("int main(", "int part(")))


@pytest.mark.parametrize(
    ("saved_ns", "time", "level", "noticed"),
    [
        (2_900.0, None, Level.INFORMATION, False),
        (3_100.0, None, Level.INFORMATION, True),
        (100.0, None, Level.WARNING, True),
        (100.0, KernelTime(10e6, 1.0), Level.INFORMATION, False),  # 1% of the program
        (300.0, KernelTime(10e6, 1.0), Level.INFORMATION, True),
        (5_000.0, KernelTime(10e6, 0.03), Level.INFORMATION, False),
        (5_000.0, KernelTime(5.9e3, 1.0), Level.INFORMATION, False),
        (5_000.0, KernelTime(6.1e3, 1.0), Level.INFORMATION, True),
        (5_000.0, KernelTime(5.9e3, 1.0), Level.WARNING, True),
    ],
)
def test_what_is_saved_is_weighed(
    saved_ns: float, time: KernelTime | None, level: Level, noticed: bool
) -> None:
    effect = Effect(
        saved_bytes=0.0,
        saved_operations={},
        intensity={},
        time_ns=10_000.0,
        new_time_ns=10_000.0 - saved_ns,
        verdict=None,
        new_verdict=None,
        assumed=(),
    )
    finding = Finding(
        "RL101", "uncoalesced-access", level, "", Path("a.cu"), Span(1, 0, 1, 1), effect
    )
    assert is_noticed(finding, time) is noticed
