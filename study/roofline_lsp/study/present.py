"""An evaluation written out: as text, as JSON, and as a table of predictions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping

from roofline_lsp.api.report import GpuUsed
from roofline_lsp.reports.table import aligned
from roofline_lsp.reports.units import UNKNOWN, counted, exact, percent, significant
from roofline_lsp.study.evaluate import COUNTS, QUANTITIES, Evaluation, Summary
from roofline_lsp.study.judge import Judgement
from roofline_lsp.study.metrics import ConfidenceBand, Confusion, QuantityError

METRICS = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc")
"""Properties of ``Confusion``; precision, recall and F1 are for the class CB."""

QUANTITY_HEADS = (
    "within 10%", "within 2x", "median error", "median ratio", "kernels", "unknown", "both 0",
)  # fmt: skip

PREDICTION_COLUMNS = (
    "program", "kernel", "label", "predicted", "confidence",
    "sp_flops", "dp_flops", "int_ops", "dram_bytes", "time_ns", "notes",
)  # fmt: skip
"""Of the CSV file. An unknown value is an empty cell."""


def as_text(evaluation: Evaluation) -> str:
    """What a person reads."""
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
    """``RTX 3080 at 1440 MHz (base clock): 760.3 GB/s; ridges sp 32.97, dp 0.52, int 16.48``."""
    ridges = ", ".join(f"{precision.value} {ridge:.2f}" for precision, ridge in gpu.ridges.items())
    clock = f"{significant(gpu.clock_mhz, 4)} MHz ({gpu.clock} clock)"
    return f"{gpu.name} at {clock}: {significant(gpu.bandwidth_gbs, 4)} GB/s; ridges {ridges}"


def as_json(evaluation: Evaluation) -> str:
    """The same figures for programs; an undefined metric is null."""
    content = {
        "tool": "roofline-lsp evaluate",
        "gpu": {"name": evaluation.gpu.name, "clock": evaluation.gpu.clock},
        "source_only": evaluation.source_only,
        "groups": {summary.name: _summary_json(summary) for summary in evaluation.summaries()},
        "failures": [
            {"program": item.row.program, "kernel": item.row.kernel, "reason": item.failure}
            for item in evaluation.failures()
        ],
    }
    return json.dumps(content, indent=2) + "\n"


def as_csv(evaluation: Evaluation) -> str:
    """One row a kernel in the data set's order, under ``PREDICTION_COLUMNS``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(PREDICTION_COLUMNS)
    for item in evaluation.judgements:
        writer.writerow(_csv_row(item))
    return out.getvalue()


def _csv_row(item: Judgement) -> list[str]:
    prediction, verdict = item.prediction, item.verdict
    notes = [item.failure] if item.failure else []
    if prediction is not None:
        notes += [
            f"assumed {unknown.name} = {exact(unknown.assumed)} ({unknown.why})"
            for unknown in prediction.unknowns
        ]
    counts = [getattr(prediction, name) if prediction is not None else None for name in COUNTS]
    return [
        item.row.program,
        item.row.kernel,
        item.row.label.value,
        verdict.value if verdict is not None else "",
        f"{prediction.confidence:.4f}" if prediction is not None else "",
        *("" if count is None else f"{count:.10g}" for count in counts),
        "; ".join(notes),
    ]


def _summary_lines(summary: Summary) -> list[str]:
    confusion = summary.confusion
    lines = [f"{summary.name}: {counted(confusion.total, 'kernel')}"]
    metrics = [[_label(metric), _share(getattr(confusion, metric))] for metric in METRICS]
    metrics[2][0] += " (CB)"
    metrics[3][0] += " (CB)"
    metrics[4][0] += " (CB)"
    lines += aligned(metrics, indent="  ")
    lines += ["", *_confusion_lines(confusion), "", *_quantity_lines(summary.quantities)]
    if summary.confidence:
        lines += ["", *_band_lines(summary.confidence)]
    resolved = summary.resolved
    if resolved.total:
        lines += [
            "",
            f"  without any unknown: {counted(resolved.total, 'kernel')}",
            f"    accuracy {_share(resolved.accuracy)}",
            f"    balanced accuracy {_share(resolved.balanced_accuracy)}",
        ]
    return lines


def _confusion_lines(confusion: Confusion) -> list[str]:
    cb = (confusion.cb_as_cb, confusion.cb_as_bb, confusion.cb_undecided)
    bb = (confusion.bb_as_cb, confusion.bb_as_bb, confusion.bb_undecided)
    rows = [
        ["", "predicted CB", "BB", "undecided"],
        ["measured CB", *map(str, cb)],
        ["measured BB", *map(str, bb)],
    ]
    return aligned(rows, right=(1, 2, 3), indent="  ")


def _quantity_lines(quantities: Mapping[str, QuantityError]) -> list[str]:
    rows = [["", *QUANTITY_HEADS]]
    for name, error in quantities.items():
        median = error.median_absolute_percentage_error
        rows.append(
            [
                name,
                percent(error.within_10_percent),
                percent(error.within_2x),
                UNKNOWN if median is None else f"{median:.0f}%",
                UNKNOWN if error.median_ratio is None else f"{error.median_ratio:.2f}",
                str(error.compared),
                str(error.missing),
                str(error.both_zero),
            ]
        )
    return aligned(rows, right=range(1, 8), indent="  ")


def _band_lines(bands: tuple[ConfidenceBand, ...]) -> list[str]:
    rows = [["confidence", "kernels", "mean", "right"]]
    for band in bands:
        span = f"{band.low:.1f} to {band.high:.1f}"
        mean, right = f"{band.mean_confidence:.2f}", f"{band.accuracy:.2f}"
        rows.append([span, str(band.count), mean, right])
    return aligned(rows, right=(1, 2, 3), indent="  ")


def _summary_json(summary: Summary) -> dict[str, object]:
    confusion = summary.confusion
    return {
        "kernels": confusion.total,
        **{metric: getattr(confusion, metric) for metric in METRICS},
        "confusion": _fields(confusion),
        "resolved": {
            "kernels": summary.resolved.total,
            **{metric: getattr(summary.resolved, metric) for metric in METRICS},
        },
        "quantities": {name: _fields(summary.quantities[name]) for name in QUANTITIES},
        "confidence": [_fields(band) for band in summary.confidence],
    }


def _fields(value: Confusion | QuantityError | ConfidenceBand) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _label(metric: str) -> str:
    return {"f1": "F1", "mcc": "MCC"}.get(metric, metric.replace("_", " "))


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
