"""The kernel that a name in a source means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.report.report import FileReport, KernelReport, LaunchReport
from roofline_core.program.units import Dialect
from roofline_lsp.server.documents.source_places import SourcePlaces

_WORD = re.compile(r"[^\W\d]\w*")
_QUALIFIERS = re.compile(r"(?:[^\W\d]\w*\s*)?(?:::\s*[^\W\d]\w*\s*)*::\s*\Z")
LAUNCH_CALL = re.compile(
    r"(?:cl)?[eE]nqueue(?:NDRangeKernel|Task)|enqueue_nd_range_kernel"
    r"|(?:cu|cuda|hip)\w*Launch\w*"
)
"""Functions that launch a kernel that is not named where they are called."""
LAUNCH_OF = re.compile(r"([^\W\d]\w*)\s*(?:<[^;{}]*>)?\s*<<<")
"""A launch, and the name of the kernel that it launches."""
_MEMBER = re.compile(r"(?:\.|->)\s*\Z")


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name on a line."""

    name: str
    start: int
    end: int
    """Code points of the line, end exclusive."""
    qualifier: str | None
    """What stands before the last ``::``, ``""`` for the global scope; None without ``::``."""
    member: bool
    """Whether it is a member of an object, which a kernel never is."""


def identifier_at(line: str, index: int) -> Identifier | None:
    """The identifier that covers a code point or ends right before it."""
    for word in _WORD.finditer(line):
        if word.start() <= index <= word.end():
            before = line[: word.start()]
            scope = _QUALIFIERS.search(before)
            qualifier = None if scope is None else re.sub(r"\s", "", scope[0])[:-2]
            member = _MEMBER.search(before) is not None
            return Identifier(word[0], word.start(), word.end(), qualifier, member)
    return None


def meant(
    report: FileReport, word: Identifier, path: Path, line: int | None
) -> KernelReport | None:
    """The kernel that an identifier on a 1-based line of ``path`` means, None for any other name.

    Of several kernels of one name, the one defined or launched on the line; otherwise the first.
    """
    if word.member:
        return None
    named = [
        kernel
        for kernel in report.kernels
        if kernel.base_name == word.name and _in_scope(kernel, word.qualifier)
    ]
    if line is not None:
        for kernel in named:
            if kernel.path == path and kernel.name_span.line == line:
                return kernel
        for kernel in named:
            if launch_on(kernel, path, line) is not None:
                return kernel
    return named[0] if named else None


def directive_on(report: FileReport, line: int | None, lines: Sequence[str]) -> KernelReport | None:
    """The kernel that an OpenMP directive makes which a 1-based line is a part of.

    Such a kernel has no name in the source.
    """
    if line is None:
        return None
    first = line
    while 1 < first <= len(lines) and lines[first - 2].rstrip().endswith("\\"):
        first -= 1
    for kernel in report.kernels:
        at = kernel.name_span.line
        if kernel.dialect is Dialect.OPENMP and kernel.path == report.path and first <= at <= line:
            return kernel
    return None


def launched_on(report: FileReport, path: Path, line: int | None) -> KernelReport | None:
    """The kernel that a line launches."""
    return next((k for k in report.kernels if launch_on(k, path, line) is not None), None)


def declared_on(report: FileReport, line: int, places: SourcePlaces) -> KernelReport | None:
    """The kernel whose declaration a 1-based line is a part of, from its template to its body."""
    for kernel in report.kernels:
        if kernel.path != report.path or kernel.dialect is Dialect.OPENMP:
            continue
        first, last = places.declaration(kernel)
        if first <= line <= last:
            return kernel
    return None


def launched_near(
    report: FileReport, lines: tuple[int, int], path: Path | None = None
) -> tuple[KernelReport, LaunchReport] | None:
    """The first kernel of a report that a statement launches, from its first line to its last.

    ``path`` is the statement's file, if that is not the report's own.
    """
    for kernel in report.kernels:
        for launch in kernel.launches:
            if launch.path == (path or report.path) and lines[0] <= launch.line <= lines[1]:
                return kernel, launch
    return None


def kernels_meant(
    report: FileReport, lines: tuple[int, int], places: SourcePlaces
) -> list[KernelReport]:
    """The kernels that 1-based lines are of: of a declaration, of a body, or of a launch."""
    found = []
    for kernel in report.kernels:
        own = kernel.path == report.path
        first = places.declaration(kernel)[0] if own else 0
        inside = own and first <= lines[1] and lines[0] <= kernel.span.end_line
        if inside or _is_launched(kernel, report.path, lines, places):
            found.append(kernel)
    return found


def _is_launched(
    kernel: KernelReport, path: Path, lines: tuple[int, int], places: SourcePlaces
) -> bool:
    statements = (places.statement(each.line) for each in kernel.launches if each.path == path)
    return any(first <= lines[1] and lines[0] <= last for first, last in statements)


def launch_on(kernel: KernelReport, path: Path, line: int | None) -> LaunchReport | None:
    """The launch of a kernel on a line."""
    return next(
        (launch for launch in kernel.launches if launch.path == path and launch.line == line), None
    )


def _in_scope(kernel: KernelReport, qualifier: str | None) -> bool:
    """Whether ``qualifier::name`` can mean a kernel; template arguments are left out of account."""
    if not qualifier:
        return True
    scopes = kernel.qualified_name.split("::")[:-1]
    given = qualifier.removeprefix("::").split("::")
    return scopes[-len(given) :] == given
