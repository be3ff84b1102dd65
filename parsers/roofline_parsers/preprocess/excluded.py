"""Kernels and target regions that conditionals leave out for want of a macro.

Text in an inactive branch is not read. Where the branch needs a macro that nothing defines, a note
names the macro: with it the program may have other kernels.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.units import ExcludedCode, Problem, Severity

_MARKS: Final = re.compile(
    rb"#[ \t]*(?:(?P<directive>ifdef|ifndef|if|elif|else|endif)\b(?P<rest>[^\n]*)"
    rb"|pragma[ \t]+omp[ \t]+(?P<pragma>[^\n]*))"
    rb"|__global__(?<!\w__global__)\b(?P<kernel>[^;{]{0,400})"
)
"""A directive begins its line, which is asked where one is found: looking for ``#`` is fast."""
_ONE_MACRO: Final = re.compile(
    rb"(?P<not>!?)\s*(?:defined\b\s*\(?\s*)?(?P<name>[A-Za-z]\w*)\s*\)?"
    rb"|(?P<chosen>[A-Za-z]\w*)\s*==\s*(?P<value>\w+)"
)
"""A term of a condition that is one macro, or a macro that must have a value. Names that begin with
``_`` are the compilers' own."""
_COMMENT: Final = re.compile(rb"//.*|/\*.*")
_Macros = tuple[bytes, ...]
"""Names, with the value that one must have: ``FAST``, ``MODEL=HYDRO``."""
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


def _begins_line(source: bytes, at: int) -> bool:
    """Whether only blanks stand before a place in its line."""
    return not source[source.rfind(b"\n", 0, at) + 1 : at].strip(b" \t")


def _excluded(
    source: bytes, lines: list[bytes], active_pragmas: Container[int], macros: Container[bytes]
) -> Iterator[ExcludedCode]:
    needs: list[tuple[_Macros, _Macros]] = []
    """Of each open group the macros that its branch needs, and those that ``#else`` needs."""
    line, at = 1, 0
    for mark in _MARKS.finditer(source):
        if mark["kernel"] is None and not _begins_line(source, mark.start()):
            continue
        line, at = line + source.count(b"\n", at, mark.start()), mark.start()
        if mark["directive"] is not None:
            _enter(needs, mark["directive"], mark["rest"])
            continue
        wanted = (name for own, _ in needs for name in own)
        macro = next((name for name in wanted if name.partition(b"=")[0] not in macros), None)
        if macro is None:
            continue
        if mark["kernel"] is not None:
            if line <= len(lines) and b"__global__" not in lines[line - 1]:
                yield ExcludedCode(macro.decode(), line, kernel_name(mark["kernel"]))
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
    terms = [_ONE_MACRO.fullmatch(term) for term in _terms(_COMMENT.sub(b"", condition))]
    wanted: list[bytes] = []
    unwanted: list[bytes] = []
    for found in terms:
        if found is None:
            return (), ()
        if found["chosen"] is not None:
            wanted.append(found["chosen"] + b"=" + found["value"])
            continue
        (unwanted if negated != bool(found["not"]) else wanted).append(found["name"])
    # What is not both A and B lacks either.
    return tuple(wanted), tuple(unwanted) if len(terms) == 1 else ()


def _terms(condition: bytes) -> list[bytes]:
    """What ``&&`` joins outside of brackets, each without brackets around it."""
    text = _bare(condition)
    parts, depth, begin = [], 0, 0
    for found in re.finditer(rb"[()]|&&", text):
        depth += {b"(": 1, b")": -1}.get(found[0], 0)
        if found[0] == b"&&" and depth == 0:
            parts.append(text[begin : found.start()])
            begin = found.end()
    parts.append(text[begin:])
    return [_bare(part) for part in parts]


def _bare(text: bytes) -> bytes:
    """A text without brackets around the whole of it: ``A == 1`` for ``( A == 1 )``."""
    text = text.strip()
    while text.startswith(b"(") and text.endswith(b")"):
        depths = itertools.accumulate({ord("("): 1, ord(")"): -1}.get(each, 0) for each in text)
        if next((at for at, depth in enumerate(depths) if depth == 0), None) != len(text) - 1:
            break
        text = text[1:-1].strip()
    return text


def kernel_name(declaration: bytes) -> str:
    """The name of a kernel in what follows its ``__global__``."""
    found = _NAME.search(_BOUNDS.sub(b"", declaration))
    return found[1].decode("ascii", "replace") if found is not None else "one without a name"


def _told(item: ExcludedCode) -> str:
    what = "a target region" if item.kernel is None else f"kernel '{item.kernel}'"
    return f"{what} needs {item.macro}, which nothing defines"
