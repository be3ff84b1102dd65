"""Commands that need no model: a rule's page, and a kernel's findings as suggestions."""

from __future__ import annotations

from lsprotocol import types

from roofline_analysis.report.report import Finding
from roofline_analysis.rules.finding_text import problem_of
from roofline_lsp.formats.strangers import plain
from roofline_lsp.server.documents.document_view import Document, View
from roofline_lsp.server.features.code_actions import fixes_here, workspace_edit
from roofline_lsp.server.session.app import RooflineServer
from roofline_lsp.server.text.findings_text import counted, gain, ranked
from roofline_lsp.server.worker.rule_pages import page_uri

_WAIT_S = 10.0
_MOST_OFFERED = 3
_LATER = "Not now"
SET_UP = (
    "A language model can be asked, too: set roofline.advisor.enabled, which sends the source of"
    " the kernel's program to a model. The action 'Show what would be sent to the model' shows it."
)


async def open_page(ls: RooflineServer, code: str) -> None:
    """Show the page of a rule."""
    page = page_uri(code)
    if page is None:
        ls.show(f"there is no page of a rule '{plain(code)}'", types.MessageType.Warning)
        return
    await ls.window_show_document_async(
        types.ShowDocumentParams(page, external=False, take_focus=True)
    )


async def suggest_by_rules(ls: RooflineServer, document: Document, kernel: str) -> None:
    """List the findings of a kernel, the largest gain first, and offer their fixes.

    As somebody asks, these are also what nobody is told of unasked: of naive versions and tests.
    """
    view = await ls.documents.view(
        document.uri, wait_s=_WAIT_S, stale_wait_s=_WAIT_S, complete=True
    )
    named = [each for each in view.report.kernels if each.qualified_name == kernel] if view else []
    if view is None or not named:
        ls.show(f"there is no kernel '{plain(kernel)}' any more")
        return
    asked = await ls.documents.suggestions(view.analysis, named[0])
    found = named[0].findings if asked is None else asked
    ls.background(_offer(ls, view, kernel, ranked(found)))


async def _offer(ls: RooflineServer, view: View, kernel: str, findings: list[Finding]) -> None:
    if not findings:
        ls.show(f"no rule finds anything in {kernel} that costs time. {SET_UP}")
        return
    fixes = {title_of(each): each for each in findings if fixes_here(each, view)}
    offered = {plain(title): each for title, each in list(fixes.items())[:_MOST_OFFERED]}
    said = "; ".join(f"line {each.span.line}, {_short(each)}" for each in findings)
    message = f"roofline-lsp: {counted(findings)} in {kernel}: {said}. {SET_UP}"
    chosen = await ls.window_show_message_request_async(
        types.ShowMessageRequestParams(
            types.MessageType.Info,
            message,
            [types.MessageActionItem(title) for title in (*offered, _LATER)],
        )
    )
    finding = offered.get(chosen.title) if chosen is not None else None
    if finding is None or finding.fix is None:
        return
    if view.lines != view.document.buffer.lines:
        ls.show("the text has changed since; ask for suggestions again")
        return
    edit = workspace_edit(finding.fix.edits, view, ls.documents.encoding, versioned=True)
    await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, finding.fix.title))


def title_of(finding: Finding) -> str:
    """``Multiply by the reciprocal (4.64×, RL204)``."""
    gained = gain(finding)
    first = f"{gained.partition(' ')[0]}, " if gained is not None else ""
    title = finding.fix.title if finding.fix is not None else finding.rule
    return f"{title} ({first}{finding.code})"


def _short(finding: Finding) -> str:
    gained = gain(finding)
    return f"{gained + ': ' if gained is not None else ''}{problem_of(finding)} ({finding.code})"
