"""Questions about text between directives: where names stand, how deep in braces it ends."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from roofline_parsers.preprocess.tokens import OPAQUE, TOKEN, WORD_BYTES, strip_comments

_BRACE = re.compile(rb'\{|\}|e(?<!\we)xtern\s*"C(?:\+\+)?"\s*\{|' + OPAQUE.pattern)
_RARE = 0.2
"""Looking for each name is quicker than looking at every word if so few bytes begin a match."""
_BEFORE_TAIL = WORD_BYTES | frozenset(b".'")
_LITERAL_PREFIXES = frozenset(b"L u U u8 R LR uR UR u8R".split())
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def find_names(
    text: bytes, names: set[bytes], opaque: tuple[list[int], list[int]]
) -> list[tuple[int, bytes]]:
    """Where the names stand as tokens of their own, outside comments and literals, in order."""
    if sum(map(text.count, names)) < len(text) * _RARE:
        found = sorted(place for name in names for place in _places(text, name))
    else:
        found = [(match.start(), match[0]) for match in _WORD.finditer(text) if match[0] in names]
    starts, ends = opaque
    places: list[tuple[int, bytes]] = []
    for position, name in found:
        index = bisect_right(starts, position) - 1
        if index >= 0 and position < ends[index]:
            continue
        if position and text[position - 1] in _BEFORE_TAIL and _in_number(text, position):
            continue
        if name in _LITERAL_PREFIXES and text[position + len(name) : position + len(name) + 1] in (
            b'"',
            b"'",
        ):
            continue
        places.append((position, name))
    return places


def _places(text: bytes, name: bytes) -> Iterable[tuple[int, bytes]]:
    position = text.find(name)
    size = len(name)
    length = len(text)
    while position >= 0:
        end = position + size
        before = position == 0 or text[position - 1] not in WORD_BYTES
        if before and (end == length or text[end] not in WORD_BYTES):
            yield position, name
        position = text.find(name, end)


def _in_number(text: bytes, position: int) -> bool:
    """Whether what precedes makes this the tail of a number, as ``e5`` in ``1.e5``."""
    start = position
    while start and (text[start - 1] in WORD_BYTES or text[start - 1] in b".'"):
        start -= 1
    token = TOKEN.match(text, start)
    while token and token.end() <= position:
        token = TOKEN.match(text, token.end())
    return token is not None and token.start() < position


class BraceTracker:
    """Follows how deep in braces a text is; those of ``extern "C" {`` do not count."""

    def __init__(self) -> None:
        self._open: list[bool] = []
        self._tail = b""

    def feed(self, text: bytes) -> None:
        """Goes on over more text."""
        for found in _BRACE.finditer(text):
            brace = found[0]
            if brace == b"{":
                self._open.append(True)
            elif brace == b"}":
                if self._open:
                    self._open.pop()
            elif brace[:1] == b"e":
                self._open.append(False)
        visible = strip_comments(text).rstrip()
        if visible:
            self._tail = visible[-1:]

    @property
    def depth(self) -> int:
        """Braces open at the end of the text so far."""
        return sum(self._open)

    @property
    def inside_declaration(self) -> bool:
        """Whether the text stops short of the end of a declaration, as after ``=`` or ``(``."""
        return self._tail in (b"=", b",", b"(", b"[", b"+", b"-", b"*", b"&", b"|", b"?")


def ends_statement(pieces: list[bytes]) -> bytes:
    """The last byte of the text that is neither blank nor comment; nothing if there is none.

    Only as many of the pieces are looked at as needed; those that begin with ``#`` are skipped.
    """
    for piece in reversed(pieces):
        if piece.lstrip()[:1] == b"#":
            continue
        text = piece.rstrip()
        while text:
            if text.endswith(b"*/"):
                text = text[: max(text.rfind(b"/*"), 0)].rstrip()
                continue
            start = text.rfind(b"\n") + 1
            line = text[start:]
            if b"//" in line:
                visible = strip_comments(line).rstrip()
                if not visible:
                    text = text[:start].rstrip()
                    continue
                return visible[-1:]
            return line[-1:]
    return b""
