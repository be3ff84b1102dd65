"""RL107 is found where loops alone index a thread's array, not where data do, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.catalogue.memory.rl107_local_memory_array import BAD

Analyse = Callable[..., FileReport]
LAST = "part[0] * part[1]"


@pytest.mark.parametrize(
    ("last", "found"), [(LAST, True), ("part[0] * part[(int)x[t] & 3]", False)]
)
def test_what_unrolling_makes_a_constant(last: str, found: bool, analyse: Analyse) -> None:
    codes = {each.code for each in analyse(BAD.replace(LAST, last)).all_findings()}
    assert ("RL107" in codes) is found


LARGE = """
__global__ void counts(int n, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int seen[%d];
    for (int k = 0; k < %d; k++) seen[k] = x[k];
    for (int step = 1; step < 8; step++)
        for (int k = step; k < %d; k++) seen[k] += seen[k - step];
    y[i] = seen[i %% 2] + seen[7];
}
int main() {
    int *x, *y;
    cudaMalloc(&x, 1 << 24);
    cudaMalloc(&y, 1 << 24);
    counts<<<4096, 256>>>(1 << 20, x, y);
}
"""


def test_an_array_that_no_registers_hold(analyse: Analyse) -> None:
    text = LARGE.replace("seen[i %% 2]", "seen[0]")
    codes = {each.code for each in analyse(text % ((1000,) * 3)).all_findings()}
    assert "RL107" not in codes


NESTED = """
__global__ void replaced(int n, int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from[%d], to[%d];
    #pragma unroll
    for (int k = 0; k < %d; k++) from[k] = x[i + k * n], to[k] = x[i + (k + %d) * n];
    for (int k = 0; k < %d; k++)
        for (int j = 0; j < %d; j++)
            if (from[k] == to[j]) {
                from[k] = to[j] + 1;
                break;
            }
    #pragma unroll
    for (int k = 0; k < %d; k++) x[i + k * n] = from[k];
}
int main() {
    int *x;
    cudaMalloc(&x, 1 << 28);
    replaced<<<4096, 256>>>(1 << 20, x);
}
"""


@pytest.mark.parametrize(("size", "found"), [(32, False), (96, True)])
def test_short_loops_within_one_another_are_unrolled_anyway(
    size: int, found: bool, analyse: Analyse
) -> None:
    """So does nvcc 13.0: with 32 it says 0 bytes of stack, with 96 it says 416."""
    codes = {each.code for each in analyse(NESTED % ((size,) * 7)).all_findings()}
    assert ("RL107" in codes) is found
