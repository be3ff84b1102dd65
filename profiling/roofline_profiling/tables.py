"""The records of a profiler's CSV table in a file that may hold other output too."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from roofline_profiling.bounded_reader import MAX_LINE_CHARACTERS, Line

_DELIMITERS = (",", ";", "\t")
_MAX_HEADER_COLUMNS = 20_000


@dataclass(slots=True)
class Table:
    """A table that begins with ``header``; ``records`` are read as they are asked for."""

    header: tuple[str, ...]
    line: int
    """The 1-based line of the header."""
    records: Iterator[tuple[int, list[str]]]
    """Line number and cells; as many cells as the header has, unless the record is cut."""
    messages: list[str] = field(default_factory=list)
    """What the profiler itself reported as errors."""


def header_cells(line: str) -> tuple[str, ...] | None:
    """The cells of a line that may be a table's header; None if it is not."""
    delimiter = max(_DELIMITERS, key=line.count)
    if not line.count(delimiter) or line.count(delimiter) > _MAX_HEADER_COLUMNS:
        return None
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return None
    return tuple(cell.strip() for cell in cells)


def find_table(lines: Iterable[Line], marks: Iterable[frozenset[str]]) -> Table | None:
    """The first table whose header has all the columns of one of the marks, None without one.

    ``==ERROR==`` lines, before and amid the table, are taken as messages.
    """
    wanted = tuple(marks)
    messages: list[str] = []
    rest = iter(lines)
    for number, line in rest:
        if line.startswith("=="):
            _note(line, messages)
            continue
        cells = header_cells(line)
        if cells is not None and any(mark <= set(cells) for mark in wanted):
            delimiter = max(_DELIMITERS, key=line.count)
            records = _records(rest, delimiter, line.lstrip().startswith('"'), messages)
            return Table(cells, number, records, messages)
    return None if not messages else Table((), 0, iter(()), messages)


def _records(
    lines: Iterator[Line], delimiter: str, quoted: bool, messages: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """Where the header is quoted so is every record: any other line is the program's own output.

    A cell may go over several lines, within quotes.
    """
    for number, line in lines:
        if line.startswith("=="):
            _note(line, messages)
            continue
        # Some exports quote words only, so a digit may begin a record too.
        if not line.strip() or (quoted and not (line[0] == '"' or line[0].isdigit())):
            continue
        try:
            yield number, next(csv.reader(_whole(line, lines), delimiter=delimiter))
        except (csv.Error, StopIteration):
            yield number, []


def _whole(line: str, lines: Iterator[Line]) -> list[str]:
    """A line with those after it that its quotes reach over, within a bound."""
    parts, length, is_open = [line], len(line), line.count('"') % 2
    while is_open and length < MAX_LINE_CHARACTERS:
        following = next(lines, None)
        if following is None:
            break
        parts.append(following[1])
        length += len(following[1])
        is_open ^= following[1].count('"') % 2
    return parts


def _note(line: str, messages: list[str]) -> None:
    if line.startswith("==ERROR==") and len(messages) < 20:
        messages.append(line.removeprefix("==ERROR==").strip()[:500])
