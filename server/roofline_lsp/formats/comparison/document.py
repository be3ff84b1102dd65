"""A comparison as JSON, field by field; ``schema/comparison.schema.json`` describes it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

from roofline_analysis.api.compare.records import VariantComparison
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import record_json
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

SCHEMA_VERSION: Final = "1.0"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "comparison.schema.json"


def render(comparison: VariantComparison) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(document(comparison), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(comparison: VariantComparison) -> Json:
    """The comparison as values that JSON can hold; an unknown number is None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        **record_json(comparison),
    }


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every comparison conforms to."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", SCHEMA).read_text(encoding="utf-8")
