"""Register moves that count as integer operations: a share of the others where there are many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, HIPCC, NVCC, OPENMP

Count = Callable[..., Any]


def chain(sums: int) -> str:
    """A kernel of so many additions, a comparison and two addresses."""
    body = " ".join(f"v = v * {2 * k + 3} + {k};" for k in range(sums))
    return f"__global__ void k(int *o, const int *x) {{ int v = x[threadIdx.x]; {body} o[0] = v; }}"


@pytest.mark.parametrize("compiler", [NVCC, CLANG])
def test_long_kernels_have_moves_and_short_ones_have_none(compiler: object, count: Count) -> None:
    for sums in (2, 4):
        found = count(chain(sums), 4, 64, compiler=compiler)
        assert found.with_moves == found.integers < 10
    for sums in (12, 100):
        found = count(chain(sums), 4, 64, compiler=compiler)
        assert found.integers >= 10
        assert found.with_moves == pytest.approx(1.07 * found.integers)


def test_compilers_whose_moves_are_not_known(count: Count) -> None:
    for compiler in (HIPCC, OPENMP):
        found = count(chain(100), 4, 64, compiler=compiler)
        assert found.with_moves == found.integers
