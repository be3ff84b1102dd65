"""A comment for a pull request: what changed first, then what to mend, the kernels folded away.

Names and messages of strangers stand in code spans, in which no link, picture, mention or HTML
forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from roofline_analysis.report.report import KernelReport
from roofline_analysis.report.verdict_words import class_words, for_words, sure_words, time_in_short
from roofline_core.text.units import scaled, time_text
from roofline_lsp.formats.changes import change_words, summary
from roofline_lsp.formats.full import gpu_line
from roofline_lsp.formats.paths import shown_path
from roofline_lsp.formats.strangers import code_span
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.totals import totals
from roofline_lsp.ratchet.figures import kernel_figures
from roofline_lsp.ratchet.issues import Issue
from roofline_lsp.ratchet.result import CheckResult

MOST_ROWS: Final = 200
"""The most rows of a table: a comment of GitHub holds 65,536 characters."""
_MOST_CHARACTERS: Final = 300
"""Of a message or a name."""


def render(result: CheckResult, _style: ColourStyle) -> str:
    """GitHub's Markdown, which GitLab reads too."""
    new = [issue for issue in result.issues if issue.is_new]
    blocks = [f"### roofline-lsp: {totals(result)}", _line(gpu_line(result.report.gpu))]
    if result.culprits:
        lines = (f"- {_line(f'{each.where}: {each.message}')}" for each in result.culprits)
        blocks.append("**The check fails:**\n\n" + _cut(list(lines)))
    if result.comparison is not None:
        blocks.append(_line(summary(result.comparison, len(new))))
        rows = [
            (_cell(each.shown.qualified_name), _cell(each.shown.path), _cell(change_words(each)))
            for each in result.comparison.changes
        ]
        if rows:
            blocks.append(_table(("kernel", "file", "change"), rows))
    if new:
        word = "New findings" if result.comparison is not None else "Findings and problems"
        blocks.append(f"**{word}**\n\n{_table(('where', 'what', 'message'), map(_issue, new))}")
    kernels = [kernel for file in result.report.files for kernel in file.kernels]
    if kernels:
        kernels.sort(key=lambda each: -(each.prediction.time_ns or -1.0))
        heads = ("kernel", "place", "class", "time goes to", "time", "DRAM", "intensity")
        table = _table(heads, [tuple(_cells(each, result)) for each in kernels])
        blocks.append(f"<details><summary>All kernels</summary>\n\n{table}\n\n</details>")
    return "\n\n".join(blocks) + "\n"


def _cells(kernel: KernelReport, result: CheckResult) -> Iterator[str]:
    prediction = kernel.prediction
    yield _cell(kernel.title)
    yield _cell(f"{shown_path(kernel.path)}:{kernel.name_span.line}")
    words = (class_words(prediction), sure_words(prediction), for_words(kernel))
    yield _cell(" ".join(word for word in words if word))
    yield _cell(time_in_short(prediction) or "")
    yield _cell(time_text(prediction.time_ns, prediction.time_depends_on).removeprefix("time "))
    yield _cell(scaled(prediction.dram_bytes, "B"))
    figures = kernel_figures(kernel, "", result.report.gpu)
    precision = figures.precision.title if figures.precision is not None else ""
    yield _cell(f"{precision} {scaled(figures.intensity)}".strip())


def _issue(issue: Issue) -> tuple[str, str, str]:
    line = f":{issue.place.line}" if issue.place.line is not None else ""
    where = f"{shown_path(issue.path)}{line}"
    return _cell(where), _cell(issue.label), _cell(issue.message)


def _cell(text: str) -> str:
    return code_span(_short(text), in_table=True)


def _line(text: str) -> str:
    return code_span(_short(text))


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join((f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|", _cut(lines)))


def _cut(lines: list[str]) -> str:
    if len(lines) <= MOST_ROWS:
        return "\n".join(lines)
    return "\n".join(lines[:MOST_ROWS]) + f"\n\n... and {len(lines) - MOST_ROWS} more"
