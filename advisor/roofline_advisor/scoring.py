"""What an edit changes by the static model."""

from __future__ import annotations

from roofline_advisor.advice import EditEffect
from roofline_analysis.report.report import KernelReport, Prediction
from roofline_core.program.precision import Precision


def effect(before: KernelReport, after: KernelReport, ridges: dict[Precision, float]) -> EditEffect:
    """What changes between two readings of a kernel."""
    old, new = before.prediction, after.prediction
    precision = _nearest(old, ridges)
    return EditEffect(
        old.time_ns,
        new.time_ns,
        old.dram_bytes,
        new.dram_bytes,
        _operations(old),
        _operations(new),
        old.verdict,
        new.verdict,
        old.intensity(precision) if precision is not None else None,
        new.intensity(precision) if precision is not None else None,
        precision,
    )


def _nearest(prediction: Prediction, ridges: dict[Precision, float]) -> Precision | None:
    ratios = {
        precision: intensity / ridge
        for precision, ridge in ridges.items()
        if ridge and (intensity := prediction.intensity(precision))
    }
    return max(ratios, key=lambda precision: ratios[precision], default=None)


def _operations(prediction: Prediction) -> float | None:
    counts = [prediction.operations(precision) for precision in Precision]
    return None if None in counts else sum(count or 0.0 for count in counts)
