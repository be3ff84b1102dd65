"""Samples of the numbers in arrays, drawn from the expressions that the host stores.

A stored expression over a loop index and random numbers is evaluated for many values of both; the
results are samples of the array's values. Copies carry them along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.types import sizeof
from roofline_analysis.host.values import Samples, Scalar, Spread
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import (
    ZERO,
    Apply,
    Atom,
    Expr,
    Symbol,
    apply,
    constant,
    from_atom,
    make_symbol,
)

DRAWN: Final = 256
"""The number of samples of one array."""
_LARGEST_WHOLE: Final = 2.0**53
"""Larger numbers stay floats, which do not represent every such integer."""
MOST_STORES: Final = 64
"""The most stores to one array that are evaluated."""
NEARLY_ALL: Final = 0.95
"""The share of an array's elements that must be known to represent all.

Assumed, chosen without measurement."""
MOST: Final = 0.5
"""The share of an otherwise unknown array that must be known to represent all. Assumed likewise."""
_STEPS: Final = ((math.sqrt(5) - 1) / 2, *(math.sqrt(n) % 1 for n in (2, 3, 7, 11, 13, 17, 19)))
"""Irrational steps: the fractional parts of their multiples are evenly distributed."""


def drawn_of_all(
    interpreter: HostInterpreter, values: Sequence[Expr | None]
) -> tuple[float, ...] | None:
    """Samples of the values of several stores, all equally weighted; None if a value is unknown."""
    if not values or len(values) > MOST_STORES:
        return None
    drawn = [drawn_from(interpreter, value) for value in values]
    found: list[float] = []
    for position, each in enumerate(drawn):
        if each is None:
            return None
        ends = [DRAWN * at // len(drawn) for at in (position, position + 1)]
        found += spaced(each, ends[1] - ends[0])
    return tuple(found)


def drawn_of_elements(
    interpreter: HostInterpreter, values: Sequence[Expr | None]
) -> tuple[float, ...] | None:
    """Samples of the values of many elements, all equally weighted; None if a value is unknown.

    Of constants all count, as even steps through them would meet the same place in each row.
    """
    numbers = [None if each is None else each.constant for each in values]
    known = sorted(float(each) for each in numbers if each is not None)
    if len(known) > MOST_STORES and len(known) == len(numbers):
        return spaced(known, DRAWN)
    return drawn_of_all(interpreter, values[:: -(-len(values) // MOST_STORES) or 1])


def drawn_from(interpreter: HostInterpreter, expr: Expr | None) -> tuple[float, ...] | None:
    """Samples of an expression's values; None if it contains an unknown symbol."""
    _, drawn = drawn_where(interpreter, expr, ())
    return drawn


def drawn_where(
    interpreter: HostInterpreter, expr: Expr | None, conditions: Sequence[Expr]
) -> tuple[float, tuple[float, ...] | None]:
    """The share of the points at which conditions hold, and an expression's values at these.

    Conditions that rest on anything unknown, or on nothing that is sampled, are left out. The
    values are None if the expression rests on anything unknown, and if the conditions never hold.
    """
    if not conditions and (expr is None or expr.constant is not None):
        constant_ = None if expr is None else expr.constant
        return 1.0, None if constant_ is None else (float(constant_),) * DRAWN
    spreads = dict(interpreter.spreads)
    known: dict[Apply, Expr] = {}
    number = None if expr is None else _followed(expr, spreads, known)
    asked = [_followed(each, spreads, known) for each in conditions]
    symbols = frozenset[Symbol]().union(*(e.symbols() for e in (number, *asked) if e is not None))
    values: dict[Symbol, object] = {}
    for position, symbol in enumerate(sorted(symbols, key=lambda s: s.sort_key)):
        spread = spreads.get(symbol)
        if spread is not None:
            values[symbol] = _points(spread, position)
        elif symbol in interpreter.trials.bounds and symbol in interpreter.unknowns:
            values[symbol] = interpreter.unknowns[symbol].assumed
    points = Environment(values)
    held = np.ones(DRAWN, dtype=bool)
    for each in asked:
        rests_on = each.symbols()
        if rests_on <= values.keys() and not rests_on.isdisjoint(spreads):
            held = held & (np.asarray(points.evaluate(each)) != 0)
    share = float(held.mean())
    told = number is not None and number.symbols() <= values.keys()
    found = points.evaluate(number) if told and number is not None else None
    if found is None or not share:
        return share, None
    numbers = np.broadcast_to(np.asarray(found, dtype=float), (DRAWN,))[held]
    return share, tuple(numbers.tolist()) if bool(np.isfinite(numbers).all()) else None


def _points(spread: Spread, position: int) -> object:
    """Even points of a range, in another order for each of several ranges."""
    at = (0.5 / DRAWN + np.arange(DRAWN) * _STEPS[position % len(_STEPS)]) % 1
    if spread.drawn is not None:
        ranks = np.argsort(np.argsort(at))  # Each sample as often as all others.
        points = np.asarray(spread.drawn)[ranks * len(spread.drawn) // DRAWN]
    else:
        points = spread.low + at * (spread.high - spread.low)
    if not spread.whole:
        return points
    points = np.floor(points)
    return points.astype(np.int64) if np.abs(points).max() < _LARGEST_WHOLE else points


def _followed(expr: Expr, spreads: dict[Symbol, Spread], known: dict[Apply, Expr]) -> Expr:
    """The expression with remainders of unknown numbers as uniform samples below the divisor.

    This resolves linear congruential generators: ``seed = (a * seed + c) % m``.
    """
    if all(symbol in spreads for symbol in expr.symbols()):
        return expr
    total = ZERO
    for monomial, number in expr.terms.items():
        product = constant(number)
        for atom in monomial:
            product = product * _followed_atom(atom, spreads, known)
        total = total + product
    return total


def _followed_atom(atom: Atom, spreads: dict[Symbol, Spread], known: dict[Apply, Expr]) -> Expr:
    if not isinstance(atom, Apply):
        return from_atom(atom)
    if atom not in known:
        divisor = atom.args[-1].constant
        if atom.op == "mod" and divisor is not None and divisor > 1:
            symbol = make_symbol(f"remainder {len(known)}", SymbolScope.DRAWN, nonnegative=True)
            spreads[symbol] = Spread(0, divisor, whole=True)
            known[atom] = from_atom(symbol)
        else:
            known[atom] = apply(atom.op, *(_followed(each, spreads, known) for each in atom.args))
    return known[atom]


def draws_of(interpreter: HostInterpreter, storage: Storage) -> Samples | None:
    """Samples of a buffer's values; None if unknown."""
    if storage.place is not None or storage.draws is not None:
        return storage.draws
    element = storage.element
    if element is None or element.pointers or element.name not in SCALARS:
        return None
    held = list(storage.elements.values())
    numbers = [each.value for each in held if isinstance(each, Scalar)]
    if len(numbers) < len(held):
        return None
    drawn = drawn_of_elements(interpreter, numbers)
    count = elements_of(interpreter, storage) or math.inf
    if numbers and len(numbers) >= NEARLY_ALL * count:
        return drawn
    if not isinstance(storage.fill, Scalar):
        return None
    rest = drawn_from(interpreter, storage.fill.value)
    if not numbers or rest is None:
        return rest
    if drawn is None or count == math.inf:
        return None
    return mixed([(len(numbers), drawn), (count - len(numbers), rest)], DRAWN)


def elements_of(interpreter: HostInterpreter, storage: Storage) -> float | None:
    """The number of elements for which a buffer has room; None if unknown."""
    if storage.within is not None:
        return elements_of(interpreter, storage.within)
    size = sizeof(interpreter, storage.element) if storage.element is not None else None
    width = interpreter.assumed_value(size) if size is not None else None
    room = interpreter.assumed_value(storage.size_bytes) if storage.size_bytes is not None else None
    return room / width if room is not None and width else None


def sum_of(interpreter: HostInterpreter, storage: Storage) -> float | None:
    """The sum of a buffer's numbers; None where it is not known."""
    if storage.total is not None:
        return storage.total
    draws, count = draws_of(interpreter, storage), elements_of(interpreter, storage)
    if not isinstance(draws, tuple) or count is None:
        return None
    return sum(draws) / len(draws) * count


def mixed(parts: Sequence[tuple[float, Sequence[float]]], count: int) -> tuple[float, ...]:
    """``count`` numbers, of each part in proportion to its share; one share at least is not 0."""
    whole = sum(share for share, _ in parts)
    found: list[float] = []
    passed = 0.0
    for share, numbers in parts:
        passed += share / whole
        found += spaced(numbers, round(passed * count) - len(found))
    return tuple(found)


def spaced(numbers: Sequence[float], count: int) -> tuple[float, ...]:
    """``count`` of the numbers, taken at even distances."""
    return tuple(numbers[at * len(numbers) // count] for at in range(count))


def normal_draws(mean: float, deviation: float) -> tuple[float, ...]:
    """Numbers of a normal distribution."""
    if deviation <= 0:
        return (mean,) * DRAWN
    from statistics import NormalDist  # noqa: PLC0415 - takes long to import, and few ask for it

    inverse = NormalDist(mean, deviation).inv_cdf
    return tuple(inverse((at + 0.5) / DRAWN) for at in range(DRAWN))
