"""Positions: between the client's code units, Python's code points and a span's UTF-8 bytes.

The only module that knows columns. A client counts a line's columns in the units agreed on at
initialization; a ``Span`` counts UTF-8 bytes; Python indexes code points. Lines are 0-based in the
protocol and 1-based in spans.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from roofline_core.program.units import Span

Encoding = types.PositionEncodingKind | str
"""The unit that a client counts columns in."""

_CODECS: dict[str, tuple[str, int]] = {
    types.PositionEncodingKind.Utf8.value: ("utf-8", 1),
    types.PositionEncodingKind.Utf16.value: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32.value: ("utf-32-le", 4),
}


def _codec(encoding: Encoding) -> tuple[str, int]:
    """The Python codec of an encoding and the bytes of its unit; UTF-16 if unknown."""
    name = encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding
    return _CODECS.get(name, ("utf-16-le", 2))


def units(text: str, encoding: Encoding) -> int:
    """How many units of the client a text takes."""
    codec, size = _codec(encoding)
    if size == 4 or text.isascii():
        return len(text)
    return len(text.encode(codec)) // size


def index_of(line: str, column: int, encoding: Encoding) -> int:
    """The code point of ``line`` at a client's column.

    A column behind the end means the end; one inside a character means that character's beginning.
    """
    codec, size = _codec(encoding)
    column = max(column, 0)
    if size == 4 or line.isascii():
        return min(column, len(line))
    return len(line.encode(codec)[: column * size].decode(codec, "ignore"))


def column_of_byte(line: str, byte: int, encoding: Encoding) -> int:
    """The client's column of a UTF-8 byte offset in ``line``, by the same rules as ``index_of``."""
    if line.isascii():
        return min(max(byte, 0), len(line))
    before = line.encode()[: max(byte, 0)].decode("utf-8", "ignore")
    return units(before, encoding)


def byte_of_index(line: str, index: int) -> int:
    """The UTF-8 byte offset of a code point of ``line``."""
    return len(line[:index].encode())


def range_of(span: Span, lines: Sequence[str], encoding: Encoding) -> types.Range:
    """A span as the client's range; what lies behind the text's end is moved to the end.

    ``lines`` are those of the text that the span was found in, without their line ends.
    """
    return types.Range(
        start=position_of(span.line, span.column, lines, encoding),
        end=position_of(span.end_line, span.end_column, lines, encoding),
    )


def line_range(line: int, lines: Sequence[str], encoding: Encoding) -> types.Range:
    """The text of a 1-based line without its indentation; empty where there is no such line."""
    row = min(max(line - 1, 0), max(len(lines) - 1, 0))
    text = lines[row] if row < len(lines) else ""
    indent = len(text) - len(text.lstrip())
    return types.Range(
        start=types.Position(row, units(text[:indent], encoding)),
        end=types.Position(row, units(text.rstrip(), encoding)),
    )


def position_of(line: int, byte: int, lines: Sequence[str], encoding: Encoding) -> types.Position:
    """A 1-based line and a UTF-8 byte of it, as in spans, as the client's position."""
    if not lines:
        return types.Position(0, 0)
    if line > len(lines):
        return types.Position(len(lines) - 1, units(lines[-1], encoding))
    return types.Position(line - 1, column_of_byte(lines[line - 1], byte, encoding))
