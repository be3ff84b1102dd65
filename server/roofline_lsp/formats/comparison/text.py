"""A comparison that a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roofline_analysis.api.compare.records import (
    KernelComparison,
    Variant,
    VariantChange,
    VariantComparison,
)
from roofline_core.text.table import aligned
from roofline_lsp.formats.comparison.rows import are_named, finding_text, headline, line_rows, rows
from roofline_lsp.formats.full import gpu_line, problem_line
from roofline_lsp.formats.style import ColourStyle

_INDENT = "  "
_LABEL_WIDTH = 10


def render(comparison: VariantComparison, style: ColourStyle) -> str:
    """A table for each kernel, what is different in each variant, and what stands alone."""
    lines = [style.dim(gpu_line(comparison.gpu)), ""]
    for kernel in comparison.kernels:
        lines += [*_kernel(kernel, style), ""]
    if comparison.alone:
        lines.append(style.bold("kernels that not all sides have"))
        alone = [(f"{each.label}:{each.line}", each.kernel) for each in comparison.alone]
        lines += [*aligned(alone, indent=_INDENT), ""]
    lines += (problem_line(Path(), each, style) for each in comparison.problems)
    return "\n".join(lines).rstrip("\n") + "\n"


def _kernel(kernel: KernelComparison, style: ColourStyle) -> Iterator[str]:
    first = kernel.variants[0]
    table = [("", *(each.label for each in kernel.variants))]
    if not are_named(kernel):
        table.append(("kernel", *(each.title for each in kernel.variants)))
    table += ((_INDENT + row.label if row.inner else row.label, *row.cells) for row in rows(kernel))
    head, *body = aligned(table)
    yield style.bold(first.title)
    yield style.bold(head)
    yield from body
    for other, change in zip(kernel.variants[1:], kernel.changes, strict=True):
        yield ""
        yield style.bold(headline(change, first.label))
        yield from _change(change, first, other, style)


def _change(
    change: VariantChange, first: Variant, other: Variant, style: ColourStyle
) -> Iterator[str]:
    for label, texts in (
        ("note", change.notes),
        ("gone", tuple(map(finding_text, change.findings_gone))),
        ("new", tuple(map(finding_text, change.findings_new))),
    ):
        shown = label
        for text in texts:
            yield f"{_INDENT}{style.dim(shown.ljust(_LABEL_WIDTH))}{text}"
            shown = ""
    lines, left = line_rows(change, first, other)
    if not lines:
        same = "each has the same operations and DRAM bytes"
        yield f"{_INDENT}{style.dim('lines'.ljust(_LABEL_WIDTH))}{same}"
        return
    title = "lines that differ: operations and DRAM bytes of the whole launch"
    yield _INDENT + style.dim(title)
    paint = {"-": style.red, "+": style.green, "~": style.yellow}
    table = [(each.sign, each.before, each.after, each.costs, each.text) for each in lines]
    for row, text in zip(lines, aligned(table, right=(1, 2)), strict=True):
        yield f"{_INDENT * 2}{paint[row.sign](text[:1])}{text[1:]}"
    if left is not None:
        yield f"{_INDENT * 2}{left}"
