"""Entries against figures of other tables, which were not used to write them.

``data/independent_figures.csv`` has the figures. Where one is off, the entry must say so under
``[disputed]``, so that a reader learns of every disagreement, and a slip of the pen is found.
"""

import csv
from pathlib import Path
from typing import NamedTuple

import pytest

from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, Gpu, find_gpu

TOLERANCES = {
    "sm_count": 0,
    "base_clock_mhz": 0.01,
    "boost_clock_mhz": 0.01,
    "memory_gb": 0.001,
    "memory_bandwidth_gbs": 0.01,
    "l2_mb": 0.001,
    "fp32_tflops": 0.01,
    "fp64_tflops": 0.02,
    "fp32_tflops_base": 0.01,
    "fp64_tflops_base": 0.02,
}
"""How far a figure may lie off. Peaks are at the boost clock, unless ``_base``."""


class Figure(NamedTuple):
    gpu: str
    figure: str
    value: float
    source: str


def _read() -> list[Figure]:
    path = Path(__file__).parent / "data" / "independent_figures.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Figure(row["gpu"], row["figure"], float(row["value"]), row["source"])
            for row in csv.DictReader(lines)
        ]


FIGURES = _read()
GPUS = sorted({figure.gpu for figure in FIGURES})


def _ours(gpu: Gpu, figure: str) -> float | None:
    if "_tflops" not in figure:
        value: float | None = getattr(gpu, figure)
        return value
    clock = ClockKind.BASE if figure.endswith("_base") else ClockKind.BOOST
    precision = Precision.SP if figure.startswith("fp32") else Precision.DP
    peak_gops = gpu.roofline(clock).peaks_gops.get(precision)
    return None if peak_gops is None else peak_gops / 1000


def test_many_entries_are_compared() -> None:
    assert len(GPUS) >= 200
    peaks = {figure.gpu for figure in FIGURES if figure.figure.startswith("fp32_tflops")}
    assert len(peaks) >= 150


@pytest.mark.parametrize("slug", GPUS)
def test_entry_agrees_with_other_tables_or_says_that_it_does_not(slug: str) -> None:
    gpu = find_gpu(slug)
    for figure in (each for each in FIGURES if each.gpu == slug):
        ours = _ours(gpu, figure.figure)
        assert ours is not None, figure
        if abs(figure.value / ours - 1) > TOLERANCES[figure.figure]:
            remark = gpu.disputed.get(figure.figure.removesuffix("_base"), "")
            assert figure.source in remark, f"{figure}: we have {ours:g} and do not say so"


@pytest.mark.parametrize("slug", GPUS)
def test_compared_figures_were_not_taken_from_the_table_they_are_compared_to(slug: str) -> None:
    gpu = find_gpu(slug)
    for figure in (each for each in FIGURES if each.gpu == slug and "_tflops" not in each.figure):
        table = figure.source.partition(",")[0].partition(" GPU")[0]  # Wikipedia, TechPowerUp
        assert table not in (gpu.source_of(figure.figure) or ""), figure


def test_most_figures_agree() -> None:
    """Disagreements are the exception: else one of the tables is of something else."""
    agreeing = sum(
        abs(figure.value / ours - 1) <= TOLERANCES[figure.figure]
        for figure in FIGURES
        if (ours := _ours(find_gpu(figure.gpu), figure.figure)) is not None
    )
    assert agreeing / len(FIGURES) > 0.9
