"""Measurements of a kernel as the text of hovers and lenses."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from roofline_analysis.report.report import LedgerLine, Measured, Prediction
from roofline_core.program.precision import Precision
from roofline_core.text.units import dimensions, duration, scaled
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.text.figures import factor, percent
from roofline_lsp.server.text.ridges import NAMES, OPERATION_UNITS
from roofline_profiling.measurement import name_of

_MOST_STALLS = 3
_COLD = 0.001
"""The least share of samples that is shown."""


def measured_text(measured: Measured, style: MarkupStyle) -> str:
    """A table of measured and predicted quantities and their ratios."""
    how = measured.how.capitalize()
    title = f"{how} before the code changed" if measured.stale else how
    return style.page(
        f"{style.bold(title)} ({style.prose(', '.join(_circumstances(measured)))})",
        _table(measured, style) if _is_counted(measured) else "Source lines only",
        _causes(measured, style),
    )


def measured_parts(measured: Measured | None) -> Iterator[str]:
    """The lens text: ``measured: BB, 17.3 µs``, or the prediction that it replaces."""
    if measured is None or not _is_counted(measured):
        return
    if measured.applies:
        verdict, time = measured.predicted.verdict, measured.predicted.known_time_ns
        word = "predicted"
    else:
        verdict, time = measured.verdict, measured.time_ns
        word = f"{measured.how} before a change" if measured.stale else measured.how
        if not measured.stale:
            word += " with another launch"
    parts = [verdict.value if verdict is not None else "?"]
    if time is not None:
        parts.append(duration(time))
    yield f"{word}: {', '.join(parts)}"


def line_heat(measured: Measured, lines: Sequence[LedgerLine]) -> str | None:
    """``Measured: 42% of the kernel's samples``; None for a line with few samples or none.

    An emulation has no samples: its shares are of the instructions that warps executed.
    """
    places = {(line.path.name, line.line) for line in lines}
    share = sum(measured.heat.get(place, 0.0) for place in places)
    of = "instructions" if measured.emulated else "samples"
    how = measured.how.capitalize()
    return f"{how}: {percent(share)} of the kernel's {of}" if share >= _COLD else None


def _circumstances(measured: Measured) -> Iterator[str]:
    """The origin of the measurement, and differences between its launch and the judged one."""
    yield measured.origin
    if not measured.applies:
        if measured.grid is not None and measured.grid != measured.predicted.grid:
            yield f"grid {dimensions(measured.grid)}"
        if measured.block is not None and measured.block != measured.predicted.block:
            yield f"block {dimensions(measured.block)}"
        if measured.args and not measured.stale:
            yield f"arguments '{name_of(shlex.join(measured.args))}'"


def _table(measured: Measured, style: MarkupStyle) -> str:
    predicted = measured.predicted
    rows = [["", "Predicted", measured.how.capitalize(), "Ratio"]]
    rows.append(["Class", _class(predicted), _class(measured), ""])
    for precision in Precision:
        here, there = predicted.operations(precision), measured.operations(precision)
        if here or there:
            unit = OPERATION_UNITS[precision]
            rows.append(
                [NAMES[precision], scaled(here, unit), scaled(there, unit), _off(here, there)]
            )
    moved, measured_bytes = predicted.dram_bytes, measured.dram_bytes
    rows.append(
        ["DRAM", scaled(moved, "B"), scaled(measured_bytes, "B"), _off(moved, measured_bytes)]
    )
    time, measured_time = predicted.known_time_ns, measured.time_ns
    if not measured.emulated:
        rows.append(["Time", _time(time), _time(measured_time), _off(time, measured_time)])
    if measured.occupancy is not None and predicted.occupancy is not None:
        shown = percent(predicted.occupancy), percent(measured.occupancy)
        rows.append(["Occupancy", *shown, ""])
    return style.table(rows)


def _is_counted(measured: Measured) -> bool:
    """Whether quantities of the launch were measured, not only source lines."""
    amounts = [measured.operations(each) for each in Precision]
    return any(each is not None for each in (*amounts, measured.dram_bytes, measured.time_ns))


def _class(of: Prediction | Measured) -> str:
    return of.verdict.value if of.verdict is not None else "?"


def _time(time_ns: float | None) -> str:
    return "?" if time_ns is None else duration(time_ns)


def _off(predicted: float | None, measured: float | None) -> str:
    """Predicted over measured."""
    return factor(predicted / measured) if predicted and measured else ""


def _causes(measured: Measured, style: MarkupStyle) -> str | None:
    """The reasons for stalled warps, by the profiler's names."""
    reasons = [name.replace("_", " ") for name in list(measured.stalls)[:_MOST_STALLS]]
    reasons = [name for name in reasons if name not in ("selected", "not selected")]
    return f"Warps stalled most for: {style.prose(', '.join(reasons))}" if reasons else None
