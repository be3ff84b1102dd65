"""Why a prediction and a measurement differ: which term of the roofline is off, and by how much."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from roofline_analysis.report.report import Prediction, Verdict
from roofline_core.program.precision import Precision
from roofline_core.text.units import exact, ratio_text, scaled, significant
from roofline_profiling.measurement import CLASSED, OPERATIONS, Measurement

NEAR = 1.25
"""Within so many times, a quantity counts as right: counters of two runs differ by less, and the
class of a kernel that is nearer to its ridge than this hangs on details."""
_MOST_ASSUMED = 2
_LONGEST_NAME = 40

TERMS = (*OPERATIONS.values(), "dram_bytes", "time_ns")
"""The names of the compared quantities."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The differences of one launch."""

    ratios: Mapping[str, float | None]
    """Predicted over measured by name of ``TERMS``; None where either is unknown or 0."""
    deciding: Precision | None
    """The precision whose intensity decides the class; None if none is known."""
    intensity: float | None
    """Predicted over measured intensity of that precision; None if unknown."""
    off: str | None
    """The term that is farthest off among those that explain the class, or else the time."""
    text: str
    """The explanation in one or two sentences; empty where everything agrees."""


def gap_of(
    measurement: Measurement, prediction: Prediction, ridges: Mapping[Precision, float]
) -> Gap:
    """Compare a launch; ``ridges`` are those that classes are judged by."""
    ratios = {
        name: _ratio(getattr(prediction, name), _measured(measurement, name)) for name in TERMS
    }
    deciding = _deciding(measurement, prediction, ridges)
    intensity = None
    if deciding is not None:
        intensity = _ratio(prediction.intensity(deciding), measurement.intensity(deciding))
    sentences, off = [], None
    measured = measurement.verdict(ridges)
    if measured is not None and prediction.dram_verdict is not measured and deciding is not None:
        off, sentence = _class_gap(measurement, prediction, deciding, ridges[deciding], ratios)
        sentences.append(sentence)
    missed = off is not None and ratios[off] is None
    time_off, sentence = _time_gap(ratios, measured, deciding, missed=missed)
    if sentence:
        sentences.append(sentence)
        off = off or time_off
    if sentences and prediction.unknowns:
        assumed = dict.fromkeys(
            f"{textwrap.shorten(each.name, _LONGEST_NAME, placeholder='...')}"
            f" = {exact(each.assumed)}"
            for each in prediction.unknowns
        )
        shown = ", ".join(list(assumed)[:_MOST_ASSUMED])
        more = f" and {len(assumed) - _MOST_ASSUMED} more" if len(assumed) > _MOST_ASSUMED else ""
        sentences.append(f"assumed: {shown}{more}")
    return Gap(ratios, deciding, intensity, off, "; ".join(sentences))


def strongly_off(gap: Gap, *, times: float = 4.0) -> bool:
    """Whether the bytes, the time or the deciding operations are off by more than ``times``."""
    return any(
        ratio is not None and not 1 / times <= ratio <= times
        for name, ratio in gap.ratios.items()
        if name in ("dram_bytes", "time_ns")
        or (gap.deciding is not None and name == OPERATIONS[gap.deciding])
    )


def times(ratio: float) -> str:
    """``2.9x too many`` for 2.9, ``2.9x too few`` for 1 / 2.9."""
    return (
        f"{ratio_text(ratio, 2)}x too many"
        if ratio >= 1
        else f"{ratio_text(1 / ratio, 2)}x too few"
    )


def _measured(measurement: Measurement, name: str) -> float | None:
    if name == "dram_bytes":
        return measurement.moved_bytes
    value: float | None = getattr(measurement, name)
    return value


def _ratio(predicted: float | None, measured: float | None) -> float | None:
    if not predicted or not measured or not math.isfinite(predicted / measured):
        return None
    return predicted / measured


def _deciding(
    measurement: Measurement, prediction: Prediction, ridges: Mapping[Precision, float]
) -> Precision | None:
    """The precision that is highest over its ridge: as measured, or else as predicted.

    Where bandwidth-bound was measured and compute-bound predicted, it is the one that was taken to
    be above.
    """
    here = {p: v / ridges[p] for p in CLASSED if p in ridges and (v := prediction.intensity(p))}
    there = {p: v / ridges[p] for p in CLASSED if p in ridges and (v := measurement.intensity(p))}
    wrong = measurement.verdict(ridges) is Verdict.BANDWIDTH_BOUND
    if wrong and prediction.dram_verdict is Verdict.COMPUTE_BOUND and here:
        return max(here, key=lambda each: here[each])
    best = there or here
    return max(best, key=lambda each: best[each]) if best else None


def _class_gap(
    measurement: Measurement,
    prediction: Prediction,
    deciding: Precision,
    ridge: float,
    ratios: Mapping[str, float | None],
) -> tuple[str | None, str]:
    name = deciding.title
    here, there = prediction.intensity(deciding), measurement.intensity(deciding)
    start = (
        f"{name} intensity {scaled(here)} where {scaled(there)} was {measurement.how} "
        f"(ridge {significant(ridge)})"
    )
    counts, moved = ratios[OPERATIONS[deciding]], ratios["dram_bytes"]
    if counts is None:
        if prediction.operations(deciding) is None:
            return OPERATIONS[deciding], f"{start}: its {name} operations are not known"
        if prediction.operations(deciding):
            what = f"{name} operations were predicted, and none {measurement.how}"
        else:
            what = f"none of its {name} operations were predicted"
        return OPERATIONS[deciding], f"{start}: {what}"
    if moved is None:
        return "dram_bytes", f"{start}: its DRAM bytes are not known"
    parts = {f"{name} operations": counts, "DRAM bytes": moved}
    wrong = {what: ratio for what, ratio in parts.items() if _is_off(ratio)}
    if not wrong:
        return None, f"{start}: near the ridge, operations and bytes are within {NEAR:g}x"
    worst = max(wrong, key=lambda what: abs(math.log(wrong[what])))
    told = ", ".join(f"{what} {times(ratio)}" for what, ratio in wrong.items())
    return "dram_bytes" if worst == "DRAM bytes" else OPERATIONS[deciding], f"{start}: {told}"


def _time_gap(
    ratios: Mapping[str, float | None],
    measured: Verdict | None,
    deciding: Precision | None,
    *,
    missed: bool,
) -> tuple[str | None, str]:
    """What of a wrong time follows from wrong counts, and what from the model of time.

    ``missed``: a count that decides was predicted or measured to be 0, or is not known.
    """
    time = ratios["time_ns"]
    if time is None or 1 / 2 <= time <= 2:
        return None, ""
    longer = (
        f"{ratio_text(time if time > 1 else 1 / time, 2)}x too {'long' if time > 1 else 'short'}"
    )
    moved = ratios["dram_bytes"]
    counts = ratios[OPERATIONS[deciding]] if deciding is not None else None
    causes = {"DRAM bytes": moved, "operations": counts}
    if measured is Verdict.COMPUTE_BOUND:
        causes = {"operations": counts, "DRAM bytes": moved}
    for what, ratio in causes.items():
        if ratio is not None and _is_off(ratio) and not _is_off(time / ratio):
            return "time_ns", f"time {longer}, as its {what} are {times(ratio)}"
    if not missed and all(ratio is None or not _is_off(ratio) for ratio in causes.values()):
        return "time_ns", f"time {longer} though its counts are right: the model of time is off"
    return "time_ns", f"time {longer}"


def _is_off(ratio: float) -> bool:
    return not 1 / NEAR <= ratio <= NEAR
