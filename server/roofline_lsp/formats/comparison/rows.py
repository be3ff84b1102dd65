"""The cells of a comparison's tables, which text and Markdown share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from roofline_analysis.api.compare.records import (
    ComparedFinding,
    KernelComparison,
    LineCost,
    LineDifference,
    Variant,
    VariantChange,
)
from roofline_analysis.report.verdict_words import RESOURCE_NAMES, agrees
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.text.units import (
    counted,
    dimensions,
    duration,
    exact,
    percent,
    ratio_text,
    scaled,
    significant,
)

MOST_LINES: Final = 40
"""The most lines of a change that a table shows: those that cost most."""
_SAME: Final = 0.005
"""The greatest relative difference that is not told."""


@record(frozen=True, slots=True)
class ComparedRow:
    """A row of the table of a comparison: a cell for each variant."""

    label: str
    cells: tuple[str, ...]
    inner: bool = False
    """Whether it is a part of the row above."""


@record(frozen=True, slots=True)
class LineRow:
    """A line that differs: how, where, what it costs, and its text."""

    sign: str
    """``-`` where the first variant alone has it, ``+`` where the other, ``~`` where both."""
    before: str
    after: str
    costs: str
    text: str


def rows(kernel: KernelComparison) -> Iterator[ComparedRow]:
    """The table of a comparison, class first. What no variant has is left out."""
    of = kernel.variants
    yield _plain("class", of, class_cell)
    yield _plain("time goes to", of, lambda v: RESOURCE_NAMES[v.resource] if v.resource else "?")
    yield _measure("time", of, lambda v: v.time_ns, duration)
    for name in dict.fromkeys(t.name for each in of for t in each.time_terms if t.time_ns):
        yield _term(name, of)
    for precision in Precision:
        if any(each.operations.get(precision) for each in of):
            yield _operations(precision, of)
    yield _measure("DRAM read", of, lambda v: v.dram_read_bytes, _bytes)
    yield _measure("DRAM written", of, lambda v: v.dram_write_bytes, _bytes)
    for precision in Precision:
        if any(each.intensities.get(precision) for each in of):
            yield _intensity(precision, of)
    yield _plain("occupancy", of, lambda v: percent(v.occupancy))
    yield _plain("launch", of, _launch)
    yield _plain("grid", of, lambda v: dimensions(v.grid))
    yield _plain("block", of, lambda v: dimensions(v.block))
    for name in dict.fromkeys(number.name for each in of for number in each.numbers):
        yield _number(name, of)
    if any(each.findings for each in of):
        yield _plain("findings", of, lambda v: str(len(v.findings)))


def are_named(kernel: KernelComparison) -> bool:
    """Whether heading and labels say already which kernels are compared."""
    titles = [each.title for each in kernel.variants]
    return len(set(titles)) == 1 or titles == [each.label for each in kernel.variants]


def class_cell(variant: Variant) -> str:
    """``CB by intensity, 90% sure``; ``undecided``."""
    verdict = variant.verdict
    if verdict is None:
        return "undecided"
    by_intensity = variant.resource is not None and not agrees(verdict, variant.resource)
    words = f"{verdict.value} by intensity" if by_intensity else verdict.value
    return f"{words}, {percent(variant.confidence)} sure"


def headline(change: VariantChange, first: str) -> str:
    """``b.cu beside a.cu: 0.5x the time, 2x the DRAM bytes``."""
    parts = []
    for value, what in ((change.time_ratio, "time"), (change.bytes_ratio, "DRAM bytes")):
        if value is not None:
            same = abs(value - 1.0) <= _SAME
            parts.append(f"the same {what}" if same else f"{ratio_text(value)}x the {what}")
    return f"{change.label} beside {first}" + (f": {', '.join(parts)}" if parts else "")


def finding_text(finding: ComparedFinding) -> str:
    """``gemm.cu:19  RL110 reuse-in-shared-memory: message``."""
    where = f"{finding.path.name}:{finding.line}"
    return f"{where}  {finding.code} {finding.rule}: {finding.message}"


def line_rows(
    change: VariantChange, before: Variant, after: Variant
) -> tuple[tuple[LineRow, ...], str | None]:
    """The lines that differ most, and a sentence on those that are left out; None without any."""
    heaviest = sorted(change.lines, key=_weight(change.lines), reverse=True)[:MOST_LINES]
    kept = {id(each) for each in heaviest}
    shown = tuple(_line_row(each, before, after) for each in change.lines if id(each) in kept)
    left = len(change.lines) - len(shown)
    return shown, f"and {counted(left, 'line')} that cost less" if left else None


def _plain(label: str, of: Sequence[Variant], cell: Callable[[Variant], str]) -> ComparedRow:
    return ComparedRow(label, tuple(map(cell, of)))


def _measure(
    label: str,
    of: Sequence[Variant],
    number: Callable[[Variant], float | None],
    text: Callable[[float | None], str],
    *,
    inner: bool = False,
) -> ComparedRow:
    """Amounts, those of the other variants with how many times the first one's they are."""
    first = number(of[0])
    cells = [text(first)]
    for each in of[1:]:
        value = number(each)
        times = ""
        if value is not None and first and abs(value / first - 1.0) > _SAME:
            times = f" ({ratio_text(value / first)}x)"
        cells.append(text(value) + times)
    return ComparedRow(label, tuple(cells), inner)


def _term(name: str, of: Sequence[Variant]) -> ComparedRow:
    def number(variant: Variant) -> float | None:
        """The variant's nanoseconds in that term of the time; None without the term."""
        return next((t.time_ns for t in variant.time_terms if t.name == name), None)

    return _measure(name, of, number, duration, inner=True)


def _operations(precision: Precision, of: Sequence[Variant]) -> ComparedRow:
    def number(variant: Variant) -> float | None:
        """The variant's operations of the precision; None where they are not known."""
        return variant.operations.get(precision)

    return _measure(f"{precision.title} operations", of, number, scaled)


def _intensity(precision: Precision, of: Sequence[Variant]) -> ComparedRow:
    def number(variant: Variant) -> float | None:
        """The variant's operations of the precision for each byte of DRAM traffic, or None."""
        return variant.intensities.get(precision)

    return _measure(f"{precision.title} per byte", of, number, significant)


def _number(name: str, of: Sequence[Variant]) -> ComparedRow:
    def cell(variant: Variant) -> str:
        """The variant's value, marked if assumed; a dash where it has no such number."""
        found = next((each for each in variant.numbers if each.name == name), None)
        if found is None:
            return "-"
        return exact(found.value) + (" (assumed)" if found.assumed else "")

    return _plain(name, of, cell)


def _launch(variant: Variant) -> str:
    if variant.launch_path is None:
        return "none found"
    where = f"{variant.launch_path.name}:{variant.launch_line}"
    return where if variant.launches == 1 else f"{where}, first of {variant.launches}"


def _bytes(value: float | None) -> str:
    return scaled(value, "B")


def _line_row(line: LineDifference, before: Variant, after: Variant) -> LineRow:
    one, other = line.before, line.after
    return LineRow(
        sign="~" if one and other else "-" if one else "+",
        before=_place(one, before),
        after=_place(other, after),
        costs=", ".join(_costs(one, other)),
        text=line.text,
    )


def _place(cost: LineCost | None, variant: Variant) -> str:
    if cost is None:
        return ""
    return str(cost.line) if cost.path == variant.path else f"{cost.path.name}:{cost.line}"


def _costs(one: LineCost | None, other: LineCost | None) -> Iterator[str]:
    """``SP 2.1 G``; ``read 8.4 MB -> 16.8 MB`` where both sides have the line."""
    for label, number, unit in _AMOUNTS:
        sides = [number(each) for each in (one, other) if each is not None]
        if not any(sides):
            continue
        shown = list(dict.fromkeys(scaled(each, unit) if each else "0" for each in sides))
        yield f"{label} {' -> '.join(shown)}"


def _of_precision(precision: Precision) -> Callable[[LineCost], float]:
    return lambda cost: cost.operations.get(precision, 0.0)


_AMOUNTS: Final[Sequence[tuple[str, Callable[[LineCost], float], str]]] = (
    *((precision.title, _of_precision(precision), "") for precision in Precision),
    ("read", lambda cost: cost.dram_read_bytes, "B"),
    ("written", lambda cost: cost.dram_write_bytes, "B"),
)


def _weight(lines: Sequence[LineDifference]) -> Callable[[LineDifference], float]:
    """The largest part of a line's amounts in what all these lines do."""
    sides = [each for line in lines for each in (line.before, line.after) if each is not None]
    totals = [sum(number(each) for each in sides) for _, number, _ in _AMOUNTS]

    def weight(line: LineDifference) -> float:
        """The largest share, from 0 to 1, on either side."""
        return max(
            number(each) / total
            for each in (line.before, line.after)
            if each is not None
            for (_, number, _), total in zip(_AMOUNTS, totals, strict=True)
            if total
        )

    return weight
