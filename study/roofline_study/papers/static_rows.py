"""What the static analyser says of the kernels of a study, as rows beside the models'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import Progress, evaluate
from roofline_study.judge import Inputs, Judgement
from roofline_study.papers.scores import ClassAnswers, RowKind, Subject

LAUNCH_GIVEN = "static analysis"
SOURCE_ONLY = "static analysis, launch withheld"


def static_judgements(
    rows: Sequence[MeasuredKernel],
    inputs: Inputs,
    *,
    source_only: bool,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Judgement, ...]:
    """Judge kernels with what questions tell of their launch, or with the sources alone."""
    return evaluate(rows, replace(inputs, source_only=source_only), jobs=jobs, progress=progress)


def static_answers(judgements: Sequence[Judgement], *, source_only: bool) -> ClassAnswers:
    """The classes; an undecided kernel counts as wrong."""
    given = {Subject.of(each.row): (each.verdict,) for each in judgements}
    return ClassAnswers(SOURCE_ONLY if source_only else LAUNCH_GIVEN, RowKind.STATIC, given)
