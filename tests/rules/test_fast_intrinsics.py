"""RL207 is found where the arguments of a function stay small, and no loop adds their errors up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void waves(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f, value = x[i], phase = 0.0f;
    for (int k = 0; k < 200; k++) {
        float far = x[k] * 0.01f;
        float angle = k * 0.5f;
        %s
    }
    y[i] = sum + value + phase;
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 4 << 20);
    cudaMalloc(&y, 4 << 20);
    waves<<<4096, 256>>>(1 << 20, x, y);
}
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("sum += sinf(x[k] + x[i]);", True),
        ("sum += sinf(far);", True),
        ("sum += logf(1.0f + far * far);", True),
        ("value = sinf(value) + cosf(value);", False),
        ("sum += sinf(x[i] + k);", False),
        ("sum += sinf(angle + x[i]);", False),
        ("phase += 0.1f; sum += sinf(phase);", False),
        ("float turned = angle * 2.0f; sum += cosf(turned);", False),
        ("value = value * 0.5f; sum += sinf(value);", False),
    ],
)
def test_what_a_loop_carries_on_or_counts_up(statement: str, found: bool, analyse: Analyse) -> None:
    codes = {finding.code for finding in analyse(PROGRAM % statement).all_findings()}
    assert ("RL207" in codes) is found


@pytest.mark.parametrize(("qualifiers", "found"), [("", True), ("__host__ ", False)])
def test_the_host_has_no_intrinsics(qualifiers: str, found: bool, analyse: Analyse) -> None:
    helper = qualifiers + "__device__ float wave(float a) { return sinf(a); }\n"
    text = helper + PROGRAM % "sum += wave(x[k] + x[i]);"
    codes = {finding.code for finding in analyse(text).all_findings()}
    assert ("RL207" in codes) is found
