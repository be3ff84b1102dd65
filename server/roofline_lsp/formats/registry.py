"""The table of report formats: a new one is a module with a ``render`` and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from roofline_lsp.formats.style import ColourStyle

if TYPE_CHECKING:
    from roofline_lsp.ratchet.result import CheckResult

Renderer: TypeAlias = "Callable[[CheckResult, ColourStyle], str]"
"""Writes out a result, ending with a newline. A format without colours takes no notice of style."""

FORMATS: Mapping[str, str] = {
    "text": "roofline_lsp.formats.text",
    "full": "roofline_lsp.formats.full",
    "concise": "roofline_lsp.formats.concise",
    "json": "roofline_lsp.formats.json",
    "ndjson": "roofline_lsp.formats.ndjson",
    "sarif": "roofline_lsp.formats.sarif",
    "github": "roofline_lsp.formats.github",
    "gitlab": "roofline_lsp.formats.gitlab",
    "junit": "roofline_lsp.formats.junit",
    "csv": "roofline_lsp.formats.csv",
    "markdown": "roofline_lsp.formats.pull_request",
    "html": "roofline_lsp.formats.html",
}
"""The module of each format, by the name that ``--format`` takes; imported when it is used."""

JSON_FORMATS: Final = frozenset({"json", "ndjson", "sarif", "gitlab"})
"""Those whose text is JSON, and keeps the values of strangers' characters."""

WITH_SIZES: Final = frozenset({"full", "json", "ndjson"})
"""Those that tell the sizes at which classes change."""


def renderer(name: str) -> Renderer:
    """The renderer of a format of the table."""
    found: Renderer = importlib.import_module(FORMATS[name]).render
    return found
