"""The regression on measured GPU times, for kernels and GPUs that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from roofline_study.dataset import MeasuredKernel
from roofline_study.llmperf.analysis import ErrorTable, Row
from roofline_study.llmperf.gpu_features import ModelledKernel, row_key
from roofline_study.llmperf.regression import (
    FOLDS,
    Floats,
    Recipe,
    TimedSample,
    error_of,
    fit_by,
    folds,
    held_out,
)

RECIPE: Final = Recipe(("model.time", "peak.sp", "peak.dp", "peak.int", "peak.dram"))
"""The law adds up what operations and bytes take at the GPU's peaks, and the model's own time."""

_ASSUMED: Final = (
    *("model.guessed sizes", "model.assumed share"),
    *("model.uncertain share", "model.unseen share"),
)
"""Above 0 where sizes, trips, branches or addresses are assumed for lack of the data."""


@dataclass(frozen=True, slots=True)
class GpuPoint:
    """A measured launch that the model has features of."""

    row: MeasuredKernel
    gpu: str
    sample: TimedSample
    static_ns: float


@dataclass(frozen=True, slots=True)
class GpuTables:
    """The tables, and how many rows the model says nothing of."""

    tables: tuple[ErrorTable, ...]
    points: int
    without_time: int
    """Rows that were not measured, or took no time."""
    without_model: int


def gpu_points(
    rows: Sequence[MeasuredKernel], modelled: Mapping[str, ModelledKernel], gpu: str
) -> tuple[GpuPoint, ...]:
    """The rows with a time and features. Programs are held out in all their languages together."""
    found = []
    for row in rows:
        here = row.gpu or gpu
        model = modelled.get(row_key(row, here))
        if not row.time_ns or model is None or not model.features or not model.static_ns:
            continue
        program = row.program.rpartition("-")[0] or row.program
        sample = TimedSample(model.features, row.time_ns, program)
        found.append(GpuPoint(row, here, sample, model.static_ns))
    return tuple(found)


def gpu_tables(rows: Sequence[MeasuredKernel], points: Sequence[GpuPoint]) -> GpuTables:
    """The errors of the static model and of the regression. Raises RegressionError."""
    samples = [point.sample for point in points]
    predicted = held_out(samples, fit_by(RECIPE))
    static = np.array([point.static_ns for point in points])
    tables = [
        ErrorTable(
            "unseen kernels, 5-fold by program",
            (
                Row("static model", error_of(samples, static)),
                Row("regression", error_of(samples, predicted)),
            ),
        ),
        *(
            _parted(title, points, predicted, static, key)
            for title, key in (
                ("unseen kernels, by GPU", lambda p: p.gpu),
                ("unseen kernels, by language", lambda p: p.row.language),
                ("unseen kernels, by what the model assumes", _assumed),
            )
        ),
    ]
    if len({point.gpu for point in points}) > 1:
        tables += [
            _unseen_gpus("unseen GPUs, kernels seen on others", points, static, programs=False),
            _unseen_gpus("unseen GPUs and unseen kernels", points, static, programs=True),
        ]
    timed = sum(1 for row in rows if row.time_ns)
    return GpuTables(tuple(tables), len(points), len(rows) - timed, timed - len(points))


def _assumed(point: GpuPoint) -> str:
    known = not any(point.sample.features.get(name) for name in _ASSUMED)
    return "nothing assumed" if known else "something assumed"


def _parted(
    title: str,
    points: Sequence[GpuPoint],
    predicted: Floats,
    static: Floats,
    key: Callable[[GpuPoint], str],
) -> ErrorTable:
    rows = []
    for value in dict.fromkeys(map(key, points)):
        chosen = [index for index, point in enumerate(points) if key(point) == value]
        samples = [points[index].sample for index in chosen]
        rows.append(Row(f"{value}: static model", error_of(samples, static[chosen])))
        rows.append(Row(f"{value}: regression", error_of(samples, predicted[chosen])))
    return ErrorTable(title, tuple(rows))


def _unseen_gpus(
    title: str, points: Sequence[GpuPoint], static: Floats, *, programs: bool
) -> ErrorTable:
    """One GPU after the other left out; ``programs``: those of the asked fold are left out, too."""
    samples = [point.sample for point in points]
    of = folds(sample.group for sample in samples)
    found = np.zeros(len(points))
    rows = []
    for gpu in dict.fromkeys(point.gpu for point in points):
        for fold in range(FOLDS) if programs else (None,):
            known = [
                samples[index]
                for index, point in enumerate(points)
                if point.gpu != gpu and (fold is None or of[samples[index].group] != fold)
            ]
            asked = [
                index
                for index, point in enumerate(points)
                if point.gpu == gpu and (fold is None or of[samples[index].group] == fold)
            ]
            if asked:
                found[asked] = fit_by(RECIPE)(known)([samples[i].features for i in asked])
        chosen = [index for index, point in enumerate(points) if point.gpu == gpu]
        held = [samples[index] for index in chosen]
        rows.append(Row(f"{gpu}: static model", error_of(held, static[chosen])))
        rows.append(Row(f"{gpu}: regression", error_of(held, found[chosen])))
    rows.append(Row("all: regression", error_of(samples, found)))
    return ErrorTable(title, tuple(rows))
