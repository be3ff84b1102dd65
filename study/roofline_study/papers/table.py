"""A table of results, written as text, Markdown or CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from roofline_core.text.table import aligned
from roofline_core.text.units import significant
from roofline_study.bootstrap import Interval

_SPECIAL = re.compile(r"[\\`*|<>]|(?<!\w)_|_(?!\w)|\[(?=[^\]]*\]\()")
"""What Markdown would not show as it is, as in names of kernels, or make a link of."""


class Form(Enum):
    """How people read a column's values."""

    WORDS = "words"
    COUNT = "count"
    SHARE = "share"
    """Shown as a percentage."""
    RATIO = "ratio"
    DOLLARS = "dollars"
    AMOUNT = "amount"
    """A number of any size, in full where it is whole."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column."""

    key: str
    """Its name in CSV."""
    title: str
    form: Form
    ranged: bool = False
    """Whether values have an interval, in CSV in columns ``_low`` and ``_high``."""
    interval_shown: bool = True
    """Whether text and Markdown have the interval, too."""


@dataclass(frozen=True, slots=True)
class WithInterval:
    """A number and where it lies with 95%."""

    number: float | None
    interval: Interval | None


TableValue = str | float | None | WithInterval
"""None is what is not known or does not apply."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows below columns, with what a reader has to know of them."""

    title: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[TableValue, ...], ...]
    notes: tuple[str, ...] = ()


def as_text(tables: Sequence[ResultTable]) -> str:
    """Tables of plain text below each other."""
    return "\n".join("\n".join(_text(_without_empty_columns(each))) + "\n" for each in tables)


def as_markdown(tables: Sequence[ResultTable]) -> str:
    """The same in Markdown."""
    return "\n".join("\n".join(_markdown(_without_empty_columns(each))) + "\n" for each in tables)


def as_csv(tables: Sequence[ResultTable]) -> str:
    """The first column names the table, where there are several; numbers are in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header: list[str] = []
    for table in tables:
        names = ["table"] if len(tables) > 1 else []
        for column in table.columns:
            names.append(column.key)
            if column.ranged:
                names += [f"{column.key}_low", f"{column.key}_high"]
        if names != header:
            writer.writerow(names)
            header = names
        first = [table.title] if len(tables) > 1 else []
        for row in table.rows:
            writer.writerow([*first, *_csv_cells(table.columns, row)])
    return out.getvalue()


WRITERS: Mapping[str, Callable[[Sequence[ResultTable]], str]] = MappingProxyType(
    {"text": as_text, "markdown": as_markdown, "csv": as_csv}
)
"""By the names of ``--format``."""


def _text(table: ResultTable) -> Iterator[str]:
    yield table.title
    yield ""
    cells = [[column.title for column in table.columns], *_shown(table)]
    right = [at for at, column in enumerate(table.columns) if column.form is not Form.WORDS]
    yield from aligned(cells, right=right, indent="  ")
    yield from _after(table)


def _markdown(table: ResultTable) -> Iterator[str]:
    yield f"**{table.title}**"
    yield ""
    yield _line(column.title for column in table.columns)
    yield _line("---" if c.form is Form.WORDS else "---:" for c in table.columns)
    for row in _shown(table):
        yield _line(_SPECIAL.sub(r"\\\g<0>", cell) for cell in row)
    yield from _after(table)


def _after(table: ResultTable) -> Iterator[str]:
    if table.notes:
        yield ""
        yield from table.notes


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(table: ResultTable) -> list[list[str]]:
    return [
        [_shown_value(column, value) for column, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]


def _shown_value(column: ResultColumn, value: TableValue) -> str:
    if not isinstance(value, WithInterval):
        return _shown_number(column.form, value)
    number, interval = _shown_number(column.form, value.number), value.interval
    if interval is None or value.number is None or not column.interval_shown:
        return number
    low, high = (_shown_number(column.form, each) for each in (interval.low, interval.high))
    return f"{number} [{low}, {high}]"


def _shown_number(form: Form, value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return " ".join((value or "").split())
    match form:
        case Form.SHARE:
            return f"{100 * value:.2f}"
        case Form.RATIO:
            return f"{value:.3f}"
        case Form.DOLLARS:
            return f"{value:.2f}"
        case Form.COUNT:
            return f"{value:.0f}"
        case _:
            return f"{value:,.0f}" if abs(value) >= 1000 else significant(value)


def _without_empty_columns(table: ResultTable) -> ResultTable:
    """What no row has is left out where people read."""
    filled = [
        at for at in range(len(table.columns)) if any(row[at] is not None for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in filled),
        rows=tuple(tuple(row[at] for at in filled) for row in table.rows),
    )


def _csv_cells(columns: Sequence[ResultColumn], row: Sequence[TableValue]) -> Iterator[str]:
    for column, value in zip(columns, row, strict=True):
        held = value if isinstance(value, WithInterval) else None
        yield _plain(value.number if isinstance(value, WithInterval) else value)
        if column.ranged:
            interval = held.interval if held is not None else None
            yield _plain(interval.low if interval is not None else None)
            yield _plain(interval.high if interval is not None else None)


def _plain(value: str | float | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.10g}"
