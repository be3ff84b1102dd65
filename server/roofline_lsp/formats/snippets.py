"""A line of a source with a place in it underlined, as compilers show it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from roofline_core.program.units import Span
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.source_lines import SourceLines

_TAB: Final = "    "
_MOST_CHARACTERS: Final = 120


def snippet(sources: SourceLines, path: Path, span: Span, style: ColourStyle) -> Iterator[str]:
    """The first line of a place, and a line that marks it; nothing where the text is not there."""
    raw = sources.line(path, span.line)
    place = sources.place(path, span)
    if raw is None or place.column is None or place.end_column is None:
        return
    text = raw.decode("utf-8", "replace")
    end = place.end_column - 1 if place.end_line == span.line else len(text)
    before, marked = text[: place.column - 1], text[place.column - 1 : end].rstrip()
    indent = len(before) - len(before.lstrip()) if before.strip() else len(before)
    shown = text[indent:].rstrip().replace("\t", _TAB)
    column = len(before[indent:].replace("\t", _TAB))
    if not marked or column >= _MOST_CHARACTERS:
        return
    width = min(len(marked.replace("\t", _TAB)), _MOST_CHARACTERS - column)
    number = f"{span.line:5} | "
    yield f"{style.dim(number)}{shown[:_MOST_CHARACTERS]}"
    yield f"{style.dim(' ' * (len(number) - 2) + '| ')}{' ' * column}{style.yellow('^' * width)}"
