"""Code actions of the advisor, and suggestions as edits that need a person's consent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from roofline_advisor.advice import Advice, LineEdit, Suggestion
from roofline_core.text.units import ratio_text
from roofline_lsp.formats.json import Json
from roofline_lsp.server.advice.session import Known
from roofline_lsp.server.documents.convert import Encoding, units
from roofline_lsp.server.documents.document_view import Document, View
from roofline_lsp.server.features.names import kernels_meant

SUGGEST = "roofline.suggestOptimizations"
"""The server's command. Arguments: the document's URI, a kernel's qualified name, its line."""
SHOW_PROMPT = "roofline.showPrompt"
"""The server's command, with the same arguments: what would be sent, as a text."""

KIND = types.CodeActionKind.RefactorRewrite
OFF = "The advisor is off: set roofline.advisor.enabled to send this program's source to a model"


def actions(
    view: View,
    where: types.Range,
    known: Iterable[Known],
    encoding: Encoding,
    *,
    enabled: bool,
    annotated: bool,
) -> list[types.CodeAction]:
    """What can be done on a range: asking, and what was suggested.

    ``enabled``: the advisor is on; without it suggestions are the findings of rules.
    ``annotated``: the client takes edits with annotations.
    """
    found: list[types.CodeAction] = []
    advice = {one.advice.kernel: one for one in known}
    first, last = (view.line_map.to_old(each.line + 1) for each in (where.start, where.end))
    lines = (first or last or 0, last or first or 0)
    for kernel in kernels_meant(view.report, lines, view.analysis.places):
        line = view.line_map.near_new(kernel.name_span.line)
        arguments = [view.document.uri, kernel.qualified_name, line]
        sent = "is" if enabled else "would be"
        for command, title in (
            (SUGGEST, f"Suggest optimizations for {kernel.title}"),
            (SHOW_PROMPT, f"Show what {sent} sent to the model for {kernel.title}"),
        ):
            made = types.Command(title, command, arguments=arguments)
            found.append(types.CodeAction(title, KIND, command=made))
        if kernel.title in advice:
            for each in advice[kernel.title].advice.suggestions:
                edit = workspace_edit(each, view.document, encoding, annotated=annotated)
                found.append(types.CodeAction(title_of(each), KIND, edit=edit))
    return found


def title_of(suggestion: Suggestion) -> str:
    """``Keep the sum in a register (1.8x)``."""
    speedup = suggestion.effect.speedup
    shown = f" ({ratio_text(speedup, 2)}x)" if speedup is not None and speedup > 1.005 else ""
    return f"{suggestion.title}{shown}"


def described(suggestion: Suggestion) -> str:
    """What is known of a suggestion, in one paragraph."""
    return (
        f"{suggestion.why} The static model: {suggestion.effect.text()}."
        f" It was {suggestion.compiled}; {suggestion.tested}."
    )


def workspace_edit(
    suggestion: Suggestion, document: Document, encoding: Encoding, *, annotated: bool
) -> types.WorkspaceEdit:
    """A suggestion as an edit of one version of one document, to be confirmed."""
    lines = document.buffer.lines
    end = "\r\n" if "\r\n" in document.buffer.text else "\n"
    edits = [text_edit(edit, lines, encoding, end) for edit in suggestion.edits]
    at = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    if not annotated:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(at, edits)])
    name = "roofline-suggestion"
    marked = [types.AnnotatedTextEdit(name, edit.range, edit.new_text) for edit in edits]
    label = types.ChangeAnnotation(
        title_of(suggestion), needs_confirmation=True, description=described(suggestion)
    )
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(at, marked)], change_annotations={name: label}
    )


def text_edit(
    edit: LineEdit, lines: Sequence[str], encoding: Encoding, line_end: str = "\n"
) -> types.TextEdit:
    """Whole lines replaced, or taken away with the line end that follows or precedes them."""
    start = types.Position(edit.first_line - 1, 0)
    end = types.Position(edit.last_line - 1, units(lines[edit.last_line - 1], encoding))
    if edit.text is None:
        if edit.last_line < len(lines):
            end = types.Position(edit.last_line, 0)
        elif edit.first_line > 1:
            before = lines[edit.first_line - 2]
            start = types.Position(edit.first_line - 2, units(before, encoding))
    return types.TextEdit(types.Range(start, end), (edit.text or "").replace("\n", line_end))


def to_json(advice: Advice) -> Json:
    """Advice for clients with a view of their own."""
    return {
        "kernel": advice.kernel,
        "rounds": advice.rounds,
        "tokens": advice.tokens,
        "suggestions": [
            {
                "title": each.title,
                "why": each.why,
                "claimed": each.claimed,
                "effect": each.effect.text(),
                "speedup": each.effect.speedup,
                "compiled": each.compiled,
                "tested": each.tested,
                "edits": [
                    {"first_line": e.first_line, "last_line": e.last_line, "text": e.text}
                    for e in each.edits
                ],
            }
            for each in advice.suggestions
        ],
        "rejected": [{"title": each.title, "reason": each.reason} for each in advice.rejected],
    }
