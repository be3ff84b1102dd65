"""Kernels behind a feature of a library: ``#ifdef ENABLE_MPI``, ``#if LIB_WITH_RCCL``.

How a library is built is seldom told beside its sources, and features are chosen by whoever builds
it. Where only such a macro keeps a kernel from being read, it is taken as defined, so that there
is something to say of the kernel. A file with a ``main`` is a program, which is built in one way:
there the note stays that names the macro.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.units import Problem, Severity
from roofline_parsers.preprocess.result import PreprocessedFile

MOST_ROUNDS: Final = 4
"""Features within features, and in headers that one of them includes. A limit on the work."""
_FEATURE: Final = re.compile(
    r"(?:[A-Z\d]+_)*(?:ENABLE|HAVE|HAS|WITH|BUILD|SUPPORT)_[A-Z\d_]+"
    r"|(?:[A-Z\d]+_)+(?:ENABLED|AVAILABLE|SUPPORTED)"
)
_NO_FEATURE: Final = re.compile(
    r"HIP|ROCM|AMD|SYCL|ONEAPI|OPENCL|METAL|MUSA|CANN|WIN|MSVC|TEST|DEBUG|BENCH|PROFIL|VERIF|ONLY"
)
"""Of another platform, or of builds that look at the code itself."""
_MAIN: Final = re.compile(rb"\bmain\s*\(")
_SET_BY_HAND: Final = rb"#[ \t]*(?:define|undef)[ \t]+"
_MOST_INCLUDES: Final = 2_000


def features_awaited(read: PreprocessedFile) -> tuple[str, ...]:
    """The features that keep kernels of a file, or of its headers, from being read, in order."""
    if _MAIN.search(read.source):
        return ()
    found: dict[str, None] = {}
    for each in _with_headers(read):
        for problem in each.problems:
            item = problem.excluded
            if item is None or item.kernel is None or not _is_feature(item.macro):
                continue
            # Also in a comment, where someone turned it off.
            chosen = re.search(_SET_BY_HAND + item.macro.encode() + rb"\b", each.source)
            if chosen is None and not _has_another(each, item.kernel):
                found[item.macro] = None
    return tuple(found)


def errors_of(read: PreprocessedFile) -> int:
    """How many ``#error`` lines a file and its headers came to."""
    return sum(
        problem.message.startswith("#error")
        for each in _with_headers(read)
        for problem in each.problems
    )


def feature_note(macro: str, path: Path) -> Problem:
    """What is said of a feature that is taken as defined."""
    message = f"kernels need {macro}, which nothing defines: taken as defined"
    return Problem(Severity.NOTE, message, path)


def _is_feature(macro: str) -> bool:
    return _FEATURE.fullmatch(macro) is not None and _NO_FEATURE.search(macro) is None


def _has_another(read: PreprocessedFile, kernel: str) -> bool:
    """Whether the text that is read has a kernel of this name: the other is its alternative."""
    name = re.escape(kernel.encode())
    return re.search(rb"__global__[^;{]{0,400}\b" + name + rb"\s*\(", read.text) is not None


def _with_headers(read: PreprocessedFile) -> Iterator[PreprocessedFile]:
    waiting, seen = [read], 0
    while waiting and seen < _MOST_INCLUDES:
        each = waiting.pop()
        yield each
        seen += 1
        waiting += each.includes
