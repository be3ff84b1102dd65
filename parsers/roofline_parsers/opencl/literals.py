"""Strings of C and C++ sources as runs: literals side by side, with what macros put between."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final

from roofline_parsers.opencl.canvas import Char
from roofline_parsers.preprocess import Macro, PreprocessedFile
from roofline_parsers.preprocess.macros import Parameter
from roofline_parsers.preprocess.tokens import TOKEN

_RAW: Final = re.compile(rb'(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(')
_ESCAPE: Final = re.compile(
    rb"\\(?:(?P<hex>x[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<join>[ \t]*\r?\n)|(?P<one>.))",
    re.DOTALL,
)
_ESCAPED: Final = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"0": 0}
_STRINGIZE: Final = re.compile(rb"#[ \t]*define[ \t]+(\w+)\(([^()]*)\)[^\n]*?(?<!#)#[ \t]*(\w+)")
_PLAIN: Final = re.compile(rb"[^\\\n]*\n?")
_IDENTIFIER: Final = re.compile(rb"[A-Za-z_]\w*\Z")


@dataclass(slots=True)
class Run:
    """The value of one string expression."""

    chars: list[Char] = field(default_factory=list)
    raw: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Pieces that stand in the file as they are: line and column from 0, text."""
    expanded: bool = False
    """Whether the file's own macros are expanded in it."""

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line, from 0."""
        ends = [char.line for char in (*self.chars[:1], *self.chars[-1:])]
        ends += [line + text.count(b"\n") for line, _, text in self.raw]
        return min((*ends, *(line for line, _, _ in self.raw)), default=0), max(ends, default=0)

    @property
    def text(self) -> bytes:
        """The value, raw pieces last."""
        quoted = bytes(char.byte for char in self.chars)
        return b"\n".join((quoted, *(text for _, _, text in self.raw)))


Expand = Callable[[bytes], bytes]
"""A text after expansion of the file's macros."""


class Runs:
    """Finds the runs of a preprocessed file, in the order written."""

    def __init__(self, pre: PreprocessedFile, expand: Expand) -> None:
        self._path = pre.path
        self._source = pre.source
        self._macros: Mapping[bytes, Macro] = pre.macros
        self._expand = expand
        self._starts = [0]
        for found in re.finditer(rb"\n", pre.source):
            self._starts.append(found.end())
        self._active = [bool(line.strip()) for line in pre.text.split(b"\n")]
        self._stringizers = _stringizers(pre)
        self._texts = _text_macros(self._macros)
        self._run = Run()
        self._runs: list[Run] = []
        self._last_line = -1

    def find(self) -> list[Run]:
        """All runs in active code and in the definitions of macros."""
        source, at, end = self._source, 0, len(self._source)
        while at < end:
            found = TOKEN.match(source, at)
            if found is None:
                break
            at = self._token(found.group(), found.start(), found.end())
        self._close()
        return self._runs

    def _token(self, token: bytes, start: int, end: int) -> int:
        """Take one token; where the next one starts."""
        first = token[:1]
        if token.isspace() or first == b"\\" or token[:2] in (b"//", b"/*"):
            return end
        if first == b"#":
            self._close()
            return self._directive(start, end)
        if token[-1:] == b'"' and len(token) > 1:
            if self._is_active(start):
                self._string(token, start)
            return end
        if _IDENTIFIER.match(token):
            return self._identifier(token, start, end)
        self._close()
        return end

    def _close(self) -> None:
        if self._run.chars or self._run.raw:
            self._runs.append(self._run)
        if self._run.chars or self._run.raw or self._run.expanded:
            self._run = Run()

    def _directive(self, start: int, end: int) -> int:
        """Skip a directive, unless it defines a macro that is in force."""
        line = bisect_right(self._starts, start) - 1
        if self._source[self._starts[line] : start].strip():
            return end
        found = re.compile(rb"#[ \t]*define[ \t]+(\w+)(\()?").match(self._source, start)
        macro = self._macros.get(found[1]) if found is not None else None
        here = macro is not None and (macro.path, macro.line) == (self._path, line + 1)
        if found is not None and here and not found[2]:
            for offset in range(_directive_lines(self._source, start)):
                if line + offset < len(self._active):
                    self._active[line + offset] = True
            return found.end()
        for _ in range(_directive_lines(self._source, start)):
            line += 1
        return self._starts[line] if line < len(self._starts) else len(self._source)

    def _is_active(self, position: int) -> bool:
        line = bisect_right(self._starts, position) - 1
        return line < len(self._active) and self._active[line]

    def _identifier(self, token: bytes, start: int, end: int) -> int:
        called = re.compile(rb"\s*\(").match(self._source, end)
        if called is not None and self._is_active(start):
            stop = _closing(self._source, called.end())
            index = self._stringizers.get(token)
            if index is not None:
                body, offset = _argument(self._source, called.end(), stop - 1, index[0])
                if b"{" in body or b"#" in body:
                    self._place_raw(body, offset)
                    self._run.expanded = self._run.expanded or index[1]
                    return stop
            if token in self._texts and self._splice(self._source[start:stop], start):
                return stop
        elif token in self._texts and self._is_active(start):
            if self._splice(token, start):
                return end
        if token not in (b"L", b"u8"):
            self._close()
        return end

    def _splice(self, use: bytes, start: int) -> bool:
        """Add the string that a macro expands to to the run around it."""
        expanded = self._expand(use)
        tokens = [t for t in _tokens(expanded) if not t.isspace()]
        if not tokens or not all(token[-1:] == b'"' for token in tokens):
            return False
        if len(expanded) > 4096:
            # Defined elsewhere in the file or in a header, where its own lines are.
            return False
        macro = self._macros.get(use)
        if macro is not None and macro.path == self._path and b"{" in expanded:
            # Its definition, in this file, is a run of its own.
            return False
        line, column = self._position(start)
        for token in tokens:
            for text, _ in _decoded(token[token.index(b'"') + 1 : -1], 0):
                for byte in text:
                    if byte != 10 or self._run.chars:
                        self._run.chars.append(Char(byte, line, column))
        return True

    def _string(self, token: bytes, start: int) -> None:
        raw = _RAW.match(token)
        if raw is not None:
            body = token[raw.end() : len(token) - len(raw[1]) - 2]
            self._place_raw(body, start + raw.end())
            return
        begin = token.index(b'"') + 1
        chars = self._run.chars
        line, line_start, line_end = -1, 0, 0
        for text, offset in _decoded(token[begin:-1], start + begin):
            if not line_start <= offset < line_end:
                line = bisect_right(self._starts, offset) - 1
                line_start = self._starts[line]
                line_end = (*self._starts[line + 1 : line + 2], len(self._source) + 1)[0]
            column = offset - line_start
            chars += map(Char, text, repeat(line), range(column, column + len(text)))

    def _place_raw(self, body: bytes, offset: int) -> None:
        line, column = self._position(offset)
        self._run.raw.append((line, column, body))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]


def _text_macros(macros: Mapping[bytes, Macro]) -> frozenset[bytes]:
    """Macros that may give strings: those with a quote or ``#``, and those that use them."""
    found = {name for name, macro in macros.items() if b'"' in macro.body or b"#" in macro.body}
    for _ in range(3):
        more = {n for n, m in macros.items() if n not in found and m.words & found}
        if not more:
            break
        found |= more
    return frozenset(found)


def _tokens(text: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            return
        yield found.group()
        at = found.end()


def _directive_lines(source: bytes, start: int) -> int:
    """The number of lines of a directive, with its continuation lines."""
    count = 1
    while True:
        end = source.find(b"\n", start)
        if end < 0:
            return count
        if not source[start:end].rstrip().endswith(b"\\"):
            return count
        count, start = count + 1, end + 1


def _decoded(body: bytes, start: int) -> Iterator[tuple[bytes, int]]:
    """The pieces of a quoted string's value, each of one line, with the offset it is written at.

    For an escape that is its last byte: so a quote or a backslash of the value stays next to what
    follows it.
    """
    at = 0
    while at < len(body):
        if body[at] != 0x5C:
            plain = _PLAIN.match(body, at)
            end = plain.end() if plain is not None else at + 1
            yield body[at:end], start + at
            at = end
            continue
        found = _ESCAPE.match(body, at)
        if found is None:
            return
        last = start + found.end() - 1
        if found["hex"]:
            yield bytes((int(found["hex"][1:], 16) & 0xFF,)), last
        elif found["octal"] and found["octal"] != b"0":
            yield bytes((int(found["octal"], 8) & 0xFF,)), last
        elif found["join"] is None:
            one = found["one"] or b"0"
            yield bytes((_ESCAPED.get(one, one[0]),)), last
        at = found.end()


def _closing(source: bytes, start: int) -> int:
    """The offset just after the parenthesis that closes one opened before ``start``."""
    depth, at = 1, start
    while at < len(source) and depth:
        found = TOKEN.match(source, at)
        if found is None:
            break
        token = found.group()
        depth += (token == b"(") - (token == b")")
        at = found.end()
    return at


def _argument(source: bytes, start: int, end: int, index: int) -> tuple[bytes, int]:
    """The text from a macro's argument of this index to the closing parenthesis."""
    depth, at = 0, start
    while index and at < end:
        found = TOKEN.match(source, at, end)
        if found is None:
            break
        token = found.group()
        depth += (token in (b"(", b"[", b"{")) - (token in (b")", b"]", b"}"))
        at = found.end()
        if token == b"," and depth == 0:
            index -= 1
            start = at
    return source[start:end], start


def _stringizers(pre: PreprocessedFile) -> dict[bytes, tuple[int, bool]]:
    """Macros that make a string of an argument: its index, and whether it is expanded before."""
    found: dict[bytes, tuple[int, bool]] = {}
    for match in _STRINGIZE.finditer(pre.source):
        params = [param.strip() for param in match[2].split(b",")]
        names = [b"__VA_ARGS__" if p == b"..." else p.removesuffix(b"...") for p in params]
        if match[3] in names:
            found[match[1]] = (names.index(match[3]), False)
    for name, macro in pre.macros.items():
        if macro.params and b"#" in macro.body:
            for element in macro.elements:
                if isinstance(element, Parameter) and element.stringize:
                    found[name] = (element.index, False)
    for name, macro in pre.macros.items():
        if name not in found and macro.params and not macro.words.isdisjoint(found):
            found[name] = (len(macro.params) - 1, True)
    return found
