"""Conditionals one of whose branches every build takes: ``#else`` is an ``#error``.

    #if PROJECT_CUDA
    ...
    #elif PROJECT_ROCM
    ...
    #else
    #error "build for CUDA or ROCm"
    #endif

Where nothing that is known makes a branch active, the macros that one of them needs are taken as
defined, so that the rest of the program agrees with it. Inside a body such a conditional chooses
what is computed, which nothing tells: there the ``#error`` stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from roofline_parsers.preprocess.structure import Chunk, PreprocessorDirective, SourceFile
from roofline_parsers.preprocess.tokens import strip_comments

Branches = tuple[PreprocessorDirective, ...]
"""The ``#if`` and each ``#elif`` of a conditional, in order."""

_OPENINGS: Final = frozenset([b"if", b"ifdef", b"ifndef"])
_ALTERNATIVES: Final = frozenset([b"elif", b"elifdef", b"elifndef", b"else"])
_FLAG: Final = re.compile(
    rb"\s*\(*\s*(?:defined\b\s*\(?\s*)?(?P<name>[A-Za-z]\w*)\s*\)*\s*(?:(?:==|>=)\s*1\s*)?\)*\s*"
)
"""A term of a condition that holds if one macro is 1. Names with ``_`` first are compilers' own."""
_NUMBER: Final = re.compile(rb"\s*\(*\s*(?P<name>[A-Za-z]\w*)\s*==\s*(?P<value>\d+)\s*\)*\s*")
_CUDA: Final = re.compile(rb"CUDA|NVCC|NVIDIA", re.IGNORECASE)


def conditionals_with_error(file: SourceFile) -> Mapping[int, Branches]:
    """By the 1-based line of its ``#if``, each conditional whose ``#else`` is an ``#error``."""
    if b"error" not in file.words:
        return {}
    found: dict[int, Branches] = {}
    open_branches: list[list[PreprocessorDirective]] = []
    in_else: list[PreprocessorDirective] = []
    """The ``#if`` of the conditional in whose ``#else`` nothing has stood so far."""
    for part in file.parts:
        if isinstance(part, Chunk):
            if in_else and strip_comments(part.text).strip():
                in_else.clear()
            continue
        keyword = part.keyword
        if keyword == b"error" and in_else:
            found[in_else[0].line] = tuple(open_branches[-1])
        in_else.clear()
        if keyword in _OPENINGS:
            open_branches.append([part])
        elif keyword in _ALTERNATIVES and open_branches:
            if keyword == b"else":
                in_else.append(open_branches[-1][0])
            else:
                open_branches[-1].append(part)
        elif keyword == b"endif" and open_branches:
            open_branches.pop()
    return found


def conditionals_by_number(file: SourceFile) -> Mapping[int, tuple[bytes, bytes]]:
    """By the 1-based line of its ``#if``, the macro that each branch compares to a number.

    With the macro stands the first branch's number. Those with an ``#else`` are left out, which is
    taken where the macro is not defined.
    """
    if b"elif" not in file.words:
        return {}
    found: dict[int, tuple[bytes, bytes]] = {}
    opened: list[list[PreprocessorDirective]] = []
    for part in file.parts:
        if isinstance(part, Chunk):
            continue
        if part.keyword in _OPENINGS:
            opened.append([part])
        elif part.keyword in _ALTERNATIVES and opened:
            opened[-1].append(part)
        elif part.keyword == b"endif" and opened:
            branches = opened.pop()
            terms = [_NUMBER.fullmatch(branch.argument) for branch in branches]
            named = {term["name"] for term in terms if term is not None}
            first = terms[0]
            if len(terms) > 1 and None not in terms and len(named) == 1 and first is not None:
                found[branches[0].line] = first["name"], first["value"]
    return found


def flags_to_define(branches: Branches) -> tuple[bytes, ...]:
    """The macros with which one branch is active: CUDA's, or the first that flags decide.

    Empty where none is: a branch may need a value, a compiler's macro, or that something is not
    defined.
    """
    choices = [names for each in branches if (names := _flags(each))]
    of_cuda = [names for names in choices if _CUDA.search(b" ".join(names))]
    return next(iter([*of_cuda, *choices]), ())


def _flags(directive: PreprocessorDirective) -> tuple[bytes, ...]:
    if directive.keyword.endswith(b"ndef"):
        return ()
    text = directive.argument
    terms = [_FLAG.fullmatch(term) for term in text.split(b"||")[0].split(b"&&")]
    names = [term["name"] for term in terms if term is not None]
    return tuple(names) if len(names) == len(terms) else ()
