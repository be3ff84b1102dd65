"""Code lens: one line above each kernel that says its class, by how much, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from roofline_analysis.report.report import GpuUsed, KernelReport, Prediction
from roofline_analysis.report.verdict_words import invented, time_in_short
from roofline_core.program.units import Dialect
from roofline_core.text.units import duration, scaled, significant
from roofline_lsp.server.documents.convert import Encoding, line_range, position_of
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.features.state_sizes import assumed_sizes
from roofline_lsp.server.text.facts import CLASSES, since_saved, sure
from roofline_lsp.server.text.findings_text import counted
from roofline_lsp.server.text.measured_text import measured_parts
from roofline_lsp.server.text.ridges import NAMES, OPERATION_UNITS, gpu_name, ridges

DETAILS = "roofline.showDetails"
"""The client's command behind a lens. Arguments: the document's URI, the name's position."""


SET_SIZES = "roofline.setSizes"
"""The client's command to state sizes that are assumed. Arguments as those of ``DETAILS``."""


def code_lenses(
    view: View, encoding: Encoding, *, command: bool, set_sizes: bool = False
) -> list[types.CodeLens]:
    """A lens above each kernel's declaration. ``command``: the client has ``DETAILS``.

    ``set_sizes``: it has ``SET_SIZES``, which then stands beside it where sizes are assumed.
    While an edit has broken the code, lenses stay where their kernels stand, and say so.
    """
    view = view.steady
    lenses = []
    path = view.report.path
    shown = [each for each in view.report.kernels if each.path == path and view.stands(each)]
    for kernel, title in zip(shown, _titles(view, shown), strict=True):
        first = kernel.name_span.line
        if kernel.dialect is not Dialect.OPENMP:
            first, _ = view.analysis.places.declaration(kernel)
        where = line_range(view.line_map.near_new(first), view.lines, encoding)
        saved = since_saved(view.saved_report(kernel), kernel)
        text = " | ".join(part for part in (title, saved, _mark(view, kernel)) if part)
        line = view.line_map.near_new(kernel.name_span.line)
        name = position_of(line, kernel.name_span.column, view.lines, encoding)
        arguments = [view.document.uri, {"line": name.line, "character": name.character}]
        made = types.Command(text, DETAILS, arguments=arguments)
        lenses.append(types.CodeLens(where, made if command else types.Command(text, "")))
        launch = kernel.launches[0] if kernel.launches else None
        if set_sizes and not view.is_outdated(kernel) and assumed_sizes(kernel, launch):
            stated = types.Command("Set sizes...", SET_SIZES, arguments=arguments)
            lenses.append(types.CodeLens(where, stated))
    return lenses


def _mark(view: View, kernel: KernelReport) -> str | None:
    if not view.is_outdated(kernel):
        return None
    return f"before the syntax error at line {view.broken_line}"


_Titles = dict[int, tuple[KernelReport, str]]
"""By the identity of a report, which is held so that no other gets its id."""
_TITLES: dict[str, tuple[GpuUsed, _Titles]] = {}
_MOST_DOCUMENTS = 32


def _titles(view: View, kernels: Sequence[KernelReport]) -> list[str]:
    """The titles of these kernels of a document.

    Those of the document's last call are remembered: while one kernel is edited, the others'
    reports stay the same. Earlier reports are let go of.
    """
    gpu = view.analysis.gpu
    before, known = _TITLES.pop(view.document.uri, (gpu, {}))
    if before != gpu:
        known = {}
    now: _Titles = {}
    for kernel in kernels:
        found = known.get(id(kernel))
        now[id(kernel)] = kernel, lens_title(kernel, gpu) if found is None else found[1]
    _TITLES[view.document.uri] = gpu, now
    while len(_TITLES) > _MOST_DOCUMENTS:
        del _TITLES[next(iter(_TITLES))]
    return [now[id(kernel)][1] for kernel in kernels]


def lens_title(kernel: KernelReport, gpu: GpuUsed) -> str:
    """``Compute-bound, 92% sure | INT 27.1 op/B (ridge 19.6) | 1.2 ms on RTX 3080: L2, 134 MB``.

    What the verdict rests on that no source says, and findings with the largest gain, follow.
    """
    prediction = kernel.prediction
    name = gpu_name(gpu)
    if prediction.verdict is None:
        return " | ".join((f"Undecided | {name}", *measured_parts(kernel.measured)))
    launch = kernel.launches[0] if kernel.launches else None
    rests = invented(launch, prediction)
    parts = [f"{CLASSES[prediction.verdict]}, {sure(prediction)}"]
    if rests is not None:
        parts[0] += f", for {rests}"
    parts.append(_distance(prediction, gpu))
    time, by_bus = prediction.known_time_ns, prediction.bus is not None and prediction.bus.limits
    goes = time_in_short(prediction) if not by_bus else None
    parts.append(f"{duration(time)} on {name}" if time is not None else f"on {name}")
    if goes is not None and time is not None:
        parts[-1] += f": {goes}"
    parts += measured_parts(kernel.measured)
    parts.append(counted(kernel.findings) or "")
    return " | ".join(part for part in parts if part)


def _distance(prediction: Prediction, gpu: GpuUsed) -> str:
    """``INT 27.1 op/B (ridge 19.6)``, the precision that is nearest to be compute-bound."""
    if prediction.bus is not None and prediction.bus.limits:
        return f"{scaled(prediction.bus.total_bytes, 'B')} over the bus"
    nearest = next((ridge for ridge in ridges(prediction, gpu) if ridge.ratio is not None), None)
    if nearest is None or nearest.intensity is None or nearest.ridge is None:
        return ""
    return (
        f"{NAMES[nearest.precision]} {scaled(nearest.intensity)} "
        f"{OPERATION_UNITS[nearest.precision]}/B (ridge {significant(nearest.ridge)})"
    )
