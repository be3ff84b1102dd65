"""Formulas in C's notation."""

from __future__ import annotations

import pytest

from roofline_analysis.api.explain.formula import LONGEST, formula, informative
from roofline_core.algebra.symbolic import Expr, apply, constant, symbol

A, B, K, N = (symbol(name) for name in "abkn")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (constant(7), "7"),
        (constant(-7), "-7"),
        (constant(0.5), "0.5"),
        (A + B, "a + b"),
        (A - B, "a - b"),
        (1 - A, "1 - a"),
        (-A, "-a"),
        (-A - B, "-a - b"),
        (A * A * B, "a*a*b"),
        (4 * A + 8 * B, "4*(a + 2*b)"),
        (4 * A + 6, "2*(2*a + 3)"),
        (0.5 * A + B, "0.5*a + b"),
        (apply("lt", K - N), "k < n"),
        (apply("lt", 1 - A), "a > 1"),
        (apply("le", N - K), "n <= k"),
        (apply("eq", apply("mod", K, constant(32))), "k % 32 == 0"),
        (apply("ne", A - B), "a != b"),
        (apply("lt", A + B), "a + b < 0"),
        (apply("div", A + 255, constant(256)), "(a + 255) / 256"),
        (apply("div", apply("div", A, B), N), "a / b / n"),
        (apply("div", A, apply("div", B, N)), "a / (b / n)"),
        (A * apply("div", B, N), "a*(b / n)"),
        (apply("div", A * B, N) + 1, "a*b / n + 1"),
        (A - apply("div", B, N), "a - b / n"),
        (A - apply("select", K, B, N), "a - (k ? b : n)"),
        (apply("select", apply("lt", 1 - A), B, N), "a > 1 ? b : n"),
        (apply("land", apply("lt", K - N), apply("lt", A - B)), "k < n && a < b"),
        (
            apply("land", apply("lor", A, B), apply("lt", K - N)),
            "(a || b) && k < n",
        ),
        (apply("max", A - B, constant(0)), "max(a - b, 0)"),
        (apply("shl", A, B), "a << b"),
        (apply("eq", apply("and", A, constant(1))), "(a & 1) == 0"),
        (apply("sqrt", A), "sqrt(a)"),
    ],
)
def test_formulas_read_as_in_the_source(expr: Expr, text: str) -> None:
    assert formula(expr) == text


def test_parts_that_have_a_name_are_called_by_it() -> None:
    chosen = apply("select", apply("lt", 1 - A), B, constant(64))
    assert formula(4 * chosen * chosen, {chosen: "n"}) == "4*n*n"
    assert formula(apply("div", chosen + 255, constant(256)), {chosen: "n"}) == "(n + 255) / 256"
    assert formula(A * B, {A * B: "total"}) == "total"


def test_numbers_alone_are_not_informative() -> None:
    assert informative(constant(3)) is None
    assert informative(None) is None
    assert informative(A) == "a"


def test_what_shares_operands_is_cut_and_not_written_out() -> None:
    expr = A
    for _ in range(40):
        expr = apply("max", apply("min", expr, B) + expr, expr)
    text = formula(expr)
    assert text is not None
    assert len(text) <= LONGEST
    assert text.endswith("...")
