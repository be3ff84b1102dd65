"""``roofline/report``: the whole report of a document, for clients with a view of their own."""

from __future__ import annotations

from roofline_lsp.api.report import Report
from roofline_lsp.reports.json import Json, to_json
from roofline_lsp.server.documents import Documents

METHOD = "roofline/report"
"""A request with ``{"textDocument": {"uri": ...}}``."""

WAIT_S = 10.0


async def report(documents: Documents, uri: str) -> Json | None:
    """The report as ``--format json`` writes it, of this file alone; null without an analysis."""
    view = await documents.view(uri, wait_s=WAIT_S, stale_wait_s=WAIT_S, urgent=True)
    return to_json(Report(view.analysis.gpu, (view.report,))) if view is not None else None
