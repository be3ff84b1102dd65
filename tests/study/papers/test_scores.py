"""Scores by hand: metrics, trials, intervals, cost."""

from __future__ import annotations

import math

import pytest

from roofline_advisor.usage import Usage
from roofline_analysis.report.report import Verdict
from roofline_study.papers.kept_answers import KeptAnswer
from roofline_study.papers.scores import (
    ClassAnswers,
    RowKind,
    Subject,
    constant_answers,
    paid,
    scores,
)
from roofline_study.papers.wilson import wilson

from .conftest import BB, CB, made_row


def subject(name: str, label: Verdict) -> Subject:
    return Subject(name, name, label)


def given(*pairs: tuple[Verdict, tuple[Verdict | None, ...]]) -> ClassAnswers:
    held = {subject(str(at), label): answers for at, (label, answers) in enumerate(pairs)}
    return ClassAnswers("m", RowKind.MODEL, held)


def test_metrics_by_hand() -> None:
    """3 right CB, 1 CB as BB, 1 CB without class; 2 right BB, 3 BB as CB."""
    answers = given(
        *[(CB, (CB,))] * 3, (CB, (BB,)), (CB, (None,)), *[(BB, (BB,))] * 2, *[(BB, (CB,))] * 3
    )
    found = scores(answers)
    assert list(found.confusion.cells) == [3, 1, 1, 3, 2, 0]
    assert (found.subjects, found.answers) == (10, 10)
    assert found.confusion.accuracy == 0.5
    assert found.confusion.precision == 0.5
    assert found.confusion.recall == 0.6
    assert found.confusion.f1 == pytest.approx(6 / 11)
    # TP 3, FN 2, FP 3, TN 2: (3 x 2 - 3 x 2) / sqrt(6 x 5 x 5 x 4) = 0
    assert found.confusion.mcc == 0
    assert found.intervals["accuracy"] is not None


def test_trials_share_the_weight_of_a_kernel() -> None:
    found = scores(given((CB, (CB, CB, BB, None)), (BB, (BB,)), (BB, ())))
    assert list(found.confusion.cells) == [0.5, 0.25, 0.25, 0, 1, 0]
    assert (found.subjects, found.answers) == (2, 5)
    assert found.confusion.accuracy == 0.75


def test_versions_in_two_languages_are_one_program() -> None:
    cuda, omp = made_row("a-cuda", CB), made_row("a-omp", BB, language="omp")
    assert Subject.of(cuda).group == Subject.of(omp).group == "a"
    answers = {Subject.of(row): (row.label,) for row in (cuda, omp)}
    found = scores(ClassAnswers("x", RowKind.STATIC, answers))
    assert found.intervals["accuracy"] is None  # of a single program there is no interval
    assert found.confusion.accuracy == 1


def test_constant_answers_are_right_by_half() -> None:
    subjects = [subject("1", CB), subject("2", BB), subject("3", CB), subject("4", BB)]
    cb, bb = map(scores, constant_answers(subjects))
    assert (cb.name, bb.name) == ("always CB", "always BB")
    assert list(cb.confusion.cells) == [2, 0, 0, 2, 0, 0]
    assert list(bb.confusion.cells) == [0, 2, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [
        # The roots of (p - share)^2 = z^2 p (1 - p) / count, solved by hand for z = 1.96.
        (0.0, 10, 0.0, 0.2775),
        (0.5, 10, 0.2366, 0.7634),
        (1.0, 80, 0.9542, 1.0),
        (218 / 340, 340, 0.5889, 0.6903),
    ],
)
def test_wilson(share: float, count: int, low: float, high: float) -> None:
    found = wilson(share, count)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)
    for end in (found.low, found.high):
        assert (end - share) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / count, abs=1e-8)


def answer(usage: Usage, *, batch: bool) -> KeptAnswer:
    return KeptAnswer("rq2", "a", 0, "claude-opus-5", {"answer": "x"}, None, None, usage, batch)


def test_what_was_paid() -> None:
    """claude-opus-5: 5 $ for 10^6 tokens in, 25 $ out; batches cost half."""
    one = answer(Usage(1000, 100, 500, 500), batch=False)
    two = answer(Usage(1000, 100), batch=True)
    assert paid([one], "claude-opus-5") == pytest.approx(0.01 + 0.0025)
    assert paid([one, two], "claude-opus-5") == pytest.approx(0.0125 + 0.00375)
    assert paid([one], "somebody's-model") is None
    assert math.isclose(paid([], "claude-opus-5") or 0.0, 0.0)
