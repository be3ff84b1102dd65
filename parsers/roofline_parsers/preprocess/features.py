"""Kernels behind a feature of a library: ``#ifdef ENABLE_MPI``, ``#if LIB_WITH_RCCL``.

How a library is built is seldom told beside its sources, and features are chosen by whoever builds
it. Where only such a macro keeps a kernel from being read, it is taken as defined, so that there
is something to say of the kernel. So is a macro of any name that all of a file's kernels need
(``#ifdef GRAVITY`` around the whole of it, ``#if MODEL == HYDRO``): nothing that is built without
it changes. A file with a ``main`` is a program, which is built in one way: there the note stays
that names the macro.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.units import Problem, Severity
from roofline_parsers.preprocess.excluded import kernel_name
from roofline_parsers.preprocess.result import PreprocessedFile

MOST_ROUNDS: Final = 6
"""Features within features, and in headers that one of them includes. A limit on the work."""
_FEATURE: Final = re.compile(
    r"(?:[A-Z\d]+_)*(?:ENABLE|HAVE|HAS|WITH|BUILD|SUPPORT)_[A-Z\d_]+"
    r"|(?:[A-Z\d]+_)+(?:ENABLED|AVAILABLE|SUPPORTED)"
)
_SWITCH: Final = re.compile(r"[A-Z][A-Z\d_]+(?:=\w+)?")
_NO_FEATURE: Final = re.compile(
    r"HIP|ROCM|AMD|SYCL|ONEAPI|OPENCL|METAL|MUSA|CANN|WIN|MSVC|TEST|DEBUG|BENCH|PROFIL|VERIF|ONLY"
)
"""Of another platform, or of builds that look at the code itself."""
_DEAD: Final = re.compile(
    r"OLD|LEGACY|DEPRECATED|UNUSED|DISABLE|DEAD|OBSOLETE|EXAMPLE|(?:^|_)NOT?_"
)
"""Of code that is kept and not built."""
_KERNEL: Final = re.compile(rb"\b__global__\b(?P<head>[^;{]{0,2000})(?P<end>[;{])")
_MAIN: Final = re.compile(rb"\bmain\s*\(")
_SET_BY_HAND: Final = rb"#[ \t]*(?:define|undef)[ \t]+"
_MOST_INCLUDES: Final = 2_000


def features_awaited(read: PreprocessedFile) -> tuple[str, ...]:
    """The features that keep kernels of a file, or of its headers, from being read, in order."""
    if _MAIN.search(read.source):
        return ()
    found: dict[str, None] = {}
    for each in _with_headers(read):
        items = [problem.excluded for problem in each.problems if problem.excluded is not None]
        items = [item for item in items if item.kernel is not None]
        switches = bool(items) and not (_kernels_of(read) or _kernels_of(each))
        for item in items:
            if not _is_taken(item.macro, switches):
                continue
            name = item.macro.partition("=")[0]
            # Also in a comment, where someone turned it off.
            chosen = re.search(_SET_BY_HAND + name.encode() + rb"\b", each.source)
            values = (other for other in found if other.startswith(f"{name}="))
            if chosen is None and not any(values) and not _has_another(each, item.kernel or ""):
                found[item.macro] = None
    return tuple(found)


def defines_of(features: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Features as names with values: 1 where none is given."""
    split = (each.partition("=") for each in features)
    return tuple((name, value or "1") for name, _, value in split)


def loses(read: PreprocessedFile, again: PreprocessedFile) -> bool:
    """Whether a reading with more macros is no better: with errors, or without a kernel.

    An ``#error`` counts where kernels waited. Elsewhere it may want a further macro, as in a header
    that checks the whole configuration.
    """
    waiting = {
        each.path for each in _with_headers(read) if any(item.excluded for item in each.problems)
    }
    if _errors_of(again, waiting) > _errors_of(read, waiting):
        return True
    return bool(_all_kernels(read) - _all_kernels(again))


def _errors_of(read: PreprocessedFile, paths: Container[Path]) -> int:
    """How many ``#error`` lines these of a file and its headers came to."""
    return sum(
        problem.message.startswith("#error")
        for each in _with_headers(read)
        if each.path in paths
        for problem in each.problems
    )


def feature_note(macro: str, path: Path) -> Problem:
    """What is said of a feature that is taken as defined."""
    message = f"kernels need {macro}, which nothing defines: taken as defined"
    return Problem(Severity.NOTE, message, path)


def _is_taken(macro: str, switches: bool) -> bool:
    """Whether a macro is a feature by its name, or with ``switches`` one of any name."""
    if _NO_FEATURE.search(macro):
        return False
    if _FEATURE.fullmatch(macro):
        return True
    return switches and _SWITCH.fullmatch(macro) is not None and not _DEAD.search(macro)


def _kernels_of(read: PreprocessedFile) -> set[str]:
    """The names of the kernels that a file's text defines as it is read."""
    found = _KERNEL.finditer(read.text)
    return {kernel_name(each["head"]) for each in found if each["end"] == b"{"}


def _all_kernels(read: PreprocessedFile) -> set[str]:
    return {name for each in _with_headers(read) for name in _kernels_of(each)}


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
