"""Quick fixes of code that a missing macro leaves out: the settings file defines the macro."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from roofline_core.settings import SHARED_FILE
from roofline_core.settings.edit import Insertion, insert_define
from roofline_lsp.server.documents.convert import Encoding, units
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.documents.places import uri_of
from roofline_lsp.server.features.diagnostics import excluded_hints


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The settings file that a quick fix changes."""

    path: Path
    text: str | None
    """None: there is no such file yet."""


def excluded_actions(
    view: View,
    where: types.Range,
    file: SettingsFile | None,
    encoding: Encoding,
    *,
    versioned: bool,
    creates: bool,
) -> list[types.CodeAction]:
    """The quick fixes of the hints in a range: each defines a macro in the settings file.

    ``file`` is None where the settings file would not decide. ``versioned``: the client takes
    edits of several documents in order; ``creates``: also the creation of files.
    """
    actions: dict[str, types.CodeAction] = {}
    for item, hint in excluded_hints(view, encoding):
        if not where.start.line <= hint.range.start.line <= where.end.line or file is None:
            continue
        if item.macro not in actions:
            edit = _edit(file, item.macro, encoding, versioned=versioned, creates=creates)
            if edit is None:
                continue
            actions[item.macro] = types.CodeAction(
                f"Define {item.macro} in {file.path.name}",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[],
                edit=edit,
            )
        actions[item.macro].diagnostics = [*(actions[item.macro].diagnostics or ()), hint]
    return list(actions.values())


def _edit(
    file: SettingsFile, macro: str, encoding: Encoding, *, versioned: bool, creates: bool
) -> types.WorkspaceEdit | None:
    uri = uri_of(file.path)
    found = insert_define(file.text or "", macro, shared=file.path.name == SHARED_FILE)
    if uri is None or found is None:
        return None
    lines = (file.text or "").split("\n")
    edits = [_text_edit(each, lines, encoding) for each in found]
    if file.text is not None and not versioned:
        return types.WorkspaceEdit(changes={uri: edits})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri)
    change = types.TextDocumentEdit(identifier, list(edits))
    if file.text is not None:
        return types.WorkspaceEdit(document_changes=[change])
    if not (versioned and creates):
        return None
    made = types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    return types.WorkspaceEdit(document_changes=[made, change])


def _text_edit(each: Insertion, lines: list[str], encoding: Encoding) -> types.TextEdit:
    column = units(lines[each.line][: each.column], encoding)
    at = types.Position(each.line, column)
    return types.TextEdit(types.Range(at, at), each.text)
