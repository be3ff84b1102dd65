"""The regression finds a law that is known, and sees nothing of what is held out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from roofline_study.llmperf.regression import (
    Recipe,
    RegressionError,
    TimedSample,
    TimeRegression,
    error_of,
    fit_by,
    folds,
    held_out,
)

pytest.importorskip("sklearn", reason="the extra `study` is not installed")

RECIPE = Recipe(("model.flops", "model.bytes"), per="sizes.items")


def by_law(count: int, *, noise: float = 0.0, seed: int = 1) -> list[TimedSample]:
    """Launches that take 1000 ns, 0.5 ns for each operation and 2 ns for each byte."""
    chance = np.random.default_rng(seed)
    found = []
    for index in range(count):
        flops, moved, items = (float(each) for each in 2.0 ** chance.uniform(6, 20, 3))
        time = (1000 + 0.5 * flops + 2 * moved) * 2 ** chance.normal(0, noise)
        features = {"model.flops": flops, "model.bytes": moved, "sizes.items": items}
        found.append(TimedSample(features, time, f"kernel {index % 25}"))
    return found


def test_the_rates_of_a_law_are_found() -> None:
    rates = TimeRegression(by_law(200), RECIPE).rates()
    assert rates == pytest.approx(
        {"constant": 1000, "model.flops": 0.5, "model.bytes": 2}, rel=1e-3
    )


def test_a_law_holds_for_kernels_that_were_not_seen_and_far_outside() -> None:
    samples = by_law(200)
    error = error_of(samples, held_out(samples, fit_by(RECIPE)))
    assert error is not None
    assert (error.count, error.groups) == (200, 25)
    assert error.mape < 0.01
    assert error.within_2x == 1.0
    far = {"model.flops": 2.0**21, "model.bytes": 2.0**21, "sizes.items": 2.0**20}
    (time,) = TimeRegression(samples, RECIPE).predict([far])
    assert max(each.time_ns for each in samples) < 2.5 * 2**20
    assert time == pytest.approx(2.5 * 2**21, rel=0.02)


def test_no_time_is_predicted_far_beyond_those_that_were_learnt() -> None:
    samples = by_law(200)
    absurd = {"model.flops": 1e30, "model.bytes": 1.0, "sizes.items": 1.0}
    (time,) = TimeRegression(samples, RECIPE).predict([absurd])
    assert time == 4 * max(each.time_ns for each in samples)


def test_what_no_law_has_is_learnt_by_the_trees() -> None:
    samples = [
        replace(each, time_ns=each.time_ns * (3.0 if each.features["sizes.items"] > 2**13 else 1.0))
        for each in by_law(400)
    ]
    error = error_of(samples, held_out(samples, fit_by(RECIPE)))
    assert error is not None
    assert error.median < 0.05


def test_noise_is_not_learnt() -> None:
    samples = by_law(400, noise=0.2)
    found = held_out(samples, fit_by(RECIPE))
    error = error_of(samples, found)
    assert error is not None
    # The mean of |2**n - 1| for a normal n of 0.2 is 0.11.
    assert 0.09 < error.mape < 0.15


def test_a_group_that_is_left_out_of_the_features_is_not_used() -> None:
    samples = by_law(200)
    blind = replace(RECIPE, without=("model",))
    assert TimeRegression(samples, blind).rates().keys() == {"constant"}
    error = error_of(samples, held_out(samples, fit_by(blind)))
    assert error is not None
    assert error.mape > 0.5


def test_groups_are_held_out_whole() -> None:
    samples = by_law(100)
    seen: list[set[str]] = []

    def fit(known):  # type: ignore[no-untyped-def]
        seen.append({each.group for each in known})
        return lambda asked: np.zeros(len(asked))

    held_out(samples, fit)
    of = folds(each.group for each in samples)
    assert Counter(of.values()) == dict.fromkeys(range(5), 5)
    for fold, groups in enumerate(seen):
        assert groups == {group for group, at in of.items() if at != fold}


def test_errors_by_hand() -> None:
    samples = [TimedSample({}, time, "a") for time in (100.0, 100.0, 100.0, 100.0)]
    error = error_of(samples, np.array([100.0, 150.0, 201.0, 50.0]))
    assert error is not None
    assert error.mape == pytest.approx((0 + 0.5 + 1.01 + 0.5) / 4)
    assert error.median == pytest.approx(0.5)
    many = [*samples * 5]
    most = error_of(many, np.array([100.0] * 19 + [1e6]))
    assert most is not None
    assert most.lower == 0
    assert most.mape > 100
    assert error.within_2x == 0.75
    assert error_of([], np.zeros(0)) is None


def test_too_little_to_learn_from_is_told() -> None:
    with pytest.raises(RegressionError, match="too few"):
        TimeRegression(by_law(3), RECIPE)
    with pytest.raises(RegressionError, match="cannot be dealt out"):
        held_out([replace(each, group="one") for each in by_law(20)], fit_by(RECIPE))
