"""Conjuncts and negations of conditions, and the trip counts of loops that they end."""

from __future__ import annotations

from typing import Final

from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ZERO, Apply, Expr, Symbol, apply, from_atom

_ROUNDING: Final = 1e-9
"""Tolerance for logarithms that miss an integer by rounding."""
_MOST_PARTS: Final = 16
"""Parts of one comparison: sums of several least numbers would have twice as many for each. A limit
on the work."""
_FIXED_SCOPES: Final = (
    SymbolScope.THREAD,
    SymbolScope.LAUNCH,
    SymbolScope.PARAM,
    SymbolScope.REAL,
    SymbolScope.LOOP,
)


def conjuncts(condition: Expr | None) -> tuple[Expr | None, ...]:
    """The conditions that must all hold.

    What is below the least of two numbers is below each of them.
    """
    if condition is None:
        return (None,)
    single = single_apply(condition)
    if single is None:
        return (condition,)
    if single.op == "land":
        return conjuncts(single.args[0]) + conjuncts(single.args[1])
    return _below_each(single.op, single.args[0]) if single.op in ("lt", "le") else (condition,)


def _below_each(op: str, difference: Expr) -> tuple[Expr, ...]:
    """``x - min(a, b) < 0`` as ``x - a < 0`` and ``x - b < 0``, as far as there are few parts."""
    waiting: list[Expr] = [difference]
    parts: list[Expr] = []
    while waiting:
        each = waiting.pop()
        both = _without_least(each) if len(waiting) + len(parts) < _MOST_PARTS - 1 else None
        if both is None:
            parts.append(apply(op, each))
        else:
            waiting.append(both[1])
            waiting.append(both[0])
    return tuple(parts)


def _without_least(difference: Expr) -> tuple[Expr, Expr] | None:
    """``x - min(a, b)`` as ``x - a`` and ``x - b``, which together are below 0 where it is."""
    for monomial, factor in difference.terms.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if not isinstance(atom, Apply) or len(atom.args) != 2:
            continue
        if (atom.op, factor < 0) in (("min", True), ("max", False)):
            rest = difference - from_atom(atom) * factor
            first, second = atom.args
            return rest + first * factor, rest + second * factor
    return None


def negation(condition: Expr | None) -> tuple[Expr | None, ...]:
    """The conditions that must all hold where ``condition`` does not."""
    if condition is None:
        return (None,)
    single = single_apply(condition)
    if single is not None:
        if single.op == "lor":
            return negation(single.args[0]) + negation(single.args[1])
        if single.op == "lt":
            return (apply("le", -single.args[0]),)
        if single.op == "le":
            return (apply("lt", -single.args[0]),)
        if single.op == "ne":
            return (apply("eq", single.args[0]),)
        if single.op == "eq":
            inner = single_apply(single.args[0])
            if inner is not None and inner.op in ("lt", "le", "eq", "ne", "land", "lor"):
                return conjuncts(single.args[0])
            return (apply("ne", single.args[0]),)
    return (apply("eq", condition),)


def single_apply(expr: Expr) -> Apply | None:
    """The operation that an expression consists of, if it is one."""
    if len(expr.terms) != 1:
        return None
    (monomial, coefficient), *_ = expr.terms.items()
    if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Apply):
        return monomial[0]
    return None


def trips_of_condition(condition: Expr | None, counter: Symbol) -> Expr | None:
    """The number of values of ``counter``, from 0 upward, before a condition first fails.

    None unless the condition is a comparison affine in the counter, or shifts a value until no bit
    is left.
    """
    if condition is None or condition.constant is not None:
        return None if condition is None or condition.constant else ZERO
    single = single_apply(condition)
    if single is None or single.op not in ("lt", "le", "ne"):
        return None
    difference = single.args[0]
    bits = _bits_left(difference, counter) if single.op == "ne" else None
    if bits is not None:
        return bits
    slope = difference.coefficient(counter)
    if slope is None or not slope.terms:
        return None
    rest = difference - slope * from_atom(counter)
    known = slope.constant
    if known is not None and known < 0:
        if single.op != "ne":
            return None  # The condition never fails, unless the counter overflows.
        slope, rest = -slope, -rest
    if single.op == "le":
        rest = rest - 1
    return apply("max", apply("div", slope - rest - 1, slope), 0)


def has_a_trip(trips: Expr) -> Expr | None:
    """The condition that a trip count is above 0; None if the launch does not decide it, or surely.

    Where the count is that of an index with a stride, the condition is affine like the index.
    """
    if trips.constant is not None or not is_fixed(trips):
        return None
    clamped = single_apply(trips)
    least = clamped.args[1].constant if clamped is not None and clamped.op == "max" else None
    if clamped is None or least is None:
        return apply("lt", -trips)
    if least > 0:
        return None
    quotient = single_apply(clamped.args[0])
    if quotient is None or quotient.op != "div":
        return apply("lt", -clamped.args[0])
    return apply("le", quotient.args[1] - quotient.args[0])


def is_fixed(expr: Expr) -> bool:
    """Whether an expression depends on the launch alone, on no loaded or carried value."""
    return all(symbol.scope in _FIXED_SCOPES for symbol in expr.symbols())


def _bits_left(difference: Expr, counter: Symbol) -> Expr | None:
    """For ``n >> (start + counter)``: the bits of n from ``start`` up; None for other forms."""
    shift = single_apply(difference)
    if shift is None or shift.op != "shr" or counter in shift.args[0].symbols():
        return None
    slope = shift.args[1].coefficient(counter)
    if slope is None or slope.constant != 1:
        return None
    start = shift.args[1] - from_atom(counter)
    bits = apply("floor", apply("log2", shift.args[0]) + _ROUNDING) + 1
    return apply("max", bits - start, 0)
