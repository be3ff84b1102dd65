"""The report that a person reads first: a table of kernels, the slowest first, then what to mend.

Details stand in ``full`` and in ``roofline-lsp explain``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.report.report import (
    KernelReport,
    LibraryCallReport,
    Prediction,
    UnknownKind,
    Verdict,
)
from roofline_analysis.report.verdict_words import (
    class_words,
    is_invented,
    sure_words,
    time_in_short,
)
from roofline_core.text.units import counted, duration, exact, scaled
from roofline_lsp.formats.changes import change_lines
from roofline_lsp.formats.full import gpu_line, opinion_lines
from roofline_lsp.formats.issue_lines import issue_line
from roofline_lsp.formats.sight import undecided
from roofline_lsp.formats.style import ColourStyle, wrapped
from roofline_lsp.formats.totals import totals
from roofline_lsp.formats.what_if import strip
from roofline_lsp.ratchet.result import CheckResult

MOST_ASSUMPTIONS = 5
_GAP = "  "


def render(result: CheckResult, style: ColourStyle) -> str:
    """A table, what is undecided, issues by place, what was assumed, and the totals."""
    report = result.report
    blocks = [
        [style.dim(line) for line in wrapped(gpu_line(report.gpu), style)],
        list(_table(result, style)),
        [line for text in _undecided(result) for line in wrapped(text, style)],
        [line for text in _opinions(result) for line in wrapped(text, style)],
        [line for each in result.issues for line in wrapped(issue_line(each, style), style)],
        [line for text in _assumptions(result) for line in wrapped(text, style)],
        [line for text in change_lines(result) for line in wrapped(text, style)],
        [*(style.bold(line) for line in wrapped(totals(result), style)), *_details(result, style)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _details(result: CheckResult, style: ColourStyle) -> Iterator[str]:
    kernels = [kernel for file in result.report.files for kernel in file.kernels]
    if kernels:
        slowest = max(kernels, key=lambda each: each.prediction.time_ns or -1.0)
        place = f"{slowest.path}:{slowest.base_name}"
        text = f"details: --format full, or: roofline-lsp explain {place}"
        yield from (style.dim(line) for line in wrapped(text, style))


# ---- The table


Cells = tuple[str, ...]
_HEADS: Cells = (
    "time",
    "class",
    "sure",
    "launch",
    "kernel",
    "place",
    "time goes to",
    "DRAM",
    "elsewhere",
)


def _table(result: CheckResult, style: ColourStyle) -> Iterator[str]:
    """The columns from the right are left out where a terminal is too narrow for them."""
    found: list[tuple[Prediction, Cells]] = []
    for file in result.report.files:
        found += [(kernel.prediction, _kernel(kernel)) for kernel in file.kernels]
        found += [(call.prediction, _call(call)) for call in file.library_calls]
    if not found:
        return
    found.sort(key=lambda each: -(each[0].time_ns or -1.0))
    rows = [_HEADS, *(cells for _, cells in found)]
    columns = [at for at in range(len(rows[0])) if any(row[at] for row in rows[1:])]
    widths = {at: max(len(row[at]) for row in rows) for at in columns}
    columns = _fitting(columns, widths, style.width)
    for number, row in enumerate(rows):
        verdict = found[number - 1][0].verdict if number else None
        cells = []
        for at in columns:
            text = row[at].rjust(widths[at]) if at in (0, 7) else row[at].ljust(widths[at])
            painted = number and at == 1
            cells.append(_painted(text, verdict, style) if painted else text)
        line = _GAP.join(cells).rstrip()
        yield style.dim(line) if not number else line


def _fitting(columns: Sequence[int], widths: dict[int, int], width: int | None) -> list[int]:
    """Time, class, an invented launch and kernel always; the others as long as there is room."""
    kept = list(columns)
    for at in (8, 7, 2, 6, 5):
        if width is None or sum(widths[each] + len(_GAP) for each in kept) - len(_GAP) <= width:
            break
        if at in kept:
            kept.remove(at)
    return kept


def _kernel(kernel: KernelReport) -> Cells:
    place = f"{kernel.path}:{kernel.name_span.line}"
    what_if = strip(kernel.what_if) if kernel.what_if is not None else ""
    figures = _figures(kernel.prediction)
    launch = "invented" if is_invented(kernel) else ""
    return (*figures[:3], launch, kernel.title, place, *figures[3:], what_if)


def _call(call: LibraryCallReport) -> Cells:
    figures = _figures(call.prediction)
    what_if = strip(call.what_if) if call.what_if is not None else ""
    return (*figures[:3], "", call.name, f"{call.path}:{call.line}", *figures[3:], what_if)


def _figures(prediction: Prediction) -> Cells:
    """Time, class, confidence; what the time goes to, DRAM. ``~`` where sizes are assumed."""
    guess = "~" if prediction.time_depends_on and prediction.time_ns is not None else ""
    moved = scaled(prediction.dram_bytes, "B")
    return (
        f"{guess}{duration(prediction.time_ns)}",
        class_words(prediction),
        sure_words(prediction),
        time_in_short(prediction) or "",
        f"{guess}{moved}" if prediction.dram_bytes is not None else moved,
    )


def _painted(text: str, verdict: Verdict | None, style: ColourStyle) -> str:
    if verdict is None:
        return style.red(text)
    return style.green(text) if verdict is Verdict.COMPUTE_BOUND else style.yellow(text)


# ---- Below it


def _undecided(result: CheckResult) -> Iterator[str]:
    for file in result.report.files:
        for kernel in file.kernels:
            if kernel.prediction.verdict is None:
                where = f"{kernel.path}:{kernel.name_span.line}"
                reason = undecided(kernel.prediction.sight)
                yield f"{where}: {kernel.title} is undecided: {reason}"


def _opinions(result: CheckResult) -> Iterator[str]:
    """What a language model says of kernels, where it was asked."""
    for file in result.report.files:
        for kernel in file.kernels:
            where = f"{kernel.path}:{kernel.name_span.line}: {kernel.title}"
            yield from (f"{where}: model: {line}" for line in opinion_lines(kernel))


def _assumptions(result: CheckResult) -> Iterator[str]:
    """What the host program leaves open, each once, those of most kernels first."""
    kernels: dict[tuple[str, str], list[float | None]] = {}
    for file in result.report.files:
        for kernel in file.kernels:
            open_numbers = {
                (each.name, each.why): each.assumed
                for each in kernel.prediction.unknowns
                if each.kind is UnknownKind.HOST
            }
            for key, value in open_numbers.items():
                kernels.setdefault(key, []).append(value)
    ordered = sorted(kernels.items(), key=lambda each: -len(each[1]))
    for (name, why), values in ordered[:MOST_ASSUMPTIONS]:
        distinct = dict.fromkeys(map(exact, values))
        taken = f" = {next(iter(distinct))}" if len(distinct) == 1 else ""
        remedy = "; give --args" if "command line" in why else ""
        yield f"assumed: {name}{taken}: {why}: {counted(len(values), 'kernel')}{remedy}"
    if len(ordered) > MOST_ASSUMPTIONS:
        yield f"assumed: and {len(ordered) - MOST_ASSUMPTIONS} more; --format full has them"
