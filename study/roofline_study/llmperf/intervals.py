"""The least and greatest value of a symbolic number, from those of its symbols.

A bound is never too tight; where a symbol occurs twice it may be too wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol

Interval = tuple[float, float]
"""The least and the greatest value."""
_TRUTH: Final = frozenset(("lt", "le", "eq", "ne", "land", "lor"))


def interval_of(expr: Expr, known: Mapping[Symbol, Interval]) -> Interval | None:
    """The interval of an expression; None where a symbol or an operation has none."""
    low = high = 0.0
    for monomial, number in expr.terms.items():
        product: Interval = (float(number), float(number))
        for atom in monomial:
            factor = _of_atom(atom, known)
            if factor is None:
                return None
            product = _corners(product, factor, lambda a, b: a * b)
        low, high = low + product[0], high + product[1]
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _of_atom(atom: Atom, known: Mapping[Symbol, Interval]) -> Interval | None:
    if isinstance(atom, Symbol):
        return known.get(atom)
    assert isinstance(atom, Apply)
    if atom.op in _TRUTH:
        return 0.0, 1.0
    args = [interval_of(argument, known) for argument in atom.args]
    if atom.op == "select":
        return _either(args[1], args[2])
    if atom.op == "min" and len([each for each in args if each is not None]) == 1:
        # One known operand bounds the smaller one from above; there is no other bound.
        return None
    found = [each for each in args if each is not None]
    rule = _RULES.get(atom.op)
    return rule(*found) if rule is not None and len(found) == len(args) else None


def _either(one: Interval | None, other: Interval | None) -> Interval | None:
    if one is None or other is None:
        return None
    return min(one[0], other[0]), max(one[1], other[1])


def _corners(a: Interval, b: Interval, operation: Callable[[float, float], float]) -> Interval:
    """The interval of an operation that takes its extremes where its operands do."""
    values = [operation(x, y) for x in a for y in b]
    return min(values), max(values)


def _quotient(a: Interval, b: Interval) -> Interval | None:
    if b[0] <= 0 <= b[1]:
        return None
    low, high = _corners(a, b, lambda x, y: x / y)
    return float(math.trunc(low)), float(math.trunc(high))


def _real_quotient(a: Interval, b: Interval) -> Interval | None:
    return None if b[0] <= 0 <= b[1] else _corners(a, b, lambda x, y: x / y)


def _remainder(a: Interval, b: Interval) -> Interval | None:
    largest = max(abs(b[0]), abs(b[1]))
    if largest == 0:
        return None
    if a[0] >= 0 and b[0] > 0 and a[1] < b[0]:
        return a
    return (
        0.0 if a[0] >= 0 else max(a[0], 1 - largest),
        0.0 if a[1] <= 0 else min(a[1], largest - 1),
    )


def _shifted(a: Interval, b: Interval, *, left: bool) -> Interval | None:
    if b[0] < 0 or b[1] > 62:
        return None
    if left:
        return _corners(a, b, lambda x, y: x * 2.0**y)
    return _corners(a, b, lambda x, y: float(math.floor(x / 2.0**y)))


def _common_bits(a: Interval, b: Interval) -> Interval | None:
    """At most the smaller operand, where one of them is not negative."""
    tops = [high for low, high in (a, b) if low >= 0]
    return (0.0, min(tops)) if tops else None


def _all_bits(a: Interval, b: Interval) -> Interval | None:
    if a[0] < 0 or b[0] < 0:
        return None
    return 0.0, float(2 ** max(int(a[1]), int(b[1])).bit_length() - 1)


def _monotone(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    return lambda a: (function(a[0]), function(a[1]))


def _magnitude(a: Interval) -> Interval:
    low = 0.0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))
    return low, max(abs(a[0]), abs(a[1]))


def _logarithm(a: Interval) -> Interval | None:
    return (math.log2(a[0]), math.log2(a[1])) if a[0] > 0 else None


_RULES: Final[Mapping[str, Callable[..., Interval | None]]] = {
    "div": _quotient,
    "fdiv": _real_quotient,
    "mod": _remainder,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "shl": lambda a, b: _shifted(a, b, left=True),
    "shr": lambda a, b: _shifted(a, b, left=False),
    "and": _common_bits,
    "or": _all_bits,
    "xor": _all_bits,
    "trunc": _monotone(lambda x: float(math.trunc(x))),
    "floor": _monotone(lambda x: float(math.floor(x))),
    "ceil": _monotone(lambda x: float(math.ceil(x))),
    "abs": _magnitude,
    "sqrt": _monotone(lambda x: math.sqrt(max(0.0, x))),
    "log2": _logarithm,
    "mul": lambda a, b: _corners(a, b, lambda x, y: x * y),
    "whole": lambda a: a,
}
"""How each operation's interval follows from its operands'; other operations have none."""
