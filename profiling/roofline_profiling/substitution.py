"""A prediction in which measured quantities replace predicted ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roofline_analysis.report.report import GpuUsed, Limiter, Prediction, PredictionSource, Verdict
from roofline_core.program.precision import Precision
from roofline_profiling.measurement import OPERATIONS, Measurement


def measured_prediction(
    predicted: Prediction, measurement: Measurement, gpu: GpuUsed
) -> Prediction:
    """A prediction with what was measured in it; what was not measured stays predicted.

    Where only the sum of DRAM bytes was measured, reads and writes share it as predicted. Counters
    of DRAM do not see the bus to the host: where that limits, the class stays predicted.
    """
    names = (*OPERATIONS.values(), "time_ns", "occupancy")
    known = {name: value for name in names if (value := getattr(measurement, name)) is not None}
    changes: dict[str, Any] = {**known, **_traffic(predicted, measurement, gpu)}
    if measurement.time_ns is not None:
        changes["time_depends_on"] = ()
    verdict = measured_class(measurement, predicted, gpu)
    source = PredictionSource.EMULATED if measurement.emulated else PredictionSource.MEASURED
    made = replace(predicted, source=source, **changes)
    if verdict is None or (predicted.bus is not None and predicted.bus.limits):
        return made
    classes = {
        precision: _class(intensity > gpu.ridges[precision])
        for precision in Precision
        if precision in gpu.ridges and (intensity := made.intensity(precision)) is not None
    }
    return replace(
        made,
        verdict=verdict,
        confidence=1.0,
        limiting=_limiting(made, verdict, gpu, predicted),
        time_limit=predicted.time_limit if predicted.verdict is verdict else None,
        study_verdict=None,
        precision_verdicts=classes,
        unknowns=(),
        grounds=None,
    )


def measured_class(measurement: Measurement, predicted: Prediction, gpu: GpuUsed) -> Verdict | None:
    """The measured class by the rule in force; None where a count that could decide it is missing.

    Counters show only what crosses DRAM while the kernel runs. By the default rule the bytes that
    L2 still holds are added, as predicted where they were not counted, and every pipe that was
    measured counts. A stated label is the class by any rule.
    """
    by_study = measurement.verdict(gpu.ridges)
    moved = measurement.moved_bytes
    if gpu.rule == "study" or by_study is None or measurement.label is not None or not moved:
        return by_study
    kept = measurement.kept_bytes
    moved += predicted.kept_bytes if kept is None else kept
    counts = ((measurement.operations(each), ridge) for each, ridge in gpu.ridges.items())
    return _class(any(count / moved > ridge for count, ridge in counts if count))


def as_counters_see(predicted: Prediction) -> Prediction:
    """A prediction in the terms of counters: bytes that cross DRAM while the kernel runs.

    Its class is that by the study's rule, which counts those bytes.
    """
    read, written = predicted.dram_read_bytes, predicted.dram_write_bytes
    return replace(
        predicted.by_dram(),
        verdict=predicted.study_verdict or predicted.dram_verdict,
        bus=None,
        dram_read_bytes=None if read is None else read + predicted.code_bytes,
        dram_write_bytes=None if written is None else written - predicted.kept_bytes,
        kept_bytes=0.0,
        code_bytes=0.0,
        study_verdict=None,
    )


def _traffic(predicted: Prediction, measurement: Measurement, gpu: GpuUsed) -> dict[str, float]:
    read, written = measurement.dram_read_bytes, measurement.dram_write_bytes
    if read is not None and written is not None:
        kept = measurement.kept_bytes
        if kept is None or gpu.rule == "study":
            return {"dram_read_bytes": read, "dram_write_bytes": written}
        # The default rule's bytes hold what L2 still holds at the end.
        return {"dram_read_bytes": read, "dram_write_bytes": written + kept, "kept_bytes": kept}
    total = measurement.moved_bytes
    if total is None:
        return {}
    share = 0.5
    if predicted.dram_read_bytes is not None and predicted.dram_bytes:
        share = predicted.dram_read_bytes / predicted.dram_bytes
    return {"dram_read_bytes": share * total, "dram_write_bytes": (1 - share) * total}


def _class(above: bool) -> Verdict:
    return Verdict.COMPUTE_BOUND if above else Verdict.BANDWIDTH_BOUND


def _limiting(
    made: Prediction, verdict: Verdict, gpu: GpuUsed, predicted: Prediction
) -> Limiter | None:
    """The roof of the measured class; what the model of time says where the class is the same."""
    if predicted.verdict is verdict:
        return predicted.limiting
    if verdict is Verdict.BANDWIDTH_BOUND:
        return Limiter.BANDWIDTH
    over = {
        precision: intensity / ridge
        for precision, ridge in gpu.ridges.items()
        if (intensity := made.intensity(precision)) is not None
    }
    return Limiter(max(over, key=lambda each: over[each]).value) if over else None
