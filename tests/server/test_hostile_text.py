"""Names and words of strangers in what a client is sent: no link, no icon, no control character."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.session.outgoing import harmless
from roofline_lsp.server.session.protocol import Protocol

HOSTILE = "[run](command:evil) $(flame) \x1b[2J\u202e\u200b"
LINK = re.compile(r"\[[^\]]*\]\(|\$\(")
CONVERTER = default_converter()  # type: ignore[no-untyped-call]
MARKDOWN = MarkupStyle(markdown=True)
STRANGE = st.text(alphabet="[]()`*_~<>!#|&\\:/@'wa.1-+= \n$", max_size=40)


def words(value: Any) -> list[str]:
    """Every text of a message."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in words(each)]
    return [text for each in value for text in words(each)] if isinstance(value, list) else []


def controls(text: str) -> bool:
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return any(unicodedata.category(each) in kinds and each not in "\n\t" for each in text)


RANGE = types.Range(types.Position(0, 0), types.Position(0, 1))
SHOWN = [
    types.ShowMessageParams(types.MessageType.Info, HOSTILE),
    types.ShowMessageRequestParams(
        types.MessageType.Info, HOSTILE, [types.MessageActionItem(HOSTILE)]
    ),
    types.WorkDoneProgressBegin(title=HOSTILE, message=HOSTILE),
    types.WorkDoneProgressReport(message=HOSTILE),
    types.LogMessageParams(types.MessageType.Info, HOSTILE),
    [types.Diagnostic(RANGE, HOSTILE)],
    [types.CodeLens(RANGE, types.Command(HOSTILE, "command"))],
    [types.CodeAction(HOSTILE, disabled=types.CodeActionDisabled(HOSTILE))],
    [types.InlayHint(types.Position(0, 0), HOSTILE)],
    types.ApplyWorkspaceEditParams(
        types.WorkspaceEdit(
            change_annotations={"a": types.ChangeAnnotation(HOSTILE, description=HOSTILE)}
        ),
        label=HOSTILE,
    ),
    {"kernels": [{"title": HOSTILE, "problems": [{"message": HOSTILE}]}]},
]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda each: type(each).__name__)
def test_no_sink_is_given_markup_or_controls(shown: Any) -> None:
    sent = harmless(CONVERTER.unstructure(shown))
    assert any("command:evil" in text for text in words(sent))
    for text in words(sent):
        assert LINK.search(text) is None
        assert not controls(text)


def test_everything_that_is_sent_goes_by_the_gate() -> None:
    protocol = Protocol(LanguageServer("test", "1"), CONVERTER)
    sent = protocol._serialize_message(types.ShowMessageParams(types.MessageType.Info, HOSTILE))
    assert sent["message"] == "[run] (command:evil) $ (flame) \\x1b[2J<U+202E><U+200B>"


def test_edits_addresses_and_what_comes_back_stay() -> None:
    edit = {
        "documentChanges": [
            {
                "textDocument": {"uri": "file:///a[b](c)"},
                "edits": [{"newText": "x[i](y) \u202e"}],
            }
        ],
        "command": {"title": "t", "arguments": ["file:///a[b](c)", "k\u200b"]},
        "data": {"title": HOSTILE},
    }
    assert harmless(edit) == edit


def test_a_hover_keeps_its_own_markup() -> None:
    hover = {"contents": {"kind": "markdown", "value": f"[place](file:///a) {HOSTILE}"}}
    value = harmless(hover)["contents"]["value"]
    assert value.startswith("[place](file:///a) ")
    assert not controls(value)


ALLOWED = {"text", "softbreak", "code_inline", "text_special"}


def inline(text: str) -> list[Any]:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return [child for token in parser.parse(text) for child in token.children or [token]]


def kinds(text: str) -> set[str]:
    return {token.type for token in inline(text)} - {"paragraph_open", "paragraph_close"}


@given(STRANGE)
def test_prose_is_words(text: str) -> None:
    assert kinds(f"Said: {MARKDOWN.prose(text)}") <= ALLOWED
    assert kinds(MARKDOWN.prose(text).strip()) <= ALLOWED


@given(STRANGE)
def test_bold_and_code_hold_what_they_are_given(text: str) -> None:
    assert kinds(f"a {MARKDOWN.code(text)} b") <= ALLOWED
    assert kinds(f"a {MARKDOWN.bold(text)} b") <= ALLOWED | {"strong_open", "strong_close"}


@given(STRANGE)
def test_a_cell_is_one_cell(text: str) -> None:
    for cell in (MARKDOWN.code(text), MARKDOWN.prose(text)):
        found = inline(MARKDOWN.table([["head", "other"], [cell, "1"]]))
        assert sum(token.type == "td_open" for token in found) == 2
        assert not {"image", "link_open", "html_inline"} & {token.type for token in found}


@given(STRANGE)
def test_a_link_leads_where_we_say(text: str) -> None:
    found = inline(MARKDOWN.link("place", f"https://x/{text.replace(chr(10), '')}.cu"))
    (opened,) = [token for token in found if token.type == "link_open"]
    assert opened.attrs["href"].startswith("https://x/")
    assert "image" not in {token.type for token in found}
