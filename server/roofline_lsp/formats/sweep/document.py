"""A sweep as JSON, field by field; ``schema/sweep.schema.json`` describes it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

from roofline_analysis.api.sweep.records import Sweep
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import record_json
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

SCHEMA_VERSION: Final = "1.0"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "sweep.schema.json"


def render(made: Sweep) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(document(made), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(made: Sweep) -> Json:
    """The sweep as values that JSON can hold; an unknown number is None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        **record_json(made),
    }


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every sweep conforms to."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", SCHEMA).read_text(encoding="utf-8")
