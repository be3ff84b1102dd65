"""Positions between the client's units, code points and UTF-8 bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind, Range

from roofline_core.program.units import Span
from roofline_lsp.server.documents.convert import (
    column_of_byte,
    index_of,
    line_range,
    range_of,
    units,
)

ENCODINGS = [PositionEncodingKind.Utf8, PositionEncodingKind.Utf16, PositionEncodingKind.Utf32]
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}

LINE = "aé😀z"
"""1, 2, 4 and 1 bytes in UTF-8; 1, 1, 2 and 1 units in UTF-16."""


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [("utf-8", [0, 1, 3, 7, 8]), ("utf-16", [0, 1, 2, 4, 5]), ("utf-32", [0, 1, 2, 3, 4])],
)
def test_columns_of_each_character(encoding: str, columns: list[int]) -> None:
    kind = PositionEncodingKind(encoding)
    assert [units(LINE[:index], kind) for index in range(5)] == columns
    assert [index_of(LINE, column, kind) for column in columns] == [0, 1, 2, 3, 4]
    offsets = [0, 1, 3, 7, 8]
    assert [column_of_byte(LINE, offset, kind) for offset in offsets] == columns


def test_a_column_inside_a_character_is_its_beginning() -> None:
    assert index_of(LINE, 5, PositionEncodingKind.Utf8) == 2
    assert index_of(LINE, 3, PositionEncodingKind.Utf16) == 2
    assert column_of_byte(LINE, 5, PositionEncodingKind.Utf16) == 2


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_outside_the_line_are_moved_inside(encoding: PositionEncodingKind) -> None:
    for line in (LINE, "ascii", ""):
        assert index_of(line, 1000, encoding) == len(line)
        assert index_of(line, -3, encoding) == 0
        assert column_of_byte(line, 1000, encoding) == units(line, encoding)
        assert column_of_byte(line, -3, encoding) == 0


def test_an_unknown_encoding_is_utf_16() -> None:
    assert units("😀", "utf-7") == 2


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(ENCODINGS))
def test_units_agree_with_the_codec(text: str, encoding: PositionEncodingKind) -> None:
    size = UNIT_BYTES[encoding.value]
    codec = encoding.value if size == 1 else f"{encoding.value}-le"
    assert units(text, encoding) == len(text.encode(codec)) // size
    for index in range(len(text) + 1):
        assert index_of(text, units(text[:index], encoding), encoding) == index


def test_a_span_becomes_a_range() -> None:
    lines = ["first", "  é😀 name()", ""]
    span = Span(2, 9, 2, 13)
    ranges = {kind: range_of(span, lines, kind) for kind in ENCODINGS}
    starts = {kind.value: found.start for kind, found in ranges.items()}
    assert starts == {
        "utf-8": Position(1, 9),
        "utf-16": Position(1, 6),
        "utf-32": Position(1, 5),
    }
    assert ranges[PositionEncodingKind.Utf16].end == Position(1, 10)


def test_a_span_behind_the_text_ends_at_its_end() -> None:
    utf16 = PositionEncodingKind.Utf16
    assert range_of(Span(1, 2, 9, 5), ["abc", "de"], utf16) == Range(Position(0, 2), Position(1, 2))
    assert range_of(Span(1, 0, 1, 1), [], utf16) == Range(Position(0, 0), Position(0, 0))


def test_the_range_of_a_line_leaves_out_its_indentation() -> None:
    utf16 = PositionEncodingKind.Utf16
    lines = ["\t 😀 x  ", ""]
    assert line_range(1, lines, utf16) == Range(Position(0, 2), Position(0, 6))
    assert line_range(2, lines, utf16) == Range(Position(1, 0), Position(1, 0))
    assert line_range(7, lines, utf16) == Range(Position(1, 0), Position(1, 0))
    assert line_range(1, [], utf16) == Range(Position(0, 0), Position(0, 0))
