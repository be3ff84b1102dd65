"""Kernel files that a host program joins into one text.

OpenCL builds a program from strings. Hosts often give it a file of shared macros, types and
functions and then one of kernels, neither of which includes the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from roofline_core.program.records import record
from roofline_parsers.preprocess.kernels_as_strings import unwrapped

_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL: Final = re.compile(rb"\b(?:__)?kernel\b")
_INCLUDED: Final = re.compile(rb"#[ \t]*include[ \t]*[\"<]([^\">\n]+)")
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_DEFINED: Final = re.compile(
    rb"#[ \t]*define[ \t]+(?P<macro>\w+)"
    rb"|\btypedef\b(?P<type>[^;{}]*+(?:\{[^{}]*+\}[^;{}]*+)?);"
    rb"|\b(?P<function>[A-Za-z_]\w*+)\s*+\((?:[^;{}()]|\([^;{}()]*+\))*+\)\s*+\{"
)
_NO_FUNCTIONS: Final = frozenset((b"if", b"for", b"while", b"switch", b"__attribute__"))


def read_before(sources: Mapping[Path, bytes]) -> dict[Path, tuple[Path, ...]]:
    """For each kernel file, those without kernels that define what it uses and does not define.

    ``sources`` has the kernel files of one program. A file that one of them includes is no such
    file. Those of outer folders come first.
    """
    texts = {each: _COMMENT.sub(b" ", unwrapped(text)) for each, text in sources.items()}
    included = {
        name.rsplit(b"/", 1)[-1].decode(errors="replace")
        for text in texts.values()
        for name in _INCLUDED.findall(text)
    }
    with_kernels = {each for each, text in texts.items() if _KERNEL.search(text) is not None}
    shared = {
        each: _Shared(_defined(text), set(_WORD.findall(text)))
        for each, text in texts.items()
        if each not in with_kernels and each.name not in included
    }
    return {
        each: _that_define(_missing(text), shared) if each in with_kernels and shared else ()
        for each, text in texts.items()
    }


def names_in_kernel_text(source: bytes) -> tuple[set[bytes], set[bytes]]:
    """The macros, types and functions that a kernel file defines, and all words in it."""
    text = _COMMENT.sub(b" ", unwrapped(source))
    return _defined(text), set(_WORD.findall(text))


@record(frozen=True, slots=True)
class _Shared:
    """What a file without kernels defines, and the words in it."""

    names: set[bytes]
    words: set[bytes]


def _missing(text: bytes) -> set[bytes]:
    return set(_WORD.findall(text)) - _defined(text)


def _that_define(missing: set[bytes], shared: Mapping[Path, _Shared]) -> tuple[Path, ...]:
    """The files that define what is missing, and what these miss in turn."""
    found: set[Path] = set()
    while more := {p for p, each in shared.items() if p not in found and each.names & missing}:
        found |= more
        for each in more:
            missing |= shared[each].words - shared[each].names
    return tuple(sorted(found, key=lambda each: (len(each.parts), each.as_posix())))


def _defined(text: bytes) -> set[bytes]:
    """The macros, types and functions that a text defines."""
    names: set[bytes] = set()
    for found in _DEFINED.finditer(text):
        if found["type"] is not None:
            names.update(_WORD.findall(found["type"])[-1:])
        else:
            names.add(found["macro"] or found["function"])
    return names - _NO_FUNCTIONS
