from __future__ import annotations

import math

import pytest

from roofline_study.reliability import confidence_bands, reliability


def test_confidence_bands_hold_claim_against_truth() -> None:
    results = [(0.5, True), (0.55, False), (0.95, True), (1.0, True), (0.3, False)]
    low, middle, high = confidence_bands(results)
    assert (low.low, low.high, low.count, low.accuracy) == (0.0, 0.5, 1, 0.0)
    assert (middle.count, middle.accuracy) == (2, 0.5)
    assert middle.mean_confidence == pytest.approx(0.525)
    assert (high.low, high.high, high.count, high.accuracy) == (0.9, 1.0, 2, 1.0)


def test_confidences_that_mean_what_they_say_have_no_calibration_error() -> None:
    results = [(0.75, right) for right in (True, True, True, False)] * 5
    results += [(0.5, True), (0.5, False)]
    held = reliability(results)
    assert held.calibration_error == 0
    # 15 times 0.25^2, 5 times 0.75^2, twice 0.5^2
    assert held.brier == pytest.approx((15 * 0.0625 + 5 * 0.5625 + 0.5) / 22)
    expected = -(15 * math.log(0.75) + 5 * math.log(0.25) + 2 * math.log(0.5)) / 22
    assert held.log_loss == pytest.approx(expected)


def test_claiming_too_much_costs_more_than_claiming_too_little() -> None:
    half = [True, False] * 10
    bold = reliability([(0.95, right) for right in half])
    shy = reliability([(0.55, right) for right in half])
    assert bold.calibration_error == pytest.approx(0.45)
    assert shy.calibration_error == pytest.approx(0.05)
    assert bold.brier is not None
    assert shy.brier is not None
    assert bold.brier == pytest.approx((0.05**2 + 0.95**2) / 2)
    assert bold.brier > shy.brier > 0.25


def test_a_certain_mistake_has_a_finite_loss() -> None:
    held = reliability([(1.0, False)])
    assert held.log_loss == pytest.approx(-math.log(1e-6))
    assert held.brier == 1


def test_nothing_judged_leaves_all_undefined() -> None:
    held = reliability([])
    assert (held.bands, held.brier, held.log_loss, held.calibration_error) == ((), None, None, None)
