"""The two facts about a launch: its class by the roofline, and what sets its time.

They are told apart, because they need not agree: a kernel may be compute-bound by its operations
for each byte and yet take as long as its accesses to L1.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.report.report import (
    GpuUsed,
    KernelReport,
    LaunchReport,
    Prediction,
    Resource,
    Verdict,
)
from roofline_analysis.report.verdict_words import (
    RESOURCE_NAMES,
    amount_words,
    invented,
    rate_words,
)
from roofline_core.text.units import duration, ratio_text, scaled, significant
from roofline_lsp.formats.bus import bus_text
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.formats.sight import undecided
from roofline_lsp.server.text.figures import percent
from roofline_lsp.server.text.ridges import NAMES, OPERATION_UNITS, Ridge, distance, gpu_name

CLASSES = {Verdict.COMPUTE_BOUND: "Compute-bound", Verdict.BANDWIDTH_BOUND: "Bandwidth-bound"}

_SAME_TIME = 1.005
"""Times that differ by less are the same: three digits of them are shown."""


def sure(prediction: Prediction) -> str:
    """``92% sure``; ``measured`` for a class that was."""
    if prediction.source.is_observed:
        return prediction.source.value
    return f"{min(round(prediction.confidence * 100), 99)}% sure"


def class_fact(
    prediction: Prediction,
    found: Sequence[Ridge],
    gpu: GpuUsed,
    style: MarkupStyle,
    launch: LaunchReport | None,
) -> str:
    """``Compute-bound on RTX 3080 (boost clock): INT 14x above its ridge, 92% sure``."""
    rule = ", the study's rule" if gpu.rule == "study" else ""
    where = f"on {gpu_name(gpu)} ({gpu.clock} clock{rule})"
    if prediction.verdict is None:
        return f"{style.bold('Undecided')} {where}: {undecided(prediction.sight)}"
    rests = invented(launch, prediction)
    for_ = f", for {style.prose(rests)}" if rests is not None else ""
    nearest = next((ridge for ridge in found if ridge.ratio is not None), None)
    reason = ""
    if prediction.bus is not None and prediction.bus.limits:
        reason = f"{bus_text(prediction.bus)}, "
    elif nearest is not None and nearest.ratio is not None:
        reason = f"{NAMES[nearest.precision]} {side_of_ridge(nearest.ratio)}, "
    return f"{style.bold(CLASSES[prediction.verdict])} {where}{for_}: {reason}{sure(prediction)}"


def side_of_ridge(ratio: float) -> str:
    """``14x above its ridge``, ``at its ridge``."""
    side = distance(ratio)
    return "at its ridge" if side == "at the ridge" else f"{side} its ridge"


def time_fact(prediction: Prediction, style: MarkupStyle) -> str | None:
    """``Time is set by L1: 19 GB at 7.5 TB/s, 2.6 ms``; None where that is not known.

    Times that rest on assumed sizes are left out.
    """
    limit = prediction.time_limit
    if prediction.verdict is None or limit is None:
        return None
    starved = limit.resource is Resource.LATENCY and prediction.regime is not None
    regime = f" ({prediction.regime})" if starved else ""
    parts = []
    if limit.amount is not None:
        bus = prediction.bus if limit.resource is Resource.BUS else None
        over = f" over {bus.link}" if bus is not None and bus.link is not None else ""
        parts.append(f"{amount_words(limit)}{over}{rate_words(limit)}")
    if not prediction.time_depends_on:
        part, time_ns = duration(limit.time_ns), prediction.time_ns
        longer = time_ns is not None and time_ns > limit.time_ns and duration(time_ns) != part
        parts.append(f"{part} of {duration(time_ns)}" if longer else part)
    start = style.bold(f"Time is set by {RESOURCE_NAMES[limit.resource]}")
    return f"{start}{regime}" + (f": {', '.join(parts)}" if parts else "")


def since_saved(saved: KernelReport | None, kernel: KernelReport) -> str | None:
    """``1.09 ms -> 0.99 ms since saved``; None where nothing that matters has changed."""
    if saved is None:
        return None
    before, after = saved.prediction, kernel.prediction
    parts = []
    if before.verdict is not after.verdict:
        names = (CLASSES[each] if each else "Undecided" for each in (before.verdict, after.verdict))
        parts.append(" -> ".join(names))
    if before.time_ns and after.time_ns:
        ratio = before.time_ns / after.time_ns
        same_sizes = before.time_depends_on == after.time_depends_on
        if before.known_time_ns and after.known_time_ns and _matters(ratio):
            parts.append(f"{duration(before.time_ns)} -> {duration(after.time_ns)}")
        elif after.time_depends_on and same_sizes and _matters(ratio):
            parts.append(f"{ratio_text(ratio)}× as fast at the sizes assumed")
    return f"{', '.join(parts)} since saved" if parts else None


def _matters(ratio: float) -> bool:
    return not 1 / _SAME_TIME < ratio < _SAME_TIME


def roofs(
    prediction: Prediction, found: Sequence[Ridge], gpu: GpuUsed, style: MarkupStyle
) -> str | None:
    """A table of the roofs: what is asked of each, and which part of its peak that takes."""
    rows = [
        [
            NAMES[ridge.precision],
            scaled(ridge.operations, OPERATION_UNITS[ridge.precision]),
            "unknown" if ridge.intensity is None else scaled(ridge.intensity),
            "unknown" if ridge.ridge is None else significant(ridge.ridge),
            "" if ridge.ratio is None else distance(ridge.ratio),
            _of_peak(ridge.operations, gpu.peaks_gops.get(ridge.precision), prediction),
        ]
        for ridge in found
    ]
    if not rows:
        return None
    moved = prediction.dram_bytes
    if moved is not None:
        part = _of_peak(moved, gpu.bandwidth_gbs, prediction)
        rows.append(["DRAM", scaled(moved, "B"), "", "", "", part])
    limit = prediction.time_limit
    others = (Resource.L1, Resource.L2, Resource.BUS, Resource.SPECIAL, Resource.ISSUE)
    if limit is not None and limit.resource in others and prediction.time_ns:
        part = percent(min(limit.time_ns / prediction.time_ns, 1.0))
        rows.append([RESOURCE_NAMES[limit.resource], amount_words(limit), "", "", "", part])
    return style.table([["", "Amount", "Intensity", "Ridge", "Distance", "Of peak"], *rows])


def _of_peak(amount: float, peak_giga_per_second: float | None, prediction: Prediction) -> str:
    """The part of a peak that an amount within the launch's time is; empty if it is not known."""
    if not prediction.time_ns or not peak_giga_per_second:
        return ""
    return percent(amount / prediction.time_ns / peak_giga_per_second)
