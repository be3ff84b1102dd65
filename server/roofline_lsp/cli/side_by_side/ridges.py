"""The intensity of each precision over its ridge, and the change that would flip the class."""

from __future__ import annotations

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import significant
from roofline_lsp.formats.explanation.other_class import other_class
from roofline_study.judge import Judgement
from roofline_study.quantities import OPERATIONS, intensity_of


def ridge_lines(judgement: Judgement, gpu: GpuUsed) -> list[str]:
    """The intensities with how many times their ridge they are, and what would flip the class."""
    heads = ("predicted", "measured", "ridge", "predicted / ridge", "measured / ridge")
    rows = [["operations per byte", *heads]]
    for precision, quantity in OPERATIONS.items():
        ridge = gpu.ridges.get(precision)
        here = _predicted(judgement, precision)
        counted = getattr(judgement.row, quantity)
        moved = judgement.row.dram_bytes
        there = intensity_of(counted, moved) if counted is not None else None
        times = [None if value is None or not ridge else value / ridge for value in (here, there)]
        cells = map(significant, (here, there, ridge, *times))
        rows.append([precision.title, *cells])
    lines = aligned(rows, right=(1, 2, 3, 4, 5), indent="  ")
    said = _flip(judgement, gpu)
    return [*lines, f"  {said}"] if said else lines


def _predicted(judgement: Judgement, precision: Precision) -> float | None:
    prediction = judgement.prediction
    operations = prediction.operations(precision) if prediction is not None else None
    moved = prediction.dram_bytes if prediction is not None else None
    if operations is None or moved is None:
        return None
    return intensity_of(operations, moved)


def _flip(judgement: Judgement, gpu: GpuUsed) -> str | None:
    times = {
        precision: intensity / ridge
        for precision in OPERATIONS
        if (ridge := gpu.ridges.get(precision)) and (intensity := _predicted(judgement, precision))
    }
    return other_class(judgement.verdict, times)
