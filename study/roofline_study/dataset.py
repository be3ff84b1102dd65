"""Measured kernels, read from CSV."""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
    "int_ops",
    "dram_bytes",
    "time_ns",
    "label",
)
"""Other columns are allowed and not read: intensities are computed from the counts."""

OPENMP_PREFIX = "__omp_offloading_"
"""LLVM's prefix of the kernel names of OpenMP target regions."""

Dim3 = tuple[int, int, int]
T = TypeVar("T")


class DatasetError(RooflineError):
    """A data set that cannot be used; the message names file, line and column."""


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """The first launch of one kernel of one program, as a profiler measured it."""

    program: str
    """``haccmk-cuda``: the folder that its sources stand in."""
    kernel: str
    """Demangled, or ``__omp_offloading_<ids>_<mangled function>_l<line>``."""
    args: tuple[str, ...] | None
    """The program's command line, its own name left out; None where it is not known."""
    grid: Dim3 | None
    block: Dim3 | None
    """Threads of a block in x, y and z; None if a report lacks them (a data set has them)."""
    sp_flops: float
    """Operations summed over threads; a multiply-add counts as 2, here and in the next counts."""
    dp_flops: float
    int_ops: float
    dram_bytes: float
    """Read and written."""
    time_ns: float | None
    """None where it was not measured, as in an emulation; a data set has it."""
    label: Verdict
    line: int
    """Of the CSV file, 1-based."""

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
        where = f"{self.path}:{self.line}: column '{self.column}'"
        return DatasetError(f"{where} must be {expected}, not '{self.text}'")


def read_dataset(path: Path) -> tuple[MeasuredKernel, ...]:
    """Every row, in the file's order.

    Raises DatasetError: the file cannot be read, a column is missing, a value is not of its kind, a
    kernel of a program stands there twice, or there is no row at all.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _rows(path, csv.DictReader(file, strict=True))
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 text at byte {error.start}") from None
    if not rows:
        raise DatasetError(f"{path}: no row below the header")
    return rows


def _rows(path: Path, reader: csv.DictReader[str]) -> tuple[MeasuredKernel, ...]:
    rows: list[MeasuredKernel] = []
    start = 1
    try:
        _check_header(path, reader.fieldnames or ())
        start = reader.line_num + 1
        for record in reader:
            rows.append(_row(path, start, record))
            start = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(f"{path}:{start}: not valid CSV: {error}") from None
    seen: dict[str, int] = {}
    for row in rows:
        first = seen.setdefault(row.name, row.line)
        if first != row.line:
            raise DatasetError(f"{path}:{row.line}: kernel '{row.name}' is in line {first} already")
    return tuple(rows)


def _check_header(path: Path, columns: Iterable[str]) -> None:
    missing = [column for column in REQUIRED_COLUMNS if column not in columns]
    if missing:
        plural = "columns" if len(missing) > 1 else "column"
        names = ", ".join(f"'{column}'" for column in missing)
        raise DatasetError(f"{path}:1: the header lacks the {plural} {names}")


def _row(
    path: Path, line: int, record: Mapping[str | None, str | list[str] | None]
) -> MeasuredKernel:
    if None in record:
        raise DatasetError(f"{path}:{line}: more values than the header has columns")

    def read(column: str, kind: Callable[[_Cell], T]) -> T:
        text = record[column]
        if not isinstance(text, str):
            raise DatasetError(f"{path}:{line}: no value for column '{column}'")
        return kind(_Cell(path, line, column, text.strip()))

    return MeasuredKernel(
        program=read("program", _name),
        kernel=read("kernel", _name),
        args=read("args", _args),
        grid=read("grid", _dim3),
        block=read("block", _dim3),
        sp_flops=read("sp_flops", _count),
        dp_flops=read("dp_flops", _count),
        int_ops=read("int_ops", _count),
        dram_bytes=read("dram_bytes", _count),
        time_ns=read("time_ns", _count),
        label=read("label", _label),
        line=line,
    )


def _name(cell: _Cell) -> str:
    if not cell.text:
        raise cell.wrong("a name")
    return cell.text


def _args(cell: _Cell) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(cell.text))
    except ValueError:
        raise cell.wrong("a command line that a shell can read") from None


def _dim3(cell: _Cell) -> Dim3:
    parts = cell.text.removeprefix("(").removesuffix(")").split(",")
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


def _label(cell: _Cell) -> Verdict:
    try:
        return Verdict(cell.text)
    except ValueError:
        raise cell.wrong("CB or BB") from None
