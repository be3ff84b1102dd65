"""The algebra of symbolic numbers: laws, normal form, and values that simplification keeps."""

from __future__ import annotations

import gc
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofline_core.algebra import simplify, symbolic
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.folding import FOLD, c_div, c_mod
from roofline_core.algebra.operations import OPERATIONS
from roofline_core.algebra.simplify import is_nonnegative
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import (
    MAX_DEGREE,
    ONE,
    ZERO,
    Apply,
    Expr,
    Symbol,
    apply,
    constant,
    forget_unused_atoms,
    from_atom,
    make_symbol,
    symbol,
    wrap,
)

Values = Mapping[Symbol, int]

SIGNED: Final = tuple(make_symbol(name) for name in "xy")
NATURAL: Final = tuple(make_symbol(name, nonnegative=True) for name in "nm")
SYMBOLS: Final = SIGNED + NATURAL
INT64: Final = 2**63


# -- a second reading of expressions, in plain integers


@dataclass(frozen=True)
class Tree:
    """An expression as written: an operation, a symbol or a number."""

    op: str
    args: tuple[Tree, ...] = ()
    leaf: Symbol | int = 0

    def build(self) -> Expr:
        """The symbolic expression."""
        if self.op == "leaf":
            return from_atom(self.leaf) if isinstance(self.leaf, Symbol) else constant(self.leaf)
        built = [argument.build() for argument in self.args]
        return RING[self.op](*built) if self.op in RING else apply(self.op, *built)

    def value(self, values: Values) -> int:
        """What C computes, widths aside; raises ``UndefinedError``."""
        if self.op == "leaf":
            return values[self.leaf] if isinstance(self.leaf, Symbol) else self.leaf
        found = MEANING[self.op](*(argument.value(values) for argument in self.args))
        if not -INT64 <= found < INT64:
            raise UndefinedError
        return found


class UndefinedError(Exception):
    """The tree has no value in C, or none in 64 bits."""


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise UndefinedError
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _shift(a: int, b: int, left: bool) -> int:
    if not 0 <= b <= 63:
        raise UndefinedError
    return a << b if left else a >> b


RING: Final[Mapping[str, Callable[..., Expr]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "neg": lambda a: -a,
}
MEANING: Final[Mapping[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "neg": lambda a: -a,
    "mul": operator.mul,
    "div": _quotient,
    "mod": lambda a, b: a - _quotient(a, b) * b,
    "shl": lambda a, b: _shift(a, b, left=True),
    "shr": lambda a, b: _shift(a, b, left=False),
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "min": min,
    "max": max,
    "abs": lambda a: -a if a < 0 else a,
    "lt": lambda a: int(a < 0),
    "le": lambda a: int(a <= 0),
    "eq": lambda a: int(a == 0),
    "ne": lambda a: int(a != 0),
    "land": lambda a, b: int(a != 0 and b != 0),
    "lor": lambda a, b: int(a != 0 or b != 0),
    "select": lambda a, b, c: b if a else c,
    "trunc": lambda a: a,
    "floor": lambda a: a,
    "ceil": lambda a: a,
}
ARITY: Final = {
    **dict.fromkeys(MEANING, 2),
    **dict.fromkeys(("neg", "abs", "lt", "le", "eq", "ne", "trunc", "floor", "ceil"), 1),
    "select": 3,
}

_numbers = st.one_of(
    st.integers(-4, 4), st.sampled_from((7, 8, 15, 16, 31, 32, 33, 63, 255)), st.integers(-99, 99)
)
_leaves = st.one_of(_numbers, st.sampled_from(SYMBOLS)).map(lambda leaf: Tree("leaf", (), leaf))


def _node(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    def of(op: str) -> st.SearchStrategy[Tree]:
        return st.tuples(*[inner] * ARITY[op]).map(lambda args: Tree(op, args))

    return st.sampled_from(sorted(MEANING)).flatmap(of)


trees = st.recursive(_leaves, _node, max_leaves=12)
assignments = st.fixed_dictionaries(
    {
        **{s: st.integers(-50, 50) for s in SIGNED},
        **{s: st.integers(0, 70) for s in NATURAL},
    }
)
polynomials = st.recursive(
    _leaves,
    lambda inner: st.sampled_from("+-*").flatmap(
        lambda op: st.tuples(inner, inner).map(lambda args: Tree(op, args))
    ),
    max_leaves=6,
).map(Tree.build)


def evaluated(environment: Environment, expr: Expr) -> Any:
    """The value, which must be there."""
    found = environment.evaluate(expr)
    assert found is not None
    return found


def defined(tree: Tree, values: Values) -> int:
    """The tree's value, or another example."""
    try:
        return tree.value(values)
    except UndefinedError:
        assume(False)
        raise


# -- values


@settings(max_examples=200)
@given(trees, assignments)
def test_normal_form_has_the_value_of_the_tree(tree: Tree, values: Values) -> None:
    expected = defined(tree, values)
    assert Environment(values).evaluate(tree.build()) == expected


@settings(max_examples=150)
@given(trees, assignments)
def test_substituting_numbers_gives_the_value(tree: Tree, values: Values) -> None:
    expected = defined(tree, values)
    numbers = {s: constant(v) for s, v in values.items()}
    assert tree.build().substitute(numbers).constant == expected


@settings(max_examples=120)
@given(trees, st.lists(assignments, min_size=2, max_size=6))
def test_many_lanes_at_once_agree_with_one_at_a_time(tree: Tree, lanes: list[Values]) -> None:
    expected = [defined(tree, values) for values in lanes]
    arrays = {s: np.array([values[s] for values in lanes], dtype=np.int64) for s in SYMBOLS}
    found = evaluated(Environment(arrays), tree.build())
    assert np.broadcast_to(found, len(lanes)).tolist() == expected


@settings(max_examples=120)
@given(trees, trees, assignments)
def test_substitution_commutes_with_evaluation(outer: Tree, inner: Tree, values: Values) -> None:
    target = NATURAL[0] if defined(inner, values) >= 0 else SIGNED[0]
    moved = {**values, target: defined(inner, values)}
    expected = defined(outer, moved)
    # A symbol that is stated to be nonnegative may only become what surely is.
    assume(target is SIGNED[0] or is_nonnegative(inner.build()))
    put = outer.build().substitute({target: inner.build()})
    assert Environment(values).evaluate(put) == expected


@settings(max_examples=150)
@given(trees, assignments)
def test_what_is_said_to_be_nonnegative_is(tree: Tree, values: Values) -> None:
    value = defined(tree, values)
    assert value >= 0 or not is_nonnegative(tree.build())


@settings(max_examples=200)
@given(trees, assignments)
def test_evaluation_is_none_exactly_where_a_needed_symbol_has_no_value(
    tree: Tree, values: Values
) -> None:
    defined(tree, values)
    expr = tree.build()
    found = Environment({}).evaluate(expr)
    assert (found is not None) or expr.symbols()


@given(st.integers(-(10**6), 10**6), st.integers(-(10**4), 10**4).filter(bool))
def test_division_and_remainder_follow_c(a: int, b: int) -> None:
    assert c_div(a, b) == _quotient(a, b)
    assert c_div(a, b) * b + c_mod(a, b) == a
    assert abs(c_mod(a, b)) < abs(b)
    assert c_mod(a, b) == 0 or (c_mod(a, b) < 0) == (a < 0)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**4), 10**4).filter(bool))
def test_what_is_without_its_remainder_is_divided_as_it_is(a: int, b: int) -> None:
    found = apply("div", _x - apply("mod", _x, _y), _y)
    assert Environment(dict(zip(SIGNED, (a, b), strict=False))).evaluate(found) == _quotient(a, b)


@pytest.mark.parametrize("value", [2**53 + 1, 2**62 + 3, -(2**61) - 1])
@pytest.mark.parametrize("divisor", [3, -7, 2**31 + 11])
def test_lanes_divide_large_numbers_exactly(value: int, divisor: int) -> None:
    x, y = SIGNED
    lanes = Environment({x: np.array([value, -value]), y: np.array([divisor, divisor])})
    quotient = apply("div", from_atom(x), from_atom(y))
    remainder = apply("mod", from_atom(x), from_atom(y))
    assert evaluated(lanes, quotient).tolist() == [c_div(value, divisor), c_div(-value, divisor)]
    assert evaluated(lanes, remainder).tolist() == [c_mod(value, divisor), c_mod(-value, divisor)]


@pytest.mark.parametrize("op", ["shl", "shr"])
@pytest.mark.parametrize("shift", [0, 1, 31, 62, 63])
def test_lanes_shift_by_any_number_of_bits(op: str, shift: int) -> None:
    x, y = SIGNED
    expr = apply(op, from_atom(x), from_atom(y))
    values = [0, -1] if op == "shl" else [2**62, -5, 0, 1]
    lanes = Environment({x: np.array(values), y: np.full(len(values), shift)})
    assert evaluated(lanes, expr).tolist() == [_shift(v, shift, left=op == "shl") for v in values]


# -- odd input


def _any_operation(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    arity = {
        **dict.fromkeys(OPERATIONS, 2),
        **ARITY,
        "sqrt": 1,
        "log": 1,
        "log2": 1,
        "exp": 1,
        "sin": 1,
        "cos": 1,
        "whole": 1,
    }
    return st.sampled_from(sorted(arity)).flatmap(
        lambda op: st.tuples(*[inner] * arity[op]).map(lambda args: Tree(op, args))
    )


_odd = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.just(10**400),
    st.lists(st.integers(-(2**62), 2**62), min_size=3, max_size=3).map(np.array),
    st.lists(st.floats(), min_size=3, max_size=3).map(np.array),
)


@settings(max_examples=150)
@given(
    st.recursive(_leaves, _any_operation, max_leaves=8),
    st.fixed_dictionaries(dict.fromkeys(SYMBOLS, _odd)),
)
def test_evaluation_never_raises(tree: Tree, values: Mapping[Symbol, object]) -> None:
    expr = tree.build()
    Environment(values).evaluate(expr)
    Environment({SYMBOLS[0]: values[SYMBOLS[0]]}).evaluate(expr)


@pytest.mark.parametrize("factor", [2**63, 10**30, 10**400, -(10**400), 0.5])
def test_huge_factors_evaluate_to_something_or_none(factor: float) -> None:
    x = SIGNED[0]
    expr = from_atom(x) * factor + from_atom(x) * from_atom(x)
    for value in (3, 2.5, np.arange(4), np.arange(4) / 3):
        Environment({x: value}).evaluate(expr)


def test_a_factor_beyond_64_bits_keeps_its_size_in_lanes() -> None:
    x = SIGNED[0]
    found = evaluated(Environment({x: np.array([0, 1, 3])}), from_atom(x) * 10**30)
    assert found.tolist() == pytest.approx([0.0, 1e30, 3e30])


@pytest.mark.parametrize("op", ["div", "mod", "fdiv"])
def test_division_by_zero_has_no_value(op: str) -> None:
    assert apply(op, constant(5), ZERO).constant is None
    x = SIGNED[0]
    assert Environment({x: 0}).evaluate(apply(op, constant(5), from_atom(x))) is None


def test_long_chains_of_shared_operands_are_cheap() -> None:
    value, number = from_atom(NATURAL[0]), 9
    for _ in range(60):
        value = apply("xor", value, apply("shr", value, 7)) * 5
        number = (number ^ (number >> 7)) * 5
    assert is_nonnegative(value)
    assert Environment({NATURAL[0]: 9}).evaluate(value) == number
    assert len(repr(value)) < 1000


def test_a_chain_too_long_to_follow_has_no_value() -> None:
    value = from_atom(SIGNED[0])
    for shift in range(5000):
        value = apply("xor", value, shift) * 3
    assert Environment({SIGNED[0]: 1}).evaluate(value) is None


# -- laws


@settings(max_examples=200)
@given(polynomials, polynomials, polynomials)
def test_ring_laws(a: Expr, b: Expr, c: Expr) -> None:
    assume(max(len(a.terms), 1) * max(len(b.terms), 1) * max(len(c.terms), 1) <= 64)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + ZERO == a
    assert a * ONE == a
    assert a * ZERO == ZERO
    assert a - a == ZERO
    assert ZERO - (ZERO - a) == a
    assert a - b == -(b - a)


@given(polynomials, polynomials)
def test_equal_expressions_have_equal_hashes(a: Expr, b: Expr) -> None:
    left, right = (a + b) * 2, a * 2 + b * 2
    assert left == right
    assert hash(left) == hash(right)
    assert len({left, right}) == 1


@given(st.integers(-5, 5))
def test_a_constant_equals_its_number_and_hashes_like_it(number: int) -> None:
    assert constant(number) == number
    assert hash(constant(number)) == hash(number)
    assert {number: "found"}[constant(number)] == "found"  # type: ignore[index]


def test_an_expression_differs_from_what_is_no_number() -> None:
    assert constant(1) != "1"
    assert from_atom(SIGNED[0]) != 1


@given(trees)
def test_built_twice_is_equal(tree: Tree) -> None:
    first, second = tree.build(), tree.build()
    assert first == second
    assert hash(first) == hash(second)


def test_a_product_of_many_terms_stays_factored_in_either_order() -> None:
    names = [symbol(f"s{i}") for i in range(9)]
    left, right = sum(names, ZERO), sum((s * s for s in names), ZERO)
    product = left * right
    assert len(product.terms) == 1
    assert product == right * left
    values = {make_symbol(f"s{i}"): i for i in range(9)}
    assert Environment(values).evaluate(product) == 36 * 204


def test_powers_have_at_most_so_many_factors_and_squares_of_them_are_atoms() -> None:
    square = from_atom(SIGNED[0])
    for _ in range(5):
        square *= square
    assert [len(monomial) for monomial in square.terms] == [MAX_DEGREE]
    for _ in range(60):
        square *= square
        assert all(len(monomial) <= MAX_DEGREE for monomial in square.terms)
    assert Environment({SIGNED[0]: 1}).evaluate(square) == 1


def test_what_is_shared_in_an_expression_is_replaced_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Written out, the expression has 2 to the 60th operations; there are 60."""
    x, y = (from_atom(each) for each in SIGNED)
    shared = x
    for _ in range(60):
        shared = apply("max", shared, shared + 1)
    made: list[str] = []

    def counted(op: str, *operands: Expr) -> Expr:
        made.append(op)
        return apply(op, *operands)

    monkeypatch.setattr(symbolic, "apply", counted)
    replaced = shared.substitute({SIGNED[0]: y})
    assert made == ["max"] * 60
    assert replaced.symbols() == {SIGNED[1]}


def test_a_factored_product_is_multiplied_out_once_it_is_small() -> None:
    names = [make_symbol(f"s{i}") for i in range(9)]
    exprs = [from_atom(s) for s in names]
    product = sum(exprs, ZERO) * sum((s * s for s in exprs), ZERO)
    x = from_atom(SIGNED[0])
    small = product.substitute(dict.fromkeys(names, x))
    assert small == x * x * x * 81


# -- taking apart


@given(polynomials, st.sampled_from(SYMBOLS))
def test_coefficient_is_the_factor_where_the_expression_is_affine(expr: Expr, atom: Symbol) -> None:
    factor = expr.coefficient(atom)
    degree = max((monomial.count(atom) for monomial in expr.terms), default=0)
    assert (factor is None) == (degree > 1)
    if factor is not None:
        rest = expr - factor * from_atom(atom)
        assert atom not in rest.symbols() | factor.symbols()


@given(polynomials, st.sampled_from(SYMBOLS))
def test_terms_without_a_factor_are_those_that_no_product_with_it_takes(
    expr: Expr, atom: Symbol
) -> None:
    for _ in range(2):  # The second time it is known.
        rest = expr.without(atom)
        assert list(rest.terms) == [each for each in expr.terms if atom not in each]
        factor = expr.coefficient(atom)
        if factor is not None:
            assert rest == expr - factor * from_atom(atom)


def test_coefficient_does_not_look_through_an_operation() -> None:
    x, y = map(from_atom, SIGNED)
    assert (apply("div", x, 3) + x).coefficient(SIGNED[0]) is None
    assert (apply("div", y, 3) + 2 * x * y).coefficient(SIGNED[0]) == 2 * y
    assert (y + 3).coefficient(SIGNED[0]) == 0
    quotient = apply("div", x, 3)
    assert (quotient + 2 * x + y).without(SIGNED[0]) == quotient + y
    assert (5 * quotient + x).coefficient(next(quotient.atoms())) == 5


@given(trees)
def test_symbols_are_those_that_a_substitution_can_replace(tree: Tree) -> None:
    expr = tree.build()
    assert expr.substitute({s: constant(3) for s in SYMBOLS if s not in expr.symbols()}) is expr
    left = expr.substitute(dict.fromkeys(SYMBOLS, symbol("other"))).symbols()
    assert left <= {make_symbol("other")}


def test_constant_and_offset() -> None:
    x = from_atom(SIGNED[0])
    assert (x - x + 7).constant == 7
    assert ZERO.constant == 0
    assert x.constant is None
    assert (x + 7).constant is None
    assert (2 * x + 7).offset == 7
    assert x.offset == 0
    assert (3 - x).offset == 3
    assert wrap(4) == constant(4)


def test_symbols_sort_by_scope_then_index_then_name() -> None:
    param, host = SymbolScope.PARAM, SymbolScope.HOST
    last, first = make_symbol("a", param), make_symbol("b", host, index=1)
    second = make_symbol("a", host, index=2)
    assert sorted((last, second, first), key=lambda s: s.sort_key) == [first, second, last]


def test_symbols_of_one_name_and_scope_are_one() -> None:
    assert make_symbol("n", SymbolScope.LOOP) is make_symbol("n", SymbolScope.LOOP)
    assert make_symbol("n", SymbolScope.LOOP) is not make_symbol("n", SymbolScope.DATA)
    assert make_symbol("n", index=1) is not make_symbol("n", index=2)
    first = symbol("gone") * 2
    forget_unused_atoms()
    assert first == symbol("gone") + symbol("gone")


def test_atoms_that_nothing_uses_are_let_go() -> None:
    gc.collect()
    forget_unused_atoms()
    before = dict.fromkeys(symbolic._interned._atoms)
    inner = apply("div", symbol("lone"), 3)
    outer = apply("mod", inner + 1, symbol("other"))
    added = [key for key in symbolic._interned._atoms if key not in before]
    assert len(added) == 4
    del inner
    forget_unused_atoms()
    assert all(key in symbolic._interned._atoms for key in added), "the operation has them"
    assert outer == apply("mod", apply("div", symbol("lone"), 3) + 1, symbol("other"))
    del outer, added
    forget_unused_atoms()
    assert symbolic._interned._atoms.keys() <= before.keys(), "and what it is made of goes with it"


@pytest.mark.sources
def test_the_table_lets_go_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_unused_atoms()
    monkeypatch.setattr(symbolic, "_FEW_ATOMS", 100)
    monkeypatch.setattr(symbolic._interned, "_most", len(symbolic._interned._atoms) + 100)
    start = len(symbolic._interned._atoms)
    for number in range(10_000):
        symbol(f"used once, {number}")
    assert len(symbolic._interned._atoms) <= 2 * start + 200


# -- simplification, one rule a line

_x, _y = map(from_atom, SIGNED)
_n, _m = map(from_atom, NATURAL)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (apply("div", 6 * _x, 3), 2 * _x),
        (apply("div", 8 * _n + 5, 8), _n),
        (apply("mod", 8 * _n + 5, 8), constant(5)),
        (apply("mod", 8 * _x, 8), ZERO),
        (apply("div", _x, _x), ONE),
        (apply("div", _x - apply("mod", _x, _y), _y), apply("div", _x, _y)),
        (apply("div", _x * _y + 3 - apply("mod", _x * _y + 3, 7), 7), apply("div", _x * _y + 3, 7)),
        (apply("div", -7, 2), constant(-3)),
        (apply("mod", -7, 2), constant(-1)),
        (apply("shl", _x, 3), 8 * _x),
        (apply("shr", 4 * _n, 2), _n),
        (apply("and", _n, 31), apply("mod", _n, 32)),
        (apply("and", 64 * _n, 63), ZERO),
        (apply("and", _x, 0), ZERO),
        (apply("or", _x, 0), _x),
        (apply("lt", _n), ZERO),
        (apply("le", -_n), ONE),
        (apply("lt", -_n - 1), ONE),
        (apply("le", _n + 1), ZERO),
        (apply("land", apply("lt", _x), 1), apply("lt", _x)),
        (apply("land", _x, 0), ZERO),
        (apply("lor", _x, 5), ONE),
        (apply("select", 0, _x, _y), _y),
        (apply("select", _x, _y, _y), _y),
        (apply("min", _x, _x), _x),
        (apply("fdiv", 4 * _x, 2), 2 * _x),
        (apply("ceil", apply("div", _x, 3)), apply("div", _x, 3)),
        (apply("sqrt", 9), constant(3)),
        (apply("pow", 2, 10), constant(1024)),
    ],
)
def test_simplified(found: Expr, expected: Expr) -> None:
    assert found == expected


@pytest.mark.parametrize(
    "kept",
    [
        apply("div", 8 * _x + 5, 8),
        apply("div", _x - apply("mod", _y, _n), _n),
        apply("div", _x - apply("mod", _x, _n), _m),
        apply("div", _x + apply("mod", _x, _n), _n),
        apply("mod", 8 * _x + 5, 8),
        apply("shr", _x, 2),
        apply("and", _x, 31),
        apply("lt", _x),
        apply("land", _x, 1),
        apply("sqrt", -1),
        apply("pow", 3, 10**9),
        apply("log", 0),
        apply("ceil", apply("fdiv", _x, _y)),
    ],
)
def test_kept_where_it_would_not_be_exact(kept: Expr) -> None:
    ((atom,),) = kept.terms
    assert isinstance(atom, Apply)


def test_real_functions_have_their_values() -> None:
    x = SIGNED[0]
    for op, function in (("sqrt", math.sqrt), ("log2", math.log2), ("log", math.log)):
        expr = apply(op, from_atom(x))
        assert Environment({x: 5}).evaluate(expr) == pytest.approx(function(5))
        assert Environment({x: np.array([5, 7])}).evaluate(expr) == pytest.approx(
            [function(5), function(7)]
        )


# -- environments


def test_either_side_may_decide_a_condition() -> None:
    x = SIGNED[0]
    known, unknown = apply("lt", from_atom(x)), apply("eq", _y)
    assert Environment({x: 1}).evaluate(apply("land", known, unknown)) == 0
    assert Environment({x: -1}).evaluate(apply("lor", unknown, known)) == 1
    assert Environment({x: -1}).evaluate(apply("land", known, unknown)) is None


def test_a_choice_needs_only_the_side_that_is_taken() -> None:
    x = SIGNED[0]
    chosen = apply("select", apply("lt", from_atom(x)), _y, 7)
    assert Environment({x: 1}).evaluate(chosen) == 7
    assert Environment({x: -1}).evaluate(chosen) is None


_AT = apply("lt", _n - 9)


def test_choices_among_choices_are_compared_once_each() -> None:
    """Each is chosen by a comparison of the one before: there are 2**60 paths through them."""
    value = _x
    for step in range(60):
        value = apply("select", apply("lt", value - step), value + 1, step)
    before = simplify._COMPARED.worked_out
    apply("lt", value)
    assert 0 < simplify._COMPARED.worked_out - before < 1_000
    assert not simplify._COMPARED.known


_INDEX = apply("select", _AT, _x, -1)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (apply("lt", -1 - _INDEX), apply("land", _AT, apply("lt", -1 - _x))),
        (apply("ne", _INDEX + 1), apply("land", _AT, apply("ne", _x + 1))),
        (apply("eq", _INDEX + 1), apply("lor", apply("le", 9 - _n), apply("eq", _x + 1))),
        (apply("lt", apply("select", _AT, -1, _x)), apply("lor", _AT, apply("lt", _x))),
        (
            apply("le", apply("select", _AT, 1, _x)),
            apply("land", apply("le", 9 - _n), apply("le", _x)),
        ),
        (apply("lt", apply("select", _AT, 3, 5) - 4), _AT),
        (apply("lt", apply("select", _AT, 5, 3) - 4), apply("le", 9 - _n)),
        (apply("lt", apply("select", _AT, 5, 3) - 9), ONE),
        (apply("eq", 2 * apply("select", _x, 5, 3) - 10), apply("ne", _x)),
    ],
)
def test_a_choice_compared_with_a_number_it_may_not_reach(found: Expr, expected: Expr) -> None:
    assert found == expected


@given(
    st.sampled_from(("lt", "le", "eq", "ne")),
    *(st.integers(-3, 3) for _ in range(5)),
    st.booleans(),
)
def test_a_compared_choice_has_its_value(
    op: str, x: int, n: int, number: int, factor: int, offset: int, first: bool
) -> None:
    sides = (from_atom(SIGNED[0]), constant(number)) if first else (number, from_atom(SIGNED[0]))
    choice = apply("select", apply("lt", from_atom(SIGNED[1])), *sides)
    taken = (x if first else number) if n < 0 else (number if first else x)
    expected = FOLD[op](factor * taken + offset)
    found = apply(op, factor * choice + offset)
    assert Environment({SIGNED[0]: x, SIGNED[1]: n}).evaluate(found) == expected


def test_a_guess_decides_no_comparison() -> None:
    x, y = SIGNED
    guess = apply("select", apply("lt", from_atom(y)), from_atom(x), _n + 1)
    size = apply("max", guess, 4)
    lanes = Environment({x: np.arange(8)})
    assert evaluated(lanes, size).tolist() == [4, 4, 4, 4, 4, 5, 6, 7]
    assert lanes.evaluate(apply("lt", size - 9)) is None
    assert lanes.evaluate(apply("land", apply("lt", size - 9), apply("lt", from_atom(x)))) is None
    decided = lanes.extended(y, -1)
    assert evaluated(decided, apply("lt", size - 9)).all()
    # What is taken needs the other side no more.
    assert Environment({x: 3, y: -1}).evaluate(apply("lt", guess - 4)) == 1


def test_an_extended_environment_forgets_what_rested_on_the_old_value() -> None:
    x, y = SIGNED
    half = apply("div", from_atom(x), 2)
    first = Environment({x: 10, y: 3})
    assert first.evaluate(half) == 5
    assert first.extended(x, 20).evaluate(half) == 10
    guess = apply("select", apply("lt", _y), 5, from_atom(x))
    open_ = Environment({x: 1})
    open_.evaluate(guess)
    assert open_.extended(y, 4).evaluate(guess) == 1


def test_a_restricted_environment_has_the_lanes_picked() -> None:
    x, y = SIGNED
    lanes = Environment({x: np.arange(8), y: 5}).restricted(np.arange(8) % 2 == 0)
    assert evaluated(lanes, _x * _y).tolist() == [0, 10, 20, 30]
