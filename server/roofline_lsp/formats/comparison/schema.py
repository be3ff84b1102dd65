"""Write the JSON Schema of comparisons from their records, or, with ``--check``, compare it.

``python -m roofline_lsp.formats.comparison.schema``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from roofline_analysis.api.compare.records import VariantComparison
from roofline_lsp.formats import record_schema
from roofline_lsp.formats.comparison.document import SCHEMA, SCHEMA_VERSION
from roofline_lsp.formats.record_schema import PublishedRecord

PUBLISHED: Final = PublishedRecord(
    VariantComparison,
    "comparison",
    "roofline-lsp compare --format json",
    SCHEMA_VERSION,
    Path(__file__).parents[1] / "schema" / SCHEMA,
)


if __name__ == "__main__":
    sys.exit(record_schema.main(PUBLISHED, __doc__ or "", __spec__.name))
