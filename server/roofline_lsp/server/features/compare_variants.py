"""``roofline/compare``: variants of a kernel side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from roofline_lsp.formats.json import Json
from roofline_lsp.server.documents.open_documents import Documents
from roofline_lsp.server.documents.places import path_of
from roofline_lsp.server.worker.jobs import VariantWanted

if TYPE_CHECKING:
    from roofline_analysis.api.compare.records import VariantComparison

METHOD: Final = "roofline/compare"
"""A request with ``{"variants": [{"textDocument": {"uri": ...}}, ...]}``.

A variant may have a ``position`` in the kernel that is meant, a ``text`` in the place of the
document's, such as that of a revision, and a ``label``.
"""

MOST_VARIANTS: Final = 8


async def compare_variants(documents: Documents, variants: Sequence[Any]) -> Json:
    """``title`` and ``markdown``; or ``problem``, why the variants cannot be compared."""
    if not 2 <= len(variants) <= MOST_VARIANTS:
        return {"problem": f"from 2 to {MOST_VARIANTS} variants are compared"}
    found = await documents.compare(tuple(map(_wanted, variants)))
    if isinstance(found, str):
        return {"problem": found}
    from roofline_lsp.formats.comparison.markdown import render  # noqa: PLC0415 - for who asks

    return {"title": f"Comparison of {_titles(found)}", "markdown": render(found)}


def _titles(found: VariantComparison) -> str:
    """What the compared kernels are called: ``gemm``, ``gemm_naive and gemm_tiled``."""
    if len(found.kernels) != 1:
        return "kernels"
    return " and ".join(dict.fromkeys(each.title for each in found.kernels[0].variants))


def _wanted(variant: Any) -> VariantWanted:
    path = path_of(variant.textDocument.uri)
    position, text = getattr(variant, "position", None), getattr(variant, "text", None)
    return VariantWanted(
        label=getattr(variant, "label", None) or path.name,
        path=path,
        text=text.encode("utf-8", "replace") if text is not None else None,
        line=position.line + 1 if position is not None else None,
    )
