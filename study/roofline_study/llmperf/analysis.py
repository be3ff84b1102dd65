"""What the times of a study show: held-out errors by regime and class, and the open experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from roofline_study.llmperf.arguments import Method
from roofline_study.llmperf.kernels import KernelClass, PlannedKernel, PlannedLaunch
from roofline_study.llmperf.records import Timed
from roofline_study.llmperf.regimes import Regime
from roofline_study.llmperf.regression import (
    FOLDS,
    Features,
    Fit,
    Floats,
    Recipe,
    RegressionError,
    TimedSample,
    TimeError,
    error_of,
    fit_by,
    folds,
    held_out,
)
from roofline_study.llmperf.sampling import Strategy
from roofline_study.llmperf.study import Study

AMOUNTS: Final = (
    "sizes.items",
    "sizes.groups",
    "model.sp",
    "model.dp",
    "model.int",
    "model.special",
    "model.conversion",
    "model.adjacent accesses",
    "model.same accesses",
    "model.strided accesses",
    "model.stores",
    "model.atomics",
    "model.shared accesses",
    "model.private accesses",
    "model.barriers",
    "model.region runs",
    "model.dram bytes",
)
"""What the law adds up."""
FULL: Final = Recipe(AMOUNTS, per="sizes.items")
ABLATIONS: Final = (
    ("source, arguments, sizes and the static model", FULL),
    ("without source", replace(FULL, without=("source",))),
    ("without arguments", replace(FULL, without=("arguments",))),
    ("without sizes", replace(FULL, without=("sizes",))),
    ("without the static model", replace(FULL, without=("model",))),
    ("the static model alone", replace(FULL, without=("source", "arguments", "sizes"))),
    ("neither model nor source", replace(FULL, without=("model", "source"))),
    ("neither model nor arguments", replace(FULL, without=("model", "arguments"))),
    ("neither model nor sizes", replace(FULL, without=("model", "sizes"))),
)
"""The paper's inputs are source, arguments and sizes; here each may also be seen by the model."""


@dataclass(frozen=True, slots=True)
class Point:
    """A timed launch with its kernel."""

    kernel: PlannedKernel
    launch: PlannedLaunch
    time: Timed
    group: str
    """What is held out together."""
    features: Features
    """What the regression is told."""

    @property
    def sample(self) -> TimedSample:
        """What the regression sees."""
        return TimedSample(self.features, self.time.median_ns, self.group)


_LONGEST_NS: Final = 1e9
"""The longest launch that the static model is believed: kernels take far less than a second, and
the launches of a study are small. Assumed, as where the analysis itself doubts assumed sizes."""


def _is_believed(kernel: PlannedKernel) -> bool:
    """Whether the static model makes no launch of the kernel that nobody would wait for.

    A loop whose end wraps around, say, is counted as if numbers had no end.
    """
    return all(each.features.get("model.time", 0.0) <= _LONGEST_NS for each in kernel.launches)


def _features(kernel: PlannedKernel, launch: PlannedLaunch) -> Features:
    """The features of a launch; without those of the model where it is not believed."""
    if _is_believed(kernel):
        return launch.features
    kept = {name: value for name, value in launch.features.items() if name[:6] != "model."}
    return {**kept, "model.not believed": 1.0}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table."""

    name: str
    error: TimeError | None
    """None where there is no launch."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ErrorTable:
    """Rows under a title."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class StudyTables:
    """All tables of a study, and the predictions that they come from."""

    points: tuple[Point, ...]
    predicted: Floats
    """By the full regression, held out, in nanoseconds; one for each point."""
    tables: tuple[ErrorTable, ...]


def points_of(study: Study) -> tuple[Point, ...]:
    """The timed launches.

    Kernels of one name are held out together: suites have versions of one another's kernels, and a
    kernel is built in several ways.
    """
    return tuple(
        Point(kernel, launch, study.timed[launch.key], kernel.name, _features(kernel, launch))
        for kernel in study.kernels
        for launch in kernel.launches
        if launch.key in study.timed
    )


def _by_program(points: Sequence[Point]) -> list[TimedSample]:
    """The launches, held out by kernels of one folder, or of one name anywhere, together."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        """The name that stands for all names joined with this one."""
        while above.setdefault(name, name) != name:
            name = above[name]
        return name

    for point in points:
        above[root(f"name {point.kernel.name}")] = root(f"folder {point.kernel.program}")
    return [replace(p.sample, group=root(f"folder {p.kernel.program}")) for p in points]


def analyse(study: Study, *, experiments: bool = True) -> StudyTables:
    """The tables of a study; without ``experiments`` those of the full regression alone.

    Raises RegressionError.
    """
    points = points_of(study)
    samples = [point.sample for point in points]
    predicted = held_out(samples, fit_by(FULL))
    programs = _by_program(points)
    told = partial(_rows, points, predicted)
    tables = [
        ErrorTable(
            "all launches",
            (
                Row("kernels held out", error_of(samples, predicted)),
                _quiet(points, predicted),
                Row("programs held out", error_of(programs, held_out(programs, fit_by(FULL)))),
                Row("static model, one factor", _static_error(points)),
            ),
        ),
        ErrorTable("by regime", told(Regime, lambda p: p.launch.regime)),
        ErrorTable("by class of kernel", told(KernelClass, lambda p: p.kernel.kernel_class)),
        ErrorTable("by dimensions", told((1, 2, 3), lambda p: p.kernel.dimensions)),
        ErrorTable("by choice of argument sizes", told(Method, lambda p: p.launch.method)),
        ErrorTable("size of the work", told(("the launch's", "not the launch's"), _size_of_work)),
    ]
    if experiments:
        tables += [_ablations(points), _methods(points), _strategies(points)]
    return StudyTables(points, predicted, tuple(tables))


_QUIET: Final = 0.2
"""The largest interquartile range over the median of runs that agree. Assumed."""


def _quiet(points: Sequence[Point], predicted: Floats) -> Row:
    """The launches whose runs agree: of others the measured time itself is not sure."""
    chosen = [index for index, point in enumerate(points) if point.time.spread <= _QUIET]
    error = error_of([points[index].sample for index in chosen], predicted[chosen])
    return Row("kernels held out, launches whose runs agree within 20%", error)


def _size_of_work(point: Point) -> str:
    return "not the launch's" if point.launch.apart else "the launch's"


def _rows(
    points: Sequence[Point],
    predicted: Floats,
    values: Iterable[object],
    key: Callable[[Point], object],
) -> tuple[Row, ...]:
    found = []
    for value in values:
        chosen = [index for index, point in enumerate(points) if key(point) == value]
        error = error_of([points[i].sample for i in chosen], predicted[chosen])
        name = getattr(value, "value", f"{value}D" if isinstance(value, int) else value)
        found.append(Row(str(name), error))
    return tuple(found)


def _static_error(points: Sequence[Point]) -> TimeError | None:
    """The static model's time for its GPU, times one factor for the device, held out."""
    known = [point for point in points if point.launch.static_ns]
    samples = [replace(p.sample, features={"static": p.launch.static_ns or 1.0}) for p in known]
    return error_of(samples, held_out(samples, _one_factor))


def _one_factor(samples: Sequence[TimedSample]) -> Callable[[Sequence[Features]], Floats]:
    factor = np.median([each.time_ns / each.features["static"] for each in samples])
    return lambda asked: np.array([each["static"] for each in asked]) * factor


def _ablations(points: Sequence[Point]) -> ErrorTable:
    samples = [point.sample for point in points]
    rows = [Row(name, error_of(samples, held_out(samples, fit_by(r)))) for name, r in ABLATIONS]
    return ErrorTable("ablation: what the regression is told", tuple(rows))


def _trained_on(
    points: Sequence[Point],
    chosen: Callable[[Point], bool],
    asked: Callable[[Point], bool],
    most: int | None = None,
) -> TimeError | None:
    """The error on some launches of kernels that were held out, learning from others.

    ``most`` launches of each fold's training are taken, spread evenly; None: all.
    """
    of = folds(point.group for point in points)
    fit: Fit = fit_by(FULL)
    tested: list[TimedSample] = []
    found: list[Floats] = []
    for fold in range(FOLDS):
        known = [p.sample for p in points if of[p.group] != fold and chosen(p)]
        wanted = [p.sample for p in points if of[p.group] == fold and asked(p)]
        if most is not None and len(known) > most:
            known = [known[index * len(known) // most] for index in range(most)]
        if wanted:
            tested += wanted
            found.append(fit(known)([each.features for each in wanted]))
    return error_of(tested, np.concatenate(found)) if tested else None


def _methods(points: Sequence[Point]) -> ErrorTable:
    """Only samples by memory analysis against only simple ones, as many of each."""
    counts = [sum(p.launch.method is method for p in points) for method in Method]
    most = min(counts) * (FOLDS - 1) // FOLDS
    rows = []
    for learnt in Method:
        for asked in Method:
            error = _tried(
                points, lambda p, m=learnt: p.launch.method is m,
                lambda p, m=asked: p.launch.method is m, most,
            )  # fmt: skip
            rows.append(Row(f"learnt from {learnt.value}, asked {asked.value}", *error))
    error = _tried(points, lambda _: True, lambda p: p.launch.method is Method.ANALYSIS, None)
    rows.append(Row(f"learnt from all, asked {Method.ANALYSIS.value}", *error))
    return ErrorTable("argument sizes: as many launches of each", tuple(rows))


def _strategies(points: Sequence[Point]) -> ErrorTable:
    """The sampling strategies, as many launches of each, asked all launches by memory analysis."""
    analysed = [point for point in points if point.launch.method is Method.ANALYSIS]
    counts = [sum(each in p.launch.strategies for p in analysed) for each in Strategy]
    most = min(counts) * (FOLDS - 1) // FOLDS
    rows = [
        Row(
            each.value,
            *_tried(analysed, lambda p, s=each: s in p.launch.strategies, lambda _: True, most),
        )
        for each in Strategy
    ]
    return ErrorTable("sampling: as many launches of each strategy", tuple(rows))


def _tried(
    points: Sequence[Point],
    chosen: Callable[..., bool],
    asked: Callable[..., bool],
    most: int | None,
) -> tuple[TimeError | None, str]:
    """The error and no note, or no error and why."""
    try:
        return _trained_on(points, chosen, asked, most), ""
    except RegressionError as error:
        return None, str(error)


PUBLISHED: Final[Mapping[str, float]] = {
    "validation, best": 0.2425,
    "SHOC and Rodinia": 0.461,
    "a kernel whose size is not the launch's (CSR SpMV)": 0.5362,
}
"""MAPE of the paper's fine-tuned models of code, on GPU times of its own (arXiv 2503.11244)."""
