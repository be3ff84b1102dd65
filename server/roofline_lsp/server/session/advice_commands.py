"""The advisor's code actions and commands in a session."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from roofline_advisor.advice import Advice, KernelName, Suggestion
from roofline_core.text.units import counted
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.strangers import plain
from roofline_lsp.server.advice.actions import (
    KIND,
    SHOW_PROMPT,
    actions,
    described,
    title_of,
    to_json,
    workspace_edit,
)
from roofline_lsp.server.documents.document_view import Document
from roofline_lsp.server.session.app import RooflineServer
from roofline_lsp.server.session.rule_commands import suggest_by_rules

_MOST_OFFERED = 3
_LATER = "Not now"


async def code_actions(
    ls: RooflineServer, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """What can be done on a range; it waits for nothing."""
    only = params.context.only
    document = ls.documents.get(params.text_document.uri)
    wanted = only is None or any(KIND.value.startswith(_name(each)) for each in only)
    view = ls.documents.newest(document) if document is not None and wanted else None
    if document is None or view is None:
        return []
    settings = await ls.advice.settings(document)
    return actions(
        view,
        params.range,
        ls.advice.known(document),
        ls.documents.encoding,
        enabled=settings.enabled,
        annotated=_annotated(ls),
    )


async def suggest(ls: RooflineServer, uri: str, kernel: str, line: int) -> Json | None:
    """Ask for suggestions and offer them; None where there are none, which is told."""
    document = ls.documents.get(uri)
    if document is None:
        return None
    if not (await ls.advice.settings(document)).enabled:
        await suggest_by_rules(ls, document, kernel)
        return None
    found = await ls.advice.suggest(document, KernelName(kernel, line))
    if isinstance(found, str):
        if found != "cancelled":
            ls.show(f"no suggestions: {found}", types.MessageType.Warning)
        return None
    ls.background(_offer(ls, document, found.advice, found.revision))
    return to_json(found.advice)


async def show_prompt(ls: RooflineServer, uri: str, kernel: str, line: int) -> str | None:
    """What would be sent about a kernel, shown as a document unless the client does that itself."""
    document = ls.documents.get(uri)
    if document is None:
        return None
    text = await ls.advice.prompt(document, KernelName(kernel, line))
    own = SHOW_PROMPT in ls.client_commands
    if not own and ls.capability("window.show_document.support"):
        ls.background(_shown(ls, text))
    return text


async def _shown(ls: RooflineServer, text: str) -> None:
    path = await asyncio.to_thread(ls.advice.written, text)
    await ls.window_show_document_async(
        types.ShowDocumentParams(path.as_uri(), external=False, take_focus=True)
    )


async def _offer(ls: RooflineServer, document: Document, advice: Advice, revision: int) -> None:
    """Have the person choose a suggestion, and apply it if the text is still the same."""
    if not advice.suggestions:
        ls.show(_none(advice))
        return
    offered = {plain(title_of(each)): each for each in advice.suggestions[:_MOST_OFFERED]}
    chosen = await ls.window_show_message_request_async(
        types.ShowMessageRequestParams(
            types.MessageType.Info,
            _summary(advice),
            [types.MessageActionItem(title) for title in (*offered, _LATER)],
        )
    )
    if chosen is None or chosen.title not in offered:
        return
    if document.revision != revision or ls.documents.get(document.uri) is not document:
        ls.show("the text has changed since; ask for suggestions again")
        return
    await _apply(ls, document, offered[chosen.title])


async def _apply(ls: RooflineServer, document: Document, suggestion: Suggestion) -> None:
    edit = workspace_edit(suggestion, document, ls.documents.encoding, annotated=_annotated(ls))
    answer = await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(edit, label=title_of(suggestion))
    )
    if not answer.applied and answer.failure_reason:
        ls.show(f"the edit was not made: {answer.failure_reason}")


def _summary(advice: Advice) -> str:
    found = counted(len(advice.suggestions), "suggestion")
    left_out = f", {len(advice.rejected)} left out by the checks" if advice.rejected else ""
    best = advice.suggestions[0]
    return (
        f"roofline-lsp: {found} for {advice.kernel}{left_out}. The best, '{best.title}':"
        f" {described(best)} All of them are code actions on the kernel while its file is as it is."
    )


def _none(advice: Advice) -> str:
    if not advice.rejected:
        return f"the model has no suggestion for {advice.kernel}"
    reasons = "; ".join(f"'{each.title}': {each.reason}" for each in advice.rejected[:3])
    return f"no suggestion for {advice.kernel} passed the checks: {reasons}"


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _annotated(ls: RooflineServer) -> bool:
    support = ls.capability("workspace.workspace_edit.change_annotation_support")
    return support is not None and bool(ls.capability("workspace.workspace_edit.document_changes"))
