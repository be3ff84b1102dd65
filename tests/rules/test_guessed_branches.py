"""Cheaper expressions in branches that an assumed share of the threads takes are worth less."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void lengths(int n, int steps, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i], product = 1.0f;
    for (int k = 0; k < 400; k++) {
        product = product * 1.01f + x[k];
        %s sum += product / sqrtf(1.0f + x[k] * x[k]);
        for (int j = 0; j < 16; j++) product = product * product - 0.5f * sum;
    }
    y[i] = sum + product;
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 1 << 22);
    cudaMalloc(&y, 1 << 22);
    lengths<<<4096, 256>>>(1 << 20, 3, x, y);
}
"""


@pytest.mark.parametrize(("condition", "found"), [("", True), ("if (x[i + k] > 2.0f)", False)])
def test_a_quotient_that_perhaps_few_need(condition: str, found: bool, analyse: Analyse) -> None:
    codes = {finding.code for finding in analyse(PROGRAM % condition).all_findings()}
    assert ("RL209" in codes) is found
