"""A kernel's source in the page, each line with its share of what the kernel's class rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import GpuUsed, KernelReport
from roofline_lsp.formats.line_shares import decisive, shares
from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.strangers import xml_text as escaped
from roofline_lsp.ratchet.source_lines import SourceLines

STEPS: Final = 20
"""Steps of the bar behind a line; the page has a class of style for each."""
_MOST_LINES: Final = 400
_MOST_CALLED: Final = 60
_MOST_CHARACTERS: Final = 400


def source_styles() -> str:
    """The bars, which the page's policy allows in its own style sheet alone."""
    return "".join(
        f".w{step}{{background:linear-gradient(to right,var(--heat) {100 * step // STEPS}%,"
        "transparent 0)}"
        for step in range(1, STEPS + 1)
    )


def source_block(kernel: KernelReport, gpu: GpuUsed, sources: SourceLines | None) -> Iterator[str]:
    """The kernel's lines, then those of functions that it calls which have a share."""
    if sources is None:
        return
    found = shares(kernel.prediction, gpu)
    span = kernel.span
    last = min(span.end_line, span.line + _MOST_LINES - 1)
    own = list(_rows(kernel.path, range(span.line, last + 1), found, sources, kernel))
    if not own:
        return
    precision = decisive(kernel.prediction, gpu)
    what = "DRAM bytes" if precision is None else f"{precision.title} operations"
    yield f'<table class="source"><caption>share of the {what}</caption><tbody>'
    yield from own
    if last < span.end_line:
        yield f'<tr><td colspan="3" class="note">and {span.end_line - last} more lines'
    yield from _called(kernel, found, sources)
    yield "</tbody></table>"


def _called(
    kernel: KernelReport, found: Mapping[tuple[Path, int], float], sources: SourceLines
) -> Iterator[str]:
    """Lines with a share that are not the kernel's own, by file."""
    span = kernel.span
    elsewhere: dict[Path, list[int]] = {}
    for path, line in found:
        if path != kernel.path or not span.line <= line <= span.end_line:
            elsewhere.setdefault(path, []).append(line)
    for path, lines in elsewhere.items():
        rows = list(_rows(path, sorted(lines)[:_MOST_CALLED], found, sources, kernel))
        if rows:
            yield f'<tr><th colspan="3" scope="rowgroup">called, {escaped(shown_path(path))}'
            yield from rows


def _rows(
    path: Path,
    lines: range | list[int],
    found: Mapping[tuple[Path, int], float],
    sources: SourceLines,
    kernel: KernelReport,
) -> Iterator[str]:
    marked = {
        each.span.line: each.code
        for each in kernel.findings
        if each.path == path and each.span is not None
    }
    for number in lines:
        text = sources.line(path, number)
        if text is None:
            continue
        share = found.get((path, number), 0.0)
        step = min(STEPS, math.ceil(share * STEPS))
        shown = f"{max(round(100 * share), 1)}%" if share > 0 else ""
        code = marked.get(number)
        note = f' <span class="finding">{escaped(code)}</span>' if code is not None else ""
        line = escaped(text.decode("utf-8", "replace")[:_MOST_CHARACTERS])
        yield (
            f'<tr><td class="number">{number}<td class="number">{shown}'
            f'<td class="code{f" w{step}" if step else ""}"><code>{line}</code>{note}'
        )
