"""One file's preprocessed text, its lines, and the way back to the columns of the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, count
from operator import add
from pathlib import Path
from typing import Protocol

from roofline_core.program.units import Dialect, Problem, Severity, Span
from roofline_parsers.cuda.directive_forms import DirectiveForms
from roofline_parsers.cuda.grammar import ParseBudgetError, Tree, parse
from roofline_parsers.cuda.repair import repair

_IN_WORD = re.compile(rb"\w")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_VISIBLE = re.compile(rb"[^\n]+")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Slices(Protocol):
    """Gives text by byte range, ``names[start:end]``."""

    def __getitem__(self, key: slice, /) -> str: ...


class _Utf8Slices:
    """``Slices`` of text with characters outside ASCII, where bytes and characters differ."""

    __slots__ = ("_text",)

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __getitem__(self, key: slice) -> str:
        return self._text[key.start : key.stop].decode("utf-8", "replace")


@dataclass(eq=False)
class ParserInput:
    """Text to parse and the way back to the file: line i of ``text`` is line i of ``source``."""

    path: Path
    source: bytes
    text: bytes
    """The preprocessed text; spellings that the grammar lacks are replaced, lengths kept."""
    changed_lines: Collection[int] = frozenset()
    """1-based lines whose text differs from the source's."""
    macros: Collection[bytes] = ()
    """Names that may have been expanded."""
    first_line: int = 1
    """The file's line that ``text`` starts on."""
    dialect: Dialect = Dialect.CUDA
    directives: DirectiveForms | None = None
    """What the pragmas of a language mean; None: they are left out."""

    def __post_init__(self) -> None:
        self.tree: Tree | None = None
        """The tree of ``text``, once it is parsed."""
        self.problems: list[Problem] = []
        """What of the text was not parsed because it takes too long."""
        self._line_words: dict[int, frozenset[bytes]] = {}
        repaired = repair(self.text)
        self.text = repaired.text
        self.new_pointers = repaired.new_pointers
        """Levels of ``*`` after the type of a ``new``, by the offset of ``new``."""
        self.names: Slices = (
            self.text.decode("ascii") if self.text.isascii() else _Utf8Slices(self.text)
        )
        lengths = map(len, self.text.split(b"\n"))
        self.line_starts = [0, *map(add, accumulate(lengths), count(1))][:-1]

    def parse(self, old: Tree | None = None) -> Tree:
        """Parses ``text``; the tree is kept as ``tree``.

        What no parser should have to read is left out: ``text`` is blank from there on.
        """
        while self.tree is None:
            try:
                self.tree = parse(self.text, old)
            except ParseBudgetError as spent:
                self._leave_out(spent.offset // 2 if self.problems else spent.offset // 8 * 7)
                old = None
        return self.tree

    def _leave_out(self, offset: int) -> None:
        """Makes blank what begins with the line of ``offset``, and reports it."""
        index = max(0, bisect_right(self.line_starts, offset) - 1)
        start = self.line_starts[index]
        self.text = self.text[:start] + _VISIBLE.sub(b"", self.text[start:])
        self.problems.clear()
        line = index + self.first_line
        message = "too much code for one file: from here on it is not read"
        self.problems.append(Problem(Severity.WARNING, message, self.path, line))

    def fingerprint(self, start: int, end: int) -> str:
        """A short hash of a byte range of the preprocessed text, its comments and blanks left out.

        So it is the same after code is formatted anew.
        """
        text = self.text[start:end]
        if b"//" in text or b"/*" in text:
            text = _COMMENT.sub(b"", text)
        return blake2b(text.translate(None, b" \t\r\n\f\v"), digest_size=8).hexdigest()

    @cached_property
    def _source_lines(self) -> list[bytes]:
        return self.source.split(b"\n")

    def _source_line(self, line: int) -> bytes:
        lines = self._source_lines
        return lines[line - 1].rstrip(b"\r") if 0 < line <= len(lines) else b""

    def span(self, start: tuple[int, int], end: tuple[int, int]) -> Span:
        """The source range between two (0-based row, column) points of ``text``.

        A line that macros changed has no columns to give: its part of the span is the whole line.
        """
        line = start[0] + self.first_line
        end_line = end[0] + self.first_line
        column, end_column = start[1], end[1]
        if line in self.changed_lines:
            text = self._source_line(line)
            column = len(text) - len(text.lstrip())
        if end_line in self.changed_lines:
            end_column = len(self._source_line(end_line).rstrip())
        return Span(line, column, end_line, end_column)

    def name_span(self, name: str, start: tuple[int, int], end: tuple[int, int]) -> Span:
        """The source range of an identifier, or of the macro use that made it."""
        line = start[0] + self.first_line
        if line not in self.changed_lines:
            return self.span(start, end)
        text = self._source_line(line)
        word = name.encode()
        at = _find_word(text, word)
        if at >= 0:
            return Span(line, at, line, at + len(word))
        found = self._macro_use(text, line)
        if found is not None:
            return Span(line, found.start(), line, found.end())
        return Span(line, len(text) - len(text.lstrip()), line, len(text.rstrip()))

    def _words_of(self, line: int) -> frozenset[bytes]:
        """The words of a line of ``text``; one that a macro filled may hold many functions."""
        known = self._line_words.get(line)
        if known is None:
            index = line - self.first_line
            starts = self.line_starts
            end = starts[index + 1] if index + 1 < len(starts) else len(self.text)
            known = frozenset(_WORD.findall(self.text[starts[index] : end]))
            self._line_words[line] = known
        return known

    def _macro_use(self, text: bytes, line: int) -> re.Match[bytes] | None:
        """The first identifier of a source line that expansion replaced."""
        kept = self._words_of(line)
        uses = [word for word in _WORD.finditer(text) if word.group() not in kept]
        for use in uses:
            if use.group() in self.macros:
                return use
        return uses[0] if uses else None


def _find_word(text: bytes, word: bytes) -> int:
    """Where a word stands first that is no part of another; -1 where it does not.

    A pattern for each name would cost more than all else: each is compiled for one search.
    """
    at = text.find(word)
    while at >= 0:
        around = text[at - 1 : at] if at else b"", text[at + len(word) : at + len(word) + 1]
        if not any(_IN_WORD.match(byte) for byte in around):
            return at
        at = text.find(word, at + 1)
    return -1
