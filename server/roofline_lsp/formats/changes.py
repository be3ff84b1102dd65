"""What changed since a baseline, in words that text, comments and pages share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from roofline_analysis.report.report import Verdict
from roofline_core.program.precision import Precision
from roofline_core.text.units import counted, duration, ratio_text, scaled
from roofline_lsp.ratchet.comparison import Fate, FigureChange, KernelChange, SinceBaseline
from roofline_lsp.ratchet.result import CheckResult

_NAMES: Final = {
    "time_ns": "time",
    "dram_bytes": "DRAM",
    "intensity": "intensity",
    **{f"{each.value}_ops": f"{each.title} operations" for each in Precision},
}


def change_lines(result: CheckResult) -> Iterator[str]:
    """A line a change, ``src/a.cu:12: saxpy: CB -> BB; ...``, then the summary."""
    if result.comparison is None:
        return
    for change in result.comparison.changes:
        kernel = change.shown
        line = f":{kernel.line}" if kernel.line is not None else ""
        where = f"{kernel.report_path or kernel.path}{line}"
        yield f"{where}: {kernel.qualified_name}: {change_words(change)}"
    yield summary(result.comparison, sum(issue.is_new for issue in result.issues))


def change_words(change: KernelChange) -> str:
    """``CB -> BB; time 17.2 µs -> 34 µs (1.98x)``; ``new: BB``; ``gone``."""
    if change.fate is Fate.ADDED:
        return f"new: {_class(change.shown.verdict)}, time {duration(change.shown.time_ns)}"
    if change.fate is Fate.REMOVED:
        return "gone"
    parts = []
    if change.before is not None and change.after is not None:
        if change.crossed:
            parts.append(f"{_class(change.before.verdict)} -> {_class(change.after.verdict)}")
        if change.before.qualified_name != change.after.qualified_name:
            parts.append(f"was called {change.before.qualified_name}")
    parts += [quantity_words(each) for each in change.quantities]
    return "; ".join(parts)


def quantity_words(change: FigureChange) -> str:
    """``time 17.2 µs -> 34 µs (1.98x)``."""
    before, after = (_amount(change.name, each) for each in (change.before, change.after))
    times = f" ({ratio_text(change.ratio)}x)" if change.ratio is not None else ""
    return f"{_NAMES[change.name]} {before} -> {after}{times}"


def summary(comparison: SinceBaseline, new_issues: int) -> str:
    """``since baseline.json: 2 kernels changed, 1 new, 0 gone, 5 as they were; ...``."""
    fates = [change.fate for change in comparison.changes]
    return (
        f"since {comparison.since}: {counted(fates.count(Fate.CHANGED), 'kernel')} changed,"
        f" {fates.count(Fate.ADDED)} new, {fates.count(Fate.REMOVED)} gone,"
        f" {comparison.unchanged} as before; {counted(new_issues, 'new issue')},"
        f" {len(comparison.fixed)} gone"
    )


def _class(verdict: Verdict | None) -> str:
    return "undecided" if verdict is None else verdict.value


def _amount(name: str, value: float | None) -> str:
    if name == "time_ns":
        return duration(value)
    if name == "dram_bytes":
        return scaled(value, "B")
    return scaled(value)
