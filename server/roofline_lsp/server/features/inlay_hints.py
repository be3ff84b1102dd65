"""Inlay hints: behind a line, its share of what decides its kernel's class."""

from __future__ import annotations

from lsprotocol import types

from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.convert import Encoding, line_range
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.figures import percent
from roofline_lsp.server.text.line_shares import line_shares
from roofline_lsp.server.text.line_text import line_text

LEAST_SHARE = 0.05
"""Lines with a smaller share have no hint: a kernel is read for the lines that matter."""


def inlay_hints(
    view: View, where: types.Range, style: MarkupStyle, encoding: Encoding
) -> list[types.InlayHint]:
    """The hints of the lines that a range touches, with what a hover on the line says.

    While an edit has broken the code, they are those of before, and say so.
    """
    view = view.steady
    hints = []
    for share in line_shares(view):
        if share.share < LEAST_SHARE or not where.start.line < share.line <= where.end.line + 1:
            continue
        mark = " before the error" if view.is_outdated(share.kernel) else ""
        text = line_text([(share.kernel, share.ledger)], view.analysis.gpu, style)
        kind = types.MarkupKind.Markdown if style.markdown else types.MarkupKind.PlainText
        hints.append(
            types.InlayHint(
                position=line_range(share.line, view.lines, encoding).end,
                label=f"{percent(share.share)} {share.resource}{mark}",
                tooltip=types.MarkupContent(kind, text) if text else None,
                padding_left=True,
            )
        )
    return hints
