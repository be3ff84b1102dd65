from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, constant, from_atom, make_symbol
from roofline_study.llmperf.intervals import interval_of

X = make_symbol("x", SymbolScope.PARAM)
Y = make_symbol("y", SymbolScope.PARAM)
x, y = from_atom(X), from_atom(Y)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (x * 4 + 3, (3, 31)),
        (x - y, (-5, 6)),
        (x * y, (0, 35)),
        (apply("div", x, constant(2)), (0, 3)),
        (apply("mod", x, constant(16)), (0, 7)),
        (apply("mod", x, constant(4)), (0, 3)),
        (apply("mod", x - 9, constant(4)), (-3, 0)),
        (apply("min", x, y), (0, 5)),
        (apply("max", x, y), (1, 7)),
        (apply("shl", x, constant(2)), (0, 28)),
        (apply("shr", x, constant(1)), (0, 3)),
        (apply("and", x, constant(3)), (0, 3)),
        (apply("abs", x - 4), (0, 4)),
        (apply("select", apply("lt", x - y), x, y), (0, 7)),
    ],
)
def test_bounds(expr: Expr, expected: tuple[float, float]) -> None:
    assert interval_of(expr, {X: (0, 7), Y: (1, 5)}) == expected


def test_what_is_not_known_has_no_bound() -> None:
    assert interval_of(x + y, {X: (0, 7)}) is None
    assert interval_of(apply("div", x, y), {X: (0, 7), Y: (-1, 5)}) is None
    assert interval_of(apply("pow", x, y), {X: (0, 7), Y: (1, 5)}) is None


_OPERATIONS = ("div", "mod", "min", "max", "shl", "shr", "and", "or", "xor")


@given(
    st.sampled_from(_OPERATIONS),
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted),
    st.tuples(st.integers(1, 6), st.integers(1, 6)).map(sorted),
    st.integers(-3, 3),
)
def test_no_value_lies_outside(op: str, of_x: list[int], of_y: list[int], shift: int) -> None:
    expr = apply(op, x, y) * 3 + x * shift
    found = interval_of(expr, {X: (of_x[0], of_x[1]), Y: (of_y[0], of_y[1])})
    assert found is not None
    for a, b in product(range(of_x[0], of_x[1] + 1), range(of_y[0], of_y[1] + 1)):
        value = Environment({X: a, Y: b}).evaluate(expr)
        assert value is not None
        assert found[0] <= value <= found[1]
