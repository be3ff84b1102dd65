"""Loops by a step of run time: Clang moves one offset for all arrays that an index picks from.

Counted in the machine code of such loops that clang 18 with ptxas 12.2 makes for sm_86: the
instructions of one run, without register moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG

Count = Callable[..., Any]


def per_run(count: Count, source: str) -> float:
    """Integer operations of one further run of a loop of 256 threads with the step 256."""
    few, many = (
        count(source, grid=1, block=256, n=256 * runs, s=256, q=1, compiler=CLANG).integers
        for runs in (1, 11)
    )
    return float((many - few) / 10)


def loop(body: str, counter: str = "int", step: str = "s", declared: str = "int s") -> str:
    arrays = ", ".join(
        f"{type_} *__restrict__ {name}"
        for name, type_ in {
            "o": "float", "x": "const float", "z": "const float", "w": "const float",
            "d": "double", "e": "const double",
        }.items()
    )  # fmt: skip
    return f"""
    __global__ void k({arrays}, {counter} n, {declared}, {counter} q) {{
        for ({counter} i = threadIdx.x; i < n; i += {step}) {{ {body} }}
    }}
    """


@pytest.mark.parametrize(
    ("body", "signed", "wide"),
    [
        ("o[i] = 1.0f;", 3, 6),
        ("o[i] *= 2.0f;", 3, 6),
        ("o[i] = x[i];", 7, 10),
        ("o[i] = x[i] + x[i + 1];", 7, 10),
        ("o[i] = x[i] + z[i];", 9, 12),
        ("o[i] = x[i] * z[i] + w[i];", 11, 14),
        ("d[i] = x[i];", 4, 8),  # elements of two sizes: an offset each
        ("d[i] = e[i];", 7, 10),
        ("o[i] = x[i]; d[i] = e[i];", 12, 16),
        ("o[i + q] = x[i + q];", 7, 10),
        ("o[4 * i] = x[4 * i];", 5, None),  # the index itself is computed
    ],
)
def test_arrays_of_one_index(body: str, signed: float, wide: float | None, count: Count) -> None:
    assert per_run(count, loop(body)) == signed
    if wide is not None:
        assert per_run(count, loop(body, "long", declared="long s")) == wide


@pytest.mark.parametrize(
    ("counter", "step", "declared", "counted"),
    [
        ("int", "blockDim.x", "int s", 4),  # an unsigned sum may wrap around
        ("unsigned", "s", "unsigned s", 4),
        ("long", "blockDim.x", "int s", 9),  # the offset moves by one IMAD.WIDE
        ("long", "s", "int s", 9),
        ("long", "s", "long s", 10),
    ],
)
def test_steps(counter: str, step: str, declared: str, counted: float, count: Count) -> None:
    assert per_run(count, loop("o[i] = x[i];", counter, step, declared)) == counted


@pytest.mark.parametrize(
    ("row", "counted"),
    [
        ("int row = blockIdx.x; for (int i = threadIdx.x; i < n; i += s) o[row * q + i] = 1;", 3),
        ("int row = blockIdx.x * q; for (int i = threadIdx.x; i < n; i += s) o[row + i] = 1;", 4),
        (
            """for (int row = 0; row < q; row++)
                for (int i = threadIdx.x; i < n; i += s) o[row * q + i] = x[row * q + i];""",
            5,
        ),
    ],
)
def test_an_index_that_may_wrap_around_is_computed(row: str, counted: float, count: Count) -> None:
    source = f"""
    __global__ void k(float *__restrict__ o, const float *__restrict__ x, int n, int s, int q) {{
        {row}
    }}
    """
    assert per_run(count, source) == counted
