"""A sweep that a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline_analysis.api.sweep.records import Sweep, SweepPoint
from roofline_analysis.report.verdict_words import RESOURCE_NAMES
from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import dimensions, duration, percent, scaled
from roofline_lsp.formats.full import gpu_line
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.formats.sweep.words import (
    change_texts,
    class_text,
    curves,
    is_over_gpus,
    precisions,
    title,
)

_INDENT = "  "


def render(made: Sweep, style: ColourStyle) -> str:
    """A row for each value, GPU by GPU, and where the class changes."""
    lines = [f"{style.bold(title(made))}  {made.path}:{made.line}"]
    lines.append(f"{_INDENT}{style.dim('varied')}  {made.how}")
    lines += (f"{_INDENT}{style.dim('note')}    {note}" for note in made.notes)
    used = precisions(made)
    if is_over_gpus(made):
        head = ("GPU", *_heads(used)[1:])
        rows = [(point.gpu, *_cells(point, used)) for point in made.points]
        lines += ["", *_table([head, *rows], style, first_right=False)]
    else:
        for curve in curves(made):
            lines += ["", style.dim(gpu_line(curve.gpu))]
            head = (made.name, *_heads(used)[1:])
            rows = [(str(point.value), *_cells(point, used)) for point in curve.points]
            lines += _table([head, *rows], style, first_right=True)
    lines += ["", *(style.bold(f"class: {text}") for text in change_texts(made))]
    return "\n".join(lines) + "\n"


def _heads(used: Sequence[Precision]) -> tuple[str, ...]:
    each = (f"{precision.title}/B" for precision in used)
    return ("", "class", "sure", *each, "DRAM", "time", "growth", "time goes to", "grid", "block")


def _cells(point: SweepPoint, used: Sequence[Precision]) -> tuple[str, ...]:
    if point.problem is not None:
        return ("-", point.problem)
    moved = None
    if point.dram_read_bytes is not None and point.dram_write_bytes is not None:
        moved = point.dram_read_bytes + point.dram_write_bytes
    return (
        class_text(point),
        percent(point.confidence) if point.verdict is not None else "",
        *(scaled(point.intensities.get(precision)) for precision in used),
        scaled(moved, "B"),
        duration(point.time_ns),
        "" if point.growth is None else f"^{point.growth:.2f}",
        RESOURCE_NAMES[point.resource] if point.resource is not None else "",
        dimensions(point.grid),
        dimensions(point.block),
    )


def _table(
    rows: Sequence[Sequence[str]], style: ColourStyle, *, first_right: bool
) -> Iterator[str]:
    """The rows as columns; those without a launch have their reason behind the value."""
    whole = [row for row in rows if len(row) > 3]
    width = len(whole[0])
    numbers = range(2, width - 3)
    right = (0, *numbers) if first_right else tuple(numbers)
    shown = aligned([row if len(row) > 3 else row[:2] for row in rows], right=right)
    head, *body = shown
    yield style.bold(_INDENT + head)
    for row, line in zip(rows[1:], body, strict=True):
        yield _INDENT + (line if len(row) > 3 else f"{line}  {row[2]}")
