"""Formulas of budgets and sizes: numbers, names, ``+ - * /``, brackets: ``12*(n + 2)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record

MOST_TOKENS: Final = 200
"""The longest formula. A limit on the work."""
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?P<unit>[KMGT]i|[kKMGT])?(?![\w.])"
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<sign>[-+*/()]))"
)
_UNITS: Final = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12} | {
    f"{prefix}i": 1024.0**power for power, prefix in enumerate("KMGT", 1)
}

Values = Mapping[str, float]
_Node = Callable[[Values], float]


class ContractError(RooflineError):
    """A contract that is not understood, with the remedy."""


@record(frozen=True, slots=True)
class Formula:
    """A formula as it is written, and the names in it."""

    text: str
    names: tuple[str, ...]
    value: _Node
    """Its value by the values of all its names; raises ZeroDivisionError and OverflowError."""


def read_formula(text: str) -> Formula:
    """A formula. Raises ContractError naming what is not understood."""
    tokens = _tokens(text)
    reader = _FormulaReader(tokens, text)
    value = reader.sum()
    if (left := reader.next()) is not None:
        raise ContractError(f"'{left}' is one too many in '{text.strip()}'")
    names = dict.fromkeys(token for kind, token in tokens if kind == "name")
    return Formula(text.strip(), tuple(names), value)


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            rest = text[at:].strip()
            raise ContractError(
                f"'{rest}' is not understood; a formula has numbers (4096, 1.5e9, 12M), names of"
                " arguments, + - * / and brackets"
            )
        kind = str(found.lastgroup if found.lastgroup != "unit" else "number")
        token = found[kind] + (found["unit"] or "" if kind == "number" else "")
        tokens.append((kind, token))
        if len(tokens) > MOST_TOKENS:
            raise ContractError(f"a formula of more than {MOST_TOKENS} parts")
        at = found.end()
    return tokens


class _FormulaReader:
    """Reads tokens by the usual precedence; each method gives the value of what it read."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self._tokens = tokens
        self._text = text.strip()
        self._at = 0

    def next(self) -> str | None:
        """The token that comes next; None at the end."""
        return self._tokens[self._at][1] if self._at < len(self._tokens) else None

    def sum(self) -> _Node:
        """Terms with ``+`` and ``-`` between them."""
        left = self._product()
        while (sign := self.next()) in ("+", "-"):
            self._at += 1
            left = _joined(str(sign), left, self._product())
        return left

    def _product(self) -> _Node:
        left = self._factor()
        while (sign := self.next()) in ("*", "/"):
            self._at += 1
            left = _joined(str(sign), left, self._factor())
        return left

    def _factor(self) -> _Node:
        if self._at >= len(self._tokens):
            raise ContractError(f"'{self._text}' ends where a number or a name belongs")
        kind, token = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _constant(_number(token))
        if kind == "name":
            return _named(token)
        if token == "-":
            negated = self._factor()
            return lambda values: -negated(values)
        if token != "(":
            raise ContractError(f"'{token}' stands where a number or a name belongs")
        inner = self.sum()
        if self.next() != ")":
            raise ContractError(f"a bracket of '{self._text}' is not closed")
        self._at += 1
        return inner


def _number(token: str) -> float:
    digits = token.rstrip("kKMGTi")
    return float(digits) * _UNITS[token[len(digits) :]]


def _constant(number: float) -> _Node:
    return lambda _: number


def _named(name: str) -> _Node:
    return lambda values: values[name]


def _joined(sign: str, left: _Node, right: _Node) -> _Node:
    if sign == "+":
        return lambda values: left(values) + right(values)
    if sign == "-":
        return lambda values: left(values) - right(values)
    if sign == "*":
        return lambda values: left(values) * right(values)
    return lambda values: left(values) / right(values)
