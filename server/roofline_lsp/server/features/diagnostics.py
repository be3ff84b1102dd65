"""Diagnostics: what was not read, what could be faster, where measurements contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lsprotocol import types

from roofline_analysis.report.report import Finding, Level, Related
from roofline_core.program.units import ExcludedCode, Problem, Severity
from roofline_lsp.server.documents.broken_code import is_syntax_problem
from roofline_lsp.server.documents.convert import Encoding, line_range, range_of
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.documents.places import uri_of
from roofline_lsp.server.worker.rule_pages import page_uri

SOURCE = "roofline-lsp"

DISAGREES = "measured-differently"
"""The code of the diagnostic on a kernel that was measured far from what is predicted."""

BROKEN = "broken-code"
"""The code of the diagnostic at the edit since which the code cannot be read in full."""

EXCLUDED = "excluded-code"
"""The code of the hint at a kernel or target region that needs a macro."""

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Warning,
    Severity.WARNING: types.DiagnosticSeverity.Information,
    Severity.NOTE: types.DiagnosticSeverity.Hint,
}
"""One step milder than the problem: it is this program that could not read the code."""


_LEVELS = {
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.INFORMATION: types.DiagnosticSeverity.Information,
    Level.HINT: types.DiagnosticSeverity.Hint,
}


def diagnostics(view: View, encoding: Encoding) -> list[types.Diagnostic]:
    """The problems and findings of the document itself whose lines are still there."""
    shown = [*_problems(view, encoding), *(hint for _, hint in excluded_hints(view, encoding))]
    steady = view.steady
    for finding in steady.report.all_findings():
        made = finding_diagnostic(finding, steady, encoding)
        if made is not None:
            shown.append(made)
    return shown


def finding_diagnostic(finding: Finding, view: View, encoding: Encoding) -> types.Diagnostic | None:
    """A finding as a diagnostic; None if it is in another file or its line was edited."""
    line = view.line_map.to_new(finding.span.line)
    end = view.line_map.to_new(finding.span.end_line)
    if finding.path != view.report.path or line is None or end is None:
        return None
    span = replace(finding.span, line=line, end_line=end)
    page = page_uri(finding.code)
    return types.Diagnostic(
        range=range_of(span, view.lines, encoding),
        message=finding.message,
        severity=_LEVELS[finding.level],
        code=finding.code,
        code_description=types.CodeDescription(page) if page is not None else None,
        source=SOURCE,
        related_information=[
            made for each in finding.related if (made := _related(each, view, encoding)) is not None
        ]
        or None,
    )


def excluded_hints(
    view: View, encoding: Encoding
) -> Iterator[tuple[ExcludedCode, types.Diagnostic]]:
    """A hint at each kernel and target region that needs a macro which nothing defines."""
    for item in view.report.excluded:
        line = view.line_map.to_new(item.line)
        if line is None:
            continue
        what = "A target region" if item.kernel is None else f"Kernel '{item.kernel}'"
        yield (
            item,
            types.Diagnostic(
                range=line_range(line, view.lines, encoding),
                message=f"{what} is left out: it needs {item.macro}, which nothing defines",
                severity=types.DiagnosticSeverity.Hint,
                source=SOURCE,
                code=EXCLUDED,
            ),
        )


def _related(
    item: Related, view: View, encoding: Encoding
) -> types.DiagnosticRelatedInformation | None:
    if item.path == view.report.path:
        line = view.line_map.to_new(item.line)
        if line is None:
            return None
        where = types.Location(view.document.uri, line_range(line, view.lines, encoding))
    else:
        uri = uri_of(item.path)
        if uri is None:
            return None
        row = types.Position(max(0, item.line - 1), 0)
        where = types.Location(uri, types.Range(row, row))
    return types.DiagnosticRelatedInformation(where, item.message)


def _problems(view: View, encoding: Encoding) -> list[types.Diagnostic]:
    own = [each for each in view.report.problems if each.path in (None, view.report.path)]
    shown = []
    if view.is_broken:
        shown.append(_broken(view, [each for each in own if is_syntax_problem(each)], encoding))
        own = [each for each in own if not is_syntax_problem(each)]
    for problem in own:
        line = view.line_map.to_new(problem.line if problem.line is not None else 1)
        if line is not None:
            shown.append(_diagnostic(problem, line, view, encoding))
    return [*shown, *_contradicted(view, encoding)]


def _broken(view: View, problems: list[Problem], encoding: Encoding) -> types.Diagnostic:
    """One diagnostic for all that an edit made unreadable, where the edit is.

    A parser tells of a bracket that lacks where the file ends; it is the edit that took it.
    """
    first = min(problems, key=lambda each: each.line or 0)
    more = len(problems) - 1
    rest = f" (and {more} more that follow from it)" if more else ""
    return types.Diagnostic(
        range=line_range(view.steady.broken_line, view.lines, encoding),
        message=f"{first.message}{rest}; what is shown of this file is from before this edit",
        severity=_SEVERITIES[first.severity],
        source=SOURCE,
        code=BROKEN,
    )


def _contradicted(view: View, encoding: Encoding) -> Iterator[types.Diagnostic]:
    """Kernels whose measurement disagrees strongly with what is predicted."""
    for kernel in view.report.kernels:
        measured = kernel.measured
        line = view.line_map.to_new(kernel.name_span.line)
        if measured is None or measured.disagreement is None or line is None:
            continue
        if kernel.path == view.report.path:
            yield types.Diagnostic(
                range=line_range(line, view.lines, encoding),
                message=f"{kernel.title}: {measured.disagreement}",
                severity=types.DiagnosticSeverity.Information,
                source=SOURCE,
                code=DISAGREES,
            )


def _diagnostic(problem: Problem, line: int, view: View, encoding: Encoding) -> types.Diagnostic:
    return types.Diagnostic(
        range=line_range(line, view.lines, encoding),
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        source=SOURCE,
    )
