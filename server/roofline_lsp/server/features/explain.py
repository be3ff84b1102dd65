"""``roofline/explain``: how the class of the kernel at a position comes about, as a text."""

from __future__ import annotations

from lsprotocol import types

from roofline_analysis.report.report import KernelReport
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.server.documents.convert import index_of
from roofline_lsp.server.documents.document_view import Analysis, View
from roofline_lsp.server.documents.open_documents import Documents
from roofline_lsp.server.features.names import (
    directive_on,
    identifier_at,
    launch_on,
    launched_on,
    meant,
)

METHOD = "roofline/explain"
"""A request with ``{"textDocument": {"uri": ...}, "position": {"line": 0, "character": 0}}``."""

WAIT_S = 10.0


async def explain(documents: Documents, uri: str, position: types.Position) -> Json | None:
    """``title`` and ``text``; null where there is no kernel and no launch of one.

    The kernel is the one that is named at the position, or around it, or launched on its line. On
    a launch that launch is explained.
    """
    view = await documents.view(uri, wait_s=WAIT_S, stale_wait_s=WAIT_S, urgent=True)
    if view is None:
        return None
    found = await _kernel_at(documents, view, position)
    if found is None:
        return None
    analysis, kernel = found
    launch = launch_on(kernel, view.report.path, view.line_map.to_old(position.line + 1))
    number = None if launch is None else kernel.launches.index(launch) + 1
    explanation = await documents.explain(analysis, kernel, number)
    if explanation is None:
        return None
    from roofline_lsp.formats.explanation.text import render  # noqa: PLC0415 - for who asks

    return {"title": f"Explanation of {kernel.title}", "text": render(explanation, ColourStyle())}


async def _kernel_at(
    documents: Documents, view: View, position: types.Position
) -> tuple[Analysis, KernelReport] | None:
    report, line = view.report, view.line_map.to_old(position.line + 1)
    content = view.document.buffer.line(position.line)
    word = identifier_at(content, index_of(content, position.character, documents.encoding))
    kernel = directive_on(report, line, view.analysis.lines)
    if kernel is None and word is not None:
        kernel = meant(report, word, report.path, line)
        other = None if kernel else await documents.elsewhere(view, word.name, wait_s=WAIT_S)
        if other is not None and (named := meant(other.report, word, report.path, line)):
            return other, named
    kernel = kernel or _around(view, line) or launched_on(report, report.path, line)
    return None if kernel is None else (view.analysis, kernel)


def _around(view: View, line: int | None) -> KernelReport | None:
    """The kernel whose code a line of the analysed text is in."""
    if line is None:
        return None
    for kernel in view.report.kernels:
        inside = kernel.span.line <= line <= kernel.span.end_line
        if inside and kernel.path == view.report.path:
            return kernel
    return None
