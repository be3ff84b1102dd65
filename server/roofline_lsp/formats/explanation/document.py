"""An explanation as JSON, field by field; ``schema/explanation.schema.json`` describes it."""

from __future__ import annotations

from typing import Final

from roofline_analysis.api.explain.records import Explanation
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import document_text, kept_schema, record_document

SCHEMA_VERSION: Final = "1.1"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "explanation.schema.json"


def render(explanation: Explanation) -> str:
    """JSON with two blanks of indentation."""
    return document_text(document(explanation))


def document(explanation: Explanation) -> Json:
    """The explanation as values that JSON can hold; an unknown number is None."""
    return record_document(explanation, SCHEMA_VERSION)


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every explanation conforms to."""
    return kept_schema(SCHEMA)
