"""The metrics of ``Confusion`` for many confusions at once, as the bootstrap needs them.

Each takes rows of ``Confusion.cells`` and gives a value for each row, NaN for what ``Confusion``
leaves None.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from roofline_study.bootstrap import Figure, Floats


def _counts(cells: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """True positives, false negatives, false positives and true negatives, undecided ones wrong."""
    tp, cb_as_bb, cb_undecided, bb_as_cb, tn, bb_undecided = cells.T
    return tp, cb_as_bb + cb_undecided, bb_as_cb + bb_undecided, tn


def _accuracy(cells: Floats) -> Floats:
    tp, fn, fp, tn = _counts(cells)
    return (tp + tn) / (tp + fn + fp + tn)


def _balanced_accuracy(cells: Floats) -> Floats:
    tp, fn, fp, tn = _counts(cells)
    return (tp / (tp + fn) + tn / (tn + fp)) / 2


def _precision(cells: Floats) -> Floats:
    tp, _, fp, _ = _counts(cells)
    return tp / (tp + fp)


def _recall(cells: Floats) -> Floats:
    tp, fn, _, _ = _counts(cells)
    return tp / (tp + fn)


def _f1(cells: Floats) -> Floats:
    tp, fn, fp, _ = _counts(cells)
    return 2 * tp / (2 * tp + fp + fn)


def _mcc(cells: Floats) -> Floats:
    tp, fn, fp, tn = _counts(cells)
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


METRIC_FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        "balanced_accuracy": _balanced_accuracy,
        "accuracy": _accuracy,
        "precision": _precision,
        "recall": _recall,
        "f1": _f1,
        "mcc": _mcc,
    }
)
"""By the names of ``Confusion``'s properties."""
