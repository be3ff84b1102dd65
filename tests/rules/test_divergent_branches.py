"""RL307 is found where lanes of a warp part, not where warps do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void sweep(int width, int height, float *x) {
    int group = threadIdx.x %% 32 / 8, warp = threadIdx.x / 32;
    int column = blockIdx.x * 32 + warp * 4 + group - height;
    float value = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int y = 0; y < height; y++) {
        int at = column + y;
        if (%s) {
            for (int k = 0; k < 40; k++) value = value * value + 0.5f;
        }
    }
    x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main() {
    int width = 4096, height = 4096, blocks = 256;
    float *x;
    cudaMalloc(&x, blocks * 256 * sizeof(float));
    sweep<<<blocks, 256>>>(width, height, x);
}
"""


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        # The lanes of a warp stand in neighbouring columns: all inside but at the two edges.
        ("0 <= at && at < width", False),
        ("warp % 2 == 0", False),
        ("blockIdx.x % 2 == 0", False),
        ("(y + warp) % 2 == 0", False),
        ("group == 1", True),
        ("group % 2 == 0", True),
        ("(y + group) % 2 == 0", True),
        ("0 <= at && at < width && threadIdx.x % 2 == 0", True),
        ("at % 2 == 0", True),
    ],
)
def test_whole_warps_that_take_a_branch(condition: str, found: bool, analyse: Analyse) -> None:
    codes = [finding.code for finding in analyse(PROGRAM % condition).all_findings()]
    assert codes == ["RL307"] * found
