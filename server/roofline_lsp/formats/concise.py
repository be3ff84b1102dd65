"""One line a kernel and one an issue, as linters print them: for editors, ``grep`` and diffs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roofline_analysis.report.report import KernelReport, LibraryCallReport, Verdict
from roofline_analysis.report.verdict_words import (
    class_words,
    for_words,
    sure_words,
    time_in_short,
)
from roofline_core.text.units import scaled, time_text
from roofline_lsp.formats.changes import change_lines
from roofline_lsp.formats.issue_lines import issue_line
from roofline_lsp.formats.sight import undecided
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.totals import totals
from roofline_lsp.ratchet.result import CheckResult


def render(result: CheckResult, style: ColourStyle) -> str:
    """Every line begins with ``path:line:``; the last one has the totals."""
    lines = [line for _, _, line in sorted(_lines(result, style), key=lambda each: each[:2])]
    ends = (*change_lines(result), style.bold(totals(result)))
    return "\n".join((*lines, *ends)) + "\n"


def _lines(result: CheckResult, style: ColourStyle) -> Iterator[tuple[int, int, str]]:
    """Each with the number of its file and its line in it."""
    order: dict[Path, int] = {}
    for file in result.report.files:
        at = order.setdefault(file.path, len(order))
        for kernel in file.kernels:
            yield at, kernel.name_span.line, kernel_line(kernel, style)
        for call in file.library_calls:
            yield at, call.line, _call_line(call, style)
    for issue in result.issues:
        at = order.setdefault(issue.path, len(order))
        yield at, issue.place.line or 0, issue_line(issue, style)


def kernel_line(kernel: KernelReport, style: ColourStyle) -> str:
    """``src/saxpy.cu:3: saxpy: BB 97%: DRAM, 10.5 MB; time 17.2 µs``.

    ``BB 97% for an invented launch: DRAM, 10.5 MB``: what a verdict rests on goes with it.
    """
    where = style.bold(f"{kernel.path}:{kernel.name_span.line}:")
    prediction = kernel.prediction
    if prediction.verdict is None:
        reason = undecided(prediction.sight)
        return f"{where} {kernel.title}: {style.red('undecided')}: {reason}"
    paint = style.green if prediction.verdict is Verdict.COMPUTE_BOUND else style.yellow
    rests = for_words(kernel)
    words = (paint(class_words(prediction)), sure_words(prediction), rests)
    verdict = " ".join(word for word in words if word)
    parts = [time_in_short(prediction) or f"DRAM {scaled(prediction.dram_bytes, 'B')}"]
    if not rests or not kernel.launches:
        parts.append(time_text(prediction.time_ns, prediction.time_depends_on))
    return f"{where} {kernel.title}: {verdict}: {'; '.join(parts)}"


def _call_line(call: LibraryCallReport, style: ColourStyle) -> str:
    where = style.bold(f"{call.path}:{call.line}:")
    verdict = f"{class_words(call.prediction)} {sure_words(call.prediction)}".rstrip()
    return f"{where} {call.name}: {verdict}: {call.what}"
