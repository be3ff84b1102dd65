"""Conditions taken apart into those that must all hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.regions.conditions import conjuncts
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, from_atom, make_symbol

X, A, B, C = (make_symbol(name, SymbolScope.PARAM) for name in "xabc")
x, a, b, c = map(from_atom, (X, A, B, C))


@pytest.mark.parametrize(
    ("difference", "parts"),
    [
        (x - apply("min", a, b), [x - a, x - b]),
        (4 * x + 1 - apply("min", a, b), [4 * x + 1 - a, 4 * x + 1 - b]),
        (apply("max", a, b) - x, [a - x, b - x]),
        (x - 2 * apply("min", a, apply("min", b, c)), [x - 2 * a, x - 2 * b, x - 2 * c]),
        (x - apply("max", a, b), [x - apply("max", a, b)]),
        (apply("min", a, b) - x, [apply("min", a, b) - x]),
        (x - a * apply("min", b, c), [x - a * apply("min", b, c)]),
    ],
)
@pytest.mark.parametrize("op", ["lt", "le"])
def test_bounds_by_the_least_of_two(op: str, difference: Expr, parts: list[Expr]) -> None:
    assert conjuncts(apply(op, difference)) == tuple(apply(op, each) for each in parts)


@given(
    st.sampled_from(["lt", "le"]),
    st.lists(st.tuples(st.sampled_from(["min", "max"]), st.integers(-3, 3)), max_size=3),
    st.lists(st.integers(-9, 9), min_size=4, max_size=4),
)
def test_the_parts_hold_together_where_the_whole_does(
    op: str, terms: list[tuple[str, int]], numbers: list[int]
) -> None:
    difference = x
    for place, (least, factor) in enumerate(terms):
        difference += factor * apply(least, (a, b, c)[place], (b, c, x)[place])
    whole = apply(op, difference)
    environment = Environment(dict(zip((X, A, B, C), numbers, strict=True)))
    parts = [environment.evaluate(each) for each in conjuncts(whole) if each is not None]
    assert all(parts) == bool(environment.evaluate(whole))


def test_a_sum_of_many_has_a_limited_number_of_parts() -> None:
    numbers = [from_atom(make_symbol(f"n{place}", SymbolScope.PARAM)) for place in range(40)]
    total = x
    for one, other in zip(numbers[::2], numbers[1::2], strict=True):
        total = total - apply("min", one, other)
    parts = conjuncts(apply("lt", total))
    assert 2 <= len(parts) <= 16
