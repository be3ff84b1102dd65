from __future__ import annotations

import math

import pytest

from roofline_analysis.report.report import Verdict
from roofline_study.metrics import Confusion, quantity_error

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


def test_pairs_are_counted_by_measured_and_predicted_class() -> None:
    pairs = [(CB, CB)] * 2 + [(CB, BB)] * 3 + [(CB, None)] * 5
    pairs += [(BB, CB)] * 7 + [(BB, BB)] * 11 + [(BB, None)] * 13
    confusion = Confusion.of(pairs)
    assert confusion == Confusion(2, 3, 5, 7, 11, 13)
    assert (confusion.positives, confusion.negatives, confusion.total) == (10, 31, 41)
    assert (confusion.undecided, confusion.correct) == (18, 13)


def test_metrics_worked_out_by_hand() -> None:
    # tp 6, fn 2, fp 3, tn 9
    confusion = Confusion(cb_as_cb=6, cb_as_bb=2, bb_as_cb=3, bb_as_bb=9)
    assert confusion.accuracy == 15 / 20
    assert confusion.recall == 6 / 8
    assert confusion.precision == 6 / 9
    assert confusion.balanced_accuracy == (6 / 8 + 9 / 12) / 2
    assert confusion.f1 == pytest.approx(12 / 17)
    # (6*9 - 3*2) / sqrt(9 * 8 * 12 * 11)
    assert confusion.mcc == pytest.approx(48 / math.sqrt(9504))


def test_undecided_kernels_count_as_the_other_class() -> None:
    undecided = Confusion(cb_as_cb=6, cb_undecided=2, bb_undecided=3, bb_as_bb=9)
    wrong = Confusion(cb_as_cb=6, cb_as_bb=2, bb_as_cb=3, bb_as_bb=9)
    for metric in ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"):
        assert getattr(undecided, metric) == getattr(wrong, metric)


def test_always_the_same_class_has_half_the_balanced_accuracy_and_no_mcc() -> None:
    confusion = Confusion(cb_as_bb=26, bb_as_bb=74)
    assert confusion.accuracy == 0.74
    assert confusion.balanced_accuracy == 0.5
    assert (confusion.recall, confusion.f1) == (0, 0)
    assert confusion.precision is None
    assert confusion.mcc is None


def test_nothing_measured_leaves_every_metric_undefined() -> None:
    empty = Confusion()
    for metric in ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"):
        assert getattr(empty, metric) is None
    assert Confusion(bb_as_bb=3).balanced_accuracy is None


def test_perfect_and_inverted_predictions_are_at_the_ends_of_mcc() -> None:
    assert Confusion(cb_as_cb=4, bb_as_bb=6).mcc == 1
    assert Confusion(cb_as_bb=4, bb_as_cb=6).mcc == -1


def test_quantity_errors_worked_out_by_hand() -> None:
    pairs = [
        (100.0, 100.0),  # exact
        (100.0, 110.0),  # at the edge of 10%
        (100.0, 50.0),  # at the edge of 2x
        (100.0, 300.0),  # outside
        (100.0, 0.0),  # outside, 100% off, no ratio
        (0.0, 7.0),  # outside, no percentage, no ratio
        (0.0, 0.0),  # says nothing
        (100.0, None),  # no prediction
        (0.0, None),  # no prediction
    ]
    error = quantity_error(pairs)
    assert (error.compared, error.missing, error.spurious, error.both_zero) == (6, 1, 2, 1)
    assert error.within_10_percent == 2 / 6
    assert error.within_2x == 3 / 6
    # 0, 10, 50, 200, 100
    assert error.median_absolute_percentage_error == 50
    # 1, 1.1, 0.5, 3
    assert error.median_ratio == pytest.approx(1.05)


@pytest.mark.parametrize(
    ("predicted", "within_10_percent", "within_2x"),
    [(90, 1, 1), (89.9, 0, 1), (110, 1, 1), (110.1, 0, 1), (50, 0, 1), (49.9, 0, 0), (200, 0, 1),
     (200.1, 0, 0), (0, 0, 0)],
)  # fmt: skip
def test_bounds_are_of_what_was_measured(
    predicted: float, within_10_percent: float, within_2x: float
) -> None:
    error = quantity_error([(100.0, predicted)])
    assert (error.within_10_percent, error.within_2x) == (within_10_percent, within_2x)


def test_quantity_errors_of_nothing_are_undefined() -> None:
    error = quantity_error([(0.0, 0.0)])
    assert (error.compared, error.both_zero, error.spurious) == (0, 1, 0)
    assert error.within_2x is None
    assert error.median_absolute_percentage_error is None
    assert error.median_ratio is None
