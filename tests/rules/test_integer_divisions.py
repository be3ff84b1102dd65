"""RL205 is found of divisors that someone can know before the kernel runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void parts(int n, int width, const int *sizes, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int size = sizes[i], twice = 2 * size, rows = width + 1, value = i;
    const int *own = sizes + i;
    for (int k = 0; k < 100; k++) value = (value * 7 + k) %% %s;
    y[i] = value;
}
int main() {
    int *sizes, *y;
    cudaMalloc(&sizes, 4 << 20);
    cudaMalloc(&y, 4 << 20);
    parts<<<4096, 256>>>(1 << 20, 1000, sizes, y);
}
"""


@pytest.mark.parametrize(
    ("divisor", "found"),
    [
        ("width", True),
        ("rows", True),
        ("(width + 3)", True),
        ("blockDim.x", True),
        ("size", False),
        ("twice", False),
        ("sizes[k]", False),
        ("*own", False),
        ("(width + size)", False),
        ("(k + 2)", False),
    ],
)
def test_divisors_that_are_loaded(divisor: str, found: bool, analyse: Analyse) -> None:
    codes = {finding.code for finding in analyse(PROGRAM % divisor).all_findings()}
    assert ("RL205" in codes) is found
