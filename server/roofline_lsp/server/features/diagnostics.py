"""Diagnostics: what of a document could not be read, and where measurements contradict."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.server.convert import Encoding, line_range
from roofline_lsp.server.views import View

SOURCE = "roofline-lsp"

DISAGREES = "measured-differently"
"""The code of the diagnostic on a kernel that was measured far from what is predicted."""

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Warning,
    Severity.WARNING: types.DiagnosticSeverity.Information,
}
"""One step milder than the problem: it is this program that could not read the code."""


def diagnostics(view: View, encoding: Encoding) -> list[types.Diagnostic]:
    """The problems of the document itself, not of other files, whose lines are still there.

    After them its kernels that were measured far from what is predicted.
    """
    shown = []
    for problem in view.report.problems:
        if problem.path is not None and problem.path != view.report.path:
            continue
        line = view.line_map.to_new(problem.line if problem.line is not None else 1)
        if line is not None:
            shown.append(_diagnostic(problem, line, view, encoding))
    return [*shown, *_contradicted(view, encoding)]


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
