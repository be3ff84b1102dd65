"""Reports of the library calls found by the host execution, for the settings' GPU."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.what_if import call_what_if
from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.report.report import LibraryCallReport
from roofline_analysis.verdict.library_calls import judge_call
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbolic import Expr

MAX_PER_LINE = 3
"""The most calls of one line, with different sizes, that are reported."""


def library_call_reports(analysis: ProgramAnalysis, path: Path) -> tuple[LibraryCallReport, ...]:
    """The library calls of one file, in source order."""
    found: dict[tuple[int, str], list[LibraryCallReport]] = {}
    for call in sorted(analysis.host.library_calls, key=lambda call: not call.certain):
        if call.path == path:
            report = LibraryCallReport(
                name=call.name,
                path=call.path,
                line=call.line,
                what=in_words(call.work),
                count=_whole(call.work.count),
                element=call.work.element,
                repeat=_whole(call.repeat),
                certain=call.certain,
                prediction=judge_call(call, analysis.target),
                what_if=call_what_if(analysis, call),
            )
            same = found.setdefault((call.line, call.name), [])
            if all(known.what != report.what for known in same):
                same.append(report)
    return tuple(report for key in sorted(found) for report in found[key][:MAX_PER_LINE])


def in_words(work: LibraryWork) -> str:
    """``radix sort in 4 passes of 1048576 x unsigned int``."""
    count = _whole(work.count)
    if work.count is None and work.element is None:
        return work.action
    amount = f"{count}" if count is not None else "an unknown number"
    return f"{work.action} of {amount} x {work.element or 'element'}"


def _whole(expr: Expr | None) -> int | None:
    return truncated(expr.constant) if expr is not None else None
