"""Kernels and target regions that conditionals leave out for want of a macro.

Text in an inactive branch is not read. Where the branch needs a macro that nothing defines, a note
names the macro: with it the program may have other kernels.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import Problem, Severity

_MOST_NAMED: Final = 3
"""The most kernels that a note names."""
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
"""A condition that is one macro. Names that begin with ``_`` are the compilers' own."""
_TARGET: Final = re.compile(
    rb"(?!.*\bdeclare\b)(?:.*\b)?target\b(?!\s+(?:data|enter|exit|update)\b)"
)
_BOUNDS: Final = re.compile(rb"__launch_bounds__\s*\([^)]*\)")
_NAME: Final = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")


@record(frozen=True, slots=True)
class _Excluded:
    """A kernel or target region in an inactive branch."""

    macro: str
    line: int
    name: str | None
    """The kernel's; None of a target region."""


def excluded_notes(
    path: Path,
    source: bytes,
    text: bytes,
    active_pragmas: Container[int],
    macros: Container[bytes],
) -> tuple[Problem, ...]:
    """One note for each macro that kernels or target regions of a file need.

    ``text`` is the preprocessed ``source``, line by line; ``active_pragmas`` has the 1-based lines
    of pragmas that were read, ``macros`` what is defined at the end.
    """
    if b"#" not in source or (b"__global__" not in source and b"target" not in source):
        return ()
    groups: dict[tuple[str, bool], list[_Excluded]] = {}
    for item in _excluded(source, text.split(b"\n"), active_pragmas, macros):
        groups.setdefault((item.macro, item.name is None), []).append(item)
    return tuple(
        Problem(Severity.NOTE, _told(macro, items), path, items[0].line)
        for (macro, _), items in groups.items()
    )


def _excluded(
    source: bytes, lines: list[bytes], active_pragmas: Container[int], macros: Container[bytes]
) -> Iterator[_Excluded]:
    needs: list[tuple[bytes | None, bytes | None]] = []
    """Of each open group the macro that its branch needs, and the one that ``#else`` needs."""
    line, at = 1, 0
    for mark in _MARKS.finditer(source):
        line, at = line + source.count(b"\n", at, mark.start()), mark.start()
        if mark["directive"] is not None:
            _enter(needs, mark["directive"], mark["rest"])
            continue
        macro = next((own for own, _ in needs if own is not None and own not in macros), None)
        if macro is None:
            continue
        if mark["kernel"] is not None:
            if line <= len(lines) and b"__global__" not in lines[line - 1]:
                yield _Excluded(macro.decode(), line, _kernel_name(mark["kernel"]))
        elif line not in active_pragmas and _TARGET.match(mark["pragma"]):
            yield _Excluded(macro.decode(), line, None)


def _enter(needs: list[tuple[bytes | None, bytes | None]], directive: bytes, rest: bytes) -> None:
    """Follow one conditional directive."""
    if directive in (b"if", b"ifdef", b"ifndef"):
        needs.append(_needed(rest, negated=directive == b"ifndef"))
    elif needs and directive == b"elif":
        needs[-1] = _needed(rest, negated=False)
    elif needs and directive == b"else":
        needs[-1] = (needs[-1][1], None)
    elif needs:
        needs.pop()


def _needed(condition: bytes, *, negated: bool) -> tuple[bytes | None, bytes | None]:
    """The macro that a branch needs, and the one that its ``#else`` needs."""
    found = _ONE_MACRO.fullmatch(condition)
    if found is None:
        return None, None
    name: bytes = found["name"]
    return (None, name) if negated != bool(found["not"]) else (name, None)


def _kernel_name(declaration: bytes) -> str:
    found = _NAME.search(_BOUNDS.sub(b"", declaration))
    return found[1].decode("ascii", "replace") if found is not None else "one without a name"


def _told(macro: str, items: list[_Excluded]) -> str:
    names = list(dict.fromkeys(item.name for item in items if item.name is not None))
    what = "kernel" if names else "target region"
    count = len(names) or len(items)
    verb = "needs" if count == 1 else "need"
    told = f"{count} {what}{'' if count == 1 else 's'} {verb} {macro}, which nothing defines"
    if names:
        more = " ..." if len(names) > _MOST_NAMED else ""
        told += f": {', '.join(names[:_MOST_NAMED])}{more}"
    return told
