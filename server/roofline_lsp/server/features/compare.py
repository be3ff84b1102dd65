"""``roofline/compareGpus``: a document's kernels judged for several GPUs."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.report.report import Report
from roofline_lsp.formats.json import Json, to_json
from roofline_lsp.server.documents.open_documents import Documents

METHOD = "roofline/compareGpus"
"""A request with ``{"textDocument": {"uri": ...}, "gpus": ["A100", ...]}``."""

MOST_GPUS = 12


async def compare(documents: Documents, uri: str, gpus: Sequence[str]) -> list[Json | None]:
    """A report of the document for each GPU, in the given order; null where it fails.

    At most ``MOST_GPUS``; names beyond them are left out.
    """
    reports: list[Json | None] = []
    for gpu in gpus[:MOST_GPUS]:
        analysis = await documents.judged_for(uri, gpu)
        reports.append(
            None if analysis is None else to_json(Report(analysis.gpu, (analysis.report,)))
        )
    return reports
