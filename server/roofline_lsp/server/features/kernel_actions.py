"""Code actions on a kernel: the twins of its code lens, for clients that show no lenses."""

from __future__ import annotations

from collections.abc import Collection

from lsprotocol import types

from roofline_lsp.server.documents.convert import Encoding, position_of
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.features.code_lens import DETAILS, lens_title

PANEL = "roofline.showRoofline"
COMPARE = "roofline.compareGpus"
EXPLAIN = "roofline.explainKernel"
"""Commands of the client. Arguments of each: the document's URI, the kernel's position."""

_TITLES = {
    DETAILS: "Roofline: {lens}",
    PANEL: "Roofline: show {name} in the roofline",
    COMPARE: "Roofline: compare GPUs for {name}",
    EXPLAIN: "Roofline: explain the class of {name}",
}


def kernel_actions(
    view: View, where: types.Range, commands: Collection[str], encoding: Encoding
) -> list[types.CodeAction]:
    """What a client with these commands can do with the kernel whose name is on the first line."""
    line = view.line_map.to_old(where.start.line + 1)
    for kernel in view.report.kernels:
        if kernel.path != view.report.path or line is None:
            continue
        if not kernel.span.line <= line <= kernel.name_span.line:
            continue
        at = position_of(where.start.line + 1, kernel.name_span.column, view.lines, encoding)
        arguments = [view.document.uri, {"line": at.line, "character": at.character}]
        lens = lens_title(kernel, view.analysis.gpu)
        return [
            types.CodeAction(
                title := text.format(lens=lens, name=kernel.base_name),
                kind=types.CodeActionKind.Empty,
                command=types.Command(title, command, arguments=arguments),
            )
            for command, text in _TITLES.items()
            if command in commands
        ]
    return []
