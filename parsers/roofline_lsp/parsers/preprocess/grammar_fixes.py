"""Rewrites what tree-sitter-cuda's grammar cannot hold, byte for byte, so columns stay."""

from __future__ import annotations

import re

from roofline_lsp.parsers.preprocess.tokens import OPAQUE

_FLAT = rb"[^()]*"
_NESTED = _FLAT
for _ in range(4):
    _NESTED = _FLAT + rb"(?:\(" + _NESTED + rb"\)" + _FLAT + rb")*"
_PAREN = rb"\s*\(" + _NESTED + rb"\)"

_CALLED = rb"attribute(?:__)?|declspec|cluster_dims__|maxnreg__|block_size__"
_PLAIN = rb"device_builtin__|inline_hint__|nv_pure__|cudart_builtin__|tile_builtin__"
_LAMBDA = rb"\](\s*(?:__(?:host|device|global)__\s*)+)(?=[({<]|->|mutable\b|noexcept\b)"

_MARK = re.compile(rb"__(?:align__|" + _CALLED + rb"|" + _PLAIN + rb")|&\s*__restrict|" + _LAMBDA)
_FIX = re.compile(
    rb"__(?:(align)__(?=\s*\()|(?P<called>"
    + _CALLED
    + rb")"
    + _PAREN
    + rb"|(?:"
    + _PLAIN
    + rb")(?!\w))|&\s*(?P<restrict>__restrict(?:__)?)(?!\w)|"
    + _LAMBDA.replace(rb"](\s", rb"](?P<lambda>\s", 1)
    + rb"|"
    + OPAQUE.pattern
)
_ALIGNED = re.compile(rb"__attribute(?:__)?\s*\(\s*\(\s*(?:__)?aligned(?:__)?\s*(\(.+\))\s*\)\s*\)")
_VISIBLE = re.compile(rb"[^\s]")
_CLASS_KEYS = (b"struct", b"class", b"union")


def fix_for_grammar(text: bytes) -> bytes:
    """Gives a text of the same length and lines that tree-sitter-cuda reads without errors.

    Alignment is kept as ``alignas``, a lambda's ``__device__`` as ``[[device]]``; other attributes
    become spaces.
    """
    return _FIX.sub(_replacement, text) if _MARK.search(text) else text


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)


def _replacement(found: re.Match[bytes]) -> bytes:
    whole = found[0]
    if whole[:1] == b"]":
        qualifiers = found["lambda"].replace(b"__device__", b"[[device]]", 1)
        return b"]" + re.sub(rb"__\w+__", lambda word: _blank(word[0]), qualifiers)
    if whole[:1] == b"&":
        return whole[: -len(found["restrict"])] + _blank(found["restrict"])
    if whole[:1] != b"_":
        return whole
    if found[1]:
        return b"  alignas"
    aligned = _ALIGNED.fullmatch(whole)
    if aligned and found.string[: found.start()].rstrip().endswith(_CLASS_KEYS):
        return (b"alignas" + aligned[1]).ljust(len(whole))
    return _blank(whole)


_UNROLL = re.compile(rb"(?:GCC\s+)?unroll\b\s*(.*)", re.DOTALL)


def pragma_attribute(pragma: bytes) -> bytes:
    """A pragma, given without ``#pragma``, as an attribute of the statement after it.

    Empty for pragmas that say nothing about a statement's cost.
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
        text = pragma[4:].strip().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        return b'[[omp::directive("' + text + b'")]]'
    return b""
