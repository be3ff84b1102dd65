from __future__ import annotations

import math
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.verdict.confidence import (
    FEATURES,
    LEAST,
    MOST,
    MOST_BY_GUESS,
    TABLE,
    confidence,
    features,
    probability,
)
from roofline_analysis.verdict.prediction import ConfidenceFeatures

shares = st.floats(0, 1)
counts = st.integers(0, 100)
grounds = st.builds(
    ConfidenceFeatures, st.floats(-20, 20), shares, shares, counts, shares, counts, st.floats(0, 30)
)


def test_features_of_a_verdict() -> None:
    found = features(ConfidenceFeatures(math.log(4), 0.25, 0.5, 3))
    assert found == pytest.approx((1, 0.75, 63 / 64, 1, 0.25, 0.5, 2, 0, 0, 0, 0))
    assert features(ConfidenceFeatures(-math.log(4), 0, 0, 0, 0.25, 3, 1.5)) == pytest.approx(
        (1, 0.75, 63 / 64, 0, 0, 0, 0, 0.25, 1.5, 1, 0)
    )
    assert features(ConfidenceFeatures(1, 0, 0, 0, 0, 1))[-2:] == (1, 1)
    assert features(ConfidenceFeatures(-1, 0, 0, 15)) == features(ConfidenceFeatures(-1, 0, 0, 200))


def test_odds_become_a_probability_within_bounds() -> None:
    assert probability((1.0, 2.0), (0.0, math.log(3) / 2)) == pytest.approx(0.75)
    assert probability((1.0,), (-5.0,)) == LEAST
    assert probability((1.0,), (50.0,)) == MOST


@given(grounds)
def test_every_verdict_has_a_confidence(held: ConfidenceFeatures) -> None:
    assert LEAST <= confidence(held) <= MOST


@given(grounds)
def test_assuming_more_never_makes_a_verdict_surer(held: ConfidenceFeatures) -> None:
    more = ConfidenceFeatures(
        held.margin, 1.0, 1.0, held.unknowns + 5, 1.0, held.guessed_sizes + 1, held.reuse + 1
    )
    assert confidence(more) <= confidence(held)


@given(grounds, st.floats(1, 10))
def test_far_from_the_ridge_a_verdict_is_surer(held: ConfidenceFeatures, times: float) -> None:
    far = replace(held, margin=held.margin * times)
    assert confidence(far) >= confidence(held) - 1e-12


def test_the_shipped_table_has_a_coefficient_for_each_feature() -> None:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["coefficients"]
    assert tuple(table) == FEATURES


def test_a_compute_bound_kernel_that_moves_next_to_nothing_at_guessed_sizes_is_not_sure() -> None:
    sure = ConfidenceFeatures(6.0, 0, 0, 0, guessed_sizes=2)
    lost = replace(sure, moves_little=True)
    assert confidence(sure) > confidence(lost) == MOST_BY_GUESS
    for known in (replace(lost, guessed_sizes=0), replace(lost, margin=-6.0)):
        assert confidence(known) == confidence(replace(known, moves_little=False))
