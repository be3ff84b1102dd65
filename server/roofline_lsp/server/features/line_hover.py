"""Hover on a line of a kernel: its cost and findings, or what it is for if it costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.report.report import Finding, KernelReport, LedgerLine
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.findings_text import SAME_PROBLEM, findings_text
from roofline_lsp.server.text.line_role import role_text
from roofline_lsp.server.text.line_text import line_text, share_words

_MOST_KERNELS = 3

_FIRST_LOOK = "A first look: what to mend in it, and the other kernels, follow in a moment."


def line_hover(view: View, line: int, style: MarkupStyle) -> str | None:
    """What there is to say of a 1-based line of the analysed text; None outside of kernels."""
    shares = _shares(view, line)
    findings = findings_text(_findings(view, line), style)
    text = line_text(shares, view.analysis.gpu, style)
    kernel = _around(view, line)
    if text is None and kernel is not None:
        lines = {entry.line: entry for entry in _ledger(kernel) if entry.path == kernel.path}
        costs = {
            number: share_words(kernel, entry, view.analysis.gpu) for number, entry in lines.items()
        }
        text = role_text(kernel, line, view.analysis.places, costs, style)
    if text is None and findings is None:
        return None
    told = kernel or (shares[0][0] if shares else None)
    mark = caveat_text(view, told) if told is not None else None
    return style.page(mark, text, findings)


def caveat_text(view: View, kernel: KernelReport) -> str | None:
    """That a kernel is shown as it was before an edit broke the code, or is all that is known yet.

    None where neither is so.
    """
    if view.is_first_look:
        return _FIRST_LOOK
    if not view.is_outdated(kernel):
        return None
    return f"As before the syntax error at line {view.broken_line}:"


def _ledger(kernel: KernelReport) -> Sequence[LedgerLine]:
    return kernel.prediction.ledger


def _around(view: View, line: int) -> KernelReport | None:
    """The kernel whose body a line is in."""
    for kernel in view.report.kernels:
        if kernel.path == view.report.path and kernel.span.line <= line <= kernel.span.end_line:
            return kernel
    return None


def _findings(view: View, line: int) -> list[Finding]:
    """The findings on a line, those that have it as another place of theirs too."""
    path = view.report.path
    found = []
    for finding in view.report.all_findings():
        own = finding.path == path and finding.span.line <= line <= finding.span.end_line
        also = any(
            (each.path, each.line, each.message) == (path, line, SAME_PROBLEM)
            for each in finding.related
        )
        if own or also:
            found.append(finding)
    return found


def _shares(view: View, line: int) -> list[tuple[KernelReport, Sequence[LedgerLine]]]:
    """What a line costs the kernel around it, or the kernels that call the function around it."""
    path = view.report.path
    shares: list[tuple[KernelReport, Sequence[LedgerLine]]] = []
    for kernel in view.report.kernels:
        lines = [
            entry for entry in kernel.prediction.ledger if entry.line == line and entry.path == path
        ]
        if not lines:
            continue
        if kernel.path == path and kernel.span.line <= line <= kernel.span.end_line:
            return [(kernel, lines)]
        shares.append((kernel, lines))
    return shares[:_MOST_KERNELS]
