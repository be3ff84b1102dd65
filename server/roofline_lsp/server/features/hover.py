"""Hover: all about the kernel under the cursor, or what the line under it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lsprotocol import types

from roofline_analysis.report.report import KernelReport, LaunchReport, LedgerLine, ModelOpinion
from roofline_core.settings import PYTHON_SUFFIXES
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.convert import Encoding, index_of, units
from roofline_lsp.server.documents.document_view import Analysis, View
from roofline_lsp.server.documents.open_documents import Documents
from roofline_lsp.server.features.names import (
    LAUNCH_CALL,
    Identifier,
    directive_on,
    identifier_at,
    launch_on,
    launched_on,
    meant,
)
from roofline_lsp.server.text.kernel_text import kernel_text
from roofline_lsp.server.text.library_text import calls_on, library_text
from roofline_lsp.server.text.line_text import line_text

WAIT_S = 5.0
"""How long a hover waits for the first analysis of a document."""

STALE_WAIT_S = 0.4
"""How long it waits for a newer analysis when an older one can answer."""

WHAT_IF_WAIT_S = 0.3
"""How long it waits for the class on other GPUs; the next hover has it."""

_MOST_FILES = 8
"""In so many files the kernel of a launch is looked for that does not name it."""


OpinionOf = Callable[[KernelReport, View], ModelOpinion | None]
"""What is known already of the model's opinion of a kernel; asks nothing."""


def _no_opinion(_: KernelReport, __: View) -> None:
    return None


async def hover(
    documents: Documents,
    params: types.HoverParams,
    style: MarkupStyle,
    opinion_of: OpinionOf = _no_opinion,
) -> types.Hover | None:
    """What to show; None leaves the hover to other servers."""
    document = documents.get(params.text_document.uri)
    if document is None:
        return None
    line, revision = document.buffer.line(params.position.line), document.revision
    index = index_of(line, params.position.character, documents.encoding)
    view = await documents.view(document.uri, wait_s=WAIT_S, stale_wait_s=STALE_WAIT_S, urgent=True)
    if view is None or document.revision != revision:
        return None
    old_line = view.line_map.to_old(params.position.line + 1)
    directive = directive_on(view.report, old_line, view.analysis.lines)
    if directive is not None:
        made = await _kernel_text(documents, view.analysis, directive, None, style)
        return _hover(made, style, None)
    word = identifier_at(line, index)
    if word is not None and document.path.suffix in PYTHON_SUFFIXES:
        word = replace(word, member=False)  # PyOpenCL's programs have their kernels as members
    if word is not None and LAUNCH_CALL.fullmatch(word.name):
        text = await _launched(documents, view, old_line, style)
        if text is not None:
            return _hover(text, style, _range(line, params.position.line, word, documents.encoding))
    if word is not None and not word.member:
        text = await _kernel(documents, view, word, old_line, style, opinion_of)
        if text is not None:
            row = params.position.line
            return _hover(text, style, _range(line, row, word, documents.encoding))
    calls = calls_on(view.report.library_calls, old_line, word.name if word is not None else None)
    text = library_text(calls, view.analysis.gpu, style)
    if text is None:
        text = line_text(_shares(view, old_line), view.analysis.gpu, style)
    return _hover(text, style, None) if text is not None else None


async def _kernel(
    documents: Documents,
    view: View,
    word: Identifier,
    line: int | None,
    style: MarkupStyle,
    opinion_of: OpinionOf,
) -> str | None:
    analysis, path = view.analysis, view.report.path
    kernel = meant(view.report, word, path, line)
    if kernel is None:
        other = await documents.elsewhere(view, word.name, wait_s=WAIT_S)
        if other is None:
            return None
        analysis = other
        kernel = meant(other.report, word, path, line)
    if kernel is None:
        return None
    kernel = replace(kernel, opinion=opinion_of(kernel, view))
    return await _kernel_text(documents, analysis, kernel, launch_on(kernel, path, line), style)


async def _kernel_text(
    documents: Documents,
    analysis: Analysis,
    kernel: KernelReport,
    launch: LaunchReport | None,
    style: MarkupStyle,
) -> str:
    """All about a kernel, with its class on other GPUs if that is known in time."""
    launch = launch or (kernel.launches[0] if kernel.launches else None)
    what_if = await documents.what_if(analysis, kernel, launch, WHAT_IF_WAIT_S)
    return kernel_text(kernel, analysis.gpu, style, launch, what_if)


async def _launched(
    documents: Documents, view: View, line: int | None, style: MarkupStyle
) -> str | None:
    """The kernel that a call launches on a line without naming it."""
    path = view.report.path
    analyses = [view.analysis]
    files = {file: name for name, file in view.analysis.kernels_elsewhere.items()}
    for name in tuple(files.values())[:_MOST_FILES]:
        other = await documents.elsewhere(view, name, wait_s=WAIT_S)
        if other is not None:
            analyses.append(other)
    for analysis in analyses:
        kernel = launched_on(analysis.report, path, line)
        if kernel is not None:
            launch = launch_on(kernel, path, line)
            return await _kernel_text(documents, analysis, kernel, launch, style)
    return None


def _shares(view: View, line: int | None) -> list[tuple[KernelReport, Sequence[LedgerLine]]]:
    """What a line costs the kernel around it, or the kernels that call the function around it."""
    path = view.report.path
    shares: list[tuple[KernelReport, Sequence[LedgerLine]]] = []
    for kernel in view.report.kernels:
        lines = [
            entry for entry in kernel.prediction.ledger if entry.line == line and entry.path == path
        ]
        if not lines:
            continue
        if kernel.path == path and line and kernel.span.line <= line <= kernel.span.end_line:
            return [(kernel, lines)]
        shares.append((kernel, lines))
    return shares[:3]


def _range(line: str, row: int, word: Identifier, encoding: Encoding) -> types.Range:
    return types.Range(
        types.Position(row, units(line[: word.start], encoding)),
        types.Position(row, units(line[: word.end], encoding)),
    )


def _hover(text: str, style: MarkupStyle, where: types.Range | None) -> types.Hover:
    kind = types.MarkupKind.Markdown if style.markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), where)
