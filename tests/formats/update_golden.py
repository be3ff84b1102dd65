"""Writes the golden files anew: ``python -m pytest tests/formats/update_golden.py``.

pytest does not collect it by itself, for its name; read the difference before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_lsp.formats.registry import FORMATS, renderer
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {"text": "txt"}
"""The others end in their names."""


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "html"])
def test_update(name: str, result: CheckResult, version_1_2_3: None) -> None:
    text = renderer(name)(result, ColourStyle())
    (GOLDEN / f"report.{SUFFIXES.get(name, name)}").write_text(text, encoding="utf-8")
