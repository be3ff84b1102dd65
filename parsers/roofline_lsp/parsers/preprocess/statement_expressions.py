"""GNU statement expressions, ``({ ...; value; })``, which the grammar does not know.

They become lambdas called in place, ``[&]{ ...; return value; }()``, which mean the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roofline_lsp.parsers.preprocess.tokens import OPAQUE

_BRACKET = re.compile(rb"[(){};]|" + OPAQUE.pattern)
_TYPEOF = re.compile(rb"(?<!\w)(?:__)?typeof(?:__)?(?=\s*\()")
_STATEMENT = re.compile(rb"\s*(?:(?:if|for|while|do|switch|return|goto|break|continue)\b|[{};]|\Z)")


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
        pieces += (
            _TYPEOF.sub(b"decltype", text[last:start]) if last else text[:start],
            replacement,
        )
        last = end
    pieces.append(text[last:])
    return b"".join(pieces)


def _find(text: bytes) -> list[tuple[int, int, int]]:
    """Start and end of each statement expression, and where its last statement begins."""
    found: list[tuple[int, int, int]] = []
    stack: list[_Open] = []
    previous_end = -1
    for match in _BRACKET.finditer(text):
        bracket = match[0]
        position = match.start()
        if bracket in (b"(", b"{"):
            after_paren = (
                bracket == b"{"
                and bool(stack)
                and previous_end == stack[-1].position + 1
                and not text[previous_end:position].strip()
            )
            stack.append(_Open(position, after_paren))
        elif bracket == b";":
            if stack:
                stack[-1].ends = [*stack[-1].ends[-1:], position + 1]
                stack[-1].statements = True
        elif bracket == b"}":
            inner = stack.pop() if stack else None
            if inner and stack:
                stack[-1].statements |= inner.statements
                if inner.after_paren and inner.statements:
                    stack[-1].closed_brace = (position + 1, inner)
                elif inner.statements:
                    stack[-1].ends = [*stack[-1].ends[-1:], position + 1]
        elif bracket == b")" and stack:
            outer = stack.pop()
            if stack:
                stack[-1].statements |= outer.statements
            if outer.closed_brace and not text[outer.closed_brace[0] : position].strip():
                inner = outer.closed_brace[1]
                value = inner.ends[0] if len(inner.ends) > 1 else inner.position + 1
                found.append((outer.position, position + 1, value))
        previous_end = match.end()
    return found
