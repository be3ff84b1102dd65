"""What must hold of an edited file before its edit is shown: all of it read from the kernel model.

An edit may change the bodies of device functions and add such functions. All else stays as it is,
character by character, so that neither a slip nor words hidden in the source can reach code that
runs on the host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from roofline_advisor.advice import KernelName
from roofline_advisor.bench import Reading
from roofline_advisor.edits import RejectedError
from roofline_analysis.report.report import KernelReport
from roofline_core.program.units import OPENCL_SUFFIXES, Dialect, Function, Span

_TEMPLATE = re.compile(rb"\btemplate\s*<[^;{}]*>\s*\Z")
_UNROLL = re.compile(r"\s*#\s*pragma\s+(?:GCC\s+)?(?:no)?unroll\b[^#\\]*")
_MARKS = ("#", "%:", "??=")
"""What a preprocessor line begins with: the sign, its digraph, its trigraph."""
_ASSEMBLY = re.compile(r"\b(?:asm|__asm|__asm__)\b")
_PRAGMA = re.compile(r"\b_Pragma\b")
_BLANK = re.compile(rb"\s+")


def check_words(before: str, after: str) -> None:
    """What must hold before an edited text is read at all. Raises RejectedError.

    Reading follows ``#include``, and what was read would be quoted in messages, so no line with
    such a sign may be new, not even in a string or a comment, whose ends could be a matter of
    dispute.
    """
    added = Counter(_marked(after)) - Counter(_marked(before))
    for line in added:
        raise RejectedError(f"it adds the preprocessor line '{line[:60]}'")
    for words, what in ((_ASSEMBLY, "inline assembly"), (_PRAGMA, "a pragma in an expression")):
        if len(words.findall(after)) > len(words.findall(before)):
            raise RejectedError(f"it adds {what}")


def _marked(text: str) -> list[str]:
    return [
        line.strip()
        for line in text.splitlines()
        if any(mark in line for mark in _MARKS) and _UNROLL.fullmatch(line) is None
    ]


def check(before: Reading, after: Reading, name: KernelName) -> KernelReport:
    """The kernel after the edit. Raises RejectedError naming the first thing that does not hold."""
    _parses(before, after)
    old = before.kernel(name)
    new = _same_kernels(before, after, old)
    if _frame(before) != _frame(after):
        raise RejectedError("it changes code outside of device functions")
    if _launches(before) != _launches(after):
        raise RejectedError("it changes how kernels are launched")
    return new


def _parses(before: Reading, after: Reading) -> None:
    known = Counter(problem.message for problem in before.problems)
    for problem in after.problems:
        known[problem.message] -= 1
        if known[problem.message] < 0:
            where = f"line {problem.line}: " if problem.line is not None else ""
            raise RejectedError(f"the edited file cannot be read: {where}{problem.message}")


def _same_kernels(before: Reading, after: Reading, old: KernelReport) -> KernelReport:
    """The kernel again, by its place among all."""
    names = [_signature(kernel.name) for kernel in before.report.kernels]
    found = [_signature(kernel.name) for kernel in after.report.kernels]
    at = before.report.kernels.index(old)
    if names != found:
        if len(names) == len(found) and names[at] != found[at]:
            raise RejectedError(
                f"it changes the signature of the kernel from '{old.name}' to"
                f" '{after.report.kernels[at].name}'"
            )
        raise RejectedError("it adds, takes away or renames kernels")
    return after.report.kernels[at]


def _signature(name: str) -> str:
    """Without what may be added to pointers; the parser gives types without ``__restrict__``."""
    return re.sub(r"\bconst ", "", name)


def _launches(reading: Reading) -> list[object]:
    return [
        (
            _signature(kernel.name),
            [
                (launch.path, launch.grid, launch.block, launch.shared_bytes, launch.template_args)
                for launch in kernel.launches
            ],
        )
        for kernel in reading.report.kernels
    ]


def _frame(reading: Reading) -> bytes:
    """The file without its device functions and without blanks."""
    path, text = reading.files[0]
    spans = _device_spans(reading, path)
    starts = _line_starts(text)
    kept, at = [], 0
    for start, end in sorted((_offset(starts, s, 0), _offset(starts, s, 1)) for s in spans):
        if start >= at:
            kept.append(_TEMPLATE.sub(b"", text[at:start]))
        at = max(at, end)
    kept.append(text[at:])
    return _BLANK.sub(b"", b"\0".join(part for part in kept if part.strip()))


def _device_spans(reading: Reading, path: Path) -> Iterable[Span]:
    for function in reading.functions:
        if _on_device_alone(function, path):
            yield function.span
    for kernel in reading.report.kernels:
        yield kernel.span


def _on_device_alone(function: Function, path: Path) -> bool:
    if function.dialect is Dialect.OPENCL:
        return path.suffix.lower() in OPENCL_SUFFIXES
    on_device = function.qualifiers & {"__global__", "__device__"}
    return bool(on_device) and "__host__" not in function.qualifiers


def _line_starts(text: bytes) -> Sequence[int]:
    return [0, *(match.end() for match in re.finditer(rb"\n", text))]


def _offset(starts: Sequence[int], span: Span, end: int) -> int:
    line, column = (span.end_line, span.end_column) if end else (span.line, span.column)
    return starts[min(line, len(starts)) - 1] + column
