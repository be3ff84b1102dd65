"""Reports of any supported format; the format is recognised by the content."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from itertools import islice
from pathlib import Path

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_profiling import datasets, ncu_csv, ncu_source, rocprof
from roofline_profiling.bounded_reader import head_of, text_lines
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Imported, Measurement
from roofline_profiling.tables import find_table

NCU_MAGIC = b"NVR\0"
"""The first bytes of Nsight Compute's own report files."""
_SQLITE_MAGIC = b"SQLite format 3\0"
_MOST_LINES_BEFORE = 200_000
"""The most lines of a program's own output before the table."""


class Format(Enum):
    """A format that can be imported."""

    NCU_REPORT = "Nsight Compute report"
    NCU_CSV = "ncu --csv"
    NCU_SOURCE = "ncu --csv --page source"
    ROCPROF = "rocprof CSV"
    DATASET = "data set"


def format_of(path: Path) -> Format:
    """The format of a file. Raises ReportError: none that is known, or it cannot be read."""
    head = head_of(path)
    if head.startswith(NCU_MAGIC) or path.suffix in {".ncu-rep", ".ncu-repz"}:
        return Format.NCU_REPORT
    if head.startswith(_SQLITE_MAGIC):
        raise ReportError(
            f"{path}: a database; profile with `rocprofv3 --output-format csv`, or export Nsight"
            " Systems' report to CSV, which has no counters of kernels"
        )
    lines = islice(text_lines(path), _MOST_LINES_BEFORE)
    marks = (
        ncu_csv.RAW_MARK, ncu_csv.SUMMARY_MARK, ncu_source.MARK, ncu_source.SASS_MARK,
        *rocprof.MARKS, datasets.MARK,
    )  # fmt: skip
    table = find_table(lines, marks)
    if table is None or not table.header:
        said = f"; Nsight Compute reported: {table.messages[0]}" if table is not None else ""
        raise ReportError(
            f"{path}: no report that is known: neither .ncu-rep, nor the output of `ncu --csv`, nor"
            f" a CSV file of rocprofv3 or rocprof-compute, nor a data set{said}"
        )
    columns = set(table.header)
    if columns >= ncu_source.MARK:
        return Format.NCU_SOURCE
    if columns >= ncu_source.SASS_MARK:
        raise ReportError(
            f"{path}: instructions without source lines; export with --print-source cuda,sass"
        )
    if columns >= datasets.MARK:
        return Format.DATASET
    return Format.ROCPROF if any(mark <= columns for mark in rocprof.MARKS) else Format.NCU_CSV


def read_report(path: Path) -> Imported:
    """The measurements in one file. Raises ReportError where there are none."""
    return read_reports([path])


def read_reports(paths: Iterable[Path]) -> Imported:
    """What several files give together; AMD's are taken as passes of one run.

    The lines of a source page are put to the launches of their kernels in the other files.

    A file that gives nothing is a problem; ReportError is raised if none gives anything.
    """
    measurements: list[Measurement] = []
    problems: list[str] = []
    lines: list[Measurement] = []
    passes: list[Path] = []
    for path in paths:
        try:
            kind = format_of(path)
            if kind is Format.ROCPROF:
                passes.append(path)
                continue
            found = _read(path, kind)
        except ReportError as error:
            problems.append(str(error))
            continue
        (lines if kind is Format.NCU_SOURCE else measurements).extend(found.measurements)
        problems += found.problems
    if passes:
        found = rocprof.read_rocprof(passes)
        measurements += found.measurements
        problems += found.problems
    measurements = _with_lines(measurements, lines)
    if not measurements:
        raise ReportError("\n".join(problems) or "no report was named")
    return Imported(tuple(measurements), tuple(problems))


def _with_lines(measurements: list[Measurement], lines: list[Measurement]) -> list[Measurement]:
    """Launches with their kernels' source lines; lines of no launch become separate entries."""
    found = list(measurements)
    for page in lines:
        name = parse_profiled_name(page.kernel).base_name
        own = [
            at for at, each in enumerate(found)
            if not each.lines and parse_profiled_name(each.kernel).base_name == name
        ]  # fmt: skip
        for at in own:
            found[at] = replace(found[at], lines=page.lines)
        if not own:
            found.append(page)
    return found


def _read(path: Path, kind: Format) -> Imported:
    if kind is Format.DATASET:
        return datasets.read_measurements(path)
    if kind is Format.NCU_SOURCE:
        return ncu_source.read_ncu_source(path)
    if kind is Format.NCU_CSV:
        return ncu_csv.read_ncu_csv(path)
    from roofline_profiling.ncu_rep import read_ncu_report  # noqa: PLC0415 - a process

    return read_ncu_report(path)
