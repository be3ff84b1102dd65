"""Suggestions as the client's edits: exact ranges in its units, line ends as in the text."""

from __future__ import annotations

import pytest
from lsprotocol import types

from roofline_advisor.advice import LineEdit
from roofline_lsp.server.advice.actions import text_edit

LINES = ["one", "größe 😀", "three"]
UTF16 = types.PositionEncodingKind.Utf16


@pytest.mark.parametrize(
    ("edit", "start", "end", "text"),
    [
        (LineEdit(1, 1, "1"), (0, 0), (0, 3), "1"),
        # An emoji takes two units of UTF-16.
        (LineEdit(2, 2, "2\n2b"), (1, 0), (1, 8), "2\r\n2b"),
        (LineEdit(2, 3, "x"), (1, 0), (2, 5), "x"),
        # Taken away with the line end behind, or before the last line.
        (LineEdit(1, 1, None), (0, 0), (1, 0), ""),
        (LineEdit(3, 3, None), (1, 8), (2, 5), ""),
        (LineEdit(1, 3, None), (0, 0), (2, 5), ""),
    ],
)
def test_edits(edit: LineEdit, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    made = text_edit(edit, LINES, UTF16, "\r\n")
    assert made.range == types.Range(types.Position(*start), types.Position(*end))
    assert made.new_text == text
