"""A sweep as JSON, field by field; ``schema/sweep.schema.json`` describes it."""

from __future__ import annotations

from typing import Final

from roofline_analysis.api.sweep.records import Sweep
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import document_text, kept_schema, record_document

SCHEMA_VERSION: Final = "1.0"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "sweep.schema.json"


def render(made: Sweep) -> str:
    """JSON with two blanks of indentation."""
    return document_text(document(made))


def document(made: Sweep) -> Json:
    """The sweep as values that JSON can hold; an unknown number is None."""
    return record_document(made, SCHEMA_VERSION)


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every sweep conforms to."""
    return kept_schema(SCHEMA)
