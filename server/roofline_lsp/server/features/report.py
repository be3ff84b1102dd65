"""``roofline/report``: the whole report of a file, for clients with a view of their own."""

from __future__ import annotations

from roofline_analysis.report.report import Report
from roofline_lsp.formats.json import Json, to_json
from roofline_lsp.server.documents.open_documents import Documents

METHOD = "roofline/report"
"""A request with ``{"textDocument": {"uri": ...}}``."""

WAIT_S = 10.0


async def report(documents: Documents, uri: str) -> Json | None:
    """The report as ``--format json`` writes it, of this file alone; null without an analysis.

    The file need not be open, so that a client can show a whole workspace.
    """
    if documents.get(uri) is None:
        analysis = await documents.report_of_file(uri, wait_s=WAIT_S)
    else:
        view = await documents.view(
            uri, wait_s=WAIT_S, stale_wait_s=WAIT_S, urgent=True, complete=True
        )
        analysis = view.analysis if view is not None else None
    return to_json(Report(analysis.gpu, (analysis.report,))) if analysis is not None else None
