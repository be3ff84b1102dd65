"""Kernels and target regions that conditionals leave out for want of a macro.

Text in an inactive branch is not read. Where the branch needs a macro that nothing defines, a note
names the macro: with it the program may have other kernels.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.units import ExcludedCode, Problem, Severity

_MARKS: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?P<directive>ifdef|ifndef|if|elif|else|endif)\b(?P<rest>[^\n]*)"
    rb"|^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+(?P<pragma>[^\n]*)"
    rb"|\b__global__\b(?P<kernel>[^;{]{0,400})",
    re.MULTILINE,
)
_ONE_MACRO: Final = re.compile(
    rb"[ \t]*(?P<not>!?)[ \t]*(?:defined\b[ \t]*\(?[ \t]*)?(?P<name>[A-Za-z]\w*)[ \t]*\)?[ \t]*"
    rb"(?://.*|/\*.*)?\r?"
)
"""A term of a condition that is one macro. Names that begin with ``_`` are the compilers' own."""
_Macros = tuple[bytes, ...]
_TARGET: Final = re.compile(
    rb"(?!.*\bdeclare\b)(?:.*\b)?target\b(?!\s+(?:data|enter|exit|update)\b)"
)
_BOUNDS: Final = re.compile(rb"__launch_bounds__\s*\([^)]*\)")
_NAME: Final = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")


def excluded_notes(
    path: Path,
    source: bytes,
    text: bytes,
    active_pragmas: Container[int],
    macros: Container[bytes],
) -> tuple[Problem, ...]:
    """One note for each kernel and target region that needs a macro.

    ``text`` is the preprocessed ``source``, line by line; ``active_pragmas`` has the 1-based lines
    of pragmas that were read, ``macros`` what is defined at the end.
    """
    if b"#" not in source or (b"__global__" not in source and b"target" not in source):
        return ()
    found = _excluded(source, text.split(b"\n"), active_pragmas, macros)
    return tuple(
        Problem(Severity.NOTE, _told(item), path, item.line, excluded=item) for item in found
    )


def _excluded(
    source: bytes, lines: list[bytes], active_pragmas: Container[int], macros: Container[bytes]
) -> Iterator[ExcludedCode]:
    needs: list[tuple[_Macros, _Macros]] = []
    """Of each open group the macros that its branch needs, and those that ``#else`` needs."""
    line, at = 1, 0
    for mark in _MARKS.finditer(source):
        line, at = line + source.count(b"\n", at, mark.start()), mark.start()
        if mark["directive"] is not None:
            _enter(needs, mark["directive"], mark["rest"])
            continue
        macro = next((name for own, _ in needs for name in own if name not in macros), None)
        if macro is None:
            continue
        if mark["kernel"] is not None:
            if line <= len(lines) and b"__global__" not in lines[line - 1]:
                yield ExcludedCode(macro.decode(), line, _kernel_name(mark["kernel"]))
        elif line not in active_pragmas and _TARGET.match(mark["pragma"]):
            yield ExcludedCode(macro.decode(), line, None)


def _enter(needs: list[tuple[_Macros, _Macros]], directive: bytes, rest: bytes) -> None:
    """Follow one conditional directive."""
    if directive in (b"if", b"ifdef", b"ifndef"):
        needs.append(_needed(rest, negated=directive == b"ifndef"))
    elif needs and directive == b"elif":
        needs[-1] = _needed(rest, negated=False)
    elif needs and directive == b"else":
        needs[-1] = (needs[-1][1], ())
    elif needs:
        needs.pop()


def _needed(condition: bytes, *, negated: bool) -> tuple[_Macros, _Macros]:
    """The macros that a branch needs, and those that its ``#else`` needs."""
    terms = [_ONE_MACRO.fullmatch(term) for term in condition.split(b"&&")]
    wanted: list[bytes] = []
    unwanted: list[bytes] = []
    for found in terms:
        if found is None:
            return (), ()
        (unwanted if negated != bool(found["not"]) else wanted).append(found["name"])
    # What is not both A and B lacks either.
    return tuple(wanted), tuple(unwanted) if len(terms) == 1 else ()


def _kernel_name(declaration: bytes) -> str:
    found = _NAME.search(_BOUNDS.sub(b"", declaration))
    return found[1].decode("ascii", "replace") if found is not None else "one without a name"


def _told(item: ExcludedCode) -> str:
    what = "a target region" if item.kernel is None else f"kernel '{item.kernel}'"
    return f"{what} needs {item.macro}, which nothing defines"
