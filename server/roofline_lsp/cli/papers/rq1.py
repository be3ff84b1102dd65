"""``roofline-lsp study rq1``: roofline questions with given numbers."""

from __future__ import annotations

import argparse

from roofline_core.settings import AdvisorSettings
from roofline_lsp.cli.papers.asking import ModelInterview, advisor_settings, interviews
from roofline_lsp.cli.papers.results import exit_code, incomplete, write_results
from roofline_study.papers.answer_reading import model_answers
from roofline_study.papers.class_table import accuracy_svg
from roofline_study.papers.interview import StudyQuestion
from roofline_study.papers.rq1 import (
    FORMS,
    RooflineSet,
    arithmetic_answers,
    form_questions,
    form_subjects,
    roofline_table,
)
from roofline_study.papers.scores import ClassAnswers, constant_answers


def run(options: argparse.Namespace) -> int:
    """Ask or read what is kept, print the table, and return the exit code."""
    advisor = advisor_settings(options)
    held = RooflineSet.drawn(options.questions, options.seed)

    def questions(settings: AdvisorSettings) -> list[StudyQuestion]:
        """The questions of every form, each as often as there are trials."""
        return [
            each for form in FORMS for each in form_questions(held, form, settings, options.trials)
        ]

    found = interviews(options, advisor, questions)
    rows = [*constant_answers(held.subjects()), arithmetic_answers(held)]
    rows += [row for each in found for row in _rows(each, held, options.trials)]
    table = roofline_table(rows, incomplete(found))
    write_results(options, [table], accuracy_svg(table))
    return exit_code(options, found)


def _rows(held: ModelInterview, drawn: RooflineSet, trials: int) -> list[ClassAnswers]:
    """A row for each form that has answers."""
    each = len(drawn.cases) * trials
    made = []
    for at, form in enumerate(FORMS):
        part = slice(at * each, (at + 1) * each)
        row = model_answers(
            f"{held.model}, {form.name}",
            held.questions[part],
            held.answers[part],
            form_subjects(drawn, form),
        )
        if row.given:
            made.append(row)
    return made
