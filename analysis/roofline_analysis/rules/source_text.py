"""Source text where findings need its columns: the kernel model keeps lines alone.

The model says what stands on a line, the text where. What a rule looks for in the text is what it
saw in the model; where the two do not agree, as in a line that macros made, there is no column and
no edit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.rules.model import Edit
from roofline_core.program.units import Span

_HIDDEN: Final = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'", re.DOTALL
)
_NOT_SPACE: Final = re.compile(rb"[^\s]")
_IN_LITERAL: Final = re.compile(rb"[^\n]")
_OPEN: Final = {b"(": b")", b"[": b"]", b"{": b"}"}


class SourceText:
    """One file's text."""

    def __init__(self, path: Path, text: bytes) -> None:
        self.path = path
        self.text = text

    @cached_property
    def code(self) -> bytes:
        """The text with comments and literals replaced by blanks, at the same offsets."""
        return _HIDDEN.sub(lambda m: _IN_LITERAL.sub(b" ", m[0]), self.text)

    @cached_property
    def comments(self) -> list[tuple[int, int]]:
        """The offsets of all comments."""
        return [m.span() for m in _HIDDEN.finditer(self.text) if m[0].startswith((b"//", b"/*"))]

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        starts += [m.end() for m in re.finditer(rb"\n", self.text)]
        return starts

    def bounds(self, line: int) -> tuple[int, int]:
        """The offsets of a 1-based line's text, without its line end."""
        starts = self._starts
        if not 1 <= line <= len(starts):
            return len(self.text), len(self.text)
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return starts[line - 1], end

    def line_span(self, line: int) -> Span:
        """The code of a line without its indentation."""
        start, end = self.bounds(line)
        code = self.code[start:end]
        first = _NOT_SPACE.search(code)
        if first is None:
            return Span(line, 0, line, max(0, end - start))
        return Span(line, first.start(), line, len(code.rstrip()))

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        first = bisect_right(self._starts, start)
        last = bisect_right(self._starts, end)
        return Span(first, start - self._starts[first - 1], last, end - self._starts[last - 1])

    def matches(self, pattern: re.Pattern[bytes], line: int) -> list[re.Match[bytes]]:
        """The matches of a pattern in the code of a line."""
        start, end = self.bounds(line)
        return list(pattern.finditer(self.code, start, end))

    def closing(self, opening: int) -> int | None:
        """The offset of the bracket that closes the one at an offset; None if there is none."""
        stack = []
        for m in re.compile(rb"[()\[\]{}]").finditer(self.code, opening):
            if m[0] in _OPEN:
                stack.append(_OPEN[m[0]])
            elif not stack or stack.pop() != m[0]:
                return None
            elif not stack:
                return m.start()
        return None

    def calls(self, name: str, line: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """Calls of a function that begin on a line: start, end, and each argument's bounds."""
        found = []
        pattern = re.compile(rb"(?:\bstd\s*::\s*|(?<![\w.>:]))" + name.encode() + rb"\s*\(")
        for m in self.matches(pattern, line):
            end = self.closing(m.end() - 1)
            if end is not None:
                found.append((m.start(), end + 1, self.arguments(m.end(), end)))
        return found

    def arguments(self, start: int, end: int) -> list[tuple[int, int]]:
        """The bounds of the items of a comma-separated list."""
        bounds, depth, first = [], 0, start
        for at in range(start, end):
            char = self.code[at : at + 1]
            if char in b"([{":
                depth += 1
            elif char in b")]}":
                depth -= 1
            elif char == b"," and depth == 0:
                bounds.append((first, at))
                first = at + 1
        bounds.append((first, end))
        return [self.stripped(a, b) for a, b in bounds]

    def stripped(self, start: int, end: int) -> tuple[int, int]:
        """The bounds without leading and trailing blanks."""
        while start < end and self.code[start : start + 1].isspace():
            start += 1
        while end > start and self.code[end - 1 : end].isspace():
            end -= 1
        return start, end

    def at(self, bounds: tuple[int, int]) -> str:
        """The text between two offsets."""
        return self.text[bounds[0] : bounds[1]].decode("utf-8", "replace")

    def replace(self, start: int, end: int, text: str) -> Edit:
        """An edit that replaces the text between two offsets."""
        return Edit(self.path, self.span(start, end), text)

    def insert_line(self, line: int, text: str) -> Edit:
        """An edit that inserts a line before another, with its indentation."""
        start, end = self.bounds(line)
        whole = self.text[start:end]
        indent = whole[: len(whole) - len(whole.lstrip())].decode("utf-8", "replace")
        return self.replace(start, start, f"{indent}{text}\n")

    def delete_line(self, line: int) -> Edit:
        """An edit that deletes a line."""
        start, end = self.bounds(line)
        return self.replace(start, min(end + 1, len(self.text)), "")


def applied(text: bytes, edits: tuple[Edit, ...]) -> bytes:
    """A text after the edits of one file."""
    source = SourceText(Path(), text)
    offsets = []
    for edit in edits:
        first, _ = source.bounds(edit.span.line)
        last, _ = source.bounds(edit.span.end_line)
        offsets.append((first + edit.span.column, last + edit.span.end_column, edit.text))
    for start, end, new in sorted(offsets, reverse=True):
        text = text[:start] + new.encode() + text[end:]
    return text
