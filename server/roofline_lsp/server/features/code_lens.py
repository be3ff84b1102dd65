"""Code lens: one line above each kernel that says its class, by how much, and how long it takes."""

from __future__ import annotations

from lsprotocol import types

from roofline_analysis.report.report import GpuUsed, KernelReport
from roofline_lsp.formats.units import scaled, significant
from roofline_lsp.formats.verdict_words import time_in_short
from roofline_lsp.server.documents.convert import Encoding, line_range, position_of
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.text.figures import duration
from roofline_lsp.server.text.measured_text import measured_parts
from roofline_lsp.server.text.ridges import NAMES, OPERATION_UNITS, gpu_name, ridges

DETAILS = "roofline.showDetails"
"""The client's command behind a lens. Arguments: the document's URI, the name's position."""


def code_lenses(view: View, encoding: Encoding, *, command: bool) -> list[types.CodeLens]:
    """A lens for each kernel whose line is still there. ``command``: the client has ``DETAILS``."""
    lenses = []
    for kernel in view.report.kernels:
        line = view.line_map.to_new(kernel.name_span.line)
        if kernel.path != view.report.path or line is None:
            continue
        where = line_range(line, view.lines, encoding)
        title = _known_title(kernel, view.analysis.gpu)
        name = position_of(line, kernel.name_span.column, view.lines, encoding)
        arguments = [view.document.uri, {"line": name.line, "character": name.character}]
        lenses.append(
            types.CodeLens(
                where,
                types.Command(title, DETAILS, arguments=arguments)
                if command
                else types.Command(title, ""),
            )
        )
    return lenses


_TITLES: dict[int, tuple[KernelReport, GpuUsed, str]] = {}
_MOST_TITLES = 1024


def _known_title(kernel: KernelReport, gpu: GpuUsed) -> str:
    """The title, remembered: while one kernel is edited, the others' reports stay the same."""
    known = _TITLES.get(id(kernel))
    if known is not None and known[0] is kernel and known[1] == gpu:
        return known[2]
    if len(_TITLES) >= _MOST_TITLES:
        _TITLES.clear()
    title = lens_title(kernel, gpu)
    _TITLES[id(kernel)] = kernel, gpu, title
    return title


def lens_title(kernel: KernelReport, gpu: GpuUsed) -> str:
    """``CB 92% | INT 27.1 op/B (ridge 19.6) | 1.2 ms on RTX 3080: L2, 134 MB``."""
    prediction = kernel.prediction
    name = gpu_name(gpu)
    if prediction.verdict is None:
        return " | ".join((f"class unknown | {name}", *measured_parts(kernel.measured)))
    source = prediction.source
    sure = source.value if source.is_observed else f"{min(round(prediction.confidence * 100), 99)}%"
    parts = [f"{prediction.verdict.value} {sure}"]
    nearest = next((ridge for ridge in ridges(prediction, gpu) if ridge.ratio is not None), None)
    by_bus = prediction.bus is not None and prediction.bus.limits
    if prediction.bus is not None and by_bus:
        parts.append(f"{scaled(prediction.bus.total_bytes, 'B')} over the bus")
    elif nearest is not None and nearest.intensity is not None and nearest.ridge is not None:
        parts.append(
            f"{NAMES[nearest.precision]} {significant(nearest.intensity)} "
            f"{OPERATION_UNITS[nearest.precision]}/B (ridge {significant(nearest.ridge)})"
        )
    time = prediction.known_time_ns
    goes = time_in_short(prediction) if not by_bus else None
    parts.append(f"{duration(time)} on {name}" if time is not None else f"on {name}")
    if goes is not None and time is not None:
        parts[-1] += f": {goes}"
    return " | ".join((*parts, *measured_parts(kernel.measured)))
