"""An evaluation as JSON, for programs; docs/evaluation.md lists the keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from roofline_study.compare import Comparison
from roofline_study.compare_text import comparison_json
from roofline_study.evaluate import Evaluation
from roofline_study.metrics import Confusion
from roofline_study.summary import METRICS, Intervals, Scores, Summary

_TOOL: Final = "roofline-lsp evaluate"


def as_json(evaluation: Evaluation, comparison: Comparison | None = None) -> str:
    """The figures of the text and those that it leaves out; an undefined one is null."""
    return _written(_content(evaluation, comparison))


def several_as_json(
    evaluations: Sequence[Evaluation], comparisons: Sequence[Comparison | None]
) -> str:
    """The same of evaluations for several GPUs, each with its comparison: a list, ``gpus``."""
    held = zip(evaluations, comparisons, strict=True)
    return _written({"gpus": [_content(each, comparison) for each, comparison in held]})


def _written(content: Mapping[str, object]) -> str:
    return json.dumps({"tool": _TOOL, **content}, indent=2, allow_nan=False) + "\n"


def _content(evaluation: Evaluation, comparison: Comparison | None) -> dict[str, object]:
    content: dict[str, object] = {
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
    return content


def _summary(summary: Summary) -> dict[str, object]:
    return {
        "kernels": summary.kernels,
        **_metrics(summary.confusion),
        "intervals": _intervals(summary.by_kernel.intervals),
        "confusion": asdict(summary.confusion),
        "by_program": _by_program(summary.by_program, len(summary.programs)),
        "resolved": {"kernels": summary.resolved.total, **_metrics(summary.resolved)},
        "statuses": {
            score.status.value: {
                "kernels": score.kernels,
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
