"""Comparison of two sets of predictions for the same measurements, kernel by kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from roofline_analysis.report.report import Verdict
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import Evaluation
from roofline_study.metrics import Confusion, within_2x, within_10_percent
from roofline_study.predictions import Predicted, key_of
from roofline_study.quantities import COUNTS, predicted

NOTABLE = 1.1
"""The least ratio of errors for which a count is called worse or better."""


@dataclass(frozen=True, slots=True)
class ClassChange:
    """A kernel whose predicted class has changed."""

    row: MeasuredKernel
    before: Verdict | None
    now: Verdict | None

    @property
    def better(self) -> bool | None:
        """True if it is right now, False if it was before, None if it is wrong both times."""
        if self.now is self.row.label:
            return True
        return False if self.before is self.row.label else None


@dataclass(frozen=True, slots=True)
class CountChange:
    """A kernel with a count whose error has changed."""

    row: MeasuredKernel
    quantity: str
    before: float | None
    now: float | None
    gain: float
    """ln of the earlier error ratio over the present one: above 0 for better."""


@dataclass(frozen=True, slots=True)
class QuantityChange:
    """One quantity over all compared kernels that have any of it."""

    compared: int
    within_10_percent: tuple[int, int]
    """Kernels within 10%, before and now."""
    within_2x: tuple[int, int]
    better: int
    """Kernels nearer by ``NOTABLE`` or more."""
    worse: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Earlier predictions against those of an evaluation, over the kernels that both have."""

    compared: int
    before: Confusion
    now: Confusion
    classes: tuple[ClassChange, ...]
    """The kernels in the order of the data set."""
    quantities: Mapping[str, QuantityChange]
    counts: tuple[CountChange, ...]
    """The largest changes first."""


def compare(evaluation: Evaluation, earlier: Mapping[str, Predicted]) -> Comparison:
    """The changes of an evaluation against earlier predictions, by their ``key_of``."""
    pairs = [
        (item, earlier[key])
        for item in evaluation.judgements
        if (key := key_of(item.row.name, item.row.gpu)) in earlier
    ]
    changes: dict[str, list[CountChange]] = {
        quantity: [
            _count_change(item.row, quantity, old.counts[quantity], predicted(item, quantity))
            for item, old in pairs
            if (getattr(item.row, quantity) or 0.0) > 0
        ]
        for quantity in COUNTS
    }
    classed = [(item.row.label, item, old) for item, old in pairs if item.row.label is not None]
    notable = [c for held in changes.values() for c in held if abs(c.gain) >= math.log(NOTABLE)]
    return Comparison(
        compared=len(pairs),
        before=Confusion.of((label, old.verdict) for label, _, old in classed),
        now=Confusion.of((label, item.verdict) for label, item, _ in classed),
        classes=tuple(
            ClassChange(item.row, old.verdict, item.verdict)
            for item, old in pairs
            if item.verdict is not old.verdict
        ),
        quantities={quantity: _quantity_change(held) for quantity, held in changes.items()},
        counts=tuple(sorted(notable, key=lambda change: -abs(change.gain))),
    )


_NOTHING_SAID = math.log(1e6)
"""The error (ln) of a count that is 0 or missing although something was measured."""


def _count_change(
    row: MeasuredKernel, quantity: str, before: float | None, now: float | None
) -> CountChange:
    truth = float(getattr(row, quantity))
    return CountChange(row, quantity, before, now, _off(before, truth) - _off(now, truth))


def _off(count: float | None, truth: float) -> float:
    return min(_NOTHING_SAID, abs(math.log(count / truth))) if count else _NOTHING_SAID


def _quantity_change(changes: list[CountChange]) -> QuantityChange:
    before = [_ratio(change.row, change.quantity, change.before) for change in changes]
    now = [_ratio(change.row, change.quantity, change.now) for change in changes]
    return QuantityChange(
        compared=len(changes),
        within_10_percent=(sum(map(within_10_percent, before)), sum(map(within_10_percent, now))),
        within_2x=(sum(map(within_2x, before)), sum(map(within_2x, now))),
        better=sum(change.gain >= math.log(NOTABLE) for change in changes),
        worse=sum(change.gain <= -math.log(NOTABLE) for change in changes),
    )


def _ratio(row: MeasuredKernel, quantity: str, count: float | None) -> float:
    return (count or 0.0) / float(getattr(row, quantity))
