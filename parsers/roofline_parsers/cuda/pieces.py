"""Cutting functions out of a text whose brackets, quotes or comments do not match."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from roofline_parsers.preprocess.tokens import OPAQUE

GLOBAL = re.compile(rb"__global__(?!\w)")
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)
_VISIBLE = re.compile(rb"[^\n]")
_BRACE = re.compile(rb"[{}]")
_BOUNDARY = re.compile(rb"[;{}]")
_HEADER_END = re.compile(rb"[;{]")
_HEADER = re.compile(
    rb"^(?!(?:if|for|while|switch|catch|return|else|do|case|goto|throw|delete|typedef|using)\b)"
    rb"[A-Za-z_][^;{}()\n]*\(",
    re.MULTILINE,
)
"""The first line of what may be a function: it begins its line, and a function is rarely found
in another that is indented."""
_CLASS = re.compile(
    rb"^(?:typedef\s+)?(?:struct|class|union)\b[^;{}()=]*(?:\([^;{}()]*\)[^;{}()=]*)?\{",
    re.MULTILINE,
)
_NESTED = rb"[^()]*"
for _ in range(3):
    _NESTED = rb"[^()]*(?:\(" + _NESTED + rb"\)[^()]*)*"
_ATTRIBUTE = re.compile(rb"\b(?:__\w+|alignas)\s*\(" + _NESTED + rb"\)")
_HEAD = re.compile(
    rb"(?:\btemplate\s*<[^;{}]*>\s*)?"
    rb"(?:(?:static|inline|extern|constexpr|const|void|__\w+__(?:\s*\([^(){};]*\))?|\[\[[^\]]*\]\])"
    rb"\s*)*\Z"
)
_NAMESPACE = re.compile(rb"\bnamespace\s+([\w:]+)\s*\Z|\bnamespace\s*\Z|\bextern\s*\Z")
_LOOK_BACK = 400
"""Bytes before a function's header in which its ``template <...>`` may stand."""


def _blank(found: re.Match[bytes]) -> bytes:
    return _VISIBLE.sub(b" ", found.group())


def _as_boundary(found: re.Match[bytes]) -> bytes:
    return b";".ljust(len(found.group()))


class _Scope(NamedTuple):
    """A namespace and those around it; joined to a text only where one asks for it."""

    name: str
    """With its ``::``."""
    outer: _Scope | None


class Pieces:
    """A text with comments, literals and directives out of the way; offsets are the text's.

    An anchor is a place where a function or class seems to begin: at a ``__global__``, or on a
    line that starts without indentation and opens a parenthesis or defines a class.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.bare = _DIRECTIVE.sub(_as_boundary, OPAQUE.sub(_blank, b"\n" + text)[1:])
        """Comments and literals as blanks, each directive as a ``;``."""

    @cached_property
    def kernels(self) -> frozenset[int]:
        """The anchors that are a ``__global__``."""
        return frozenset(match.start() for match in GLOBAL.finditer(self.bare))

    @cached_property
    def classes(self) -> frozenset[int]:
        """The anchors of classes that are defined, not only named."""
        return frozenset(match.start() for match in _CLASS.finditer(self.bare))

    @cached_property
    def anchors(self) -> list[int]:
        """Where functions and classes seem to begin, in order; one anchor for each header."""
        lines = {match.start() for match in _HEADER.finditer(self.bare)} - self.classes
        found: list[int] = []
        for start in sorted(lines | self.kernels | self.classes):
            if found and start not in self.classes and self._same_header(found[-1], start):
                if start not in self.kernels:
                    continue
                if found[-1] not in self.kernels:
                    found.pop()
            found.append(start)
        return found

    def _same_header(self, first: int, second: int) -> bool:
        """Whether nothing but specifiers stands between two places."""
        between = _ATTRIBUTE.sub(b"", self.bare[first:second])
        return not re.search(rb"[;{}(]", between)

    def is_definition(self, anchor: int) -> bool:
        """Whether a ``{`` comes before any ``;``: a prototype has nothing to lose."""
        match = _HEADER_END.search(self.bare, anchor, self.after(anchor))
        return match is not None and match.group() == b"{"

    def first_anchor(self, start: int, end: int) -> int | None:
        """The first anchor between two places."""
        index = bisect_left(self.anchors, start)
        return (
            self.anchors[index] if index < len(self.anchors) and self.anchors[index] < end else None
        )

    def after(self, anchor: int, among: Sequence[int] | None = None) -> int:
        """Where the text of an anchor's function must end: before the next function's header.

        ``among`` are the anchors that count, in order; all of them if it is None.
        """
        among = self.anchors if among is None else among
        index = bisect_right(among, anchor)
        if index == len(among):
            return len(self.text)
        begin = self.boundary(among[index])
        return begin if begin > anchor else among[index]

    def is_named(self, anchor: int) -> bool:
        """Whether a type or specifier stands before the name: ``FOR (i) {`` has none."""
        opening = self.bare.find(b"(", anchor)
        return len(self.bare[self.boundary(anchor) : max(opening, anchor)].split()) > 1

    def boundary(self, anchor: int) -> int:
        """Where the declaration begins that an anchor stands in, by the last ``;`` or brace.

        A template's ``<...>`` stays with it. At most 400 bytes before.
        """
        begin = max(0, anchor - _LOOK_BACK)
        for match in _BOUNDARY.finditer(self.bare, begin, anchor):
            begin = match.end()
        return begin

    def head(self, anchor: int) -> int:
        """Where it begins if nothing but specifiers and ``template <...>`` may come before."""
        begin = max(0, anchor - _LOOK_BACK)
        found = _HEAD.search(self.bare[begin:anchor])
        return begin + found.start() if found else anchor

    def closing(self, anchor: int, limit: int) -> int:
        """After the brace that closes the body of a function; ``limit`` where none does."""
        depth = 0
        for match in _BRACE.finditer(self.bare, anchor, limit):
            if match.group() == b"{":
                depth += 1
                continue
            depth -= 1
            if depth <= 0:
                return match.end()
        return limit

    def balanced(self, begin: int, end: int) -> bytes:
        """A part of the text with the closing braces that it lacks."""
        depth = 0
        for match in _BRACE.finditer(self.bare, begin, end):
            depth = depth + 1 if match.group() == b"{" else max(0, depth - 1)
        return self.text[begin:end] + b"}" * depth

    @cached_property
    def _namespaces(self) -> list[tuple[int, _Scope | None]]:
        """Where the enclosing namespaces change, and what they are from there, innermost first."""
        found: list[tuple[int, _Scope | None]] = [(0, None)]
        stack: list[tuple[bool, _Scope | None]] = []
        scope: _Scope | None = None
        last = 0
        for match in _BRACE.finditer(self.bare):
            changes = False
            if match.group() == b"{":
                named = _NAMESPACE.search(self.bare, max(last, match.start() - 200), match.start())
                changes = named is not None and bool(named[1])
                stack.append((changes, scope))
                if named is not None and changes:
                    scope = _Scope(f"{named[1].decode()}::", scope)
            elif stack:
                changes, scope = stack.pop()
            last = match.end()
            if changes:
                found.append((last, scope))
        return found

    def prefix(self, offset: int) -> str:
        """The namespaces around a place, ``a::b::``, as far as braces tell."""
        index = bisect_right(self._namespaces, offset, key=lambda entry: entry[0]) - 1
        scope = self._namespaces[index][1]
        names: list[str] = []
        while scope is not None:
            names.append(scope.name)
            scope = scope.outer
        return "".join(reversed(names))
