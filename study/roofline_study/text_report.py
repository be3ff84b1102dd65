"""An evaluation as text: the class first, then what explains it, details last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import UNKNOWN, counted, percent, significant
from roofline_study.bootstrap import Interval
from roofline_study.breakdown import ProgramScore
from roofline_study.evaluate import Evaluation
from roofline_study.metrics import Confusion
from roofline_study.quantities import FLOATING
from roofline_study.reliability import Reliability
from roofline_study.summary import METRICS, StatusScore, Summary

MAX_PROGRAMS = 12
"""The most programs with wrongly judged kernels that are listed."""

_METRIC_NAMES = {
    "balanced_accuracy": "balanced accuracy",
    "precision": "precision (CB)",
    "recall": "recall (CB)",
    "f1": "F1 (CB)",
    "mcc": "MCC",
}
_QUANTITY_NAMES = {
    "sp_flops": "SP operations",
    "dp_flops": "DP operations",
    FLOATING: "floating-point",
    "int_ops": "INT operations",
    "dram_bytes": "DRAM bytes",
    "time_ns": "time",
    "sp_ai": "SP per byte",
    "dp_ai": "DP per byte",
    "int_ai": "INT per byte",
}


def as_text(evaluation: Evaluation) -> str:
    """The report as text."""
    known = (
        "source alone: command line, grid and block withheld"
        if evaluation.source_only
        else "command line, grid and block given"
    )
    kernels = counted(len(evaluation.judgements), "kernel")
    programs = counted(len({item.row.program for item in evaluation.judgements}), "program")
    lines = [f"{gpu_line(evaluation.gpu)}", f"{kernels} of {programs}; {known}"]
    for summary in evaluation.summaries():
        lines += ["", *_summary_lines(summary)]
    failures = evaluation.failures()
    if failures:
        lines += ["", f"not found or not judged, counted wrong: {counted(len(failures), 'kernel')}"]
        lines += [f"  {item.row.name}: {item.failure}" for item in failures]
    return "\n".join(lines) + "\n"


def gpu_line(gpu: GpuUsed) -> str:
    """``RTX 3080 at 1440 MHz (base clock): 760.3 GB/s; ridges SP 32.97, DP 0.5152, INT 16.48``."""
    ridges = ", ".join(
        f"{precision.title} {significant(ridge, 4)}" for precision, ridge in gpu.ridges.items()
    )
    clock = f"{significant(gpu.clock_mhz, 4)} MHz ({gpu.clock} clock)"
    return f"{gpu.name} at {clock}: {significant(gpu.bandwidth_gbs, 4)} GB/s; ridges {ridges}"


def _summary_lines(summary: Summary) -> Iterator[str]:
    kernels = counted(summary.kernels, "kernel")
    yield f"{summary.name}: {kernels} of {counted(len(summary.programs), 'program')}"
    classed = bool(summary.confusion.total)
    parts = (
        _class_table(summary) if classed else [],
        _confusion_table(summary.confusion) if classed else [],
        _quantity_table(summary),
        _status_table(summary.statuses),
        _precision_table(summary.precisions),
        _reliability_table(summary.reliability),
        _program_table(summary.programs),
    )
    for number, part in enumerate(part for part in parts if part):
        if number:
            yield ""
        yield from part


def _class_table(summary: Summary) -> list[str]:
    rows = [["class", "by kernel", "95% interval", "by program", "95% interval"]]
    for metric in METRICS:
        row = [_METRIC_NAMES.get(metric, metric)]
        for scores in (summary.by_kernel, summary.by_program):
            row.append(_figure(getattr(scores.confusion, metric)))
            row.append(_interval(scores.intervals[metric]))
        rows.append(row)
    return aligned(rows, right=(1, 2, 3, 4), indent="  ")


def _confusion_table(confusion: Confusion) -> list[str]:
    cells = [f"{cell:g}" for cell in confusion.cells]
    rows = [
        ["", "predicted CB", "BB", "undecided"],
        ["measured CB", *cells[:3]],
        ["measured BB", *cells[3:]],
    ]
    return aligned(rows, right=(1, 2, 3), indent="  ")


def _quantity_table(summary: Summary) -> list[str]:
    heads = ("within 10%", "95% interval", "within 2x", "95% interval")
    rows = [
        ["quantity", *heads, "median error", "ratio", "kernels", "unknown", "spurious"],
    ]
    for name, error in summary.quantities.items():
        if not error.compared and not error.spurious and not error.both_zero:
            continue  # Not measured.
        median = error.median_absolute_percentage_error
        spans = summary.quantity_intervals[name]
        rows.append(
            [
                _QUANTITY_NAMES[name],
                _figure(error.within_10_percent),
                _interval(spans["within_10_percent"]),
                _figure(error.within_2x),
                _interval(spans["within_2x"]),
                UNKNOWN if median is None else f"{median:.0f}%",
                UNKNOWN if error.median_ratio is None else f"{error.median_ratio:.2f}",
                str(error.compared),
                str(error.missing),
                str(error.spurious),
            ]
        )
    return aligned(rows, right=range(1, 10), indent="  ")


def _status_table(statuses: Sequence[StatusScore]) -> list[str]:
    heads = ("kernels", "accuracy", "balanced", "confidence", "FP within 10%", "DRAM within 2x")
    rows = [["assumed", *heads]]
    for score in statuses:
        confusion = score.confusion
        rows.append(
            [
                score.status.value,
                str(score.kernels),
                _figure(confusion.accuracy),
                _figure(confusion.balanced_accuracy),
                _figure(score.mean_confidence),
                _figure(score.floating.within_10_percent),
                _figure(score.dram.within_2x),
            ]
        )
    return aligned(rows, right=range(1, 7), indent="  ")


def _precision_table(precisions: Mapping[Precision, Confusion]) -> list[str]:
    heads = ("measured", "predicted", "missed", "wrongly", "accuracy", "balanced")
    rows = [["above its own ridge", *heads]]
    for precision, confusion in precisions.items():
        rows.append(
            [
                precision.title,
                f"{confusion.positives:g}",
                f"{confusion.cb_as_cb + confusion.bb_as_cb:g}",
                f"{confusion.cb_as_bb + confusion.cb_undecided:g}",
                f"{confusion.bb_as_cb:g}",
                _figure(confusion.accuracy),
                _figure(confusion.balanced_accuracy),
            ]
        )
    return aligned(rows, right=range(1, 7), indent="  ") if precisions else []


def _reliability_table(held: Reliability) -> list[str]:
    if not held.bands:
        return []
    rows = [["confidence", "kernels", "mean", "right"]]
    for band in held.bands:
        span = f"{band.low:.1f} to {band.high:.1f}"
        mean, right = f"{band.mean_confidence:.2f}", f"{band.accuracy:.2f}"
        rows.append([span, str(band.count), mean, right])
    return [*aligned(rows, right=(1, 2, 3), indent="  "), f"  {reliability_line(held)}"]


def reliability_line(held: Reliability) -> str:
    """``Brier score 0.101, log loss 0.338, calibration error 0.026``."""
    return (
        f"Brier score {_figure(held.brier)}, log loss {_figure(held.log_loss)}, "
        f"calibration error {_figure(held.calibration_error)}"
    )


def _program_table(programs: Sequence[ProgramScore]) -> list[str]:
    wrong = [p for p in programs if p.confusion.correct < p.confusion.total]
    if not wrong:
        return []
    wrong.sort(key=lambda p: (p.confusion.correct - p.confusion.total, p.program))
    rows = [["programs judged wrongly", "kernels", "wrong", "accuracy"]]
    for score in wrong[:MAX_PROGRAMS]:
        confusion = score.confusion
        missed = f"{confusion.total - confusion.correct:g}"
        accuracy = percent(confusion.accuracy)
        rows.append([score.program, f"{confusion.total:g}", missed, accuracy])
    lines = aligned(rows, right=(1, 2, 3), indent="  ")
    if len(wrong) > MAX_PROGRAMS:
        lines.append(f"  and {len(wrong) - MAX_PROGRAMS} more of {len(programs)} programs")
    return lines


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3f}"


def _interval(value: Interval | None) -> str:
    return "" if value is None else f"{value.low:.2f} to {value.high:.2f}"
