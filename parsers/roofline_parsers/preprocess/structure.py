"""The division of a file into stretches of text and directives, which no macro can change."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from roofline_parsers.preprocess.macros import Macro, MacroOrigin, parse_definition
from roofline_parsers.preprocess.tokens import (
    CONTINUATION,
    CONTINUED_LINE,
    DIRECTIVE,
    DIRECTIVE_START,
    IDENTIFIER,
    OPAQUE,
    join_lines,
    strip_comments,
    words_of,
)

_BOM = b"\xef\xbb\xbf"
_SPLIT_KEYWORD = re.compile(rb"[^#]*#\s*(\w*)(.*)", re.DOTALL)
"""A directive whose keyword goes on after a backslash, once its lines are joined."""
_HASH_LINE = re.compile(rb"^[ \t]*#", re.MULTILINE)
_CONDITIONS = frozenset([b"if", b"ifdef", b"ifndef"])

MAX_SOURCE_BYTES = 2_000_000
"""The most bytes of one file that are read as code. A limit on the work."""
MAX_DIRECTIVES = 30_000
"""The most directives of one file. A limit on the work."""


@dataclass(frozen=True)
class Chunk:
    """Text between two directives. It begins with the newline that ends the line before."""

    text: bytes
    """Continued lines joined, each followed by as many newlines as it lost."""
    line: int
    """1-based line that the text's first byte, a newline, ends."""
    changed_lines: frozenset[int] = frozenset()
    """Lines touched by joining."""

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every word in the text, in comments and literals too."""
        return words_of(self.text)

    @cached_property
    def newlines(self) -> bytes:
        """The text with nothing but its newlines."""
        return b"\n" * self.text.count(b"\n")

    @cached_property
    def opaque(self) -> tuple[list[int], list[int]]:
        """Starts and ends of comments and literals, in order."""
        return opaque_spans(self.text)


_BEHIND_MACROS: Final = re.compile(rb"[A-Za-z_]\w*\s*\([\w./ -]*?([\w-]+\.[A-Za-z]\w*)\s*\)")


@dataclass(frozen=True)
class PreprocessorDirective:
    """A ``#`` line with the lines it continues on."""

    keyword: bytes
    """``include``, ``define``...; empty for a lone ``#``."""
    raw: bytes
    """From the line's indentation on, as written."""
    rest: bytes
    """What follows the keyword, as written."""
    line: int
    newlines: bytes
    """One newline for each line the directive continues on."""
    path: Path | None

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every word of the directive."""
        return words_of(join_lines(self.raw))

    @cached_property
    def argument(self) -> bytes:
        """What follows the keyword, on one line, without comments."""
        text = join_lines(self.rest).strip()
        if self.keyword.startswith(b"include") and text[:1] == b"<":
            end = text.find(b">") + 1
            return text[:end] if end else text
        return b" ".join(strip_comments(text).split(b"\n")).strip()

    @property
    def header_behind_macros(self) -> bytes:
        """The header's name that ends the path of an include by macros; else nothing.

        ``inc.h`` of ``#include STRING(FOLDER/inc.h)``, whose folder only the build knows.
        """
        found = _BEHIND_MACROS.fullmatch(self.argument)
        return found[1] if found else b""

    @cached_property
    def name(self) -> bytes:
        """The identifier that the argument begins with, or nothing."""
        found = IDENTIFIER.match(self.argument)
        return found[0] if found else b""

    @cached_property
    def definition(self) -> Macro | None:
        """The macro that a ``#define`` defines."""
        return parse_definition(self.argument, MacroOrigin.PROGRAM, self.path, self.line)


@dataclass(frozen=True)
class SourceFile:
    """A file's bytes and their division."""

    path: Path
    source: bytes
    """As much of them as is read."""
    parts: tuple[Chunk | PreprocessorDirective, ...]
    unclosed_comment_line: int | None = None
    left_out_line: int | None = None
    """The 1-based line from which on the file is not read because it is too large."""

    @cached_property
    def name(self) -> str:
        """The path as text, without ``..`` and doubled separators."""
        return os.path.normpath(self.path)

    @cached_property
    def folder(self) -> str:
        """The folder of the file, as text."""
        return os.path.dirname(self.name)  # noqa: PTH120

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every word of the file."""
        return frozenset().union(*(part.words for part in self.parts))

    @cached_property
    def guard(self) -> bytes | None:
        """The macro of an include guard that encloses the whole file."""
        directives = [part for part in self.parts if isinstance(part, PreprocessorDirective)]
        if len(directives) < 3 or directives[-1].keyword != b"endif":
            return None
        name = _guard_name(directives[0])
        if not name or not _encloses(directives):
            return None
        outside = [self.parts[0], self.parts[-1]]
        texts = [part.text for part in outside if isinstance(part, Chunk)]
        return None if any(strip_comments(text).strip() for text in texts) else name


def _guard_name(directive: PreprocessorDirective) -> bytes | None:
    if directive.keyword == b"ifndef":
        return directive.name or None
    if directive.keyword != b"if":
        return None
    words = directive.argument.replace(b"(", b" ").replace(b")", b" ").split()
    return words[-1] if words[:-1] in ([b"!defined"], [b"!", b"defined"]) else None


def _encloses(directives: list[PreprocessorDirective]) -> bool:
    """Whether the last directive closes the first, and no ``#else`` belongs to that pair."""
    depth = 0
    for directive in directives[:-1]:
        if directive.keyword in _CONDITIONS:
            depth += 1
        elif directive.keyword == b"endif":
            depth -= 1
        elif directive.keyword.startswith(b"el") and depth == 1:
            return False
        if depth <= 0:
            return False
    return depth == 1


def opaque_spans(text: bytes) -> tuple[list[int], list[int]]:
    """Starts and ends of the comments and literals of a text, in order."""
    spans = [found.span() for found in OPAQUE.finditer(text)]
    return [span[0] for span in spans], [span[1] for span in spans]


def _bytes_read(source: bytes) -> int:
    """How many bytes of a file are read, up to the end of a line."""
    end = len(source)
    if end > MAX_SOURCE_BYTES:
        end = source.rfind(b"\n", 0, MAX_SOURCE_BYTES) + 1
    if source.count(b"#", 0, end) > MAX_DIRECTIVES:
        starts = islice(_HASH_LINE.finditer(source, 0, end), MAX_DIRECTIVES, None)
        first = next(starts, None)
        end = end if first is None else first.start()
    return end


def divide(path: Path, source: bytes) -> SourceFile:
    """Finds the directives of a file. Never fails, whatever the bytes.

    Of more than ``MAX_SOURCE_BYTES`` or ``MAX_DIRECTIVES`` the lines at the beginning are read.
    """
    left_out_line = None
    kept = _bytes_read(source)
    if kept < len(source):
        source = source[:kept]
        left_out_line = source.count(b"\n") + 1
    text = source
    if text.startswith(_BOM):
        text = b"   " + text[3:]
    text = b"\n" + (text.replace(b"\0", b" ") if b"\0" in text else text)
    starts, ends = opaque_spans(text)
    unclosed = _unclosed_comment(text, starts, ends)
    if unclosed is not None:
        # It ends with its line, so that the rest of the file stays while it is typed. No `*/`
        # follows: every later `/*` is unclosed too.
        text = text[: starts[-1]] + text[starts[-1] :].replace(b"/*", b"//")
        starts, ends = opaque_spans(text)
    parts: list[Chunk | PreprocessorDirective] = []
    line = 0
    last = 0
    for candidate in DIRECTIVE_START.finditer(text):
        start = candidate.start()
        index = bisect_right(starts, start) - 1
        if start < last or (index >= 0 and start < ends[index]):
            continue
        found = DIRECTIVE.match(text, start)
        if not found:
            continue
        end = found.end()
        if start > last:
            parts.append(_chunk(text[last:start], line))
            line += text.count(b"\n", last, start)
        raw = text[start + 1 : end]
        extra = raw.count(b"\n")
        keyword, rest = found.group("keyword", "rest")
        if rest[:1] == b"\\" and (split := _SPLIT_KEYWORD.match(join_lines(raw))):
            keyword, rest = split.groups()
        parts.append(PreprocessorDirective(keyword, raw, rest, line + 1, b"\n" * extra, path))
        line += 1 + extra
        last = end
    if last < len(text):
        parts.append(_chunk(text[last:], line))
    return SourceFile(path, source, tuple(parts), unclosed, left_out_line)


def _unclosed_comment(text: bytes, starts: list[int], ends: list[int]) -> int | None:
    """The 1-based line of a block comment that the file does not end."""
    if not ends or ends[-1] != len(text) or text[starts[-1] : starts[-1] + 2] != b"/*":
        return None
    start = starts[-1]
    if text.endswith(b"*/") and len(text) - start >= 4:
        return None
    return text.count(b"\n", 0, start)


def _chunk(text: bytes, line: int) -> Chunk:
    if b"\\" not in text or not CONTINUATION.search(text):
        return Chunk(text, line)
    return _join_chunk(text, line)


def _join_chunk(text: bytes, line: int) -> Chunk:
    """Joins continued lines, but not inside raw string literals."""
    first_line = line
    changed: set[int] = set()
    pieces: list[bytes] = []
    last = 0
    raw_spans = [found.span() for found in OPAQUE.finditer(text) if found.lastgroup == "raw"]
    for found in CONTINUED_LINE.finditer(text):
        start, end = found.span()
        while raw_spans and raw_spans[0][1] <= start:
            del raw_spans[0]
        if raw_spans and raw_spans[0][0] < end:
            continue
        line += text.count(b"\n", last, start)
        count = found[0].count(b"\n")
        changed.update(range(line, line + count + 1))
        line += count
        pieces += (text[last:start], join_lines(found[0]), b"\n" * count)
        last = end
    pieces.append(text[last:])
    return Chunk(b"".join(pieces), first_line, frozenset(changed))
