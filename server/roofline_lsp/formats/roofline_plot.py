"""The roofline as a file: SVG, PNG or PDF, as its name says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import (
    GpuUsed,
    KernelReport,
    Measured,
    Prediction,
    Report,
)
from roofline_core.program.precision import Precision
from roofline_core.text.units import counted
from roofline_lsp.formats.drawing import check_drawing, write_drawing
from roofline_lsp.formats.roofline_figure import check_figure, write_figure
from roofline_lsp.formats.roofline_places import ChartPoint, Plotted, place_of
from roofline_lsp.formats.roofline_svg import roofline_svg

FIGURE: Final = ".pdf"


def check_plot(path: Path) -> None:
    """Raise DrawingError for a file that cannot become a plot, before the work is done."""
    if path.suffix.lower() == FIGURE:
        check_figure(path)
    else:
        check_drawing(path)


def write_roofline(gpu: GpuUsed, kernels: Sequence[Plotted], path: Path, title: str) -> None:
    """Draw kernels on the roofline of a GPU. Raises DrawingError."""
    if path.suffix.lower() == FIGURE:
        write_figure(gpu, kernels, path, title=title)
    else:
        write_drawing(roofline_svg(gpu, kernels, title=title), path)


def write_report_plot(report: Report, path: Path) -> None:
    """Draw the kernels of a report that have a place. Raises DrawingError."""
    kernels = tuple(plotted_kernels(report))
    what = counted(len(kernels), "kernel")
    write_roofline(
        report.gpu, kernels, path, f"{report.gpu.name}, {report.gpu.clock} clock: {what}"
    )


def plotted_kernels(report: Report) -> Iterator[Plotted]:
    """The kernels of a report by the precision whose intensity is highest beside its ridge.

    Those that have a measurement that applies are where it puts them, too.
    """
    for file in report.files:
        for kernel in file.kernels:
            found = _plotted(kernel, report.gpu)
            if found is not None:
                yield found


def _plotted(kernel: KernelReport, gpu: GpuUsed) -> Plotted | None:
    measured = kernel.measured if kernel.measured and kernel.measured.applies else None
    prediction = measured.predicted if measured else kernel.prediction
    precision = _decisive(prediction, gpu)
    if precision is None:
        return None
    here = _place(prediction, precision)
    if measured is None:
        return Plotted(kernel.title, precision, here) if here is not None else None
    verdicts = measured.verdict, prediction.verdict
    return Plotted(
        kernel.title,
        precision,
        here,
        _measured_place(measured, precision, prediction),
        measured.how,
        wrong=None not in verdicts and verdicts[0] is not verdicts[1],
    )


def _decisive(prediction: Prediction, gpu: GpuUsed) -> Precision | None:
    moved = prediction.dram_bytes
    if not moved:
        return None
    beside = {
        precision: (prediction.operations(precision) or 0.0) / moved / ridge
        for precision, ridge in gpu.ridges.items()
    }
    best = max(beside, key=lambda each: beside[each], default=None)
    return best if best is not None and beside[best] > 0 else None


def _place(prediction: Prediction, precision: Precision) -> ChartPoint | None:
    operations = prediction.operations(precision)
    return place_of(operations, prediction.dram_bytes, prediction.time_ns)


def _measured_place(
    measured: Measured, precision: Precision, prediction: Prediction
) -> ChartPoint | None:
    """An emulation has no time: it stands as high as its operations in the predicted time."""
    time_ns = prediction.time_ns if measured.emulated else measured.time_ns
    return place_of(measured.operations(precision), measured.dram_bytes, time_ns)
