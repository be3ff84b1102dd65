"""The tables of a study as text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from roofline_core.text.table import aligned
from roofline_core.text.units import counted, percent
from roofline_study.llmperf.analysis import PUBLISHED, ErrorTable, Point, Row, StudyTables
from roofline_study.llmperf.records import DeviceFacts
from roofline_study.llmperf.study import Study

_PUBLISHED_TITLE = "published, of the paper's models, a GPU and samples of its own"
_HEADER = ("", "launches", "groups", "MAPE", "of 95%", "median", "within 2x")


def study_text(study: Study, analysis: StudyTables, device: DeviceFacts | None) -> str:
    """All that a study shows."""
    return "\n".join([*head_lines(study, device), *tables_lines(analysis.tables), *_published()])


def study_markdown(study: Study, analysis: StudyTables, device: DeviceFacts | None) -> str:
    """The same as Markdown."""
    head = "\n".join(f"- {line.strip()}" for line in head_lines(study, device))
    rows = "\n".join(f"| {name} | {100 * mape:.2f}% |" for name, mape in PUBLISHED.items())
    published = f"| {_PUBLISHED_TITLE} | MAPE |\n| --- | ---: |\n{rows}\n"
    return f"{head}\n\n{tables_markdown(analysis.tables)}\n{published}"


def head_lines(study: Study, device: DeviceFacts | None) -> list[str]:
    """What was run, and what was not."""
    planned = [(kernel, launch) for kernel in study.kernels for launch in kernel.launches]
    done = [(kernel, launch) for kernel, launch in planned if launch.key in study.timed]
    kernels = len({kernel.key for kernel, _ in done})
    spreads = [study.timed[each.key].spread for _, each in done]
    lines = [device.name if device is not None else "device not known"]
    lines.append(
        f"{counted(kernels, 'kernel')} and {counted(len(done), 'launch', 'launches')} timed,"
        f" of {len(study.kernels)} and {len(planned)} planned;"
        f" {counted(len(study.refused), 'kernel or file', 'kernels or files')} refused"
    )
    if spreads:
        median, most = np.percentile(spreads, [50, 90])
        lines.append(
            "interquartile range of a launch's runs over their median:"
            f" {percent(float(median))} in the middle,"
            f" {percent(float(most))} at the 90th percentile"
        )
    lines += _reasons("failed", [each.reason for each in study.failed.values()])
    lines += _reasons("refused", [each.reason for each in study.refused])
    return lines


def _reasons(what: str, reasons: Sequence[str], most: int = 6) -> list[str]:
    """How often something happened for each reason, names in quotes left out."""
    counts: dict[str, int] = {}
    for reason in reasons:
        kind = reason.split(":")[0].split("'")[0].strip()[:60]
        counts[kind] = counts.get(kind, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return [f"  {what}: {count} x {kind}" for kind, count in ordered[:most]]


def tables_lines(tables: Sequence[ErrorTable]) -> list[str]:
    """Tables as aligned columns."""
    lines: list[str] = []
    for table in tables:
        rows = [(table.title, *_HEADER[1:]), *(_cells(row) for row in table.rows)]
        lines += ["", *aligned(rows, right=range(1, len(_HEADER)))]
    return lines


def tables_markdown(tables: Sequence[ErrorTable]) -> str:
    """Tables as Markdown."""
    lines: list[str] = []
    for table in tables:
        lines.append("| " + " | ".join((table.title, *_HEADER[1:])) + " |")
        lines.append("| --- " + "| ---: " * (len(_HEADER) - 1) + "|")
        lines += ["| " + " | ".join(_cells(row)) + " |" for row in table.rows]
        lines.append("")
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    error = row.error
    if error is None:
        return (row.name, row.note or "none")
    return (
        row.name,
        str(error.count),
        str(error.groups),
        f"{100 * error.mape:.2f}%",
        f"{100 * error.lower:.2f}%",
        f"{100 * error.median:.2f}%",
        percent(error.within_2x),
    )


def _published() -> list[str]:
    rows = [(name, f"{100 * mape:.2f}%") for name, mape in PUBLISHED.items()]
    return ["", f"{_PUBLISHED_TITLE}: MAPE", *aligned(rows, right=(1,), indent="  "), ""]


def rows_csv(analysis: StudyTables) -> str:
    """A row for each launch: what it is, its measured and its predicted time."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for point, predicted in zip(analysis.points, analysis.predicted, strict=True):
        writer.writerow(_csv_row(point, float(predicted)))
    return out.getvalue()


_COLUMNS = (
    "program", "kernel", "class", "dimensions", "global", "local", "regime", "method",
    "strategies", "apart", "runs", "measured_ns", "low_ns", "high_ns", "predicted_ns",
)  # fmt: skip


def _csv_row(point: Point, predicted: float) -> tuple[object, ...]:
    kernel, launch, time = point.kernel, point.launch, point.time
    return (
        kernel.program,
        kernel.name,
        kernel.kernel_class.value,
        kernel.dimensions,
        "x".join(map(str, launch.configuration.global_size)),
        "x".join(map(str, launch.configuration.local_size)),
        launch.regime.value,
        launch.method.value,
        " ".join(each.value for each in launch.strategies),
        int(launch.apart),
        time.runs,
        f"{time.median_ns:.0f}",
        f"{time.low_ns:.0f}",
        f"{time.high_ns:.0f}",
        f"{predicted:.0f}",
    )
