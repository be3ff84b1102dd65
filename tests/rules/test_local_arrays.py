"""RL107 is found where loops alone index a thread's array, not where data do, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.regions.kernel_summary import Region, RegionForm
from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.catalogue.memory.rl107_local_memory_array import (
    BAD,
    _is_unrolled_anyway,
)
from roofline_core.algebra.symbolic import constant

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


def _nest(*trips: int) -> list[Region]:
    """Loops within one another, the outermost first."""
    around: Region | None = None
    found = []
    for number in trips:
        around = Region(RegionForm.LOOP, around, (Path("a.cu"), 1), trips=constant(number))
        found.append(around)
    return found


@pytest.mark.parametrize(
    ("trips", "unrolled"),
    [((64,), True), ((96,), False), ((32, 32), True), ((40, 40), False), ((96, 2), False)],
)
def test_short_loops_are_unrolled_anyway(trips: tuple[int, ...], unrolled: bool) -> None:
    """As nvcc 13.0 does with loops of a comparison and an assignment."""
    loops = _nest(*trips)
    assert _is_unrolled_anyway(loops[-1], loops) is unrolled
    assert _is_unrolled_anyway(loops[-1], [*loops, *_nest(32, 32)]) is unrolled  # one beside them
