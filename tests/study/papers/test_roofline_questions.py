"""RQ1's questions: drawn evenly, and answered exactly by the numbers that they show."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_core.settings import AdvisorSettings
from roofline_study.papers.roofline_questions import (
    RooflineCase,
    answered,
    examples_text,
    roofline_cases,
)
from roofline_study.papers.rq1 import (
    FORMS,
    QuestionForm,
    RooflineSet,
    arithmetic_answers,
    form_questions,
    form_subjects,
    roofline_scores,
)

from .conftest import BB, CB


def case(bandwidth: str, peak: str, intensity: str) -> RooflineCase:
    return RooflineCase(*map(Decimal, (bandwidth, peak, intensity, "1")))


def test_the_balance_point_itself_is_bandwidth_bound() -> None:
    assert case("100", "1000", "10").verdict is BB
    assert case("100", "1000", "10.01").verdict is CB
    assert case("0.1", "0.03", "0.3").verdict is BB  # as floats 0.3 x 0.1 is more than 0.03


@given(st.integers())
def test_arithmetic_answers_every_question(seed: int) -> None:
    for each in roofline_cases(4, str(seed)):
        numbers = [Fraction(text) for text in re.findall(r"\d+(?:\.\d+)?", each.text())]
        bandwidth, peak, intensity, performance = numbers
        assert answered(each.text()) is each.verdict
        assert (each.verdict is CB) == (intensity > peak / bandwidth)
        assert 0 < performance <= min(peak, intensity * bandwidth)


def test_another_text_has_no_answer() -> None:
    assert answered("A GPU has a peak bandwidth of many GB/s.") is None


def test_classes_are_even_and_seeds_repeat() -> None:
    cases = roofline_cases(80, "x")
    assert sum(each.verdict is CB for each in cases) == 40
    assert cases == roofline_cases(80, "x")
    assert cases != roofline_cases(80, "y")
    assert len(set(cases)) == 80
    for shots in (2, 4, 8):
        assert sum(each.verdict is CB for each in cases[:shots]) == shots // 2


def test_an_example_by_hand() -> None:
    shown = RooflineCase(Decimal(50), Decimal(100), Decimal(4), Decimal(80))
    text = (
        "Question: A GPU has a peak bandwidth of 50 GB/s and a peak performance of 100 GFLOP/s. A"
        " program that runs on it has an arithmetic intensity of 4 FLOP/byte and reaches 80"
        " GFLOP/s. By the roofline model, is the program compute-bound or bandwidth-bound?"
    )
    assert examples_text((shown,), thought=False) == f"{text}\nAnswer: Compute"
    assert examples_text((shown,), thought=True) == (
        f"{text}\nReason: The balance point of the GPU is 100 / 50 = 2 FLOP/byte. The program's 4"
        " FLOP/byte are above it, so computing limits it.\nAnswer: Compute"
    )


def test_forms_and_their_questions() -> None:
    assert [form.name for form in FORMS] == [
        "2 shots",
        "4 shots",
        "8 shots",
        "2 shots, chain of thought",
        "4 shots, chain of thought",
        "8 shots, chain of thought",
    ]
    held = RooflineSet.drawn(3, 7)
    form = QuestionForm(4, thought=True)
    questions = list(form_questions(held, form, AdvisorSettings(), 2))
    assert [(each.item, each.trial) for each in questions] == [
        (f"4 shots, chain of thought: {at}", trial) for at in (1, 2, 3) for trial in (0, 1)
    ]
    request = questions[0].request
    assert request.system.count("Question:") == request.system.count("Reason:") == 4
    assert request.turns[0].text == f"Question: {held.cases[0].text()}"
    assert list(request.schema["properties"]) == ["reason", "answer"]
    assert len({each.request.key() for each in questions}) == 6
    assert list(form_subjects(held, form)) == [each.item for each in questions[::2]]
    plain = next(form_questions(held, QuestionForm(2, thought=False), AdvisorSettings(), 1))
    assert plain.request.system.count("Question:") == 2
    assert "Reason:" not in plain.request.system
    assert list(plain.request.schema["properties"]) == ["answer"]


def test_arithmetic_is_exact_by_construction() -> None:
    found = roofline_scores(arithmetic_answers(RooflineSet.drawn(80, 20250720)))
    assert list(found.confusion.cells) == [40, 0, 0, 0, 40, 0]
    interval = found.intervals["accuracy"]
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.9542, 1.0), abs=1e-4)
