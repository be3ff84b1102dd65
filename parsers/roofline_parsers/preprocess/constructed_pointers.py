"""``T *p(x + n);`` inside a body: the grammar takes it for a product with a call of ``p``.

Braces in place of the parentheses say that ``p`` is declared. A product whose value nobody uses
is not written, so a statement that begins with one is a declaration.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import Final

from roofline_parsers.preprocess.structure import opaque_spans

_OPENING: Final = re.compile(
    rb"[*&][ \t]*(?:(?:const|restrict|__restrict(?:__)?)[ \t]+)?[A-Za-z_]\w*[ \t]?\("
)
_FLAT: Final = rb"[^(){};\"']*"
_INSIDE = _FLAT
for _ in range(5):
    _INSIDE = _FLAT + rb"(?:\(" + _INSIDE + rb"\)" + _FLAT + rb")*"
_ARGUMENT: Final = re.compile(rb"(?=[^;{}]*?[-+\[.]|[ \t]*&)(" + _INSIDE + rb")\)(?=[ \t]*[;,])")
"""One that no declaration of a parameter can be: with an operator, an index or a member."""
_PARAMETER: Final = re.compile(rb"\w[ \t\n]+[&*]*[A-Za-z_]|,|\.\.\.|(?<![=<>!])=(?!=)")
_TYPE: Final = re.compile(
    rb"(?:const\s+)?[A-Za-z_][\w:]*(?:<[\w:\s,<>*&]*>)?(?:\s+const)?\s*[*&]{0,2}\Z"
)
_WORDS: Final = re.compile(rb"\b(?:return|throw|case|else|new|delete|goto|co_yield|typedef)\b")
_LONGEST: Final = 400
"""Bytes of a declaration's beginning, and of an argument, that are looked at."""
_MOST_COMMENTS: Final = 8
_MOST: Final = 50_000
"""Places of a file that are looked at: a limit on the work."""


def brace_constructed_pointers(text: bytes) -> bytes:
    """The text with braces around what pointers and references are made of, of the same length."""
    pieces: list[bytes] = []
    last = 0
    literals: tuple[list[int], list[int]] | None = None
    for opening in islice(_OPENING.finditer(text), _MOST):
        begin = opening.end()
        if begin <= last:
            continue
        between = text[last : min(opening.start(), last + _LONGEST)] if last else b""
        if between.strip() != b"," and not _begins_statement(text, opening.start()):
            continue
        argument = _ARGUMENT.match(text, begin, begin + _LONGEST)
        if argument is None or _PARAMETER.search(argument[1]):
            continue
        literals = literals or opaque_spans(text)
        if not _within(literals, opening.start()):
            pieces += (text[last : begin - 1], b"{", argument[1], b"}")
            last = argument.end()
    return b"".join([*pieces, text[last:]]) if pieces else text


def _within(spans: tuple[list[int], list[int]], position: int) -> bool:
    """Whether a position is in a comment or literal, of which the starts and ends are given."""
    starts, ends = spans
    index = bisect_right(starts, position) - 1
    return index >= 0 and position < ends[index]


def _begins_statement(text: bytes, position: int) -> bool:
    """Whether a type alone stands between the end of the last statement and a ``*``."""
    low = max(0, position - _LONGEST)
    end = max(text.rfind(mark, low, position) for mark in (b";", b"{", b"}", b"\n"))
    if end < 0:
        return False
    head = text[end + 1 : position].lstrip()
    if not _TYPE.match(head) or _WORDS.search(head):
        return False
    for _ in range(_MOST_COMMENTS):
        before = text[low : max(low, end + 1)].rstrip()
        line = before.rfind(b"\n") + 1
        if before.endswith(b"*/"):
            end = low + before.rfind(b"/*") - 1
        elif (comment := before.find(b"//", line)) >= 0:
            end = low + comment - 1
        else:
            return before[-1:] in (b";", b"{", b"}")
    return False
