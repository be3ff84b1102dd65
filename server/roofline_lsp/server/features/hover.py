"""Hover: all about the kernel under the cursor, or what the line under it costs.

A kernel is under the cursor on its name, anywhere in its declaration, and on its launches.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lsprotocol import types

from roofline_analysis.api.wishes import Wish
from roofline_analysis.report.report import KernelReport, LaunchReport, ModelOpinion
from roofline_core.settings import PYTHON_SUFFIXES
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.convert import Encoding, index_of, units
from roofline_lsp.server.documents.document_view import Analysis, View
from roofline_lsp.server.documents.open_documents import Documents
from roofline_lsp.server.features.line_hover import caveat_text, line_hover
from roofline_lsp.server.features.names import (
    LAUNCH_CALL,
    LAUNCH_OF,
    Identifier,
    declared_on,
    directive_on,
    identifier_at,
    launch_on,
    launched_near,
    launched_on,
    meant,
)
from roofline_lsp.server.text.kernel_text import kernel_text
from roofline_lsp.server.text.library_text import calls_on, library_text

WAIT_S = 5.0
"""How long a hover waits for the first analysis of a document."""

PATIENCE_S = 0.08
"""In this time the whole analysis is waited for although the kernel is known: who just opened a
file does not notice it."""

STALE_WAIT_S = 0.4
"""How long it waits for a newer analysis when an older one can answer."""

WHAT_IF_WAIT_S = 0.3
"""How long it waits for the class on other GPUs; the next hover has it."""

_UNDER_WAY = (
    "The first analysis of this file is still running. The class of each kernel appears above it"
    " when it ends; hover again then."
)
_OF_KERNELS = re.compile(
    r"__global__|__kernel|\bkernel\s+void\b|<<<|#\s*pragma\s+omp\b.*\btarget\b"
)

_MOST_KEPT = 64
"""The most texts of hovers that are kept of one analysis."""

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
    row, revision = params.position.line, document.revision
    line = document.buffer.line(row)
    word = identifier_at(line, index_of(line, params.position.character, documents.encoding))
    if word is not None and document.path.suffix in PYTHON_SUFFIXES:
        word = replace(word, member=False)  # PyOpenCL's programs have their kernels as members
    place = row, line, word
    clock = asyncio.get_running_loop().time
    until_s = clock() + WAIT_S
    wish = Wish(row + 1, word.name if word is not None else None)
    first = await documents.first_look(document, wish, wait_s=WAIT_S, patience_s=PATIENCE_S)
    if first is not None and document.revision == revision:
        early = await _shown(documents, first, place, style, opinion_of)
        if early is not None:
            return early
    newest = await documents.view(
        document.uri, wait_s=until_s - clock(), stale_wait_s=STALE_WAIT_S, urgent=True
    )
    if document.revision != revision:
        return None
    if newest is None:
        return None if document.fresh else _under_way(line, style)
    return await _shown(documents, newest.steady, place, style, opinion_of)


async def _shown(
    documents: Documents,
    view: View,
    place: tuple[int, str, Identifier | None],
    style: MarkupStyle,
    opinion_of: OpinionOf,
) -> types.Hover | None:
    """What a view says of a place: its row, from 0, its line, and the word that it is on."""
    row, line, word = place
    asked = _Asked(documents, view, view.line_map.to_old(row + 1), style)
    text = await _pointed_at(asked, word, opinion_of)
    if text is not None and word is not None:
        return _hover(text, style, _range(line, row, word, documents.encoding))
    text = await _on_line(asked, word, opinion_of)
    return _hover(text, style, None) if text is not None else None


def _under_way(line: str, style: MarkupStyle) -> types.Hover | None:
    """What is said of a line that declares or launches a kernel before its first analysis ends."""
    return _hover(_UNDER_WAY, style, None) if _OF_KERNELS.search(line) is not None else None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a hover is about."""

    documents: Documents
    view: View
    line: int | None
    """The 1-based line in the analysed text; None for an edited one."""
    style: MarkupStyle


async def _pointed_at(asked: _Asked, word: Identifier | None, opinion_of: OpinionOf) -> str | None:
    """What the word itself means: a kernel, or a function that launches one."""
    view, line = asked.view, asked.line
    if word is None or directive_on(view.report, line, view.analysis.lines) is not None:
        return None
    if LAUNCH_CALL.fullmatch(word.name):
        text = await _launched(asked)
        if text is not None:
            return text
    return await _kernel(asked, word, opinion_of) if not word.member else None


async def _on_line(asked: _Asked, word: Identifier | None, opinion_of: OpinionOf) -> str | None:
    """What the line is: of a directive, a declaration, a launch, a library call, or of a body."""
    view, line, style = asked.view, asked.line, asked.style
    directive = directive_on(view.report, line, view.analysis.lines)
    if directive is not None:
        return await _kernel_text(asked, view.analysis, directive, None)
    calls = calls_on(view.report.library_calls, line, word.name if word is not None else None)
    text = library_text(calls, view.analysis.gpu, style)
    if text is not None or line is None:
        return text
    launched = launched_near(view.report, view.analysis.places.statement(line))
    if launched is not None:
        return await _kernel_text(asked, view.analysis, *launched)
    declared = declared_on(view.report, line, view.analysis.places)
    if declared is not None:
        declared = _with_opinion(declared, opinion_of(declared, view))
        return await _kernel_text(asked, view.analysis, declared, None)
    elsewhere = await _launched_elsewhere(asked)
    if elsewhere is not None:
        return elsewhere
    return line_hover(view, line, style)


async def _launched_elsewhere(asked: _Asked) -> str | None:
    """The kernel of another file that the statement under the cursor launches by name."""
    view, line = asked.view, asked.line
    if line is None or not view.analysis.kernels_elsewhere:
        return None
    first, last = view.analysis.places.statement(line)
    code = " ".join(view.analysis.places.code(each) for each in range(first, last + 1))
    found = LAUNCH_OF.search(code)
    if found is None:
        return None
    other = await asked.documents.elsewhere(view, found[1], wait_s=WAIT_S)
    launched = launched_near(other.report, (first, last), view.report.path) if other else None
    return await _kernel_text(asked, other, *launched) if other and launched else None


async def _kernel(asked: _Asked, word: Identifier, opinion_of: OpinionOf) -> str | None:
    view, line = asked.view, asked.line
    analysis, path = view.analysis, view.report.path
    kernel = meant(view.report, word, path, line)
    if kernel is None:
        other = await asked.documents.elsewhere(view, word.name, wait_s=WAIT_S)
        if other is None:
            return None
        analysis = other
        kernel = meant(other.report, word, path, line)
    if kernel is None:
        return None
    kernel = _with_opinion(kernel, opinion_of(kernel, view))
    return await _kernel_text(asked, analysis, kernel, launch_on(kernel, path, line))


async def _kernel_text(
    asked: _Asked, analysis: Analysis, kernel: KernelReport, launch: LaunchReport | None
) -> str:
    """All about a kernel, with its class on other GPUs if that is known in time."""
    launch = launch or (kernel.launches[0] if kernel.launches else None)
    what_if = await asked.documents.what_if(analysis, kernel, launch, WHAT_IF_WAIT_S)
    view, style = asked.view, asked.style
    saved = view.saved_report(kernel) if analysis is view.analysis else None
    made_of = kernel, launch, what_if, saved
    key = (style, *map(id, made_of))
    if key not in analysis.hovers:
        if len(analysis.hovers) >= _MOST_KEPT:
            analysis.hovers.clear()
        text = kernel_text(kernel, analysis.gpu, style, launch, what_if, saved)
        analysis.hovers[key] = made_of, text
    return style.page(caveat_text(view, kernel), analysis.hovers[key][1])


def _with_opinion(kernel: KernelReport, opinion: ModelOpinion | None) -> KernelReport:
    """A report with an opinion; the same object where there is none, for which hovers are kept."""
    return kernel if opinion is kernel.opinion else replace(kernel, opinion=opinion)


async def _launched(asked: _Asked) -> str | None:
    """The kernel that a call launches on a line without naming it."""
    view, line, path = asked.view, asked.line, asked.view.report.path
    analyses = [view.analysis]
    files = {file: name for name, file in view.analysis.kernels_elsewhere.items()}
    for name in tuple(files.values())[:_MOST_FILES]:
        other = await asked.documents.elsewhere(view, name, wait_s=WAIT_S)
        if other is not None:
            analyses.append(other)
    for analysis in analyses:
        kernel = launched_on(analysis.report, path, line)
        if kernel is not None:
            return await _kernel_text(asked, analysis, kernel, launch_on(kernel, path, line))
    return None


def _range(line: str, row: int, word: Identifier, encoding: Encoding) -> types.Range:
    return types.Range(
        types.Position(row, units(line[: word.start], encoding)),
        types.Position(row, units(line[: word.end], encoding)),
    )


def _hover(text: str, style: MarkupStyle, where: types.Range | None) -> types.Hover:
    kind = types.MarkupKind.Markdown if style.markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), where)
