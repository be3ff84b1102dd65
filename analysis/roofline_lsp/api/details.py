"""A prediction taken apart: values, regions and arrays, as plain values that travel by pickle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_lsp.analysis.binding import Binding
from roofline_lsp.analysis.device.regions import KernelSummary, Region
from roofline_lsp.analysis.execution import Execution
from roofline_lsp.analysis.grounds import COLUMNS
from roofline_lsp.analysis.host.values import LaunchContext
from roofline_lsp.analysis.predict import Judged
from roofline_lsp.analysis.prediction import UnknownUsed
from roofline_lsp.analysis.traffic import ArrayTraffic, Touched
from roofline_lsp.api.origins import arguments_used
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.kernel.symbolic import Expr

_LONGEST = 120
"""Characters of a condition or a trip count that are kept."""


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A number that a kernel's symbol was given."""

    name: str
    """``n``, ``shape.rows``."""
    number: float
    origin: str | None
    assumed: tuple[UnknownUsed, ...]


@dataclass(frozen=True, slots=True)
class RegionDetail:
    """A stretch of the kernel that runs as a whole."""

    depth: int
    """0 for the kernel itself."""
    kind: str
    """``kernel``, ``guard`` or ``loop``."""
    path: Path
    line: int
    text: str
    """The conditions of a guard, the trips of a loop, as the analysis has them."""
    runs: float
    """Over all threads."""
    trips: float
    """Of a loop: mean trips a run of its parent."""
    share: float
    """Of a guard: the share of its parent's runs."""
    assumed: bool
    """Trips or share are a guess."""
    unrolled: bool
    operations: Mapping[Precision, float]
    """Its own over the whole launch, those of the regions inside it left out."""
    accesses: int
    """Loads and stores of its own in the source."""


@dataclass(frozen=True, slots=True)
class AccessDetail:
    """One load, store or atomic to DRAM in the source."""

    path: Path
    line: int
    kind: str
    size_bytes: int
    executions: float
    pattern: str
    """``4 x 1024, 4096 x 64``: strides in bytes times extents; ``data-dependent``."""


@dataclass(frozen=True, slots=True)
class ArrayDetail:
    """The DRAM traffic of one allocation."""

    name: str
    space: str
    size_bytes: float | None
    first_read_bytes: float
    """Distinct bytes that are read."""
    read_bytes: float
    """The same with what is fetched again."""
    written_bytes: float
    """Bytes that L2 is given to write."""
    write_bytes: float
    """Those of them that reach DRAM before the kernel ends."""
    accesses: tuple[AccessDetail, ...]


@dataclass(frozen=True, slots=True)
class KernelDetails:
    """What a prediction was computed from."""

    path: Path
    line: int
    """Of the kernel's name."""
    launch: tuple[Path, int] | None
    """Where the launch stands that was judged; None where none was found."""
    launches: int
    """How many launches of the kernel were found."""
    grid: tuple[str, ...]
    """The blocks of that launch as the host code has them: numbers or what they are computed
    from; empty where nothing is known of them."""
    block: tuple[str, ...]
    values: tuple[BoundValue, ...]
    sizes: Mapping[str, float]
    """Bytes that allocations were taken to have, by array."""
    regions: tuple[RegionDetail, ...]
    """Outer ones first, each followed by those inside it."""
    arrays: tuple[ArrayDetail, ...]


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
