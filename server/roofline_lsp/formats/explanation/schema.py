"""Write the JSON Schema of explanations from their records, or, with ``--check``, compare it.

``python -m roofline_lsp.formats.explanation.schema``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from roofline_analysis.api.explain.records import Explanation
from roofline_lsp.formats import record_schema
from roofline_lsp.formats.explanation.document import SCHEMA, SCHEMA_VERSION
from roofline_lsp.formats.record_schema import PublishedRecord

PUBLISHED: Final = PublishedRecord(
    Explanation,
    "explanation",
    "roofline-lsp explain --format json",
    SCHEMA_VERSION,
    Path(__file__).parents[1] / "schema" / SCHEMA,
)


def schema() -> dict[str, Any]:
    """The schema as values that JSON can hold."""
    return record_schema.schema_of(PUBLISHED)


def schema_text() -> str:
    """The schema as it is published."""
    return record_schema.schema_text(PUBLISHED)


if __name__ == "__main__":
    sys.exit(record_schema.main(PUBLISHED, __doc__ or "", __spec__.name))
