"""OpenCL C's own words as the CUDA grammar writes them.

Line i stays line i. A line keeps its columns too, unless one of its words becomes a longer one:
those lines are given back, as the preprocessor gives back the lines that a macro changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from roofline_parsers.preprocess.tokens import OPAQUE

_FLAT = rb"[^()]*"
_NESTED = _FLAT
for _ in range(4):
    _NESTED = _FLAT + rb"(?:\(" + _NESTED + rb"\)" + _FLAT + rb")*"

_LONGER: Final = {
    b"kernel": b"__global__",
    b"local": b"__shared__",
    b"constant": b"__constant__",
}
"""Qualifiers that mean something to an analysis, without leading underscores."""
_WORD: Final = (
    rb"(?<![\w.>])(?:(?:__)?(?:kernel|local|constant|global|private(?!\s*:)|generic(?=\s+[\w*])"
    rb"|(?:read_only|write_only|read_write)(?:\s+pipe)?)(?!\w))"
)
_KEYWORD: Final = (
    rb"(?<!\w)(?:new|delete|this|class|template|typename|namespace|operator|public|protected|virtual"
    rb"|friend|using|try|catch|throw|explicit|export|mutable|typeid|concept|requires"
    rb"|and|or|not|xor|bitand|bitor|compl)(?!\w)"
)
"""Keywords of C++ that are names like any other in OpenCL C."""
_IS_CPP: Final = re.compile(
    rb"\btemplate\s*<|\bnamespace\s+\w+\s*\{|\bclass\s+\w+[\w\s:]*\{|\boperator\s*[-+*/<>=(\[]"
)
"""C++ for OpenCL, where they are keywords."""
_ATTRIBUTE: Final = rb"__attribute(?:__)?\s*\(" + _NESTED + rb"\)"
_CHANGED: Final = re.compile(
    rb"(?P<word>"
    + _WORD
    + rb")|(?P<attribute>"
    + _ATTRIBUTE
    + rb")|(?P<keyword>"
    + _KEYWORD
    + rb")|"
    + OPAQUE.pattern
)
_REQUIRED: Final = re.compile(rb"(?:__)?reqd_work_group_size(?:__)?\s*\((" + _NESTED + rb")\)")
_UNROLL: Final = re.compile(rb"(?:__)?opencl_unroll_hint(?:__)?\s*(?:\((" + _NESTED + rb")\))?")
_ENDS_DECLARATION: Final = re.compile(rb"\s*[{;]")
_VISIBLE: Final = re.compile(rb"[^\s]")

_VECTOR: Final = rb"(?:u?(?:char|short|int|long)|float|double|half|bool)(?:2|3|4|8|16)"
_LITERAL: Final = re.compile(rb"\(\s*(?:const\s+)?" + _VECTOR + rb"\s*\)\s*\(")
_BRACKETS: Final = re.compile(
    rb"(?P<head>" + _LITERAL.pattern + rb")|(?P<open>\()|(?P<close>\))|" + OPAQUE.pattern
)


def rewrite(text: bytes) -> tuple[bytes, frozenset[int]]:
    """The text in the CUDA grammar's words, and the 1-based lines whose columns moved.

    - ``__kernel`` becomes ``__global__``, ``__local`` ``__shared__``, ``__constant``
      ``__constant__``; other address spaces and the access qualifiers of images become spaces;
    - ``__attribute__((reqd_work_group_size(x, y, z)))`` becomes ``__launch_bounds__((x, y, z))``,
      ``__attribute__((opencl_unroll_hint(n)))`` ``[[unroll(n)]]``;
    - a name that is a keyword of C++ gets a capital letter, ``New``;
    - a vector literal ``(float4)(a, b, c, d)`` becomes ``(float4){a, b, c, d}``.
    """
    is_cpp = _IS_CPP.search(text) is not None
    pieces: list[bytes] = []
    moved: set[int] = set()
    end, line = 0, 1
    for found in _CHANGED.finditer(text):
        group = found.lastgroup or ""
        if group not in _CHANGES or (group == "keyword" and is_cpp):
            continue
        whole = found.group()
        new = _CHANGES[group](found)
        before = text[end : found.start()]
        line += before.count(b"\n")
        newlines = whole.count(b"\n")
        if len(new) != len(whole):
            moved.update(range(line, line + newlines + 1))
        pieces += (before, new)
        line += newlines
        end = found.end()
    text = b"".join((*pieces, text[end:])) if pieces else text
    return _vector_literals(text), frozenset(moved)


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)


def _qualifier(found: re.Match[bytes]) -> bytes:
    word = found.group()
    return _LONGER.get(word.removeprefix(b"__")) or _blank(word)


def _plain_name(found: re.Match[bytes]) -> bytes:
    return found.group().capitalize()


def _attribute(found: re.Match[bytes]) -> bytes:
    """An attribute as the grammar has it, spaces if it says nothing of interest."""
    whole = found.group()
    required = _REQUIRED.search(whole)
    if required is not None and not _ENDS_DECLARATION.match(found.string, found.end()):
        return _filled(b"__launch_bounds__((" + required[1] + b"))", whole)
    unroll = _UNROLL.search(whole)
    if unroll is not None:
        factor = b"(" + unroll[1] + b")" if unroll[1] else b""
        return _filled(b"[[unroll" + factor + b"]]", whole)
    if _REQUIRED.search(whole) or b"work_group_size_hint" in whole or b"vec_type_hint" in whole:
        return _blank(whole)
    return whole


_CHANGES: Final[Mapping[str, Callable[[re.Match[bytes]], bytes]]] = {
    "word": _qualifier,
    "attribute": _attribute,
    "keyword": _plain_name,
}


def _filled(new: bytes, whole: bytes) -> bytes:
    """``new`` with the lines of ``whole``, and its length where it is on one line."""
    missing = whole.count(b"\n") - new.count(b"\n")
    return new + b"\n" * missing if b"\n" in whole else new.ljust(len(whole))


def _vector_literals(text: bytes) -> bytes:
    """Parentheses around the elements of vector literals as braces."""
    if _LITERAL.search(text) is None:
        return text
    changed = bytearray(text)
    literals: list[bool] = []
    for found in _BRACKETS.finditer(text):
        if found.lastgroup == "head":
            changed[found.end() - 1] = ord("{")
            literals.append(True)
        elif found.lastgroup == "open":
            literals.append(False)
        elif found.lastgroup == "close" and literals and literals.pop():
            changed[found.start()] = ord("}")
    return bytes(changed)
