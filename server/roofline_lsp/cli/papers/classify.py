"""``roofline-lsp study rq2`` and ``rq3``: classes from sources, without and with examples."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_lsp.cli.papers.asking import ModelInterview, advisor_settings, interviews
from roofline_lsp.cli.papers.kernels import StudyKernels, drawn_kernels, judged
from roofline_lsp.cli.papers.results import exit_code, incomplete, write_results
from roofline_study.papers.answer_reading import model_answers
from roofline_study.papers.class_table import accuracy_svg
from roofline_study.papers.classification import class_questions, classification_table
from roofline_study.papers.imported import imported_answers
from roofline_study.papers.scores import ClassAnswers, RowKind, Subject, constant_answers
from roofline_study.papers.static_rows import static_answers


def run(options: argparse.Namespace) -> int:
    """Ask or read what is kept, print the table, and return the exit code."""
    study = options.command
    advisor = advisor_settings(options)
    kernels = drawn_kernels(options, advisor)
    found = interviews(
        options,
        advisor,
        lambda settings: list(class_questions(study, kernels.materials, settings, options.trials)),
    )
    rows, notes = class_rows(options, kernels, found)
    table = classification_table(study, rows, [kernels.drawn.text() + ".", *notes])
    write_results(options, [table], accuracy_svg(table))
    return exit_code(options, found)


def class_rows(
    options: argparse.Namespace, kernels: StudyKernels, found: Sequence[ModelInterview]
) -> tuple[list[ClassAnswers], list[str]]:
    """The rows of our own: constant, static, of models and imported; and notes on them."""
    rows = [material.row for material in kernels.materials]
    subjects = [Subject.of(row) for row in rows]
    made = list(constant_answers(subjects))
    notes = incomplete(found)
    if not options.no_static:
        for source_only in (False, True):
            judgements = judged(options, rows, source_only=source_only)
            made.append(static_answers(judgements, source_only=source_only))
    by_name = {subject.name: subject for subject in subjects}
    for each in found:
        if each.held:
            made.append(model_answers(each.model, each.questions, each.answers, by_name))
    for path in options.answers:
        imported, others = imported_answers(path, subjects)
        made += imported
        if others:
            notes.append(f"{path.name}: {others} answers are about kernels that were not drawn.")
    asked = len(subjects)
    notes += [
        f"{each.name}: {len(each.given)} of {asked} kernels have an answer; the others are left"
        " out."
        for each in made
        if each.kind is RowKind.IMPORTED and len(each.given) < asked
    ]
    return made, notes
