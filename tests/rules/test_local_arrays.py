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
