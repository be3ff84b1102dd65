"""A comparison as Markdown: for pull requests, issues and editors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from roofline_analysis.api.compare.records import (
    Alone,
    ComparedFinding,
    KernelComparison,
    Variant,
    VariantChange,
    VariantComparison,
)
from roofline_lsp.formats.comparison.rows import are_named, finding_text, headline, line_rows, rows
from roofline_lsp.formats.full import gpu_line
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.formats.strangers import visible

_MARKUP: Final = MarkupStyle(markdown=True)
_HIDDEN: Final = "\u00a0\u00a0"
"""Indents a part of the row above, which plain blanks would not."""


def render(comparison: VariantComparison) -> str:
    """A section for each kernel. What strangers wrote is escaped."""
    blocks = [_MARKUP.prose(gpu_line(comparison.gpu))]
    for kernel in comparison.kernels:
        blocks += _kernel(kernel)
    if comparison.alone:
        blocks += ["### Kernels that not all sides have", _alone(comparison.alone)]
    problems = [
        _MARKUP.prose(f"{each.severity.value}: {each.path}:{each.line or 1}: {each.message}")
        for each in comparison.problems
    ]
    return visible(_MARKUP.page(*blocks, _MARKUP.bullets(problems))) + "\n"


def _kernel(kernel: KernelComparison) -> Iterator[str]:
    first = kernel.variants[0]
    yield f"## {_MARKUP.prose(first.title)}"
    head = ["", *(_MARKUP.code(each.label) for each in kernel.variants)]
    body = [["kernel", *(_MARKUP.prose(each.title) for each in kernel.variants)]]
    if are_named(kernel):
        body.clear()
    body += (
        [(_HIDDEN if row.inner else "") + _MARKUP.prose(row.label), *map(_MARKUP.prose, row.cells)]
        for row in rows(kernel)
    )
    yield _MARKUP.table([head, *body])
    for other, change in zip(kernel.variants[1:], kernel.changes, strict=True):
        yield f"### {_MARKUP.prose(headline(change, first.label))}"
        yield from _change(change, first, other)


def _change(change: VariantChange, first: Variant, other: Variant) -> Iterator[str]:
    yield _MARKUP.bullets(list(map(_MARKUP.prose, change.notes)))
    for title, findings in (
        ("Findings gone", change.findings_gone),
        ("Findings new", change.findings_new),
    ):
        if findings:
            yield f"**{title}**"
            yield _MARKUP.bullets(_findings(findings))
    lines, left = line_rows(change, first, other)
    if not lines:
        yield "Each line has the same operations and DRAM bytes."
        return
    yield "**Lines that differ** (operations and DRAM bytes of the whole launch)"
    head = ["", _MARKUP.code(first.label), _MARKUP.code(other.label), "costs", "line"]
    body = [
        [each.sign, each.before, each.after, _MARKUP.prose(each.costs), _MARKUP.code(each.text)]
        for each in lines
    ]
    yield _MARKUP.table([head, *body], left=(0, 3, 4))
    if left is not None:
        yield left


def _findings(findings: Sequence[ComparedFinding]) -> list[str]:
    return [_MARKUP.prose(finding_text(each)) for each in findings]


def _alone(kernels: Sequence[Alone]) -> str:
    return _MARKUP.bullets(
        [
            f"{_MARKUP.code(f'{each.label}:{each.line}')} {_MARKUP.code(each.kernel)}"
            for each in kernels
        ]
    )
