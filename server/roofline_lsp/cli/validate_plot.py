"""A validation drawn on the roofline."""

from __future__ import annotations

from pathlib import Path

from roofline_core.text.units import counted
from roofline_lsp.formats.roofline_places import Plotted, place_of
from roofline_lsp.formats.roofline_plot import write_roofline
from roofline_profiling.measurement import CLASSED
from roofline_profiling.validate import LaunchComparison, Validation


def write_plot(validation: Validation, path: Path) -> None:
    """Draw every launch that has a place, predicted and measured joined. Raises DrawingError."""
    kernels = [plotted(each) for each in validation.comparisons]
    shown = [each for each in kernels if each.predicted is not None or each.measured is not None]
    launches = counted(len(shown), "launch", "launches")
    title = f"{validation.gpu.name}, {validation.gpu.clock} clock: {launches}"
    write_roofline(validation.gpu, shown, path, title)


def plotted(comparison: LaunchComparison) -> Plotted:
    """A launch by the precision that decides its class, or else the one with most operations.

    An emulation has no time: it stands as high as its operations in the predicted time.
    """
    launch, prediction, gap = comparison.measurement, comparison.prediction, comparison.gap
    precision = gap.deciding if gap is not None else None
    if precision is None:
        precision = max(CLASSED, key=lambda each: launch.operations(each) or 0.0)
    here = None
    if prediction is not None:
        operations = prediction.operations(precision)
        here = place_of(operations, prediction.dram_bytes, prediction.time_ns)
    time_ns = launch.time_ns
    if launch.emulated and prediction is not None:
        time_ns = prediction.time_ns
    there = place_of(launch.operations(precision), launch.moved_bytes, time_ns)
    wrong = comparison.right is False and comparison.predicted is not None
    return Plotted(comparison.name, precision, here, there, launch.how, wrong=wrong)
