"""Writes the golden files anew: ``python -m pytest tests/formats/update_golden.py``.

pytest does not collect it by itself, for its name; read the difference before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.report.report import Report
from roofline_lsp.formats.registry import FORMATS, renderer
from roofline_lsp.formats.style import ColourStyle

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {"text": "txt", "json": "json"}


@pytest.mark.parametrize("name", FORMATS)
def test_update(name: str, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofline_lsp.formats.json.tool_version", lambda: "1.2.3")
    text = renderer(name)(report, ColourStyle())
    (GOLDEN / f"report.{SUFFIXES[name]}").write_text(text, encoding="utf-8")
