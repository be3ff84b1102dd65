r"""An open document's text, edited in place by the client's changes.

The protocol ends lines at ``\n``, ``\r\n`` and ``\r`` alone. ``str.splitlines`` also ends them
at form feeds, which GNU sources hold, and at other separators, so lines are split here.
"""

from __future__ import annotations

import re

from lsprotocol import types

from roofline_lsp.server.documents.convert import Encoding, index_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last one has none and may be empty."""
    if "\r" not in text:
        lines = text.split("\n")
        return [line + "\n" for line in lines[:-1]] + lines[-1:]
    lines = _LINE.findall(text)
    if len(lines) > 1 and not lines[-2].endswith(("\r", "\n")):
        lines.pop()  # the empty match that findall adds behind a last line without an end
    return lines


def content(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")


class TextBuffer:
    """A text as lines, so that an edit costs what it touches and not the whole text."""

    def __init__(self, text: str, encoding: Encoding) -> None:
        self._encoding = encoding
        self._lines = split_lines(_well_formed(text))
        self._contents: tuple[str, ...] | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as they stand, without their ends; the same object until a change."""
        if self._contents is None:
            self._contents = tuple(map(content, self._lines))
        return self._contents

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._lines)

    def line(self, row: int) -> str:
        """The line with a 0-based number, without its end; empty where there is none."""
        return content(self._lines[row]) if 0 <= row < len(self._lines) else ""

    def apply(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Make one change. Positions outside the text are moved to the nearest one inside."""
        contents, self._contents = self._contents, None
        new = _well_formed(change.text)
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._lines = split_lines(new)
            return
        start, end = sorted((self._place(change.range.start), self._place(change.range.end)))
        (first, head), (last, tail) = start, end
        joined = self._lines[first][:head] + new + self._lines[last][tail:]
        if first > 0 and joined.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1  # the two now make one line end
            joined = self._lines[first] + joined
        replacement = split_lines(joined)
        if last + 1 < len(self._lines) and replacement[-1] == "":
            replacement.pop()  # what follows the line end is the next line of the text
        self._lines[first : last + 1] = replacement
        if contents is not None:
            self._contents = (*contents[:first], *map(content, replacement), *contents[last + 1 :])

    def _place(self, position: types.Position) -> tuple[int, int]:
        """Row and code point of a client's position."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        row = max(position.line, 0)
        return row, index_of(content(self._lines[row]), position.character, self._encoding)


def _well_formed(text: str) -> str:
    """The text with half surrogates, which JSON can carry and UTF-8 cannot, replaced.

    The replacement is as long as a half surrogate in every encoding, so columns stay as the client
    counts them.
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
