"""What ``ncu --csv`` prints: the raw page, a row a launch, and the details page, a row a metric."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_profiling.bounded_reader import text_lines
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Dim3, Imported, Measurement, name_of
from roofline_profiling.ncu_metrics import (
    DEVICE_NAME,
    MetricValue,
    counts_of,
    dimensions_of,
    is_relevant,
    stalls_of,
)
from roofline_profiling.notes import Notes
from roofline_profiling.numbers import Convention, convention_of, number_of
from roofline_profiling.tables import Table, find_table

RAW_MARK: Final = frozenset({"ID", "Kernel Name"})
"""Columns of both pages."""
SUMMARY_MARK: Final = frozenset({"Kernel Name", "Invocations", "Metric Name"})
_DETAILS: Final = ("Metric Name", "Metric Unit", "Metric Value")
_NOT_METRICS: Final = frozenset(
    """ID|Process ID|Process Name|Host Name|Kernel Name|Kernel Time|Context|Stream|Block Size|Grid
Size|Device|CC|Section Name|Metric Name|Metric Unit|Metric Value|Rule Name|Rule Type|Rule
Description|Estimated Speedup Type|Estimated Speedup""".replace("\n", " ").split("|")
)
_DIMENSIONS: Final = re.compile(r"\(?\s*(\d{1,10})\s*[,x]\s*(\d{1,10})\s*[,x]\s*(\d{1,10})\s*\)?")
MAX_LAUNCHES: Final = 50_000
_MAX_TELLING: Final = 20_000


@dataclass(slots=True)
class _CsvLaunch:
    """The cells of one launch read so far."""

    line: int
    cells: Mapping[str, str]
    values: dict[str, MetricValue] = field(default_factory=dict)
    device: str | None = None


def read_ncu_csv(path: Path) -> Imported:
    """The launches of either page, in the file's order.

    What was cut off or is no number costs itself alone and is told as a problem. Raises
    ReportError where there is no launch at all.
    """
    table = _table(path)
    if _is_details(table):
        texts = _telling(table, [_column(table, "Metric Value")])
    else:
        texts = _telling(table, _metric_columns(table))
    convention = convention_of(texts)
    table = _table(path)
    notes = Notes(path)
    launches = (_details if _is_details(table) else _raw)(table, convention, notes)
    measurements = [_measurement(launch, path, notes) for launch in launches]
    for message in table.messages:
        notes.say(f"Nsight Compute reported: {message}")
    if not measurements:
        raise ReportError(f"{path}: no launch in it{notes.because()}")
    return Imported(tuple(measurements), notes.sentences())


def _table(path: Path) -> Table:
    table = find_table(text_lines(path), (RAW_MARK, SUMMARY_MARK))
    if table is None or not table.header:
        said = f": {table.messages[0]}" if table is not None and table.messages else ""
        raise ReportError(f"{path}: no table of Nsight Compute in it{said}")
    if set(table.header) >= SUMMARY_MARK:
        raise ReportError(
            f"{path}: a summary over launches; export it again without --print-summary"
        )
    return table


def _is_details(table: Table) -> bool:
    return set(_DETAILS) <= set(table.header)


def _column(table: Table, name: str) -> int:
    return table.header.index(name)


def _metric_columns(table: Table) -> list[int]:
    return [at for at, name in enumerate(table.header) if name not in _NOT_METRICS]


def _is_of_use(metric: str) -> bool:
    return metric == DEVICE_NAME or is_relevant(metric)


def _telling(table: Table, columns: Sequence[int]) -> Iterator[str]:
    """Cells with a mark, as far as they are needed to tell the convention."""
    left = _MAX_TELLING
    for _, cells in table.records:
        for at in columns:
            if at < len(cells) and ("." in cells[at] or "," in cells[at]):
                yield cells[at]
                left -= 1
        if left <= 0:
            return


def _raw(table: Table, convention: Convention, notes: Notes) -> Iterator[_CsvLaunch]:
    """One row a launch, after a row of units."""
    columns = [at for at in _metric_columns(table) if _is_of_use(table.header[at])]
    units: list[str] = []
    identity = _column(table, "ID")
    count = 0
    for line, cells in table.records:
        if len(cells) != len(table.header):
            notes.cut(line)
            continue
        if not cells[identity].strip():
            units = cells
            continue
        if count == MAX_LAUNCHES:
            notes.say(f"only the first {MAX_LAUNCHES} launches are taken")
            return
        count += 1
        launch = _CsvLaunch(line, dict(zip(table.header, cells, strict=True)))
        for at in columns:
            unit = units[at].strip() if units else ""
            _take(launch, table.header[at], cells[at], unit, convention, notes)
        yield launch


def _details(table: Table, convention: Convention, notes: Notes) -> Iterable[_CsvLaunch]:
    """One row a metric; the rows of a launch share its ID."""
    at = {name: _column(table, name) for name in (*_DETAILS, "ID", "Kernel Name")}
    launches: dict[tuple[str, str], _CsvLaunch] = {}
    for line, cells in table.records:
        if len(cells) != len(table.header):
            notes.cut(line)
            continue
        key = (cells[at["ID"]], cells[at["Kernel Name"]])
        launch = launches.get(key)
        if launch is None:
            if len(launches) == MAX_LAUNCHES:
                notes.say(f"only the first {MAX_LAUNCHES} launches are taken")
                break
            names = (name for name in table.header if name in _NOT_METRICS)
            held = {name: cells[_column(table, name)] for name in names}
            launch = launches[key] = _CsvLaunch(line, held)
        name, unit, value = (cells[at[each]].strip() for each in _DETAILS)
        if name:
            _take(launch, name, value, unit, convention, notes)
    return launches.values()


def _take(
    launch: _CsvLaunch, name: str, text: str, unit: str, convention: Convention, notes: Notes
) -> None:
    if name == DEVICE_NAME:
        launch.device = name_of(text) or None
        return
    if not is_relevant(name):
        return
    number = number_of(text, convention)
    if number is not None:
        # "Memory Throughput" is a share in one section and a rate in another: the rate tells more.
        if name not in launch.values or unit != "%":
            launch.values[name] = MetricValue(number, unit)
    elif any(mark.isdigit() for mark in text) and text.strip()[:1] in "+-.,0123456789":
        notes.not_a_number(launch.line, name, text)


def _measurement(launch: _CsvLaunch, path: Path, notes: Notes) -> Measurement:
    values = launch.values
    kernel = name_of(launch.cells.get("Kernel Name", ""))
    if not kernel:
        notes.say(f"line {launch.line}: a launch without a kernel name")
    return Measurement(
        kernel=kernel or "?",
        gpu=launch.device,
        grid=dimensions_of(values, "grid") or _dimensions(launch.cells.get("Grid Size")),
        block=dimensions_of(values, "block") or _dimensions(launch.cells.get("Block Size")),
        stalls=stalls_of(values),
        origin=f"{path.name}, ID {launch.cells.get('ID', '?').strip()}",
        **counts_of(values),  # type: ignore[arg-type]
    )


def _dimensions(text: str | None) -> Dim3 | None:
    found = _DIMENSIONS.fullmatch(text.strip()) if text else None
    if found is None:
        return None
    x, y, z = map(int, found.groups())
    return (x, y, z) if min(x, y, z) >= 1 else None
