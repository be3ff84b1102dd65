"""A comparison with earlier predictions, as text and for JSON."""

from __future__ import annotations

from dataclasses import asdict

from roofline_analysis.report.report import Verdict
from roofline_core.text.table import aligned
from roofline_core.text.units import UNKNOWN, counted, duration, scaled
from roofline_study.compare import ClassChange, Comparison, CountChange
from roofline_study.metrics import Confusion

MAX_COUNTS = 12
"""The most changed counts listed, for improvements and for regressions each."""
_NAME_WIDTH = 72

_UNITS = {"dram_bytes": "B"}


def comparison_text(comparison: Comparison) -> str:
    """The classes first, then each quantity, then the kernels that changed most."""
    lines = [f"against earlier predictions: {counted(comparison.compared, 'kernel')}", ""]
    lines += _class_table(comparison)
    for title, better in (("right now", True), ("wrong now", False), ("wrong both times", None)):
        changed = [change for change in comparison.classes if change.better is better]
        if changed:
            lines += ["", f"  {title}: {counted(len(changed), 'kernel')}"]
            lines += aligned([_class_row(change) for change in changed], indent="    ")
    lines += ["", *_quantity_table(comparison)]
    for title, sign in (("nearer to what was measured", 1), ("farther from it", -1)):
        held = [change for change in comparison.counts if change.gain * sign > 0]
        if held:
            shown = f"the first {MAX_COUNTS} of {len(held)}" if len(held) > MAX_COUNTS else "all"
            lines += ["", f"  {title}, {shown}"]
            rows = [["", "before", "now", "measured", "kernel"]]
            rows += [_count_row(change) for change in held[:MAX_COUNTS]]
            lines += aligned(rows, right=(1, 2, 3), indent="    ")
    return "\n".join(lines) + "\n"


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """Every change, also those that the text leaves out."""
    return {
        "kernels": comparison.compared,
        "before": asdict(comparison.before),
        "now": asdict(comparison.now),
        "classes": [
            {
                "program": change.row.program,
                "kernel": change.row.kernel,
                "label": None if change.row.label is None else change.row.label.value,
                "before": _class(change.before),
                "now": _class(change.now),
            }
            for change in comparison.classes
        ],
        "quantities": {name: asdict(held) for name, held in comparison.quantities.items()},
        "counts": [
            {
                "program": change.row.program,
                "kernel": change.row.kernel,
                "quantity": change.quantity,
                "measured": getattr(change.row, change.quantity),
                "before": change.before,
                "now": change.now,
            }
            for change in comparison.counts
        ],
    }


def _class_table(comparison: Comparison) -> list[str]:
    rows = [["", "before", "now"]]
    for metric in ("balanced_accuracy", "accuracy"):
        values = [_figure(held, metric) for held in (comparison.before, comparison.now)]
        rows.append([metric.replace("_", " "), *values])
    return aligned(rows, right=(1, 2), indent="  ")


def _class_row(change: ClassChange) -> list[str]:
    before, now = _class(change.before) or UNKNOWN, _class(change.now) or UNKNOWN
    label = UNKNOWN if change.row.label is None else change.row.label.value
    return [f"{before} -> {now}", f"measured {label}", _name(change.row.name)]


def _quantity_table(comparison: Comparison) -> list[str]:
    heads = ("kernels", "within 10%", "now", "within 2x", "now", "nearer", "farther")
    rows = [["quantity", *heads]]
    for name, held in comparison.quantities.items():
        pairs = (*held.within_10_percent, *held.within_2x)
        rows.append([name, str(held.compared), *map(str, (*pairs, held.better, held.worse))])
    return aligned(rows, right=range(1, 8), indent="  ")


def _count_row(change: CountChange) -> list[str]:
    measured = float(getattr(change.row, change.quantity))
    amounts = (change.before, change.now, measured)
    if change.quantity == "time_ns":
        shown = [duration(amount) for amount in amounts]
    else:
        shown = [scaled(amount, _UNITS.get(change.quantity, "")) for amount in amounts]
    return [change.quantity, *shown, _name(change.row.name)]


def _name(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 3]}..."


def _class(verdict: Verdict | None) -> str | None:
    return verdict.value if verdict is not None else None


def _figure(confusion: Confusion, metric: str) -> str:
    value: float | None = getattr(confusion, metric)
    return UNKNOWN if value is None else f"{value:.3f}"
