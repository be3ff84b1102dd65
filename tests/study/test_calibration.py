from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Callable

import pytest

from roofline_analysis.report.report import ConfidenceFeatures, Prediction, Verdict
from roofline_analysis.verdict.confidence import FEATURES, features, probability
from roofline_study.calibration import Sample, fit, samples, table_text, validate
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Judgement


def sample(number: int, grounds: ConfidenceFeatures, *, right: bool) -> Sample:
    return Sample(f"program{number % 40}", "cuda", grounds, right)


def verdicts(count: int, seed: int = 1) -> list[Sample]:
    """Right with the odds 9 to 1 where nothing was assumed, 3 to 2 where much was."""
    draw = random.Random(seed)
    held = []
    for number in range(count):
        assumed = draw.random() < 0.5
        share = 1.0 if assumed else 0.0
        right = draw.random() < (0.6 if assumed else 0.9)
        held.append(sample(number, ConfidenceFeatures(-3.0, share, 0.0, 0), right=right))
    return held


def test_the_fit_finds_the_odds_that_verdicts_were_made_with() -> None:
    coefficients = fit(verdicts(4000))
    for share, odds in ((0.0, 0.9), (1.0, 0.6)):
        given = probability(features(ConfidenceFeatures(-3.0, share, 0.0, 0)), coefficients)
        assert given == pytest.approx(odds, abs=0.02)


def test_verdicts_that_can_be_told_apart_keep_the_coefficients_finite() -> None:
    held = [sample(n, ConfidenceFeatures(3.0, 0.0, 0.0, 0), right=True) for n in range(20)]
    held += [sample(n, ConfidenceFeatures(3.0, 1.0, 0.0, 0), right=False) for n in range(20)]
    assert all(math.isfinite(value) and abs(value) < 20 for value in fit(held))
    assert all(math.isfinite(value) for value in fit(held[:20]))


def test_cross_validation_meets_every_verdict_once_in_each_repeat() -> None:
    held = verdicts(400)
    (found,) = validate(held, repeats=3)
    assert found.setting == "cuda"
    assert sum(band.count for band in found.now.bands) == 400
    assert sum(band.count for band in found.refitted.bands) == 1200
    assert found.refitted.calibration_error is not None
    assert found.refitted.calibration_error < 0.05
    assert validate(held, repeats=3) == (found,)


def test_one_program_cannot_be_divided() -> None:
    with pytest.raises(ValueError, match="two programs"):
        validate([Sample("one", "cuda", ConfidenceFeatures(1.0, 0.0, 0.0, 0), True)])


def test_samples_are_verdicts_with_grounds_and_languages_share_a_group(
    measured: Callable[..., MeasuredKernel], prediction: Callable[..., Prediction]
) -> None:
    grounds = ConfidenceFeatures(-2.0, 0.0, 0.0, 1)
    omp = measured(program="saxpy-omp", kernel="__omp_offloading_1_2_main_l3")
    judgements = [
        Judgement(measured(), prediction(grounds=grounds)),
        Judgement(omp, prediction(Verdict.COMPUTE_BOUND, grounds=grounds)),
        Judgement(measured(), prediction()),
        Judgement(measured(), prediction(verdict=None, grounds=grounds)),
        Judgement(measured(), None, "lost"),
    ]
    assert samples(judgements, ", source only") == [
        Sample("saxpy", "cuda, source only", grounds, True),
        Sample("saxpy", "omp, source only", grounds, False),
    ]


def test_the_table_says_what_it_was_fitted_to() -> None:
    held = verdicts(10)
    text = table_text([0.5, 1.25, 0.5, 0.0, -1.0, -0.25, -0.125, -2.0, 0.0, -0.5, -0.75, 1.0], held)
    right = sum(each.right for each in held)
    assert f"#   cuda: 10, {right * 10}.0% right" in text.splitlines()
    table = tomllib.loads(text)["coefficients"]
    assert tuple(table) == FEATURES
    assert (table["assumed_operations"], table["unseen"]) == (-1.0, -2.0)
