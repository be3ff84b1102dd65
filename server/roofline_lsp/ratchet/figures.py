"""The figures of a kernel that a baseline keeps and a comparison sets side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from roofline_analysis.project.paths import absolute
from roofline_analysis.report.report import GpuUsed, KernelReport, Report, Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class KernelFigures:
    """What is predicted for the first launch of a kernel; unknown numbers are None."""

    path: str
    """From the project's folder, with slashes."""
    line: int | None
    """None for one that a baseline holds: lines move."""
    name: str
    """With its signature."""
    qualified_name: str
    body: str
    """The hash of all the code that the kernel runs."""
    verdict: Verdict | None
    precision: Precision | None
    """The one farthest above its ridge, or nearest below it; None without operations."""
    intensity: float | None
    """Operations of this precision per DRAM byte."""
    operations: Mapping[Precision, float | None]
    dram_bytes: float | None
    time_ns: float | None
    report_path: str = ""
    """As the report spells it; empty for one that a baseline holds."""


def figures_of(report: Report, folder: Path) -> tuple[KernelFigures, ...]:
    """Of every kernel of a report; ``folder`` is the project's."""
    return tuple(_figures(report, folder))


def _figures(report: Report, folder: Path) -> Iterator[KernelFigures]:
    for file in report.files:
        path = path_in(folder, file.path)
        for kernel in file.kernels:
            yield kernel_figures(kernel, path, report.gpu)


def path_in(folder: Path, path: Path) -> str:
    """A path from a folder, with slashes; as it is from the root if it is not below it."""
    whole = absolute(path)
    return (whole.relative_to(folder) if whole.is_relative_to(folder) else whole).as_posix()


def kernel_figures(kernel: KernelReport, path: str, gpu: GpuUsed) -> KernelFigures:
    """The figures of a kernel of a file on a GPU."""
    prediction = kernel.prediction
    operations = {each: prediction.operations(each) for each in Precision}
    moved = prediction.dram_bytes
    decisive = decisive_precision(operations, gpu.ridges)
    count = operations.get(decisive) if decisive is not None else None
    return KernelFigures(
        path,
        kernel.name_span.line,
        kernel.name,
        kernel.qualified_name,
        kernel.body_hash,
        kernel.verdict,
        decisive,
        count / moved if count is not None and moved else None,
        operations,
        moved,
        prediction.time_ns,
        str(kernel.path),
    )


def decisive_precision(
    operations: Mapping[Precision, float | None], ridges: Mapping[Precision, float]
) -> Precision | None:
    """The precision whose operations are most beside its ridge; None where there are none."""
    shares = {
        precision: count / ridges[precision]
        for precision, count in operations.items()
        if count and ridges.get(precision)
    }
    return max(shares, key=lambda each: shares[each]) if shares else None
