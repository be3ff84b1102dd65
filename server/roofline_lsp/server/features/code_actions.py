"""Code actions: the quick fixes of findings, and comments that switch a finding off."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from roofline_analysis.report.report import Edit, Finding
from roofline_core.program.units import Span
from roofline_lsp.server.documents.convert import Encoding, position_of, range_of
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.features.diagnostics import finding_diagnostic

UNUSED = "RL100"

OPEN_PAGE = "roofline.openRulePage"
"""The server's command that shows a rule's page. Argument: the rule's code."""


def code_actions(
    view: View, params: types.CodeActionParams, encoding: Encoding, *, versioned: bool
) -> list[types.CodeAction]:
    """The actions for the findings in a range of a document whose analysis is fresh.

    ``versioned``: the client takes edits of a certain version of a document.
    """
    if not wants_quick_fixes(params):
        return []
    actions = []
    for finding in view.report.all_findings():
        diagnostic = finding_diagnostic(finding, view, encoding)
        if diagnostic is None or not _overlap(diagnostic.range, params.range):
            continue
        for title, edits, preferred in _edits(finding, view):
            actions.append(
                types.CodeAction(
                    title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic],
                    is_preferred=preferred,
                    edit=workspace_edit(edits, view, encoding, versioned=versioned),
                )
            )
    return actions


def explain_actions(
    view: View, params: types.CodeActionParams, encoding: Encoding
) -> list[types.CodeAction]:
    """An action for each rule with a finding in a range that opens the rule's page."""
    if not wants_quick_fixes(params):
        return []
    actions: dict[str, types.CodeAction] = {}
    for finding in view.report.all_findings():
        diagnostic = finding_diagnostic(finding, view, encoding)
        if diagnostic is None or not _overlap(diagnostic.range, params.range):
            continue
        known = actions.get(finding.code)
        if known is not None:
            known.diagnostics = [*(known.diagnostics or ()), diagnostic]
            continue
        title = f"Explain {finding.code} ({finding.rule})"
        command = types.Command(title, OPEN_PAGE, arguments=[finding.code])
        actions[finding.code] = types.CodeAction(
            title, types.CodeActionKind.QuickFix, diagnostics=[diagnostic], command=command
        )
    return list(actions.values())


def wants_quick_fixes(params: types.CodeActionParams) -> bool:
    """Whether quick fixes are among the kinds that are asked for."""
    only = params.context.only
    return not only or any(covers(kind, types.CodeActionKind.QuickFix.value) for kind in only)


def covers(wanted: types.CodeActionKind | str, kind: str) -> bool:
    """Whether a kind of actions that is asked for includes another one."""
    name = wanted.value if isinstance(wanted, types.CodeActionKind) else wanted
    return kind == name or kind.startswith(f"{name}.") or name == ""


def _edits(finding: Finding, view: View) -> Iterator[tuple[str, tuple[Edit, ...], bool]]:
    """Titles and edits, and whether to prefer them."""
    fix = finding.fix
    if fix is not None and fixes_here(finding, view):
        title = fix.title if fix.exact else f"{fix.title} (results may differ in the last bits)"
        yield f"{title} [{finding.code}]", fix.edits, fix.exact
    if finding.code != UNUSED:
        yield f"Switch {finding.code} off for this line", (_comment(finding, view),), False


def fixes_here(finding: Finding, view: View) -> bool:
    """Whether a finding has a fix that changes the document alone."""
    fix = finding.fix
    return fix is not None and all(edit.path == view.report.path for edit in fix.edits)


def _comment(finding: Finding, view: View) -> Edit:
    """A comment above the finding's line: behind a line there may be a continuation or one."""
    line = finding.span.line
    text = view.lines[line - 1] if line <= len(view.lines) else ""
    indent = text[: len(text) - len(text.lstrip())]
    return Edit(
        finding.path,
        Span(line, 0, line, 0),
        f"{indent}// roofline: ignore[{finding.code}] \n",
    )


def _overlap(one: types.Range, other: types.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def workspace_edit(
    edits: tuple[Edit, ...], view: View, encoding: Encoding, *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of the document as it was analysed; ``versioned``: as an edit of this version."""
    made: list[types.TextEdit] = [
        types.TextEdit(_range(edit.span, view, encoding), edit.text) for edit in edits
    ]
    document = view.document
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: made})
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(made))])


def _range(span: Span, view: View, encoding: Encoding) -> types.Range:
    """A span as a range; the line behind the last is where the text ends."""
    if span.end_line > len(view.lines):
        end = position_of(span.end_line, 0, view.lines, encoding)
        return types.Range(position_of(span.line, span.column, view.lines, encoding), end)
    return range_of(span, view.lines, encoding)
