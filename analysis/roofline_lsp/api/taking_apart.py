"""Takes a judged launch apart into ``KernelDetails``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_lsp.analysis.binding import Binding
from roofline_lsp.analysis.device.regions import KernelSummary, Region
from roofline_lsp.analysis.execution import Execution
from roofline_lsp.analysis.grounds import COLUMNS
from roofline_lsp.analysis.host.values import LaunchContext
from roofline_lsp.analysis.predict import Judged
from roofline_lsp.analysis.touched import Touched
from roofline_lsp.analysis.traffic import ArrayTraffic
from roofline_lsp.api.details import (
    AccessDetail,
    ArrayDetail,
    BoundValue,
    KernelDetails,
    RegionDetail,
)
from roofline_lsp.api.origins import arguments_used
from roofline_lsp.kernel.symbolic import Expr

_LONGEST = 120
"""Characters of a condition or a trip count that are kept."""


def details_of(
    summary: KernelSummary,
    context: LaunchContext | None,
    bound: Binding,
    judged: Judged,
    launches: int,
) -> KernelDetails:
    """Take a judged launch apart; ``launches`` of the kernel were found."""
    return KernelDetails(
        path=summary.kernel.path,
        line=summary.kernel.name_span.line,
        launch=(context.path, context.line) if context is not None else None,
        launches=launches,
        grid=_dimensions(context.grid if context is not None else None),
        block=_dimensions(context.block if context is not None else None),
        values=tuple(_values(summary, context, bound)),
        sizes=dict(bound.sizes),
        regions=tuple(_regions(summary.root, judged.execution, 0)),
        arrays=tuple(map(_array, judged.traffic.arrays)),
    )


def _dimensions(dims: Sequence[Expr] | None) -> tuple[str, ...]:
    return tuple(_cut(str(dim)) for dim in dims or ())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _values(
    summary: KernelSummary, context: LaunchContext | None, bound: Binding
) -> Iterator[BoundValue]:
    numbers = {
        symbol.name: float(number)
        for symbol, number in bound.values.items()
        if symbol.scope in ("param", "real")
    }
    given = arguments_used(summary.params, context, bound) if context is not None else ()
    known = {argument.name: argument for argument in given}
    for name in sorted(numbers, key=lambda name: _position(summary, name)):
        argument = known.get(name)
        if argument is not None:
            yield BoundValue(name, numbers[name], argument.origin, argument.assumed)
        else:
            guess = tuple(unknown for unknown in bound.unknowns if unknown.name == name)
            yield BoundValue(name, numbers[name], None, guess)


def _position(summary: KernelSummary, name: str) -> tuple[int, str]:
    """The kernel's parameters in their order, then what else there is by name."""
    base = name.partition(".")[0]
    at = summary.params.index(base) if base in summary.params else len(summary.params)
    return at, name


def _regions(region: Region, execution: Execution, depth: int) -> Iterator[RegionDetail]:
    runs = execution.regions.get(region)
    if runs is None:
        return
    totals = {
        precision: sum(row[column] for row in region.work.values()) * runs.runs
        for precision, column in COLUMNS.items()
    }
    yield RegionDetail(
        depth=depth,
        kind=region.kind,
        path=region.site[0],
        line=region.site[1],
        text=_text(region),
        runs=runs.runs,
        trips=runs.trips,
        share=runs.share,
        assumed=runs.assumed,
        unrolled=region.unrolled,
        operations={precision: amount for precision, amount in totals.items() if amount},
        accesses=len(region.accesses),
    )
    for child in region.children:
        yield from _regions(child, execution, depth + 1)


def _text(region: Region) -> str:
    if region.kind == "guard":
        shown = " && ".join("?" if c is None else str(c) for c in region.conditions)
    elif region.kind == "loop":
        shown = "?" if region.trips is None else str(region.trips)
    else:
        shown = ""
    return _cut(shown)


def _array(item: ArrayTraffic) -> ArrayDetail:
    return ArrayDetail(
        name=item.array.name,
        space=item.array.space,
        size_bytes=item.size_bytes,
        first_read_bytes=item.first_read_bytes,
        read_bytes=item.read_bytes,
        written_bytes=item.written_bytes,
        write_bytes=item.write_bytes,
        accesses=tuple(map(_access, item.touched)),
    )


def _access(touched: Touched) -> AccessDetail:
    return AccessDetail(
        path=touched.access.site[0],
        line=touched.access.site[1],
        kind=touched.access.kind,
        size_bytes=touched.access.size_bytes,
        executions=touched.executions,
        pattern=_pattern(touched),
    )


def _pattern(touched: Touched) -> str:
    if touched.random:
        return "data-dependent"
    if touched.box is None:
        return "not affine"
    dimensions = touched.box.dimensions
    return ", ".join(f"{d.stride:g} x {d.extent:g}" for d in dimensions) or "one place"
