"""A comparison as JSON, field by field; ``schema/comparison.schema.json`` describes it."""

from __future__ import annotations

from typing import Final

from roofline_analysis.api.compare.records import VariantComparison
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.record_json import document_text, kept_schema, record_document

SCHEMA_VERSION: Final = "1.0"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "comparison.schema.json"


def render(comparison: VariantComparison) -> str:
    """JSON with two blanks of indentation."""
    return document_text(document(comparison))


def document(comparison: VariantComparison) -> Json:
    """The comparison as values that JSON can hold; an unknown number is None."""
    return record_document(comparison, SCHEMA_VERSION)


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every comparison conforms to."""
    return kept_schema(SCHEMA)
