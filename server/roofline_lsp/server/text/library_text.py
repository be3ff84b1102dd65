"""The hover on a GPU library call: its class, its work and the assumptions."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.report.report import GpuUsed, LibraryCallReport, Prediction, Verdict
from roofline_core.text.units import duration, scaled, time_text
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.text.figures import count
from roofline_lsp.server.text.ridges import (
    NAMES,
    OPERATION_UNITS,
    distance,
    gpu_name,
    ridges,
    sureness,
)

_VERDICTS = {Verdict.COMPUTE_BOUND: "Compute-bound", Verdict.BANDWIDTH_BOUND: "Bandwidth-bound"}
_MOST_CALLS = 3


def calls_on(
    calls: Sequence[LibraryCallReport], line: int | None, word: str | None
) -> list[LibraryCallReport]:
    """The calls on a line, those alone that a word of their name points at where one does."""
    found = [call for call in calls if call.line == line]
    pointed = [call for call in found if word is not None and word in call.name.split("::")]
    return (pointed or found)[:_MOST_CALLS]


def library_text(
    calls: Sequence[LibraryCallReport], gpu: GpuUsed, style: MarkupStyle
) -> str | None:
    """A short verdict for each call; None without calls."""
    return style.page(*(_call(call, gpu, style) for call in calls)) if calls else None


def _call(call: LibraryCallReport, gpu: GpuUsed, style: MarkupStyle) -> str:
    prediction = call.prediction
    where = f"on {gpu_name(gpu)} ({gpu.clock} clock)"
    if prediction.verdict is None:
        answer = f"{style.bold('Undecided')} {where}: too little is known of this call"
    else:
        sure = sureness(prediction.confidence)
        answer = f"{style.bold(_VERDICTS[prediction.verdict])} {where}: {sure}"
    what = f"{style.code(call.name)}: {style.prose(call.what)}"
    if not call.certain:
        what += " (if it is reached)"
    lines = [answer, what, _figures(prediction, gpu)]
    lines += [
        f"{style.prose(each.name)}"
        + ("" if each.assumed is None else f", taken as {count(each.assumed)}")
        + f": {style.prose(each.why)}"
        for each in prediction.unknowns
    ]
    return style.page(*lines)


def _figures(prediction: Prediction, gpu: GpuUsed) -> str | None:
    parts = []
    nearest = next((r for r in ridges(prediction, gpu) if r.ratio is not None), None)
    if nearest is not None and nearest.ratio is not None and nearest.intensity is not None:
        unit = OPERATION_UNITS[nearest.precision]
        figure = f"{NAMES[nearest.precision]} {scaled(nearest.intensity)} {unit}/B"
        side = distance(nearest.ratio)
        parts.append(f"{figure}, {side}{'' if side == 'at the ridge' else ' the ridge'}")
    if prediction.dram_bytes is not None:
        parts.append(f"DRAM {scaled(prediction.dram_bytes, 'B')} at least")
    if prediction.time_depends_on:
        parts.append(time_text(None, prediction.time_depends_on))
    elif prediction.time_ns is not None:
        parts.append(f"about {duration(prediction.time_ns)}")
    return " · ".join(parts) or None
