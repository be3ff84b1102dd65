"""The lines of sources: their text for fingerprints, and columns in characters.

Spans of the analysis count columns in bytes; reports of linters count characters. Where a text
cannot be read, or is shorter than a span says, there is no column: none is invented.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import Span

Reader = Callable[[Path], bytes | None]
"""The bytes of a file; None where it cannot be read."""

_COMMENT: Final = re.compile(r"//.*|/\*.*?(?:\*/|$)")


@record(frozen=True, slots=True)
class ShownPlace:
    """A place in a file, for readers: 1-based lines and columns in characters, end exclusive."""

    line: int | None = None
    """None: the file as a whole."""
    column: int | None = None
    """None: the whole line."""
    end_line: int | None = None
    end_column: int | None = None


class SourceLines:
    """Lines of files, read when they are asked for; the last file stays in memory."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._path: Path | None = None
        self._lines: list[bytes] = []

    def line(self, path: Path, number: int) -> bytes | None:
        """A line without its end; None where there is none."""
        if path != self._path:
            text = self._reader(path)
            self._path, self._lines = path, [] if text is None else text.split(b"\n")
        if not 1 <= number <= len(self._lines):
            return None
        return self._lines[number - 1].removesuffix(b"\r")

    def normalised(self, path: Path, number: int | None) -> str:
        """A line without comments and blanks, which is the same after code is moved or indented."""
        found = self.line(path, number) if number is not None else None
        text = (found or b"").decode("utf-8", "replace")
        return "".join(_COMMENT.sub(" ", text).split())

    def place(self, path: Path, span: Span) -> ShownPlace:
        """A span in characters; its line alone where the text does not have its columns."""
        first, last = self.line(path, span.line), self.line(path, span.end_line)
        start, end = _characters(first, span.column), _characters(last, span.end_column)
        if start is None or end is None or (span.line, start) >= (span.end_line, end):
            return ShownPlace(span.line)
        return ShownPlace(span.line, start, span.end_line, end)

    def point(self, path: Path, span: Span) -> ShownPlace | None:
        """As ``place``, for edits: may be empty, and is None without columns."""
        first, last = self.line(path, span.line), self.line(path, span.end_line)
        start, end = _characters(first, span.column), _characters(last, span.end_column)
        if start is None or end is None:
            return None
        return ShownPlace(span.line, start, span.end_line, end)


def _characters(line: bytes | None, column: int) -> int | None:
    """The 1-based character of a 0-based byte; None where the line does not have it."""
    if line is None or not 0 <= column <= len(line):
        return None
    try:
        return len(line[:column].decode("utf-8")) + 1
    except UnicodeDecodeError:
        return None
