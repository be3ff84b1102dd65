"""Figures of predictions with a heuristic less those of predictions without it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ablations.running import ProgramOutcome
from roofline_study.bootstrap import Figure, Floats, Interval, intervals
from roofline_study.dataset import MeasuredKernel
from roofline_study.metric_figures import METRIC_FIGURES
from roofline_study.metrics import Confusion, quantity_error, within_2x, within_10_percent
from roofline_study.predictions import Predicted

_FARTHEST: Final = math.log(10.0)
"""The most that a count can be off: a factor of ten, also where nothing was predicted."""
_COUNTS: Final = ("sp_flops", "dp_flops", "int_ops", "dram_bytes")
"""Of whose errors the mean is taken."""
SHARES: Final[Mapping[str, tuple[str, Callable[[float], bool]]]] = {
    "sp_within_10_percent": ("sp_flops", within_10_percent),
    "dp_within_10_percent": ("dp_flops", within_10_percent),
    "int_within_10_percent": ("int_ops", within_10_percent),
    "bytes_within_2x": ("dram_bytes", within_2x),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A measured kernel with its two predictions."""

    row: MeasuredKernel
    with_it: Predicted
    without: Predicted

    @property
    def program(self) -> str:
        """The program's name without its language: its versions stay together."""
        return self.row.program.removesuffix(f"-{self.row.language}")


@dataclass(frozen=True, slots=True)
class Worth:
    """A figure with the heuristic less the figure without; errors the other way round."""

    value: float | None
    """None where no kernel has what the figure is of, or all are of one class."""
    interval: Interval | None
    """None where there is no value, or too few programs for one."""

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Kernels whose class is another without the heuristic."""

    better: int
    """Right with it alone."""
    worse: int
    """Right without it alone."""
    neither: int


def pairs_of(
    base: Mapping[str, ProgramOutcome],
    other: Mapping[str, ProgramOutcome],
    rows: Sequence[MeasuredKernel],
) -> list[Pair]:
    """Every kernel's predictions; programs that ``other`` lacks keep those of ``base``."""
    found = []
    for row in rows:
        with_it = base[row.program].kernels[row.name]
        outcome = other.get(row.program)
        found.append(Pair(row, with_it, outcome.kernels[row.name] if outcome else with_it))
    return found


def verdicts(pairs: Sequence[Pair]) -> Verdicts:
    """How many classes change, for better or worse."""
    changed = [pair for pair in pairs if pair.with_it.verdict is not pair.without.verdict]
    better = sum(pair.with_it.verdict is pair.row.label for pair in changed)
    worse = sum(pair.without.verdict is pair.row.label for pair in changed)
    return Verdicts(better, worse, len(changed) - better - worse)


def cells(pairs: Sequence[Pair]) -> Floats:
    """A row for each program: the cells of the confusion with the heuristic, then without."""
    groups = _grouped(pairs)
    return np.array(
        [
            [
                *Confusion.of((p.row.label, p.with_it.verdict) for p in group).cells,
                *Confusion.of((p.row.label, p.without.verdict) for p in group).cells,
            ]
            for group in groups.values()
        ],
        dtype=np.float64,
    )


def _grouped(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.program, []).append(pair)
    return groups


def balanced_worth(pairs: Sequence[Pair]) -> Worth:
    """Of balanced accuracy."""
    return _worth(cells(pairs), balanced_gain)


def balanced_gain(sums: Floats) -> Floats:
    """The balanced accuracy of the first six cells less that of the others."""
    balanced = METRIC_FIGURES["balanced_accuracy"]
    return balanced(sums[:, :6]) - balanced(sums[:, 6:])


def share_worth(pairs: Sequence[Pair], quantity: str, fulfils: Callable[[float], bool]) -> Worth:
    """Of the share of kernels with a quantity whose prediction is near enough."""
    sums = []
    for group in _grouped(pairs).values():
        held = [pair for pair in group if getattr(pair.row, quantity) > 0]
        with_it = sum(fulfils(_ratio(pair.row, quantity, pair.with_it)) for pair in held)
        without = sum(fulfils(_ratio(pair.row, quantity, pair.without)) for pair in held)
        sums.append([with_it, without, len(held)])
    return _worth(np.array(sums, dtype=np.float64), difference)


def _ratio(row: MeasuredKernel, quantity: str, prediction: Predicted) -> float:
    """Predicted over measured, 0 where nothing was predicted."""
    return (prediction.counts[quantity] or 0.0) / float(getattr(row, quantity))


def count_worth(pairs: Sequence[Pair]) -> Worth:
    """Of the mean error of counts: positive where it is larger without the heuristic."""
    return _worth(errors(pairs), lambda sums: -difference(sums))


def errors(pairs: Sequence[Pair]) -> Floats:
    """A row for each program: the sums of errors with the heuristic and without, and how many."""
    sums = []
    for group in _grouped(pairs).values():
        held = [(p, name) for p in group for name in _COUNTS if getattr(p.row, name) > 0]
        sums.append(
            [
                sum(_error(p.row, name, p.with_it) for p, name in held),
                sum(_error(p.row, name, p.without) for p, name in held),
                len(held),
            ]
        )
    return np.array(sums, dtype=np.float64)


def _error(row: MeasuredKernel, quantity: str, prediction: Predicted) -> float:
    ratio = _ratio(row, quantity, prediction)
    return min(_FARTHEST, abs(math.log(ratio))) if ratio > 0 else _FARTHEST


def difference(sums: Floats) -> Floats:
    """The mean error with the heuristic less that without, of rows as ``errors`` makes them."""
    return (sums[:, 0] - sums[:, 1]) / sums[:, 2]


def _worth(sums: Floats, figure: Figure) -> Worth:
    return Worth(value_of(figure, sums), intervals(sums.tolist(), {"worth": figure})["worth"])


def value_of(figure: Figure, sums: Floats) -> float | None:
    """A figure of the sums over all rows; None where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(figure(sums.sum(axis=0, keepdims=True))[0])
    return value if math.isfinite(value) else None


def time_error(pairs: Sequence[Pair], *, with_it: bool) -> float:
    """The median absolute percentage error of time."""
    held = [(p.row.time_ns, (p.with_it if with_it else p.without).counts["time_ns"]) for p in pairs]
    return quantity_error(held).median_absolute_percentage_error or 0.0
