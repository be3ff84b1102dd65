"""The table of report formats: a new one is a module with a ``render`` and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from roofline_lsp.formats.style import ColourStyle

if TYPE_CHECKING:
    from roofline_analysis.report.report import Report

Renderer: TypeAlias = "Callable[[Report, ColourStyle], str]"
"""Writes out a report, ending with a newline. A format without colours takes no notice of style."""

FORMATS: Mapping[str, str] = {
    "text": "roofline_lsp.formats.text",
    "json": "roofline_lsp.formats.json",
}
"""The module of each format, by the name that ``--format`` takes; imported when it is used."""


def renderer(name: str) -> Renderer:
    """The renderer of a format of the table."""
    found: Renderer = importlib.import_module(FORMATS[name]).render
    return found
