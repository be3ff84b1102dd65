"""Diagnostics: what of a document could not be read."""

from __future__ import annotations

from lsprotocol import types

from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.server.convert import Encoding, line_range
from roofline_lsp.server.views import View

SOURCE = "roofline-lsp"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Warning,
    Severity.WARNING: types.DiagnosticSeverity.Information,
}
"""One step milder than the problem: it is this program that could not read the code."""


def diagnostics(view: View, encoding: Encoding) -> list[types.Diagnostic]:
    """The problems of the document itself, not of other files, whose lines are still there."""
    shown = []
    for problem in view.report.problems:
        if problem.path is not None and problem.path != view.report.path:
            continue
        line = view.line_map.to_new(problem.line if problem.line is not None else 1)
        if line is not None:
            shown.append(_diagnostic(problem, line, view, encoding))
    return shown


def _diagnostic(problem: Problem, line: int, view: View, encoding: Encoding) -> types.Diagnostic:
    return types.Diagnostic(
        range=line_range(line, view.lines, encoding),
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        source=SOURCE,
    )
