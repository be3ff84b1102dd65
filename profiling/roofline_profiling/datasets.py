"""Measurements as rows of a data set, the table that ``evaluate`` reads, and back."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping
from pathlib import Path

from roofline_core.program.precision import Precision
from roofline_core.text.units import significant
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Imported, Measurement
from roofline_study.dataset import REQUIRED_COLUMNS, DatasetError, MeasuredKernel, read_dataset

MARK = frozenset({"program", "kernel", "sp_flops", "dram_bytes"})
"""The columns by which a data set is recognised."""

COLUMNS = (
    "program", "kernel", "args", "grid", "block", "sp_flops", "dp_flops", "int_ops",
    "dram_bytes", "time_ns", "sp_ai", "dp_ai", "int_ai", "label",
)  # fmt: skip
assert set(REQUIRED_COLUMNS) <= set(COLUMNS)

MAX_BYTES = 64 * 1024**2
"""The most bytes, some hundred thousand kernels; a data set is held in memory whole."""

_INTENSITIES = (Precision.SP, Precision.DP, Precision.INT)


def read_measurements(path: Path) -> Imported:
    """The rows of a data set. Raises ReportError, which names line and column."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ReportError(
                f"{path}: a data set of more than {MAX_BYTES // 1024**2} MiB; split it by program"
            )
        rows = read_dataset(path)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    except DatasetError as error:
        raise ReportError(str(error)) from None
    return Imported(tuple(measurement_of(row, path.name) for row in rows))


def measurement_of(row: MeasuredKernel, name: str) -> Measurement:
    """A row as a measurement; ``name`` is the name of its file."""
    return Measurement(
        kernel=row.kernel,
        program=row.program,
        args=row.args,
        grid=row.grid,
        block=row.block,
        sp_flops=row.sp_flops,
        dp_flops=row.dp_flops,
        int_ops=row.int_ops,
        dram_bytes=row.dram_bytes,
        time_ns=row.time_ns,
        label=row.label,
        origin=f"{name}, line {row.line}",
    )


def row_of(
    measurement: Measurement, program: str, ridges: Mapping[Precision, float], line: int
) -> MeasuredKernel | None:
    """A measurement as a row; None where a count or the class is not known.

    An emulation has no time, and its row neither.
    """
    verdict = measurement.verdict(ridges)
    sp, dp, integer = measurement.sp_flops, measurement.dp_flops, measurement.int_ops
    moved, time = measurement.moved_bytes, measurement.time_ns
    if verdict is None or None in (sp, dp, integer, moved):
        return None
    if time is None and not measurement.emulated:
        return None
    return MeasuredKernel(
        program=program,
        kernel=measurement.kernel,
        args=measurement.args,
        grid=measurement.grid,
        block=measurement.block,
        sp_flops=sp or 0.0,
        dp_flops=dp or 0.0,
        int_ops=integer or 0.0,
        dram_bytes=moved or 0.0,
        time_ns=time,
        label=verdict,
        line=line,
    )


def header_text() -> str:
    """The header of a data set."""
    return ",".join(COLUMNS) + "\n"


def row_text(row: MeasuredKernel) -> str:
    """One row below that header.

    Raises ValueError where its dimensions, its operations, its time or its class are not known.
    """
    if row.grid is None or row.block is None:
        message = f"{row.name}: a data set needs grid and block"
        raise ValueError(message)
    sp, dp, integer, time = row.sp_flops, row.dp_flops, row.int_ops, row.time_ns
    if sp is None or dp is None or integer is None or time is None or row.label is None:
        message = f"{row.name}: a data set needs the time, the operations and the class"
        raise ValueError(message)
    counts = (sp, dp, integer, row.dram_bytes, time)
    operations = (sp, dp, integer)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        [
            row.program,
            row.kernel,
            shlex.join(row.args or ()),
            str(row.grid),
            str(row.block),
            *(f"{count:.0f}" for count in counts),
            *(
                significant(each / row.dram_bytes, 5) if row.dram_bytes else ""
                for each in operations
            ),
            row.label.value,
        ]
    )
    return out.getvalue()
