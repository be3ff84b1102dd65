"""RL105 is found where another pointer may name the element that a loop adds to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void count(int n, int *%s total, const int *steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) total[i] += %s;
}
int main() {
    int *total, *steps;
    cudaMalloc(&total, 4 << 20);
    cudaMalloc(&steps, 4 << 20);
    count<<<4096, 256>>>(500, total, steps);
}
"""


@pytest.mark.parametrize(
    ("qualifier", "step", "found"),
    [("", "steps[k]", True), ("", "k / 3", False), ("__restrict__", "steps[k]", False)],
)
def test_an_element_that_nothing_else_may_be(
    qualifier: str, step: str, found: bool, analyse: Analyse
) -> None:
    codes = {finding.code for finding in analyse(PROGRAM % (qualifier, step)).all_findings()}
    assert ("RL105" in codes) is found
