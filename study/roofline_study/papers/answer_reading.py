"""Kept answers read as classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofline_advisor.errors import Fault
from roofline_advisor.pricing import price
from roofline_analysis.report.report import Verdict
from roofline_study.papers.class_words import class_of
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.kept_answers import KeptAnswer
from roofline_study.papers.scores import ClassAnswers, RowKind, Subject, paid

ANSWER = "answer"
"""The property of a reply that holds the word for the class."""
_WORDS_ALL_THE_SAME = {Fault.MALFORMED.value, Fault.OFF_SCHEMA.value}
"""Of endpoints that hold replies to no schema, the text may be the word that was asked for."""


def class_given(answer: KeptAnswer) -> Verdict | None:
    """The class that an answer names; None where it names none."""
    if answer.value is not None:
        return class_of(str(answer.value.get(ANSWER, "")))
    return class_said(answer.said or "", answer.fault)


def class_said(text: str, fault: str | None) -> Verdict | None:
    """The class that a text names, of a reply without or with a fault."""
    return class_of(text) if fault is None or fault in _WORDS_ALL_THE_SAME else None


def model_answers(
    name: str,
    questions: Sequence[StudyQuestion],
    answers: Sequence[KeptAnswer | None],
    subjects: Mapping[str, Subject],
) -> ClassAnswers:
    """What a model says, its answers in the order of the questions.

    ``subjects`` are those of the questions' items. All questions are to one model.
    """
    given: dict[Subject, list[Verdict | None]] = {}
    held = []
    for question, answer in zip(questions, answers, strict=True):
        if answer is not None:
            given.setdefault(subjects[question.item], []).append(class_given(answer))
            held.append(answer)
    model = questions[0].request.model
    return ClassAnswers(
        name, RowKind.MODEL, given, paid(held, model) if held else None, price(model)
    )
