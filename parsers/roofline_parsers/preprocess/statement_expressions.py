"""GNU statement expressions, ``({ ...; value; })``, which the grammar does not know.

They become lambdas called in place, ``[&]{ ...; return value; }()``, which mean the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from roofline_parsers.preprocess.structure import opaque_spans
from roofline_parsers.preprocess.tokens import OPAQUE

_BRACKET = re.compile(rb"[(){};]|" + OPAQUE.pattern)
_STATEMENT = re.compile(rb"\s*(?:(?:if|for|while|do|switch|return|goto|break|continue)\b|[{};]|\Z)")


_MAX_BYTES = 1 << 16
"""Length of a statement expression."""
_MAX_UNCLOSED = 16
"""Open ones after which the rest of a file is left as it is."""


@dataclass(slots=True)
class _Open:
    """A bracket that is open, with the last ends of statements directly inside it."""

    position: int
    after_paren: bool = False
    """A brace directly after an open parenthesis."""
    ends: list[int] = field(default_factory=list)
    statements: bool = False
    """It holds a semicolon, however deep: a block rather than a list of values."""
    closed_brace: tuple[int, _Open] | None = None
    """Of a parenthesis: the end of the brace that may end it, and that brace."""

    def end_statement(self, position: int) -> None:
        """Takes note of a semicolon."""
        self.ends = [*self.ends[-1:], position]
        self.statements = True

    def close_brace(self, inner: _Open, position: int) -> None:
        """Takes note of a brace that closed."""
        self.statements |= inner.statements
        if inner.statements and inner.after_paren:
            self.closed_brace = (position, inner)
        elif inner.statements:
            self.ends = [*self.ends[-1:], position]

    @property
    def value_start(self) -> int:
        """Of a brace: where its last statement begins."""
        return self.ends[0] if len(self.ends) > 1 else self.position + 1


def rewrite_statement_expressions(text: bytes) -> tuple[bytes, set[int]]:
    """Gives the text with lambdas for statement expressions, and the 1-based lines it changed."""
    edits: list[tuple[int, int, bytes]] = []
    changed: set[int] = set()
    line = 1
    counted = 0
    for start, end, value in sorted(_find(text)):
        line += text.count(b"\n", counted, start)
        counted = start
        changed.update(range(line, line + text.count(b"\n", start, end) + 1))
        edits.append((start, start + 1, b"[&]"))
        edits.append((end - 1, end, b"()"))
        if not _STATEMENT.match(text, value, end - 2):
            edits.append((value, value, b" return"))
    return (_apply(text, edits), changed) if edits else (text, changed)


def _apply(text: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    last = 0
    for start, end, replacement in sorted(edits):
        pieces += (text[last:start], replacement)
        last = end
    pieces.append(text[last:])
    return b"".join(pieces)


def _find(text: bytes) -> list[tuple[int, int, int]]:
    """Start and end of each statement expression, and where its last statement begins."""
    found: list[tuple[int, int, int]] = []
    starts, ends = opaque_spans(text)
    position = text.find(b"({")
    tries = _MAX_UNCLOSED
    while position >= 0 and tries:
        index = bisect_right(starts, position) - 1
        if index >= 0 and position < ends[index]:
            after = ends[index]
        else:
            end = _scan(text, position, found)
            tries -= end is None
            after = position + 2 if end is None else end
        position = text.find(b"({", after)
    return found


def _scan(text: bytes, start: int, found: list[tuple[int, int, int]]) -> int | None:
    """Goes from an open parenthesis to its end, which it gives, noting what it finds inside.

    None, with nothing noted, if the parenthesis does not end.
    """
    noted: list[tuple[int, int, int]] = []
    stack: list[_Open] = []
    previous_end = -1
    for match in _BRACKET.finditer(text, start, start + _MAX_BYTES):
        bracket = match[0]
        position = match.start()
        if bracket in (b"(", b"{"):
            directly = bool(stack) and previous_end == stack[-1].position + 1 == position
            stack.append(_Open(position, bracket == b"{" and directly))
        elif bracket == b";":
            stack[-1].end_statement(position + 1)
        elif bracket == b"}":
            inner = stack.pop()
            if not stack:
                return None
            stack[-1].close_brace(inner, position + 1)
        elif bracket == b")":
            outer = stack.pop()
            brace = outer.closed_brace
            if brace and not text[brace[0] : position].strip():
                noted.append((outer.position, position + 1, brace[1].value_start))
            if not stack:
                found += noted
                return position + 1
            stack[-1].statements |= outer.statements
        previous_end = match.end()
    return None
