"""The forms that pragmas take in the output."""

from __future__ import annotations

import os
import re

from roofline_parsers.preprocess.tokens import OPAQUE, join_lines

_OPERATOR = re.compile(
    rb'_Pragma\s*\(\s*L?"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)"\s*\)|' + OPAQUE.pattern
)
_UNROLL = re.compile(rb"(?:GCC\s+)?unroll\b\s*(.*)", re.DOTALL)
_STANDALONE = re.compile(
    rb"(?:barrier|taskwait|taskyield|flush|scan|target\s+(?:update|enter|exit))\b"
)
"""OpenMP's directives that are statements of their own."""


def pragma_attribute(pragma: bytes, line: int | None = None, file: str = "") -> bytes:
    """A pragma, given without ``#pragma``, as an attribute of the statement after it.

    Empty for pragmas that say nothing about a statement's cost. ``line`` is the line of an
    included ``file`` whose text goes to another line; the attribute of an OpenMP directive tells
    both.
    """
    if pragma == b"nounroll":
        return b"[[unroll(1)]]"
    unroll = _UNROLL.fullmatch(pragma)
    if unroll:
        factor = unroll[1].strip()
        if not factor:
            return b"[[unroll]]"
        enclosed = factor[:1] == b"(" and factor.find(b")") == len(factor) - 1
        return b"[[unroll" + (factor if enclosed else b"(" + factor + b")") + b"]]"
    if pragma[:4] in (b"omp ", b"omp\t"):
        text = pragma[4:].strip()
        end = b"]];" if _STANDALONE.match(text) else b"]]"
        told = b"" if line is None else b', %d, "%s"' % (line, _escaped(os.fsencode(file)))
        return b'[[omp::directive("' + _escaped(text) + b'"' + told + b")" + end
    return b""


def _escaped(text: bytes) -> bytes:
    return text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def kept_line(raw: bytes, text: bytes, expanded: bytes) -> bytes:
    """The line of a pragma that stays one.

    ``raw`` is the directive as written, ``text`` what follows ``#pragma`` on one line, and
    ``expanded`` the same with its macros expanded.
    """
    if expanded == text and b"\n" not in raw:
        return raw
    start = join_lines(raw[: raw.find(b"pragma") + len(b"pragma")])
    return start.replace(b"\n", b" ") + b" " + expanded


def replace_pragma_operators(text: bytes) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """Turns every ``_Pragma("...")`` into an attribute, or nothing.

    Gives the text and, of each operator, its first and last line (1-based) and its pragma.
    """
    found_operators: list[tuple[int, int, bytes]] = []
    line = 1
    counted = 0

    def replace(found: re.Match[bytes]) -> bytes:
        """The attribute of an operator; its line breaks stay, for lines to keep their numbers."""
        nonlocal line, counted
        whole = found[0]
        if whole[:1] != b"_":
            return whole
        line += text.count(b"\n", counted, found.start())
        counted = found.start()
        pragma = re.sub(rb"\\(.)", rb"\1", found[1]).strip()
        newlines = whole.count(b"\n")
        found_operators.append((line, line + newlines, pragma))
        return pragma_attribute(pragma) + b" " + b"\n" * newlines

    return _OPERATOR.sub(replace, text), found_operators
