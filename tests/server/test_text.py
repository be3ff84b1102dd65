"""Texts edited by a client's changes, against an implementation that works on the whole text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from roofline_lsp.server.documents.text_buffer import TextBuffer, split_lines

UTF16 = PositionEncodingKind.Utf16
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("\n\n", ["\n", "\n", ""]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("\r", ["\r", ""]),
        ("\n\r", ["\n", "\r", ""]),
        ("a\fb\x0b\x85\u2028c", ["a\fb\x0b\x85\u2028c"]),
        ("a\fb\r\n\u2028", ["a\fb\r\n", "\u2028"]),
    ],
)
def test_lines_end_where_the_protocol_says(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_lines_are_given_without_their_ends() -> None:
    buffer = TextBuffer("a\r\nb\rc", UTF16)
    assert buffer.lines == ("a", "b", "c")
    assert buffer.line(1) == "b"
    assert buffer.line(3) == ""
    assert buffer.line(-1) == ""


def edit(
    text: str, start: tuple[int, int], end: tuple[int, int], new: str
) -> TextDocumentContentChangePartial:
    del text
    return TextDocumentContentChangePartial(Range(Position(*start), Position(*end)), new)


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "expected"),
    [
        ("abc", (0, 1), (0, 2), "", "ac"),
        ("a\nb", (0, 1), (1, 0), "", "ab"),
        ("a\n", (1, 0), (1, 0), "b", "a\nb"),
        ("a", (0, 99), (0, 99), "b", "ab"),
        ("a\nb", (0, 99), (0, 99), "!", "a!\nb"),
        ("a\nb", (9, 0), (9, 9), "!", "a\nb!"),
        ("a\nb", (1, 1), (0, 0), "x", "x"),
        ("a\rb", (1, 0), (1, 0), "\n", "a\r\nb"),
        ("a\r\r\nb", (1, 0), (2, 0), "\n", "a\r\nb"),
        ("a\nb", (0, 1), (0, 1), "\r", "a\r\nb"),
        ("😀x", (0, 2), (0, 3), "y", "😀y"),
        ("x\r\ny", (0, 1), (0, 5), "z", "xz\r\ny"),
    ],
)
def test_one_edit(
    text: str, start: tuple[int, int], end: tuple[int, int], new: str, expected: str
) -> None:
    buffer = TextBuffer(text, UTF16)
    buffer.apply(edit(text, start, end, new))
    assert buffer.text == expected
    assert buffer.lines == TextBuffer(expected, UTF16).lines


def test_half_surrogates_are_replaced_and_keep_their_width() -> None:
    buffer = TextBuffer("a\ud800b", UTF16)
    assert buffer.text == "a\ufffdb"
    buffer.apply(edit("", (0, 2), (0, 3), "\udfff"))
    assert buffer.text == "a\ufffd\ufffd"
    buffer.text.encode()


CHARACTERS = st.sampled_from(["a", "b", " ", "\n", "\r", "\r\n", "\f", "é", "😀", "\u2028"])
TEXTS = st.lists(CHARACTERS, max_size=12).map("".join)
POSITIONS = st.tuples(st.integers(0, 6), st.integers(0, 8))
EDITS = st.lists(st.one_of(st.tuples(POSITIONS, POSITIONS, TEXTS), TEXTS), max_size=6)


def reference_offset(text: str, position: tuple[int, int], size: int, codec: str) -> int:
    """Offset of a position in the whole text, counted off unit by unit."""
    ends = [match.span() for match in re.finditer("\r\n|\r|\n", text)]
    starts = [0] + [end for _, end in ends]
    line, column = position
    if line >= len(starts):
        return len(text)
    stop = ends[line][0] if line < len(ends) else len(text)
    offset = starts[line]
    taken = 0
    while offset < stop:
        taken += len(text[offset].encode(codec)) // size
        if taken > column:
            break
        offset += 1
    return offset


@given(TEXTS, EDITS, st.sampled_from(list(UNIT_BYTES)))
def test_any_edits_give_the_reference_text(text: str, edits: list[object], unit: str) -> None:
    size = UNIT_BYTES[unit]
    codec = unit if size == 1 else f"{unit}-le"
    buffer = TextBuffer(text, PositionEncodingKind(unit))
    for change in edits:
        if isinstance(change, str):
            buffer.apply(TextDocumentContentChangeWholeDocument(change))
            text = change
        else:
            assert isinstance(change, tuple)
            start, end, new = change
            buffer.apply(edit(text, start, end, new))
            first, last = sorted(reference_offset(text, at, size, codec) for at in (start, end))
            text = text[:first] + new + text[last:]
        assert buffer.text == text
        assert list(buffer.lines) == [line.rstrip("\r\n") for line in split_lines(text)]
