"""A code action that states the sizes of a launch, as a comment above it with what is assumed."""

from __future__ import annotations

from lsprotocol import types

from roofline_analysis.report.report import (
    Edit,
    KernelReport,
    LaunchReport,
    Prediction,
    UnknownKind,
)
from roofline_core.program.dims import Dim3
from roofline_core.program.units import Dialect, Span
from roofline_lsp.server.documents.convert import Encoding
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.features.code_actions import covers, workspace_edit
from roofline_lsp.server.features.names import declared_on, launched_near

_KIND = types.CodeActionKind.RefactorRewrite
_STATED = (Dialect.CUDA, Dialect.HIP)


def state_sizes(
    view: View, params: types.CodeActionParams, encoding: Encoding, *, versioned: bool
) -> list[types.CodeAction]:
    """The action of the kernel or the launch on the first line of a range; empty without sizes.

    It is offered where sizes are assumed, and inserts their comment with the values assumed.
    """
    only = params.context.only
    line = view.line_map.to_old(params.range.start.line + 1)
    if line is None or (only and not any(covers(each, _KIND.value) for each in only)):
        return []
    places = view.analysis.places
    statement = places.statement(line)
    launched = launched_near(view.report, statement)
    kernel = declared_on(view.report, line, places) if launched is None else launched[0]
    if kernel is None:
        return []
    launch = launched[1] if launched is not None else next(iter(kernel.launches), None)
    sizes = assumed_sizes(kernel, launch)
    if not sizes:
        return []
    above = statement[0] if launched is not None else places.declaration(kernel)[0]
    text = view.lines[above - 1] if above <= len(view.lines) else ""
    indent = text[: len(text) - len(text.lstrip())]
    stated = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    edit = Edit(view.report.path, Span(above, 0, above, 0), f"{indent}// roofline: {stated}\n")
    return [
        types.CodeAction(
            f"State sizes here: {stated}",
            _KIND,
            edit=workspace_edit((edit,), view, encoding, versioned=versioned),
        )
    ]


def assumed_sizes(kernel: KernelReport, launch: LaunchReport | None) -> dict[str, str]:
    """What is assumed of a launch and can be stated, by name, in the order of the parameters.

    Empty for dialects whose comments state no sizes.
    """
    if kernel.dialect not in _STATED:
        return {}
    if launch is None:
        return {**_unlaunched(kernel), **_dimensions(kernel.prediction)}
    found = {
        each.name: _shown(each.used)
        for each in launch.arguments
        if each.used is not None and each.assumed
    }
    if found or not (launch.grid_assumed or launch.grid is None):
        return found
    return _dimensions(launch.prediction)


def _unlaunched(kernel: KernelReport) -> dict[str, str]:
    return {
        each.name: _shown(each.assumed)
        for each in kernel.prediction.unknowns
        if each.kind is UnknownKind.HOST and each.assumed is not None and each.name.isidentifier()
    }


def _dimensions(prediction: Prediction) -> dict[str, str]:
    named: tuple[tuple[str, Dim3 | None], ...] = (
        ("grid", prediction.grid),
        ("block", prediction.block),
    )
    return {name: str(tuple(dims)) for name, dims in named if dims is not None}


def _shown(number: float) -> str:
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"
