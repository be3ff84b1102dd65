"""The report that a person reads first: a table of kernels, the slowest first, then what to mend.

Details stand in ``full`` and in ``roofline-lsp explain``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
_FIGURES = (0, 7)
_PLACE = 5
_TIME_GOES_TO = 6
_ELSEWHERE = 8
_LEAST: Mapping[int, int] = {4: 16, _PLACE: 20, _TIME_GOES_TO: len("instruction issue")}
"""Columns of words, and to how many columns of the terminal they are shortened at the most."""
_LEAVE = (7, _ELSEWHERE, _TIME_GOES_TO, 2, _PLACE)
"""The columns that may be left out, those that are missed least first."""
_CUT = "..."


def _table(result: CheckResult, style: ColourStyle) -> Iterator[str]:
    """Long words are shortened where a terminal is narrow, and then columns left out."""
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
    columns, widths = _fitting(columns, widths, style.width)
    apart = _ELSEWHERE in widths and _ELSEWHERE not in columns
    for number, row in enumerate(rows):
        verdict = found[number - 1][0].verdict if number else None
        cells = []
        for at in columns:
            text = _shortened(row[at], widths[at], at)
            text = text.rjust(widths[at]) if at in _FIGURES else text.ljust(widths[at])
            painted = number and at == 1
            cells.append(_painted(text, verdict, style) if painted else text)
        line = _GAP.join(cells).rstrip()
        yield style.dim(line) if not number else line
        if apart and number and row[_ELSEWHERE]:
            yield from (f"    {line}" for line in wrapped(f"on {row[_ELSEWHERE]}", style))


def _fitting(
    columns: Sequence[int], widths: Mapping[int, int], width: int | None
) -> tuple[list[int], dict[int, int]]:
    """The columns that there is room for, and their widths.

    Time, class, an invented launch and kernel always. Words are shortened before a column goes;
    what was asked of other GPUs then has a line of its own.
    """
    kept = list(columns)
    fitted = _narrowed({at: widths[at] for at in kept}, width)
    for leaving in _LEAVE:
        if width is None or _total(fitted) <= width:
            break
        kept = [at for at in kept if at != leaving]
        fitted = _narrowed({at: widths[at] for at in kept}, width)
    return kept, dict(widths) | fitted


def _narrowed(widths: dict[int, int], width: int | None) -> dict[int, int]:
    """Widths with those of words made less, the widest first, as far as the width asks for it."""
    narrow = dict(widths)
    while width is not None and _total(narrow) > width:
        wide = [at for at in narrow if narrow[at] > _LEAST.get(at, narrow[at])]
        if not wide:
            break
        narrow[max(wide, key=lambda at: narrow[at])] -= 1
    return narrow


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _shortened(text: str, width: int, column: int) -> str:
    """``long_na...``; of places, which end with what matters, ``...older/main.cu:5``."""
    if column == _TIME_GOES_TO and len(text) > width:
        text = text.partition(",")[0]  # the resource without its amount
    if len(text) <= width:
        return text
    kept = width - len(_CUT)
    return f"{_CUT}{text[-kept:]}" if column == _PLACE else f"{text[:kept]}{_CUT}"


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
        if (name, taken) == ("argc", " = 1"):
            taken += ", so no arguments"
        remedy = "; give --args" if "command line" in why else ""
        yield f"assumed: {name}{taken}: {why}: {counted(len(values), 'kernel')}{remedy}"
    if len(ordered) > MOST_ASSUMPTIONS:
        yield f"assumed: and {len(ordered) - MOST_ASSUMPTIONS} more; --format full has them"
