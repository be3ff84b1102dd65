"""The launches that a kernel's report shows, and what it says of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from roofline_analysis.api.kernel_lookup import launched_form
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.what_if import launch_what_if
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.impossible import dimensions_fault
from roofline_analysis.names.signature import type_text
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.report.origins import arguments_used, open_values, origin_text
from roofline_analysis.report.report import LaunchReport
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbolic import ZERO, Apply, Atom, Expr
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_MAX_LAUNCHES = 6
"""The most launches of one kernel, of different shapes, that are judged. A limit on the work."""
_MOST_TOLD: Final = 6
"""Operations within one another up to which two are told apart by what is in them."""


def launch_contexts(analysis: ProgramAnalysis, kernel: Function) -> Sequence[LaunchContext]:
    """The launches in a kernel's report, in the report's order: those that cannot be come last.

    Of more than are judged there is the largest, too: programs that try sizes begin with few.
    """
    found = distinct_launches(analysis.launches_of(kernel))
    found = sorted(found, key=lambda each: dimensions_fault(each) is not None)
    kept, rest = found[:_MAX_LAUNCHES], found[_MAX_LAUNCHES:]
    largest = max(
        (each for each in rest if dimensions_fault(each) is None), key=_threads, default=None
    )
    if largest is not None and _threads(largest) > max(map(_threads, kept)):
        kept[-1] = largest
    return kept


def _threads(context: LaunchContext) -> float:
    """The threads of a launch; 0 where they are not known."""
    total = 1.0
    for dims in (context.grid, context.block):
        for extent in dims or (ZERO,):
            total *= float(extent.constant or 0)
    return total


def distinct_launches(contexts: Sequence[LaunchContext]) -> list[LaunchContext]:
    """The launches without repetitions of place, template arguments and dimensions."""
    seen: dict[object, LaunchContext] = {}
    for context in contexts:
        bindings = tuple(sorted((n, _told(v)) for n, v in context.template_bindings.items()))
        dims = [tuple(map(_told, each or ())) for each in (context.grid, context.block)]
        seen.setdefault((context.path, context.line, bindings, *dims), context)
    return list(seen.values())


def _told(value: Type | Expr) -> str:
    """A type or number by the names in it, in an order that does not rest on what was met first."""
    if isinstance(value, Type):
        return repr(value)
    terms = (
        f"{number}*{'*'.join(sorted(map(_told_atom, monomial)))}"
        for monomial, number in value.terms.items()
    )
    return " + ".join(sorted(terms))


def _told_atom(atom: Atom) -> str:
    if not isinstance(atom, Apply) or atom.depth > _MOST_TOLD:
        return repr(atom)
    return f"{atom.op}({', '.join(map(_told, atom.args))})"


def launch_report(
    analysis: ProgramAnalysis, kernel: Function, context: LaunchContext, judged: BoundLaunch
) -> LaunchReport:
    """What the report says of a launch that was judged."""
    launched = launched_form(kernel, context)
    return LaunchReport(
        path=context.path,
        line=context.line,
        grid=_shown_dims(context.grid),
        block=_shown_dims(context.block),
        shared_bytes=_shown_int(context.shared_bytes),
        certain=context.certain,
        template_args=tuple(
            _template_text(context.template_bindings[p.name])
            for p in launched.template_params
            if p.name in context.template_bindings
        ),
        arguments=arguments_used((p.name for p in launched.params), context, judged.bound),
        prediction=judged.prediction,
        grid_origin=origin_text(context.grid_origin),
        grid_assumed=_assumed_dims(context.grid, context, judged),
        block_origin=origin_text(context.block_origin),
        block_assumed=_assumed_dims(context.block, context, judged),
        what_if=launch_what_if(analysis, kernel, judged, analysis.settings.what_if),
    )


def _assumed_dims(
    dims: tuple[Expr, Expr, Expr] | None, context: LaunchContext, judged: BoundLaunch
) -> tuple[UnknownUsed, ...]:
    """The assumptions that dimensions rest on, with the values that the launch was judged for."""
    used = {(each.name, each.path, each.line): each for each in judged.bound.unknowns}
    found = open_values(dims or (), context.unknowns)
    return tuple(used.get((each.name, each.path, each.line), each) for each in found)


def _shown_dims(
    dims: tuple[Expr, Expr, Expr] | None,
) -> tuple[int | None, int | None, int | None] | None:
    if dims is None:
        return None
    x, y, z = (_shown_dim(dim) for dim in dims)
    return x, y, z


def _shown_dim(dim: Expr) -> int | None:
    """A launch dimension; None where it is not known, or cannot be: no launch has none."""
    known = _shown_int(dim)
    return known if known is None or known > 0 else None


def _shown_int(expr: Expr | None) -> int | None:
    known = expr.constant if expr is not None else None
    return None if known is None or not math.isfinite(known) else int(known)


def _template_text(value: Type | Expr) -> str:
    if isinstance(value, Type):
        return type_text(value)
    known = value.constant
    return str(known) if known is not None else "unknown"
