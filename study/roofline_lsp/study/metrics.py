"""How good predictions are: classification metrics for the class CB, and errors of quantities."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roofline_lsp.api.report import Verdict

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many kernels of each measured class were predicted as what.

    An undecided kernel (no prediction, or one without a class) counts as predicted to be of the
    class it is not: as a false negative where CB was measured and as a false positive where BB was.
    A metric is None where its denominator is 0.
    """

    cb_as_cb: int = 0
    cb_as_bb: int = 0
    cb_undecided: int = 0
    bb_as_cb: int = 0
    bb_as_bb: int = 0
    bb_undecided: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[Verdict, Verdict | None]]) -> Confusion:
        """Count pairs of measured and predicted class."""
        cells = Counter(pairs)
        return cls(
            cells[CB, CB], cells[CB, BB], cells[CB, None],
            cells[BB, CB], cells[BB, BB], cells[BB, None],
        )  # fmt: skip

    @property
    def positives(self) -> int:
        """Kernels measured CB."""
        return self.cb_as_cb + self.cb_as_bb + self.cb_undecided

    @property
    def negatives(self) -> int:
        """Kernels measured BB."""
        return self.bb_as_cb + self.bb_as_bb + self.bb_undecided

    @property
    def total(self) -> int:
        """All kernels."""
        return self.positives + self.negatives

    @property
    def undecided(self) -> int:
        """Kernels without a predicted class."""
        return self.cb_undecided + self.bb_undecided

    @property
    def correct(self) -> int:
        """Kernels predicted as they were measured."""
        return self.cb_as_cb + self.bb_as_bb

    @property
    def accuracy(self) -> float | None:
        """Correct over all."""
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
    def _false_positives(self) -> int:
        return self.bb_as_cb + self.bb_undecided

    @property
    def _false_negatives(self) -> int:
        return self.cb_as_bb + self.cb_undecided


@dataclass(frozen=True, slots=True)
class QuantityError:
    """How far predictions of one quantity are from what was measured.

    A kernel where both are 0 says nothing about size and is only counted in ``both_zero``. Shares
    are over the other kernels, those without a predicted number included: they are within nothing.
    """

    compared: int
    """Kernels where something other than 0 was measured or predicted, or nothing predicted."""
    missing: int
    """Of those, the kernels without a predicted number."""
    both_zero: int
    within_10_percent: float | None
    """Share of kernels with 1/1.1 <= predicted / measured <= 1.1; 0 against more is outside."""
    within_2x: float | None
    """Share of kernels with 1/2 <= predicted / measured <= 2."""
    median_absolute_percentage_error: float | None
    """The median of 100 |predicted - measured| / measured.

    Over kernels with a predicted number and measured > 0.
    """
    median_ratio: float | None
    """The median of predicted / measured, over kernels where both are > 0."""


def quantity_error(pairs: Sequence[tuple[float, float | None]]) -> QuantityError:
    """The errors of pairs of measured and predicted number, the latter None where unknown."""
    apart = [(measured, predicted) for measured, predicted in pairs if measured or predicted != 0]
    known = [(m, p) for m, p in apart if p is not None]
    percentages = [100 * abs(p - m) / m for m, p in known if m > 0]
    ratios = [p / m for m, p in known if m > 0 and p > 0]
    return QuantityError(
        compared=len(apart),
        missing=len(apart) - len(known),
        both_zero=len(pairs) - len(apart),
        within_10_percent=_ratio(sum(_within(ratio, 1.1) for ratio in ratios), len(apart)),
        within_2x=_ratio(sum(_within(ratio, 2.0) for ratio in ratios), len(apart)),
        median_absolute_percentage_error=statistics.median(percentages) if percentages else None,
        median_ratio=statistics.median(ratios) if ratios else None,
    )


@dataclass(frozen=True, slots=True)
class ConfidenceBand:
    """Whether predictions of about the same confidence are right as often as they claim."""

    low: float
    """Confidences from here ..."""
    high: float
    """... to below here; the last band includes it."""
    count: int
    mean_confidence: float
    accuracy: float


def confidence_bands(
    results: Iterable[tuple[float, bool]],
    edges: Sequence[float] = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
) -> tuple[ConfidenceBand, ...]:
    """Group (confidence, was right) by bands of confidence; empty bands are left out."""
    held = list(results)
    bands = []
    for low, high in itertools.pairwise(edges):
        inside = [
            (confidence, right)
            for confidence, right in held
            if low <= confidence < high or confidence == high == edges[-1]
        ]
        if inside:
            mean = statistics.fmean(confidence for confidence, _ in inside)
            share = sum(right for _, right in inside) / len(inside)
            bands.append(ConfidenceBand(low, high, len(inside), mean, share))
    return tuple(bands)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _within(ratio: float, factor: float) -> bool:
    return 1 / factor <= ratio <= factor
