"""All reported figures on the predictions for a group of kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from roofline_core.program.precision import Precision
from roofline_study.bootstrap import Floats, Interval, intervals
from roofline_study.breakdown import (
    ProgramScore,
    Status,
    by_precision,
    by_program,
    by_status,
    program_weighted,
    shares,
)
from roofline_study.judge import Judgement
from roofline_study.metric_figures import METRIC_FIGURES
from roofline_study.metrics import Confusion, QuantityError, within_2x, within_10_percent
from roofline_study.quantities import FLOATING, QUANTITIES, errors_of, measured, ratio
from roofline_study.reliability import Reliability, reliability

METRICS = tuple(METRIC_FIGURES)
"""Properties of ``Confusion``; precision, recall and F1 are for the class CB."""

SHARES = {"within_10_percent": within_10_percent, "within_2x": within_2x}
"""Fields of ``QuantityError`` and what a ratio has to fulfil for them."""

Intervals = Mapping[str, Interval | None]


@dataclass(frozen=True, slots=True)
class Scores:
    """Class metrics of some kernels, with their intervals by name of ``METRICS``."""

    confusion: Confusion
    intervals: Intervals


@dataclass(frozen=True, slots=True)
class StatusScore:
    """The kernels whose predictions rest on the same kind of assumption."""

    status: Status
    kernels: int
    confusion: Confusion
    mean_confidence: float | None
    floating: QuantityError
    """Errors of single and double precision operations together."""
    dram: QuantityError


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures on the predictions for a group of kernels."""

    name: str
    """The language, or ``all``; where rows are grouped, after the group."""
    kernels: int
    by_kernel: Scores
    by_program: Scores
    """Kernels weighted so that every program counts the same, however many kernels it has."""
    programs: tuple[ProgramScore, ...]
    precisions: Mapping[Precision, Confusion]
    """Whether each precision is above its own ridge; CB stands for above."""
    statuses: tuple[StatusScore, ...]
    quantities: Mapping[str, QuantityError]
    quantity_intervals: Mapping[str, Intervals]
    """The errors' intervals by quantity, then by name of ``SHARES``."""
    reliability: Reliability

    @property
    def confusion(self) -> Confusion:
        """Of the kernels."""
        return self.by_kernel.confusion

    @property
    def resolved(self) -> Confusion:
        """Of the kernels that were predicted without any unknown."""
        found = (s.confusion for s in self.statuses if s.status is Status.RESOLVED)
        return next(found, Confusion())


def summarize(
    name: str, judgements: Iterable[Judgement], ridges: Mapping[Precision, float]
) -> Summary:
    """The metrics of some kernels together; ``ridges`` are those of their GPU."""
    held = list(judgements)
    programs = by_program(held)
    cells = [score.confusion.cells for score in programs]
    weighted = [parts for score in programs if (parts := shares(score.confusion))]
    return Summary(
        name=name,
        kernels=len(held),
        by_kernel=_scores(_confusion(held), cells),
        by_program=_scores(program_weighted(programs), weighted),
        programs=programs,
        precisions=by_precision(held, ridges),
        statuses=tuple(_status(status, group) for status, group in by_status(held).items()),
        quantities={quantity: errors_of(held, quantity) for quantity in QUANTITIES},
        quantity_intervals={quantity: _share_intervals(held, quantity) for quantity in QUANTITIES},
        reliability=reliability(
            (item.prediction.confidence, item.correct)
            for item in held
            if item.prediction is not None
            and item.verdict is not None
            and item.row.label is not None
        ),
    )


def _confusion(judgements: Iterable[Judgement]) -> Confusion:
    return Confusion.of(
        (item.row.label, item.verdict) for item in judgements if item.row.label is not None
    )


def _scores(confusion: Confusion, cells: Sequence[Sequence[float]]) -> Scores:
    return Scores(confusion, intervals(cells, METRIC_FIGURES))


def _status(status: Status, group: list[Judgement]) -> StatusScore:
    confidences = [item.prediction.confidence for item in group if item.prediction is not None]
    return StatusScore(
        status=status,
        kernels=len(group),
        confusion=_confusion(group),
        mean_confidence=sum(confidences) / len(confidences) if confidences else None,
        floating=errors_of(group, FLOATING),
        dram=errors_of(group, "dram_bytes"),
    )


def _share_intervals(judgements: Sequence[Judgement], quantity: str) -> Intervals:
    """Of the shares of kernels within bounds: each program's hits and its kernels, resampled."""
    sums: dict[str, list[float]] = {}
    for item in judgements:
        row = sums.setdefault(item.row.program, [0.0] * (len(SHARES) + 1))
        if measured(item, quantity):
            row[-1] += 1
            found = ratio(item, quantity)
            for column, fulfils in enumerate(SHARES.values()):
                row[column] += found is not None and fulfils(found)
    figures = {name: partial(_share, column) for column, name in enumerate(SHARES)}
    return intervals(list(sums.values()), figures)


def _share(column: int, sums: Floats) -> Floats:
    return sums[:, column] / sums[:, -1]
