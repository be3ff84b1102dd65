"""One verdict of three."""

from __future__ import annotations

import pytest

from roofline_advisor.joining import join, majority, opinion_of
from roofline_analysis.report.report import PredictionSource, Verdict

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([CB], CB),
        ([CB, BB, BB], BB),
        ([CB, BB], None),
        ([CB, None, None], CB),
        ([None], None),
        ([], None),
    ],
)
def test_the_majority(votes: list[Verdict | None], expected: Verdict | None) -> None:
    assert majority(votes) is expected


@pytest.mark.parametrize(
    ("static", "confidence", "model", "expected", "sure", "source"),
    [
        # Agreement adds up: odds 0.7/0.3 x 0.64/0.36 = 4.148.
        (CB, 0.7, CB, CB, 0.80576, PredictionSource.STATIC),
        # Disagreement takes away: odds 4 / 1.7778 = 2.25.
        (BB, 0.8, CB, BB, 0.69231, PredictionSource.STATIC),
        # Only where the analysis is less sure than the model is trusted is it overturned.
        (BB, 0.6, CB, CB, 0.54237, PredictionSource.LLM),
        (BB, 0.64, CB, None, 0.5, PredictionSource.LLM),
        (None, 0.0, CB, CB, 0.64, PredictionSource.LLM),
        (CB, 0.9, None, CB, 0.9, PredictionSource.STATIC),
        (None, 0.0, None, None, 0.5, PredictionSource.STATIC),
        # Certainty does not divide by zero.
        (CB, 1.0, BB, CB, 0.99822, PredictionSource.STATIC),
    ],
)
def test_static_and_model(
    static: Verdict | None,
    confidence: float,
    model: Verdict | None,
    expected: Verdict | None,
    sure: float,
    source: PredictionSource,
) -> None:
    joined = join(static, confidence, model, 0.64)
    assert joined.verdict is expected
    assert joined.confidence == pytest.approx(sure, abs=1e-5)
    assert joined.source is source


def test_what_was_measured_decides_and_disagreement_is_said() -> None:
    joined = join(CB, 0.99, CB, 0.64, measured=BB)
    assert (joined.verdict, joined.confidence, joined.source) == (
        BB,
        1.0,
        PredictionSource.MEASURED,
    )
    assert joined.disagreeing == (PredictionSource.STATIC, PredictionSource.LLM)
    assert join(CB, 0.9, BB, 0.64).disagreeing == (PredictionSource.LLM,)
    assert join(BB, 0.55, CB, 0.64).disagreeing == (PredictionSource.STATIC,)
    assert join(CB, 0.9, CB, 0.64).disagreeing == ()


def test_an_opinion_gives_the_reason_of_the_majority() -> None:
    opinion = opinion_of(
        [CB, BB, BB],
        ["few bytes", "many bytes", "so many bytes"],
        model="m",
        protocol="evidence",
        static=CB,
        confidence=0.55,
        trust=0.64,
    )
    assert (opinion.verdict, opinion.votes, opinion.of_votes) == (BB, 2, 3)
    assert opinion.reason == "many bytes"
    assert (opinion.joined, opinion.joined_source) == (BB, PredictionSource.LLM)
