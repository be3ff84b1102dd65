"""Measured kernels, read from CSV."""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from roofline_analysis.report.report import Verdict
from roofline_core.program.errors import RooflineError

REQUIRED_COLUMNS = (
    "program",
    "kernel",
    "args",
    "grid",
    "block",
    "sp_flops",
    "dp_flops",
    "dram_bytes",
)
TRAFFIC_COLUMNS = ("dram_read_bytes", "dram_write_bytes")
"""May stand in the place of ``dram_bytes``, which is their sum."""
OPTIONAL_COLUMNS = ("int_ops", "time_ns", "label", "gpu", "define")
"""What is not known where the header lacks it: integer work, time, class, on which GPU, and the
macros that the program was built with, which are none then.

Other columns are allowed and not read but to group the rows: intensities are computed from the
counts."""

OF_FILE = "dataset"
"""What rows are grouped by, if not by a column: the file that they stand in."""
OPENMP_PREFIX = "__omp_offloading_"
"""LLVM's prefix of the kernel names of OpenMP target regions."""

Dim3 = tuple[int, int, int]
T = TypeVar("T")


class DatasetError(RooflineError):
    """A data set that cannot be used; the message names file, line and column."""


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """A launch of one kernel of one program, as a profiler measured it."""

    program: str
    """``haccmk-cuda``: the folder that its sources stand in."""
    kernel: str
    """Demangled, or ``__omp_offloading_<ids>_<mangled function>_l<line>``."""
    args: tuple[str, ...] | None
    """The program's command line, its own name left out; None where it is not known."""
    grid: Dim3 | None
    block: Dim3 | None
    """Threads of a block in x, y and z; None if a report lacks them (a data set has them)."""
    sp_flops: float | None
    """Operations summed over threads; a multiply-add counts as 2, here and in the next counts.
    None where they were not measured."""
    dp_flops: float | None
    int_ops: float | None
    dram_bytes: float
    """Read and written."""
    time_ns: float | None
    """None where it was not measured, as in an emulation."""
    label: Verdict | None
    """None where the data set has no class."""
    line: int
    """Of the CSV file, 1-based."""
    gpu: str | None = None
    """What it was measured on, as the data set calls it; None where that is not said."""
    group: str | None = None
    """The value in the column that the rows are grouped by; None where they are not."""
    defines: tuple[str, ...] = ()
    """Macros that the program was built with, ``NAME`` or ``NAME=VALUE``."""

    @property
    def language(self) -> str:
        """``cuda`` or ``omp``, by the kernel's name."""
        return "omp" if self.kernel.startswith(OPENMP_PREFIX) else "cuda"

    @property
    def name(self) -> str:
        """``program:kernel``."""
        return f"{self.program}:{self.kernel}"


@dataclass(frozen=True, slots=True)
class _Cell:
    path: Path
    line: int
    column: str
    text: str

    def wrong(self, expected: str) -> DatasetError:
        """The error that names the cell, what it must hold and what it holds."""
        where = f"{self.path}:{self.line}: column '{self.column}'"
        return DatasetError(f"{where} must be {expected}, not '{self.text}'")


def read_dataset(path: Path, group: str | None = None) -> tuple[MeasuredKernel, ...]:
    """Every row, in the file's order.

    ``group`` names the column whose values group the rows; ``dataset``, where there is no such
    column, is the file's name without its ending. Raises DatasetError: the file cannot be read, a
    column is missing, a value is not of its kind, a launch stands there twice, or there is no row
    at all.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _rows(path, csv.DictReader(file, strict=True), group)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 text at byte {error.start}") from None
    if not rows:
        raise DatasetError(f"{path}: no row below the header")
    return rows


def _rows(path: Path, reader: csv.DictReader[str], group: str | None) -> tuple[MeasuredKernel, ...]:
    rows: list[MeasuredKernel] = []
    start = 1
    try:
        columns = tuple(reader.fieldnames or ())
        _check_header(path, columns, group)
        known = {name for name in (*OPTIONAL_COLUMNS, "dram_bytes") if name in columns}
        start = reader.line_num + 1
        for record in reader:
            row = _row(path, start, record, known)
            if group is not None:
                value = record[group] if group in columns else path.stem
                row = replace(row, group=str(value))
            rows.append(row)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(f"{path}:{start}: not valid CSV: {error}") from None
    seen: dict[object, int] = {}
    for row in rows:
        launch = (row.name, row.defines, row.args, row.grid, row.block, row.gpu)
        first = seen.setdefault(launch, row.line)
        if first != row.line:
            raise DatasetError(
                f"{path}:{row.line}: this launch of '{row.name}' is in line {first} already"
            )
    return tuple(rows)


def _check_header(path: Path, columns: Collection[str], group: str | None) -> None:
    if group not in (None, OF_FILE, *columns):
        raise DatasetError(f"{path}:1: the header has no column '{group}' to group by")
    given = {*columns, "dram_bytes"} if set(TRAFFIC_COLUMNS) <= set(columns) else columns
    missing = [column for column in REQUIRED_COLUMNS if column not in given]
    if missing:
        plural = "columns" if len(missing) > 1 else "column"
        names = ", ".join(f"'{column}'" for column in missing)
        raise DatasetError(f"{path}:1: the header lacks the {plural} {names}")


def _row(
    path: Path,
    line: int,
    record: Mapping[str | None, str | list[str] | None],
    known: Collection[str],
) -> MeasuredKernel:
    if None in record:
        raise DatasetError(f"{path}:{line}: more values than the header has columns")

    def read(column: str, kind: Callable[[_Cell], T]) -> T:
        """The column's cell, read by ``kind``. Raises DatasetError for a missing or wrong one."""
        text = record[column]
        if not isinstance(text, str):
            raise DatasetError(f"{path}:{line}: no value for column '{column}'")
        return kind(_Cell(path, line, column, text.strip()))

    traffic = ("dram_bytes",) if "dram_bytes" in known else TRAFFIC_COLUMNS
    return MeasuredKernel(
        program=read("program", _name),
        kernel=read("kernel", _name),
        args=read("args", _words),
        grid=read("grid", _dim3),
        block=read("block", _dim3),
        sp_flops=read("sp_flops", _measured),
        dp_flops=read("dp_flops", _measured),
        int_ops=read("int_ops", _measured) if "int_ops" in known else None,
        dram_bytes=sum(read(column, _count) for column in traffic),
        time_ns=read("time_ns", _measured) if "time_ns" in known else None,
        label=read("label", _label) if "label" in known else None,
        line=line,
        gpu=read("gpu", _name) if "gpu" in known else None,
        defines=read("define", _words) if "define" in known else (),
    )


def _name(cell: _Cell) -> str:
    if not cell.text:
        raise cell.wrong("a name")
    return cell.text


def _words(cell: _Cell) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(cell.text))
    except ValueError:
        raise cell.wrong("a command line that a shell can read") from None


def _dim3(cell: _Cell) -> Dim3:
    parts = cell.text.removeprefix("(").removesuffix(")").replace("x", ",").split(",")
    try:
        x, y, z = (int(part) for part in parts)
    except ValueError:
        raise cell.wrong("three numbers such as (4, 1, 1)") from None
    if min(x, y, z) < 1:
        raise cell.wrong("three numbers of at least 1")
    return x, y, z


def _count(cell: _Cell) -> float:
    try:
        number = float(cell.text)
    except ValueError:
        raise cell.wrong("a number") from None
    if not math.isfinite(number) or number < 0:
        raise cell.wrong("a finite number of at least 0")
    return number


def _measured(cell: _Cell) -> float | None:
    """A count, None where the cell is empty: it was not measured."""
    return _count(cell) if cell.text else None


def _label(cell: _Cell) -> Verdict:
    try:
        return Verdict(cell.text)
    except ValueError:
        raise cell.wrong("CB or BB") from None
