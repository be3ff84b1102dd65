"""Kernels in the strings of Python sources, found without running them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from typing import Final

from roofline_parsers.opencl.canvas import Char
from roofline_parsers.opencl.literals import Run

_PREFIX: Final = re.compile(r"([a-zA-Z]*)(\"\"\"|'''|\"|')")
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<join>\r?\n)|x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[0-7]{1,3})|(?P<one>.))", re.DOTALL
)
_SIMPLE: Final = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
_PLACEHOLDER: Final = re.compile(r"%(?:\((\w+)\)[diufgesxXr]|[diufgesxX](?!\w))")
_FIELD: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def runs_of(source: str, constants: Mapping[str, str]) -> list[Run]:
    """The string expressions of a source as runs, strings side by side joined.

    ``constants`` are texts for names that formatted strings mention: of ``f"{n}"`` and
    ``"%(n)d" % {...}`` the value stands in the text if it is among them, else the name does.
    """
    found: list[Run] = []
    run = Run()
    columns = _Columns()
    skipped = (tokenize.NL, tokenize.COMMENT)
    for token in _tokens(source):
        if token.type == tokenize.STRING:
            run.chars.extend(_chars(token, columns.of(token), constants))
        elif token.type not in skipped and run.chars:
            if token.string in ("%", "."):
                run.chars = _formatted(run.chars, constants, braces=token.string == ".")
            found.append(run)
            run = Run()
    if run.chars:
        found.append(run)
    return found


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Tokens up to the first fault; f-strings come whole on every version of Python."""
    start: tokenize.TokenInfo | None = None
    depth = 0
    lines = source.splitlines(keepends=True)
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "FSTRING_START":
                start, depth = start if depth else token, depth + 1
            elif kind == "FSTRING_END" and start is not None:
                depth -= 1
                if not depth:
                    text = _between(lines, start.start, token.end)
                    yield tokenize.TokenInfo(
                        tokenize.STRING, text, start.start, token.end, start.line
                    )
            elif not depth:
                yield token
    except (tokenize.TokenError, SyntaxError):
        return


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "".join((lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]))


class _Columns:
    """Where tokens that come in order begin in their lines, in bytes of UTF-8."""

    def __init__(self) -> None:
        self._row = 0
        self._characters = self._bytes = 0

    def of(self, token: tokenize.TokenInfo) -> int:
        """That of a token. Each part of a line is looked at once, however long it is."""
        row, characters = token.start
        if token.line.isascii():
            return characters
        if row != self._row or characters < self._characters:
            self._row, self._characters, self._bytes = row, 0, 0
        self._bytes += len(token.line[self._characters : characters].encode())
        self._characters = characters
        return self._bytes


def _chars(token: tokenize.TokenInfo, start: int, constants: Mapping[str, str]) -> list[Char]:
    """The value of a string literal, each character where it is written."""
    opened = _PREFIX.match(token.string)
    if opened is None or "b" in opened[1].lower():
        return []
    body = token.string[opened.end() : len(token.string) - len(opened[2])]
    line = token.start[0] - 1
    column = start + len(opened[0])
    found: list[Char] = []
    at = 0
    raw = "r" in opened[1].lower()
    while at < len(body):
        piece, codes = body[at], list(body[at].encode())
        escape = None if raw or piece != "\\" else _ESCAPE.match(body, at)
        if escape is not None:
            piece, codes = escape[0], _codes(escape)
        # Of an escape the last column, so that a quote stays next to what follows it.
        at += len(piece)
        place = column + (len(piece) - 1 if escape is not None else 0)
        found.extend(Char(code, line, place) for code in codes)
        breaks = piece.count("\n")
        line += breaks
        column = 0 if breaks else column + len(piece.encode())
    return _formatted(found, constants, braces=True) if "f" in opened[1].lower() else found


def _codes(escape: re.Match[str]) -> list[int]:
    if escape["join"] is not None:
        return []
    if escape["hex"] is not None:
        return [int(escape["hex"], 16)]
    if escape["octal"] is not None:
        return [int(escape["octal"], 8) & 0xFF]
    one = escape["one"]
    if one in _SIMPLE:
        return [_SIMPLE[one]]
    # An escape that Python does not know stays as it is written.
    return list(one.encode()) if one in "\\'\"" else list(b"\\" + one.encode())


def _formatted(chars: list[Char], constants: Mapping[str, str], *, braces: bool) -> list[Char]:
    """A string with its fields filled in, as far as their values are known."""
    text = bytes(char.byte for char in chars).decode("latin-1")
    found: list[Char] = []
    at = 0
    for match in (_FIELD if braces else _PLACEHOLDER).finditer(text):
        if match[0] in ("{{", "}}"):
            new = match[0][0]
        elif match[1] is None:
            new = "1"
        else:
            name = match[1].partition(":")[0].partition("!")[0].strip()
            if braces and not re.fullmatch(r"[\w.]+", name):
                continue
            new = constants.get(name, name if name.isidentifier() else "1")
        first = chars[match.start()]
        found.extend(chars[at : match.start()])
        found.extend(Char(byte, first.line, first.column) for byte in new.encode())
        at = match.end()
    return found + chars[at:]


def constants_of(tree: ast.AST) -> dict[str, str]:
    """Names that are given one number or text, by assignment or keyword: name to its text."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).add(str(node.value.value))
        elif isinstance(node, ast.keyword) and node.arg and isinstance(node.value, ast.Constant):
            found.setdefault(node.arg, set()).add(str(node.value.value))
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    found.setdefault(str(key.value), set()).add(str(value.value))
    return {name: next(iter(texts)) for name, texts in found.items() if len(texts) == 1}
