"""An evaluation as JSON, for programs; docs/evaluation.md lists the keys."""

from __future__ import annotations

import json
from dataclasses import asdict

from roofline_study.compare import Comparison
from roofline_study.compare_text import comparison_json
from roofline_study.evaluate import Evaluation
from roofline_study.metrics import Confusion
from roofline_study.summary import METRICS, Intervals, Scores, Summary


def as_json(evaluation: Evaluation, comparison: Comparison | None = None) -> str:
    """The figures of the text and those that it leaves out; an undefined one is null."""
    content: dict[str, object] = {
        "tool": "roofline-lsp evaluate",
        "gpu": {"name": evaluation.gpu.name, "clock": evaluation.gpu.clock},
        "source_only": evaluation.source_only,
        "groups": {summary.name: _summary(summary) for summary in evaluation.summaries()},
        "failures": [
            {"program": item.row.program, "kernel": item.row.kernel, "reason": item.failure}
            for item in evaluation.failures()
        ],
    }
    if comparison is not None:
        content["comparison"] = comparison_json(comparison)
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _summary(summary: Summary) -> dict[str, object]:
    return {
        "kernels": summary.confusion.total,
        **_metrics(summary.confusion),
        "intervals": _intervals(summary.by_kernel.intervals),
        "confusion": asdict(summary.confusion),
        "by_program": _by_program(summary.by_program, len(summary.programs)),
        "resolved": {"kernels": summary.resolved.total, **_metrics(summary.resolved)},
        "statuses": {
            score.status.value: {
                "kernels": score.confusion.total,
                **_metrics(score.confusion),
                "mean_confidence": score.mean_confidence,
                "fp_flops": asdict(score.floating),
                "dram_bytes": asdict(score.dram),
            }
            for score in summary.statuses
        },
        "precisions": {
            precision.value: {**_metrics(confusion), "confusion": asdict(confusion)}
            for precision, confusion in summary.precisions.items()
        },
        "quantities": {
            name: {**asdict(error), "intervals": _intervals(summary.quantity_intervals[name])}
            for name, error in summary.quantities.items()
        },
        "confidence": [asdict(band) for band in summary.reliability.bands],
        "brier": summary.reliability.brier,
        "log_loss": summary.reliability.log_loss,
        "calibration_error": summary.reliability.calibration_error,
        "programs": [
            {
                "program": score.program,
                "kernels": score.confusion.total,
                "correct": score.confusion.correct,
                "accuracy": score.confusion.accuracy,
            }
            for score in summary.programs
        ],
    }


def _by_program(scores: Scores, programs: int) -> dict[str, object]:
    return {
        "programs": programs,
        **_metrics(scores.confusion),
        "intervals": _intervals(scores.intervals),
    }


def _metrics(confusion: Confusion) -> dict[str, float | None]:
    return {metric: getattr(confusion, metric) for metric in METRICS}


def _intervals(held: Intervals) -> dict[str, list[float] | None]:
    return {name: None if i is None else [i.low, i.high] for name, i in held.items()}
