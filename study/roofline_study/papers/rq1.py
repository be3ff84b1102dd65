"""RQ1: what is asked with given numbers, and the rows that the answers make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from roofline_advisor.request import Request, Turn
from roofline_advisor.schema import Schema, obj
from roofline_core.settings import AdvisorSettings
from roofline_study.papers.answer_reading import ANSWER
from roofline_study.papers.class_table import class_table, published_accuracy_row
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.published import published
from roofline_study.papers.roofline_questions import (
    RooflineCase,
    answered,
    examples_text,
    roofline_cases,
)
from roofline_study.papers.scores import ClassAnswers, ClassScores, RowKind, Subject, scores
from roofline_study.papers.table import ResultTable
from roofline_study.papers.texts import constant_text, paragraphs
from roofline_study.papers.wilson import wilson

STUDY = "rq1"
SHOTS = (2, 4, 8)
"""How many solved examples stand before a question."""

_WORD: Schema = {"type": "string", "maxLength": 400}
WORD: Schema = obj(**{ANSWER: _WORD})
REASONED: Schema = obj(**{"reason": {"type": "string", "maxLength": 4000}, ANSWER: _WORD})


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """How a question is asked."""

    shots: int
    thought: bool
    """With a chain of thought, in the examples and asked for."""

    @property
    def name(self) -> str:
        """``2 shots``, ``8 shots, chain of thought``."""
        return f"{self.shots} shots" + (", chain of thought" if self.thought else "")


FORMS = tuple(QuestionForm(shots, thought) for thought in (False, True) for shots in SHOTS)


@dataclass(frozen=True, slots=True)
class RooflineSet:
    """The questions of RQ1, the same for every form, and what the examples are taken from."""

    cases: tuple[RooflineCase, ...]
    examples: tuple[RooflineCase, ...]

    @classmethod
    def drawn(cls, count: int, seed: int) -> RooflineSet:
        """So many questions. Equal seeds give equal ones."""
        return cls(
            roofline_cases(count, f"{seed} questions"),
            roofline_cases(max(SHOTS), f"{seed} examples"),
        )

    def subjects(self) -> tuple[Subject, ...]:
        """The questions with their answers."""
        return tuple(
            Subject(str(at), str(at), case.verdict) for at, case in enumerate(self.cases, 1)
        )


def form_questions(
    held: RooflineSet, form: QuestionForm, settings: AdvisorSettings, trials: int
) -> Iterator[StudyQuestion]:
    """The questions of a form, every trial of one after the other."""
    examples = examples_text(held.examples[: form.shots], thought=form.thought)
    system = paragraphs(
        constant_text("rq1"), constant_text("thought" if form.thought else "word"), examples
    )
    for at, case in enumerate(held.cases, 1):
        for trial in range(trials):
            turns = (Turn("user", f"Question: {case.text()}"),)
            schema = REASONED if form.thought else WORD
            request = Request.of(settings, system, turns, schema, trial)
            yield StudyQuestion(STUDY, f"{form.name}: {at}", trial, request)


def arithmetic_answers(held: RooflineSet) -> ClassAnswers:
    """What arithmetic says from the questions' texts; exact by construction."""
    subjects = held.subjects()
    pairs = zip(subjects, held.cases, strict=True)
    return ClassAnswers(
        "static: arithmetic, exact by construction",
        RowKind.STATIC,
        {subject: (answered(case.text()),) for subject, case in pairs},
    )


def form_subjects(held: RooflineSet, form: QuestionForm) -> dict[str, Subject]:
    """The questions of a form by their items."""
    return {f"{form.name}: {subject.name}": subject for subject in held.subjects()}


def roofline_scores(answers: ClassAnswers) -> ClassScores:
    """Scores of RQ1, whose questions are independent: accuracies get Wilson's interval."""
    found = scores(answers)
    accuracy = found.confusion.accuracy
    if accuracy is None:
        return found
    interval = wilson(accuracy, found.subjects)
    return replace(found, intervals={**found.intervals, "accuracy": interval})


def roofline_table(answers: Sequence[ClassAnswers], notes: Sequence[str] = ()) -> ResultTable:
    """The published accuracies, then ours."""
    rows = [
        published_accuracy_row(model, accuracy, count=None, form=form)
        for model in published().models
        for accuracy, form in ((model.rq1, ""), (model.rq1_thought, ", chain of thought"))
        if accuracy is not None
    ]
    ours = [roofline_scores(each) for each in answers]
    return class_table("RQ1: roofline questions with given numbers", rows, ours, notes)
