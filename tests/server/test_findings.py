"""Findings in whole sessions with the real analyser: diagnostics, quick fixes, comments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from lsprotocol import types

from roofline_analysis.rules import RULES
from roofline_lsp.formats.rules import rule_page
from roofline_lsp.server.documents.convert import index_of
from roofline_lsp.server.worker import rule_pages

SOURCE = RULES["RL201"].bad.replace("    if (i > 0", "    /* 😀é */ if (i > 0")
ROW = 2


async def found(session: Any, uri: str) -> list[types.Diagnostic]:
    """The findings among the diagnostics, pulled or pushed."""
    if session.client.capabilities.text_document.diagnostic is not None:
        items = await session.pulled(uri)
    else:
        await session.lenses(uri)
        await session.until(lambda: uri in session.client.diagnostics)
        items = session.client.diagnostics[uri]
    return [item for item in items if item.code is not None]


async def actions(session: Any, uri: str, row: int, **context: Any) -> list[types.CodeAction]:
    at = types.Position(row, 6)
    answer = await session.client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(at, at),
            types.CodeActionContext([], **context),
        )
    )
    return list(answer or [])


def edited(text: str, action: types.CodeAction, encoding: str) -> str:
    """A text with an action's edits made."""
    assert action.edit is not None
    if action.edit.document_changes:
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version is not None
        edits = list(change.edits)
    else:
        assert action.edit.changes
        ((_, edits),) = action.edit.changes.items()  # type: ignore[assignment]
    lines = text.split("\n")

    def offset(position: types.Position) -> int:
        before = sum(len(line) + 1 for line in lines[: position.line])
        return before + index_of(lines[position.line], position.character, encoding)

    for edit in sorted(edits, key=lambda e: -offset(e.range.start)):
        assert isinstance(edit, types.TextEdit)
        start, end = offset(edit.range.start), offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


async def test_a_finding_is_shown_mended_and_gone(start_session: Any, profile: str) -> None:
    session = await start_session(profile, server="real")
    encoding = session.result.capabilities.position_encoding
    uri = session.open("smooth.cu", SOURCE)
    (item,) = await found(session, uri)
    assert (item.code, item.source) == ("RL201", "roofline-lsp")
    assert item.severity is types.DiagnosticSeverity.Information
    assert item.range.start.line == item.range.end.line == ROW
    assert "0.25, 0.5" in item.message
    assert "becomes BB" in item.message
    assert item.code_description is not None
    page = Path(url2pathname(urlsplit(item.code_description.href).path))
    assert page.read_text(encoding="utf-8") == rule_page(RULES["RL201"])  # noqa: ASYNC240
    assert item.related_information
    launch = item.related_information[-1]
    assert (launch.location.uri, launch.location.range.start.line) == (uri, 10)
    assert launch.message == "'smooth' is launched here"

    quick = [types.CodeActionKind.QuickFix]
    fix, off, *more = await actions(session, uri, ROW, only=quick)
    explain = [] if profile == "emacs" else [f"Explain {off.title.split()[1]} "]
    assert [each.title.partition("(")[0] for each in more] == explain
    assert (
        fix.title
        == "Make the literals single precision (results may differ in the last bits) [RL201]"
    )
    assert fix.kind == types.CodeActionKind.QuickFix.value
    assert [each.message for each in fix.diagnostics or ()] == [item.message]
    assert edited(SOURCE, fix, encoding) == SOURCE.replace("0.25 *", "0.25f *").replace(
        "0.5 *", "0.5f *"
    )
    assert off.title == "Switch RL201 off for this line"

    session.replace(uri, edited(SOURCE, off, encoding))
    assert await actions(session, uri, ROW + 1, only=quick) == []
    session.replace(uri, edited(SOURCE, fix, encoding))
    assert await actions(session, uri, ROW, only=quick) == []
    if profile == "vscode":
        assert await found(session, uri) == []


async def test_actions_are_for_the_lines_and_kinds_asked_for(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("smooth.cu", SOURCE)
    quick, refactor = types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor
    assert len(await actions(session, uri, ROW, only=[quick])) == 3
    suggest, show = await actions(session, uri, ROW, only=[refactor])
    assert suggest.title == "Suggest optimizations for smooth"
    assert show.title == "Show what would be sent to the model for smooth"
    assert len(await actions(session, uri, ROW)) == 5
    assert await actions(session, uri, ROW + 3, only=[quick]) == []
    assert await actions(session, session.open("empty.cu", "int a;\n"), 0) == []


async def test_a_finding_moves_with_its_line(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("smooth.cu", SOURCE)
    assert len(await found(session, uri)) == 1
    session.insert(uri, 0, 0, "// above\n")
    (item,) = await found(session, uri)
    assert item.range.start.line == ROW + 1


async def test_settings_switch_rules_off(start_session: Any) -> None:
    session = await start_session(server="real", options={"ignore": ["double-literal"]})
    assert await found(session, session.open("smooth.cu", SOURCE)) == []


def test_without_docs_the_page_is_written_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_pages, "_CHECKOUT", tmp_path / "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert rule_pages.page_uri("RL104") is None
    rule_pages.write_pages(["RL104", "RL999"])
    made = rule_pages.page_uri("RL104")
    assert made is not None
    assert made.startswith((tmp_path / "cache" / "roofline-lsp").as_uri())
    assert Path(url2pathname(urlsplit(made).path)).read_text() == rule_page(RULES["RL104"])
    assert rule_pages.page_uri("RL999") is None


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(rule_pages, "_CHECKOUT", tmp_path / "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    rule_pages.write_pages(["RL104"])
    assert rule_pages.page_uri("RL104") is None


def test_showing_findings_loads_no_analyser() -> None:
    code = (
        "import sys; import roofline_lsp.server.session.handlers;"
        "print([m for m in ('numpy', 'tree_sitter', 'roofline_analysis.rules.registry')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
