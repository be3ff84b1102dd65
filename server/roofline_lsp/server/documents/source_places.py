"""Declarations and statements of a source by its lines: reports know the line of a name alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import KernelReport
from roofline_analysis.rules.source_text import SourceText

_BEGINS: Final = re.compile(rb"(?:template\s*<|extern\b|static\b|inline\b|\[\[|__\w+)")
"""What the lines above a kernel's qualifiers begin with that belong to its declaration."""
_MOST_LINES: Final = 40
"""The most lines of a declaration or a statement. A limit on the work."""


class SourcePlaces:
    """One analysed text. Lines are 1-based; comments and literals are no code."""

    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self._source = SourceText(path, "\n".join(lines).encode("utf-8", "surrogatepass"))
        self._declarations: dict[tuple[int, int], tuple[int, int]] = {}

    @cached_property
    def _code(self) -> list[bytes]:
        return self._source.code.split(b"\n")

    def code(self, line: int) -> str:
        """The code of a line without blanks around it; empty where there is no such line."""
        return self._line(line).decode("utf-8", "replace")

    def declaration(self, kernel: KernelReport) -> tuple[int, int]:
        """The first and the last line of a kernel's declaration: from its template to its body."""
        key = (kernel.span.line, kernel.name_span.line)
        found = self._declarations.get(key)
        if found is None:
            found = self._declarations[key] = (self._first(key[0]), self._last(key[1]))
        return found

    def statement(self, line: int) -> tuple[int, int]:
        """The first and the last line of the statement that a line of code is a part of."""
        first = last = line
        while line - first < _MOST_LINES and not self._ends(first - 1):
            first -= 1
        while last - line < _MOST_LINES and not self._ends(last):
            last += 1
        return first, last

    def _line(self, line: int) -> bytes:
        return self._code[line - 1].strip() if 1 <= line <= len(self._code) else b""

    def _ends(self, line: int) -> bool:
        """Whether a statement ends with a line: no statement goes on past it."""
        code = self._line(line)
        return not code or code.startswith(b"#") or code.endswith((b";", b"{", b"}", b":"))

    def _first(self, line: int) -> int:
        first = line
        for above in range(line - 1, max(0, line - _MOST_LINES), -1):
            code = self._line(above)
            if code.startswith(b"#") or code.endswith((b";", b"{", b"}")):
                break
            if _BEGINS.match(code):
                first = above
        return first

    def _last(self, line: int) -> int:
        depth = 0
        for at in range(line, line + _MOST_LINES):
            for char in self._line(at).decode("latin-1"):
                depth += (char in "([") - (char in ")]")
                if depth <= 0 and char in "{;":
                    return at
        return line
