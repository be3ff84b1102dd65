"""Symbolic numbers as a programmer writes them: ``i < n`` for ``lt(i - 1*n)``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Final

from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Monomial, Symbol, from_atom

LONGEST: Final = 160
"""Characters of a formula; a longer one is cut."""
_MOST_ATOMS: Final = 60
"""Operands that are shared are written out each time, so their number is bounded."""
_CUT: Final = "..."

_COMPARISONS: Final = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_TURNED: Final = {"<": ">", "<=": ">="}
"""With the sides exchanged: ``argc > 1`` reads better than ``1 < argc``."""
_OPERATORS: Final = {
    "lor": ("||", 1),
    "land": ("&&", 2),
    "or": ("|", 3),
    "xor": ("^", 4),
    "and": ("&", 5),
    "shl": ("<<", 8),
    "shr": (">>", 8),
    "div": ("/", 10),
    "fdiv": ("/", 10),
    "mod": ("%", 10),
    "mul": ("*", 10),
}
"""How tightly operators bind, as in C; functions and names bind tightest."""
_SELECT, _EQUAL, _LESS, _SUM, _PRODUCT, _NAME = 0, 6, 7, 9, 10, 11

_Text = tuple[str, int]
"""A formula and how tightly its outermost operator binds."""


Names = Mapping[Expr, str]
"""What parts of formulas are called instead of being written out."""


def formula(expr: Expr | None, names: Names = MappingProxyType({})) -> str | None:
    """An expression in C's notation, cut to ``LONGEST`` characters; None for None.

    Divisions are C's: those of integers truncate.
    """
    if expr is None:
        return None
    text = _Writer(names).sum(expr)[0]
    return text if len(text) <= LONGEST else text[: LONGEST - len(_CUT)] + _CUT


def informative(expr: Expr | None, names: Names = MappingProxyType({})) -> str | None:
    """The formula of an expression that is more than a number, else None."""
    return None if expr is None or expr.constant is not None else formula(expr, names)


class _Writer:
    """Writes one formula."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._left = _MOST_ATOMS

    def sum(self, expr: Expr) -> _Text:
        """The terms, those that are added first, with what all share put before them."""
        if expr.constant is not None:
            text = _number(expr.constant)
            return text, _SUM if text.startswith("-") else _NAME
        if expr in self._names:
            return self._names[expr], _NAME
        shared = _shared(list(expr.terms.values()))
        if shared != 1 and len(expr.terms) > 1:
            inner = Expr({m: _divided(c, shared) for m, c in expr.terms.items()})
            return f"{_number(shared)}*{_wrapped(self.sum(inner), _PRODUCT)}", _PRODUCT
        added = [(m, c) for m, c in expr.terms.items() if c > 0]
        taken = [(m, -c) for m, c in expr.terms.items() if c <= 0]
        # Numbers last, as people write them.
        added.sort(key=lambda term: not term[0])
        taken.sort(key=lambda term: not term[0])
        if not added:
            first, *taken = taken
            text = f"-{_wrapped(self._term(*first), _PRODUCT)}"
        else:
            text = self._joined(added)
            if len(added) == 1 and not taken:
                return text, self._tightness(*added[0])
        for term in taken:
            text += f" - {_wrapped(self._term(*term), _PRODUCT)}"
        return text, _SUM

    def _joined(self, terms: Sequence[tuple[Monomial, Number]]) -> str:
        if len(terms) == 1:
            return self._term(*terms[0])[0]
        return " + ".join(_wrapped(self._term(*term), _SUM) for term in terms)

    def _tightness(self, monomial: Monomial, number: Number) -> int:
        if number == 1 and len(monomial) == 1:
            atom = monomial[0]
            named = isinstance(atom, Symbol) or from_atom(atom) in self._names
            return _NAME if named or not isinstance(atom, Apply) else _binding(atom)
        return _NAME if not monomial else _PRODUCT

    def _term(self, monomial: Monomial, number: Number) -> _Text:
        if not monomial:
            return _number(number), _NAME
        if number == 1 and len(monomial) == 1:
            return self._atom(monomial[0])
        factors = [] if number == 1 else [_number(number)]
        # A product goes from left to right, so that only a quotient at its beginning can go bare.
        factors += [_wrapped(self._atom(atom), _NAME) for atom in monomial]
        return "*".join(factors), _PRODUCT

    def _atom(self, atom: Atom) -> _Text:
        self._left -= 1
        if self._left < 0:
            return _CUT, _NAME
        named = self._names.get(from_atom(atom)) if self._names else None
        if named is not None or isinstance(atom, Symbol):
            return named or str(atom), _NAME
        assert isinstance(atom, Apply)
        if atom.op in _COMPARISONS:
            return self._comparison(atom)
        if atom.op == "select":
            test, one, other = (_wrapped(self.sum(each), _SELECT + 1) for each in atom.args)
            return f"{test} ? {one} : {other}", _SELECT
        if atom.op in _OPERATORS and len(atom.args) == 2:
            sign, level = _OPERATORS[atom.op]
            left, right = self.sum(atom.args[0]), self.sum(atom.args[1])
            return f"{_wrapped(left, level)} {sign} {_wrapped(right, level + 1)}", level
        if atom.op == "whole" and len(atom.args) == 1:
            return self.sum(atom.args[0])
        return f"{atom.op}({', '.join(self.sum(each)[0] for each in atom.args)})", _NAME

    def _comparison(self, atom: Apply) -> _Text:
        """``a - b < 0`` as ``a < b``: what is taken away goes to the other side."""
        terms = atom.args[0].terms
        left = Expr({m: c for m, c in terms.items() if c > 0})
        right = Expr({m: -c for m, c in terms.items() if c < 0})
        level = _EQUAL if atom.op in ("eq", "ne") else _LESS
        sign = _COMPARISONS[atom.op]
        if left.constant is not None and right.constant is None:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        sides = (_wrapped(self.sum(side), level + 1) for side in (left, right))
        return f" {sign} ".join(sides), level


def _binding(atom: Apply) -> int:
    if atom.op in _COMPARISONS:
        return _EQUAL if atom.op in ("eq", "ne") else _LESS
    if atom.op == "select":
        return _SELECT
    if atom.op == "whole":
        return _SELECT
    return _OPERATORS[atom.op][1] if atom.op in _OPERATORS else _NAME


def _wrapped(text: _Text, level: int) -> str:
    """In parentheses unless it binds as tightly as is needed here."""
    return text[0] if text[1] >= level else f"({text[0]})"


def _shared(numbers: Sequence[Number]) -> int:
    """The largest whole number that divides all coefficients; 1 where one is no whole number."""
    if any(isinstance(number, float) and not number.is_integer() for number in numbers):
        return 1
    return max(1, reduce(math.gcd, (abs(int(number)) for number in numbers)))


def _divided(number: Number, by: int) -> Number:
    return int(number) // by


def _number(number: Number) -> str:
    if isinstance(number, float):
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.6g}"
    return str(number)
