"""``roofline/lineHeat``: how much each line has of what decides, for clients that colour lines."""

from __future__ import annotations

from roofline_lsp.formats.json import Json
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.line_shares import line_shares

METHOD = "roofline/lineHeat"
"""A request with ``{"textDocument": {"uri": ...}}``."""


def line_heat(view: View) -> list[Json]:
    """For each line ``line`` (0-based), ``share`` (0 to 1), ``resource`` and ``kernel``.

    ``outdated`` is there where the kernel is shown as it was before an edit broke the code.
    """
    steady = view.steady
    return [
        {
            "line": share.line - 1,
            "share": round(share.share, 4),
            "resource": share.resource,
            "kernel": share.kernel.base_name,
            **({"outdated": True} if steady.is_outdated(share.kernel) else {}),
        }
        for share in line_shares(steady)
    ]
