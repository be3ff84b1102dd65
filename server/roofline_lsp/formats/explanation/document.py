"""An explanation as JSON, field by field; ``schema/explanation.schema.json`` describes it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

from roofline_analysis.api.explain.records import Explanation
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import record_json
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

SCHEMA_VERSION: Final = "1.1"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "explanation.schema.json"


def render(explanation: Explanation) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(document(explanation), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(explanation: Explanation) -> Json:
    """The explanation as values that JSON can hold; an unknown number is None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        **record_json(explanation),
    }


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every explanation conforms to."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", SCHEMA).read_text(encoding="utf-8")
