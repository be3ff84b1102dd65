"""Answers about kernels held against what was measured: one row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from roofline_advisor.pricing import BATCH_SHARE, Price, price
from roofline_analysis.report.report import Verdict
from roofline_study.bootstrap import intervals
from roofline_study.dataset import MeasuredKernel
from roofline_study.metric_figures import METRIC_FIGURES
from roofline_study.metrics import Confusion
from roofline_study.papers.errors import StudyError
from roofline_study.papers.kept_answers import KeptAnswer
from roofline_study.summary import Intervals


class RowKind(Enum):
    """Where a row's answers come from."""

    PUBLISHED = "published"
    CONSTANT = "constant"
    """Says the same of every kernel."""
    STATIC = "static"
    MODEL = "model"
    IMPORTED = "imported"


def family(row: MeasuredKernel) -> str:
    """The program without its language: its versions in two languages share much of their code."""
    return row.program.removesuffix(f"-{row.language}")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a class is asked of."""

    name: str
    """``program:kernel``, or a question's number."""
    group: str
    """Subjects of a group are drawn together where intervals are made."""
    label: Verdict
    """The class that is right."""

    @classmethod
    def of(cls, row: MeasuredKernel) -> Subject:
        """A measured kernel. Raises StudyError for a row without class."""
        if row.label is None:
            raise StudyError(f"{row.name}: the data set has no class ('label') for this row")
        return cls(row.name, family(row), row.label)


@dataclass(frozen=True, slots=True)
class ClassAnswers:
    """What one answerer says of some subjects."""

    name: str
    kind: RowKind
    given: Mapping[Subject, Sequence[Verdict | None]]
    """The answers of each subject, one a trial; None for one that names no class. A subject without
    any answer was not answered, and is not scored."""
    cost_dollars: float | None = None
    """None where the price is not known or nothing was paid."""
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The metrics of one answerer. Several answers about a subject share its weight."""

    name: str
    kind: RowKind
    subjects: int
    """Those with an answer."""
    answers: int
    confusion: Confusion
    intervals: Intervals
    cost_dollars: float | None
    price: Price | None


def scores(answers: ClassAnswers) -> ClassScores:
    """Score what was answered; intervals are over groups of subjects."""
    groups: dict[str, list[float]] = {}
    total = [0.0] * len(Confusion().cells)
    for subject, given in answers.given.items():
        for verdict in given:
            sums = groups.setdefault(subject.group, [0.0] * len(total))
            for at, cell in enumerate(Confusion.of([(subject.label, verdict)]).cells):
                sums[at] += cell / len(given)
                total[at] += cell / len(given)
    return ClassScores(
        answers.name,
        answers.kind,
        sum(bool(given) for given in answers.given.values()),
        sum(map(len, answers.given.values())),
        Confusion(*total),
        intervals(list(groups.values()), METRIC_FIGURES),
        answers.cost_dollars,
        answers.price,
    )


def constant_answers(subjects: Sequence[Subject]) -> tuple[ClassAnswers, ...]:
    """Those who say of every subject that it is of one class."""
    return tuple(
        ClassAnswers(f"always {each.value}", RowKind.CONSTANT, dict.fromkeys(subjects, (each,)))
        for each in Verdict
    )


def paid(answers: Sequence[KeptAnswer], model: str) -> float | None:
    """US dollars by the model's price, without the endpoint's prompt cache; None if not known."""
    found = price(model)
    if found is None:
        return None
    return sum(
        (found.input * each.usage.total_input + found.output * each.usage.output_tokens)
        * (BATCH_SHARE if each.batch else 1.0)
        / 1e6
        for each in answers
    )
