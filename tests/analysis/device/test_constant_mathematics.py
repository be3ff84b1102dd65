"""Functions of constants, which the compiler computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.expansions import function_cost
from roofline_analysis.language.mathematics import BINARY, UNARY, computed
from roofline_analysis.regions.kernel_summary import Work

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


SINGLE = "__global__ void k(float *a) {{ float x = a[threadIdx.x]; {} }}"
DOUBLE = "__global__ void k(double *a) {{ double x = a[threadIdx.x]; {} }}"
TWO = "a[threadIdx.x] = {0}(x); a[threadIdx.x + 32] = {1}(x);"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("sinf", "cosf", 18 + 11), ("sinf", "sinf", 18 + 11), ("tanf", "cosf", 21 + 11)],
)
def test_calls_with_one_argument_share_its_reduction_in_single_precision(
    count: Count, first: str, second: str, expected: float
) -> None:
    found = count(SINGLE.format(TWO.format(first, second)), 1, 32).work(Work.SP) / 32
    assert found == expected


def test_calls_with_other_arguments_share_nothing(count: Count) -> None:
    body = "a[threadIdx.x] = sinf(x); a[threadIdx.x + 32] = sinf(a[threadIdx.x + 64]);"
    assert count(SINGLE.format(body), 1, 32).work(Work.SP) / 32 == 36


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("sin", "sin", 48), ("sin", "cos", 48), ("exp", "exp", 29), ("acos", "acos", 36.5)],
)
def test_double_sines_are_computed_anew_and_exponentials_are_not(
    count: Count, first: str, second: str, expected: float
) -> None:
    found = count(DOUBLE.format(TWO.format(first, second)), 1, 32).work(Work.DP) / 32
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("code", "flops"),
    [
        ("x[i] = 1. - x[i];", {"sp": 1}),
        ("x[i] = 0.5 * x[i];", {"sp": 1}),
        ("x[i] = 0.1 * x[i];", {"dp": 1}),
        ("x[i] = (1. - x[i]) * x[i + 32];", {"dp": 2}),
        ("x[i] += 2. * x[i + 32];", {"dp": 2}),
        ("x[i] = x[i] - 0.5 - x[i + 5];", {"dp": 2}),
        ("double d = 1. - x[i]; x[i] = d;", {"sp": 1}),
        ("x[i] = (float)(1. - x[i]) * x[i + 32];", {"sp": 2}),
    ],
)
def test_one_double_operation_on_floats_that_is_rounded_to_float_is_one_of_floats(
    count: Count, code: str, flops: dict[str, int]
) -> None:
    source = f"__global__ void k(float *x) {{ int i = threadIdx.x; {code} }}"
    assert count(source, 1, 32).flops == {kind: 32 * times for kind, times in flops.items()}
