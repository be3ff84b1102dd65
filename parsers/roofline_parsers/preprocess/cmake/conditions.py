"""Conditions of ``if``: true, false, or None where that is not known.

https://cmake.org/cmake/help/latest/command/if.html
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Final

from roofline_parsers.preprocess.cmake.syntax import CMakeArgument
from roofline_parsers.preprocess.cmake.values import UNKNOWN, CMakeVariables, elements

Truth = bool | None
"""None: not known."""

_TRUE: Final = frozenset({"1", "ON", "YES", "TRUE", "Y"})
_FALSE: Final = frozenset({"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"})
_NUMBER: Final = re.compile(r"[-+]?\d{1,18}(?:\.\d{0,18})?")
_MOST_NESTED: Final = 40
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "LESS": operator.lt,
    "GREATER": operator.gt,
    "EQUAL": operator.eq,
    "LESS_EQUAL": operator.le,
    "GREATER_EQUAL": operator.ge,
}
_BINARY: Final = frozenset(
    {"MATCHES", "IN_LIST", "PATH_EQUAL", "IS_NEWER_THAN"}
    | {f"{kind}{order}" for kind in ("", "STR", "VERSION_") for order in _ORDERS}
)
_UNARY: Final = frozenset(
    {
        "COMMAND",
        "DEFINED",
        "EXISTS",
        "IS_ABSOLUTE",
        "IS_DIRECTORY",
        "IS_EXECUTABLE",
        "IS_READABLE",
        "IS_SYMLINK",
        "POLICY",
        "TARGET",
        "TEST",
    }
)


def is_constant(text: str) -> Truth:
    """What a constant says; None for a text that is none."""
    upper = text.upper()
    if upper in _FALSE or upper.endswith("-NOTFOUND"):
        return False
    if upper in _TRUE:
        return True
    return float(text) != 0 if _NUMBER.fullmatch(text) else None


def value_is_true(text: str) -> Truth:
    """Whether a variable's value counts as true; None if a part of it is unknown."""
    if UNKNOWN in text:
        return None
    return is_constant(text) is not False


def negated(truth: Truth) -> Truth:
    """The opposite; what is unknown stays so."""
    return None if truth is None else not truth


class CMakeCondition:
    """One condition; ``truth`` evaluates it."""

    def __init__(
        self,
        arguments: tuple[CMakeArgument, ...],
        variables: CMakeVariables,
        ask: Callable[[str, str], Truth],
    ) -> None:
        """``ask`` answers what is no matter of variables: ``TARGET name``, ``EXISTS path``."""
        self._variables = variables
        self._ask = ask
        self._words: list[tuple[str, bool]] = []
        for argument in arguments:
            if argument.quoted:
                text = argument.text if argument.literal else variables.expand(argument.text)
                self._words.append((text, True))
            else:
                self._words += [(word, False) for word in _words(argument.text, variables)]
        self._at = 0
        self._depth = 0

    def truth(self) -> Truth:
        """Whether it holds; None where that is not known or it is malformed."""
        found = self._any()
        return found if self._at == len(self._words) else None

    def _next(self, word: str) -> bool:
        if self._at < len(self._words) and self._words[self._at] == (word, False):
            self._at += 1
            return True
        return False

    def _any(self) -> Truth:
        found = self._all()
        while self._next("OR"):
            other = self._all()
            found = True if found or other else None if None in (found, other) else False
        return found

    def _all(self) -> Truth:
        found = self._not()
        while self._next("AND"):
            other = self._not()
            found = False if False in (found, other) else None if None in (found, other) else True
        return found

    def _not(self) -> Truth:
        odd = False
        while self._next("NOT"):
            odd = not odd
        found = self._test()
        return negated(found) if odd else found

    def _test(self) -> Truth:
        if self._next("("):
            self._depth += 1
            if self._depth > _MOST_NESTED:
                self._at = len(self._words) + 1
                return None
            found = self._any()
            self._depth -= 1
            return found if self._next(")") else None
        if self._at >= len(self._words):
            return False
        word, quoted = self._words[self._at]
        self._at += 1
        if not quoted and word in _UNARY and self._at < len(self._words):
            self._at += 1
            return self._unary(word, self._words[self._at - 1][0])
        if self._at + 1 < len(self._words):
            test, _ = self._words[self._at]
            if test in _BINARY:
                other = self._words[self._at + 1]
                self._at += 2
                return self._binary(test, (word, quoted), other)
        return self._alone(word, quoted)

    def _alone(self, word: str, quoted: bool) -> Truth:
        if UNKNOWN in word:
            return None
        constant = is_constant(word)
        if constant is not None or quoted:
            return bool(constant)
        value = self._variables.get(word)
        return False if value is None else value_is_true(value)

    def _unary(self, test: str, word: str) -> Truth:
        if UNKNOWN in word:
            return None
        if test == "DEFINED":
            if word.startswith("ENV{"):
                return None
            value = self._variables.get(word.removeprefix("CACHE{").removesuffix("}"))
            return None if value == UNKNOWN else value is not None
        if test == "IS_ABSOLUTE":
            return word.startswith("/")
        return True if test == "POLICY" else self._ask(test, word)

    def _operand(self, word: tuple[str, bool]) -> str:
        text, quoted = word
        value = None if quoted else self._variables.get(text)
        return text if value is None else value

    def _binary(self, test: str, one: tuple[str, bool], two: tuple[str, bool]) -> Truth:
        left = self._operand(one)
        if test == "IN_LIST":
            inside = self._variables.get(two[0]) or ""
            found = left in elements(inside)
            return None if UNKNOWN in left + inside and not found else found
        right = two[0] if test == "MATCHES" else self._operand(two)
        if UNKNOWN in left + right:
            return None
        if test == "MATCHES":
            return matches(right, left)
        if test == "PATH_EQUAL":
            return left == right
        for kind, read in (("STR", str), ("VERSION_", _version), ("", _number)):
            order = _ORDERS.get(test.removeprefix(kind)) if test.startswith(kind) else None
            if order is not None:
                first, second = read(left), read(right)
                return None if first is None or second is None else order(first, second)
        return None


def _words(text: str, variables: CMakeVariables) -> list[str]:
    return [text] if text in {"(", ")"} else elements(variables.expand(text))


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _version(text: str) -> tuple[int, ...] | None:
    parts = re.findall(r"\d{1,9}", text[:64])
    numbers = [int(part) for part in parts]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def matches(pattern: str, text: str) -> Truth:
    """Whether a regular expression is found in a text; None for one that could take long."""
    repeats = len(re.findall(r"(?<!\\)[*+]", pattern))
    if repeats > 2 or re.search(r"\)[*+]", pattern) or len(pattern) > 200 or len(text) > 400:
        return None
    try:
        return re.search(pattern, text) is not None
    except (re.error, OverflowError, RecursionError):
        return None
