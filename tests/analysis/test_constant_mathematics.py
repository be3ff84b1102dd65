"""Functions of constants, which the compiler computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from roofline_lsp.analysis.c_mathematics import BINARY, UNARY, computed
from roofline_lsp.analysis.demand import Work
from roofline_lsp.analysis.expansions import function_cost

Count = Callable[..., Any]


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("x * acos(-1.0)", 0),
        ("x * atan2(1.0, 2.0)", 0),
        ("x * fmod(7.0, 4.0)", 0),
        ("x * sin(0.5)", 24),
        ("x * acos(x)", 36.5),
        ("x * atan2(1.0, x)", None),
    ],
)
def test_what_the_compiler_computes_costs_nothing(
    count: Count, expression: str, kept: float | None
) -> None:
    source = "__global__ void k(double *a) {{ double x = a[threadIdx.x]; a[threadIdx.x] = {}; }}"
    found = count(source.format(expression), 1, 32).work(Work.DP) / 32 - 1
    if kept is None:
        cost = function_cost("atan2")
        assert cost is not None
        kept = cost.dp_flops
    assert found == pytest.approx(kept)


def test_values_are_those_of_the_mathematics_library() -> None:
    assert computed("acos", (-1.0,)) == math.pi
    assert computed("hypot", (3.0, 4.0)) == 5.0
    assert computed("round", (-2.5,)) == -3.0
    assert computed("fmod", (-7.0, 4.0)) == -3.0


def test_what_is_undefined_or_unheard_of_has_no_value() -> None:
    assert computed("acos", (2.0,)) is None
    assert computed("fmod", (1.0, 0.0)) is None
    assert computed("tgamma", (1e6,)) is None
    assert computed("hypot", (1.0,)) is None
    assert computed("scramble", (1.0,)) is None


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_no_argument_makes_a_function_fail(name: str) -> None:
    for x in (0.0, -1.0, 1.5, math.inf, math.nan, 1e308):
        result = computed(name, (x,) if name in UNARY else (x, x))
        assert result is None or isinstance(result, float)
