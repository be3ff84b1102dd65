"""Kernel text at the lines and columns that it has in the file whose strings hold it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from roofline_core.program.records import record

_NEWLINE: Final = 10
_DIRECTIVE: Final = re.compile(rb"\s*#")
_DEFINE: Final = re.compile(rb"\s*#\s*define\s+(\w+(?:\([^()]*\))?)[ \t]*(.*)", re.DOTALL)
_LINE_COMMENT: Final = re.compile(rb'((?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*)//.*', re.DOTALL)


@record(frozen=True, slots=True)
class Char:
    """One byte of a string's value and where it is written, line and column from 0."""

    byte: int
    line: int
    column: int


@dataclass(slots=True)
class Canvas:
    """The lines of a file, blank but for the kernels' text."""

    height: int
    """Lines of the file."""
    lines: dict[int, bytearray] = field(default_factory=dict)
    defines: list[tuple[str, str]] = field(default_factory=list)
    """Macro definitions for which there was no line."""
    dropped: list[tuple[int, bytes]] = field(default_factory=list)
    """Other directives for which there was no line, by the line they are written on, from 0."""

    def text(self) -> bytes:
        """The whole text; line i of it is line i of the file."""
        blank = bytearray()
        return b"\n".join(bytes(self.lines.get(i, blank)) for i in range(self.height))

    def put_raw(self, line: int, column: int, text: bytes) -> None:
        """Text that stands in the file just as it is: a raw string, a macro's argument."""
        for offset, part in enumerate(text.split(b"\n")):
            self._put(line + offset, column if offset == 0 else 0, part.rstrip(b"\r"))

    def put_chars(self, chars: Sequence[Char]) -> None:
        """A string's value. Text that the string ends a line after ends its line here too."""
        crowded: dict[int, list[bytes]] = {}
        taken: set[int] = set()
        for logical in _logical_lines(chars):
            first, last = logical[0].line, logical[-1].line
            content = bytes(char.byte for char in logical)
            if _DIRECTIVE.match(content):
                shared = first in taken or any(c.line == last for c in _after(chars, logical))
                if shared:
                    crowded.setdefault(first, []).append(content)
                    continue
                self._put_directive(logical)
            else:
                self._put_code(logical, content)
            taken.update(range(first, last + 1))
        for line, directives in crowded.items():
            self._find_lines(line, directives)

    def _put_code(self, logical: Sequence[Char], content: bytes) -> None:
        comment = _LINE_COMMENT.fullmatch(content)
        kept = len(comment[1]) if comment is not None else len(logical)
        line, column, run = -1, 0, bytearray()
        for char in logical[:kept]:
            if char.line != line or char.column != column + len(run):
                self._put(line, column, bytes(run))
                line, column, run = char.line, char.column, bytearray()
            run.append(char.byte if char.byte not in (9, 13) else 32)
        self._put(line, column, bytes(run))

    def _put_directive(self, logical: Sequence[Char]) -> None:
        """A directive, without the gaps that escapes leave, continued over its lines."""
        first, last = logical[0].line, logical[-1].line
        for line in range(first, last + 1):
            part = bytes(char.byte for char in logical if char.line == line)
            column = min((char.column for char in logical if char.line == line), default=0)
            self._put(line, column, part if line == last else part + b" \\")

    def _find_lines(self, line: int, directives: Sequence[bytes]) -> None:
        """Give directives that share a line with other text the empty lines above it."""
        free = line
        while free > 0 and not self.lines.get(free - 1) and line - free < len(directives):
            free -= 1
        count = line - free
        for offset, content in enumerate(directives[len(directives) - count :]):
            self._put(free + offset, 0, content)
        for content in directives[: len(directives) - count]:
            found = _DEFINE.match(content)
            if found is not None:
                name, value = (part.decode(errors="replace") for part in found.groups())
                self.defines.append((name, value.strip()))
            elif b"pragma" not in content:
                self.dropped.append((line, content))

    def _put(self, line: int, column: int, text: bytes) -> None:
        if not text or line >= self.height:
            return
        held = self.lines.setdefault(line, bytearray())
        if len(held) < column:
            held.extend(b" " * (column - len(held)))
        if len(held) > column and held[column:].strip():
            # Escapes can make a directive longer than its place; what follows moves right.
            held.extend(text)
        else:
            held[column:] = text


def _logical_lines(chars: Iterable[Char]) -> list[list[Char]]:
    """The lines of the value, newlines left out, empty ones too."""
    found: list[list[Char]] = [[]]
    for char in chars:
        if char.byte == _NEWLINE:
            found.append([])
        else:
            found[-1].append(char)
    return [line for line in found if line]


def _after(chars: Sequence[Char], logical: Sequence[Char]) -> Sequence[Char]:
    """What follows a line of the value on the same line of the file."""
    last = logical[-1]
    return [
        char
        for char in chars
        if char.line == last.line and char.column > last.column and char.byte > 32
    ]
