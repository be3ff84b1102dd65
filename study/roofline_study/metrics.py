"""How good predictions are: classification metrics for the class CB, and errors of quantities."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roofline_analysis.report.report import Verdict

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many kernels of each measured class were predicted as what.

    An undecided kernel (no prediction, or one without a class) counts as predicted to be of the
    class it is not: as a false negative where CB was measured and as a false positive where BB was.
    A metric is None where its denominator is 0. Cells are whole unless kernels are weighted.
    """

    cb_as_cb: float = 0
    cb_as_bb: float = 0
    cb_undecided: float = 0
    bb_as_cb: float = 0
    bb_as_bb: float = 0
    bb_undecided: float = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[Verdict, Verdict | None]]) -> Confusion:
        """Count pairs of measured and predicted class."""
        cells = Counter(pairs)
        return cls(
            cells[CB, CB], cells[CB, BB], cells[CB, None],
            cells[BB, CB], cells[BB, BB], cells[BB, None],
        )  # fmt: skip

    @property
    def cells(self) -> tuple[float, float, float, float, float, float]:
        """The fields in their order."""
        return (
            self.cb_as_cb, self.cb_as_bb, self.cb_undecided,
            self.bb_as_cb, self.bb_as_bb, self.bb_undecided,
        )  # fmt: skip

    @property
    def positives(self) -> float:
        """Kernels measured CB."""
        return self.cb_as_cb + self.cb_as_bb + self.cb_undecided

    @property
    def negatives(self) -> float:
        """Kernels measured BB."""
        return self.bb_as_cb + self.bb_as_bb + self.bb_undecided

    @property
    def total(self) -> float:
        """The number of all kernels."""
        return self.positives + self.negatives

    @property
    def undecided(self) -> float:
        """Kernels without a predicted class."""
        return self.cb_undecided + self.bb_undecided

    @property
    def correct(self) -> float:
        """Kernels predicted as they were measured."""
        return self.cb_as_cb + self.bb_as_bb

    @property
    def accuracy(self) -> float | None:
        """Correct predictions over all kernels."""
        return _ratio(self.correct, self.total)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the two classes' recalls; None unless both classes were measured."""
        cb, bb = self.recall, _ratio(self.bb_as_bb, self.negatives)
        return None if cb is None or bb is None else (cb + bb) / 2

    @property
    def precision(self) -> float | None:
        """Of the kernels predicted CB, the share that is; undecided BB kernels count among them."""
        return _ratio(self.cb_as_cb, self.cb_as_cb + self._false_positives)

    @property
    def recall(self) -> float | None:
        """Of the kernels measured CB, the share that was predicted CB."""
        return _ratio(self.cb_as_cb, self.positives)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN)."""
        wrong = self._false_positives + self._false_negatives
        return _ratio(2 * self.cb_as_cb, 2 * self.cb_as_cb + wrong)

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation coefficient, -1 to 1."""
        tp, tn = self.cb_as_cb, self.bb_as_bb
        fp, fn = self._false_positives, self._false_negatives
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return (tp * tn - fp * fn) / math.sqrt(product) if product else None

    @property
    def _false_positives(self) -> float:
        return self.bb_as_cb + self.bb_undecided

    @property
    def _false_negatives(self) -> float:
        return self.cb_as_bb + self.cb_undecided


@dataclass(frozen=True, slots=True)
class QuantityError:
    """How far predictions of one quantity are from what was measured.

    Shares are over the kernels that have any of it, those without a predicted number included:
    they are within nothing.
    """

    compared: int
    """Kernels where more than 0 was measured."""
    missing: int
    """Kernels where more than 0 was measured and no number was predicted."""
    spurious: int
    """Kernels where 0 was measured and something predicted, or nothing said."""
    both_zero: int
    within_10_percent: float | None
    """Share of kernels with |predicted - measured| <= 10% of measured."""
    within_2x: float | None
    """Share of kernels with 1/2 <= predicted / measured <= 2."""
    median_absolute_percentage_error: float | None
    """The median of 100 |predicted - measured| / measured, over kernels with a predicted number."""
    median_ratio: float | None
    """The median of predicted / measured, over kernels where both are > 0."""


def quantity_error(pairs: Sequence[tuple[float, float | None]]) -> QuantityError:
    """The errors of pairs of measured and predicted number, the latter None where unknown."""
    held = [(m, p) for m, p in pairs if m > 0]
    without = [p for m, p in pairs if m == 0]
    ratios = [p / m for m, p in held if p is not None]
    positive = [ratio for ratio in ratios if ratio > 0]
    return QuantityError(
        compared=len(held),
        missing=len(held) - len(ratios),
        spurious=sum(p != 0 for p in without),
        both_zero=sum(p == 0 for p in without),
        within_10_percent=_ratio(sum(map(within_10_percent, ratios)), len(held)),
        within_2x=_ratio(sum(map(within_2x, ratios)), len(held)),
        median_absolute_percentage_error=(
            statistics.median(100 * abs(ratio - 1) for ratio in ratios) if ratios else None
        ),
        median_ratio=statistics.median(positive) if positive else None,
    )


def within_10_percent(ratio: float) -> bool:
    """Whether a ratio of predicted to measured is within 10% of 1."""
    return abs(ratio - 1) <= 0.1 * (1 + 1e-9)


def within_2x(ratio: float) -> bool:
    """Whether a ratio of predicted to measured is between 1/2 and 2."""
    return 0.5 <= ratio <= 2


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
