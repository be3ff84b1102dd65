"""Symbolic expressions evaluated for many threads at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from roofline_core.algebra.folding import FOLD
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol

Lane = Any
"""A number, or an array with one number a lane."""
_FEW: Final = 256
"""Numbers of an array that are sorted as fast as looked up."""
_DENSE: Final = 64
"""Numbers of a range, for each one of an array, up to which marking those met beats sorting."""
_where: Final[Callable[..., Lane]] = np.where
"""To type checkers, ``numpy.where`` of numbers of any kind is a tuple."""
_LARGEST: Final = 2.0**62
"""Reals beyond this become integers of this magnitude."""


def distinct(values: Any) -> NDArray[Any]:
    """The different numbers of an array, in order: ``numpy.unique`` without what that imports."""
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def count_distinct(values: NDArray[Any]) -> int:
    """How many different numbers an array has."""
    if len(values) > _FEW:
        low, high = values.min(), values.max()
        if float(high) - float(low) < _DENSE * len(values):  # False for what is no number, too
            whole = (values - low).astype(np.int64)
            if values.dtype.kind in "iu" or np.array_equal(whole + low, values):
                met = np.zeros(int(high - low) + 1, dtype=bool)
                met[whole] = True
                return int(np.count_nonzero(met))
    return len(distinct(values))


def median(values: NDArray[Any]) -> float:
    """The median of an array that is not empty, as ``numpy.median`` has it."""
    ordered = np.sort(values, axis=None)
    count = len(ordered)
    return float(ordered[(count - 1) // 2] + ordered[count // 2]) / 2


def _c_div(a: Lane, b: Lane) -> Lane:
    if b.__class__ is int and 0 < b < _LARGEST:  # as most divisors are
        a = integers(a)
        return a // b if a.min(initial=0) >= 0 else np.where(a < 0, -(-a // b), a // b)
    a, b = integers(a), integers(b)
    safe = np.where(b == 0, 1, b)
    if np.min(a, initial=0) >= 0 and np.min(safe, initial=1) > 0:
        return a // safe
    quotient = np.abs(a) // np.abs(safe)
    return np.where((a < 0) == (safe < 0), quotient, -quotient)


def _c_mod(a: Lane, b: Lane) -> Lane:
    if b.__class__ is int and 0 < b < _LARGEST:
        a = integers(a)
        if a.min(initial=0) < 0:
            return np.fmod(a, b)
        # Quotients by one number are made at several times the speed of remainders.
        return a - a // b * b if b & (b - 1) else a & (b - 1)
    a, b = integers(a), integers(b)
    return np.fmod(a, np.where(b == 0, 1, b))


def _positive(a: Lane) -> Lane:
    return np.maximum(np.asarray(a, dtype=float), 1e-300)


_VECTOR: Final[Mapping[str, Callable[..., Lane]]] = {
    "div": _c_div,
    "mod": _c_mod,
    "fdiv": lambda a, b: np.asarray(a, dtype=float) / np.where(np.asarray(b) == 0, 1, b),
    "min": np.minimum,
    "max": np.maximum,
    "shl": lambda a, b: integers(a) << np.clip(integers(b), 0, 63),
    "shr": lambda a, b: integers(a) >> np.clip(integers(b), 0, 63),
    "and": lambda a, b: _bits(a) & _bits(b),
    "or": lambda a, b: _bits(a) | _bits(b),
    "xor": lambda a, b: _bits(a) ^ _bits(b),
    "lt": lambda a: _truth(np.asarray(a) < 0),
    "le": lambda a: _truth(np.asarray(a) <= 0),
    "eq": lambda a: _truth(np.asarray(a) == 0),
    "ne": lambda a: _truth(np.asarray(a) != 0),
    "land": lambda a, b: _truth((np.asarray(a) != 0) & (np.asarray(b) != 0)),
    "lor": lambda a, b: _truth((np.asarray(a) != 0) | (np.asarray(b) != 0)),
    "select": lambda a, b, c: _where(np.asarray(a) != 0, b, c),
    "trunc": lambda a: integers(np.trunc(a)),
    "floor": lambda a: integers(np.floor(a)),
    "ceil": lambda a: integers(np.ceil(a)),
    "abs": np.abs,
    "sqrt": lambda a: np.sqrt(np.maximum(a, 0)),
    "pow": lambda a, b: np.power(np.asarray(a, dtype=float), b),
    "log2": lambda a: np.log2(_positive(a)),
    "log": lambda a: np.log(_positive(a)),
    "exp": lambda a: np.exp(np.clip(a, -700, 700)),
    "sin": lambda a: np.sin(np.asarray(a, dtype=float)),
    "cos": lambda a: np.cos(np.asarray(a, dtype=float)),
    "mul": np.multiply,
    "whole": lambda a: a,
}

_COMPARISONS: Final = frozenset(("lt", "le", "eq", "ne"))
_LOGIC: Final = _COMPARISONS | {"land", "lor"}
"""What has a value only if it rests on no guess."""


def integers(a: Lane) -> Lane:
    """The numbers as 64-bit integers, those beyond their range as the largest."""
    array = np.asarray(a)
    kind = array.dtype.kind
    if kind == "u" and array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
    if kind in "iu":
        return array.astype(np.int64, copy=False)
    if kind == "O":
        array = array.astype(np.float64)
    if array.size and array.min() >= -_LARGEST and array.max() <= _LARGEST:  # as most are
        return array.astype(np.int64)
    numbers = np.where(np.isnan(array), 0.0, array)  # infinities are among what is beyond
    return np.minimum(np.maximum(numbers, -_LARGEST), _LARGEST).astype(np.int64)


def _bits(a: Lane) -> Lane:
    """The numbers as 64-bit integers, a mask such as ``~0ull << 32`` with the bits that it has."""
    array = np.asarray(a)
    return array.view(np.int64) if array.dtype == np.uint64 else integers(array)


def _reals(a: Lane) -> Lane:
    """The value in floats, integers beyond their range as infinities."""
    if isinstance(a, np.ndarray):
        return a.astype(np.float64)
    try:
        return np.float64(a)
    except OverflowError:
        return np.float64(math.inf if a > 0 else -math.inf)


def _truth(a: Lane) -> Lane:
    return np.asarray(a).astype(np.int64)


class Environment:
    """Values of symbols, with what has been computed from them remembered."""

    __slots__ = ("_complete", "_known", "_origin", "_values")

    def __init__(self, values: Mapping[Symbol, Lane]) -> None:
        self._values = dict(values)
        self._complete = True
        self._known: dict[Atom, Lane | None] = {}
        self._origin: tuple[Environment, Lane | None, frozenset[Symbol]] | None = None

    @property
    def values(self) -> dict[Symbol, Lane]:
        """The values of all symbols."""
        if not self._complete:
            assert self._origin is not None
            # What was put in later comes last, and before all in what it says.
            self._values = {**self._of_origin(), **self._values}
            self._complete = True
        return self._values

    @property
    def remembered(self) -> int:
        """How many operations it knows the values of."""
        return len(self._known)

    def _of_origin(self) -> dict[Symbol, Lane]:
        assert self._origin is not None
        source, keep, _ = self._origin
        return {symbol: _picked(value, keep) for symbol, value in source.values.items()}

    def value(self, symbol: Symbol) -> Lane | None:
        """The value of a symbol; None if it has none.

        It is fetched from the environment this one was made from at need: most environments are
        asked for few of their symbols.
        """
        found = self._values.get(symbol)
        if found is None and not self._complete and self._origin is not None:
            source, keep, _ = self._origin
            found = _picked(source.value(symbol), keep)
            if found is not None:
                self._values[symbol] = found
        return found

    def evaluate(self, expr: Expr) -> Lane | None:
        """The number, or one number a lane; None where a symbol has no value.

        None too where a number has no finite value. Never raises.
        """
        try:
            total = self._sum(expr)
            if isinstance(total, (int, float)) and not math.isfinite(total):
                return None
        except (ArithmeticError, ValueError, TypeError):
            # Integers that no array, or no float, can hold: once more in floats.
            return self._sum_of_reals(expr)
        except RecursionError:
            return None
        return total

    def _sum(self, expr: Expr) -> Lane | None:
        if expr.constant is not None:
            return expr.constant
        total: Lane = 0
        values = cast("dict[Atom, Lane]", self._values)  # of symbols, most of what is met
        for monomial, coefficient in expr.terms.items():
            product: Lane = coefficient
            for atom in monomial:
                value = values.get(atom)
                if value is None:
                    value = self._atom(atom)
                    if value is None:
                        return None
                alone = product.__class__ is int and product == 1 and _is_whole(value)
                product = value if alone else product * value
            first = total.__class__ is int and total == 0 and _is_whole(product)
            total = product if first else total + product
        return total

    def _sum_of_reals(self, expr: Expr) -> Lane | None:
        try:
            with np.errstate(all="ignore"):
                total: Lane = 0.0
                for monomial, coefficient in expr.terms.items():
                    product: Lane = _reals(coefficient)
                    for atom in monomial:
                        product = product * _reals(self._atom(atom))
                    total = total + product
                if isinstance(total, np.ndarray) and total.ndim:
                    return total
                return float(total) if np.isfinite(total) else None
        except (ArithmeticError, ValueError, TypeError):
            return None

    def _atom(self, atom: Atom) -> Lane | None:
        if isinstance(atom, Symbol):
            return self.value(atom)
        if atom in self._known:
            return self._known[atom]
        assert isinstance(atom, Apply)
        result = self._inherited(atom)
        if result is None:
            result = self._apply(atom)
        self._known[atom] = result
        return result

    def _apply(self, atom: Apply) -> Lane | None:
        if atom.op == "select":
            return self._select(atom)
        found = [self.evaluate(argument) for argument in atom.args]
        args = [arg for arg in found if arg is not None]
        if len(args) < len(found):
            return self._partial(atom, found)
        if atom.op in _COMPARISONS and self._rests_on_guess(atom.args[0]):
            return None
        if not any(isinstance(arg, np.ndarray) for arg in args):
            try:
                return FOLD[atom.op](*args)
            except (ArithmeticError, ValueError, KeyError):
                return None
        vector = _VECTOR.get(atom.op)
        if vector is None:
            return None
        with np.errstate(all="ignore"):
            try:
                return vector(*args)
            except (ArithmeticError, ValueError, TypeError):
                return vector(*map(_reals, args))

    def _partial(self, atom: Apply, args: list[Lane | None]) -> Lane | None:
        """Logic decided by one side alone."""
        known = next((arg for arg in args if arg is not None), None)
        if known is None or isinstance(known, np.ndarray):
            return None
        if atom.op == "land" and not known:
            return 0
        if atom.op == "lor" and known:
            return 1
        return None

    def _select(self, atom: Apply) -> Lane | None:
        condition = self.evaluate(atom.args[0])
        if condition is None:
            then, otherwise = (self.evaluate(argument) for argument in atom.args[1:])
            # Either side is a better guess than none.
            return then if then is not None else otherwise
        if not isinstance(condition, np.ndarray):
            return self.evaluate(atom.args[1 if condition else 2])
        then, otherwise = (self.evaluate(argument) for argument in atom.args[1:])
        if then is None or otherwise is None:
            return None
        return _where(condition != 0, then, otherwise)

    def _rests_on_guess(self, expr: Expr) -> bool:
        """Whether a side of a ``select`` was taken though its condition has no value.

        That is good enough for a size, and decides no comparison.
        """
        if all(self.value(symbol) is not None for symbol in expr.symbols()):
            return False
        for atom in expr.atoms():
            if not isinstance(atom, Apply) or atom.op in _LOGIC:
                continue
            parts = atom.args
            if atom.op == "select":
                condition = self.evaluate(parts[0])
                if condition is None:
                    return True
                if not isinstance(condition, np.ndarray):
                    parts = (parts[0], parts[1 if condition else 2])
            if any(map(self._rests_on_guess, parts)):
                return True
        return False

    def _inherited(self, atom: Apply) -> Lane | None:
        """What the environment this one was made from has computed, for the lanes kept."""
        if self._origin is None:
            return None
        source, keep, changed = self._origin
        if not changed.isdisjoint(atom.symbols):
            return None
        found = source._known.get(atom)
        if found is None:
            found = source._inherited(atom)
        return _picked(found, keep)

    def restricted(self, keep: Lane) -> Environment:
        """The environment of the lanes that an index array or mask picks."""
        made = Environment({})
        made._origin = (self, keep, frozenset())
        made._complete = False
        return made

    def extended(self, symbol: Symbol, value: Lane) -> Environment:
        """The environment with one more symbol; what does not depend on it stays known."""
        return self.with_values({symbol: value})

    def with_values(self, values: Mapping[Symbol, Lane]) -> Environment:
        """The environment with these values; what depends on none of the symbols stays known."""
        made = Environment(values)
        made._origin = (self, None, frozenset(values))
        made._complete = False
        return made


def _is_whole(value: Lane) -> bool:
    """Whether it is an array of integers, which one times it and nothing more are again."""
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "iu"


def _picked(value: Lane | None, keep: Lane | None) -> Lane | None:
    """The lanes of a value that an index array or mask picks; None picks all."""
    if keep is not None and isinstance(value, np.ndarray) and value.ndim:
        return value[keep]
    return value
