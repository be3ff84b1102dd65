"""``roofline-lsp study rq4``: fine-tuning data, and fine-tuned models on what was held back."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofline_core.settings import AdvisorSettings
from roofline_lsp.cli.output import OutputError, write
from roofline_lsp.cli.papers.asking import advisor_settings, interviews
from roofline_lsp.cli.papers.classify import class_rows
from roofline_lsp.cli.papers.kernels import StudyKernels, drawn_kernels
from roofline_lsp.cli.papers.results import exit_code, write_results
from roofline_study.papers.class_table import accuracy_svg
from roofline_study.papers.fine_tuning import (
    TuningParts,
    answer_sheet,
    as_jsonl,
    parted,
    tuned_questions,
    tuning_table,
)


def run(options: argparse.Namespace) -> int:
    """Write the parts or score answers, print the table, and return the exit code."""
    advisor = advisor_settings(options)
    kernels = drawn_kernels(options, advisor)
    parts = parted(kernels.drawn.kernels, seed=options.seed)
    if options.export is not None:
        _export(options.export, kernels, parts, advisor)
    back = {kernel.row.name for kernel in parts.validation}
    held = StudyKernels(
        kernels.drawn,
        tuple(each for each in kernels.materials if each.row.name in back),
        kernels.gpu,
    )
    found = interviews(
        options,
        advisor,
        lambda settings: list(tuned_questions(held.materials, settings, options.trials)),
    )
    rows, notes = class_rows(options, held, found)
    told = [kernels.drawn.text() + ".", parts.text() + ".", *notes]
    table = tuning_table(rows, told)
    write_results(options, [table], accuracy_svg(table))
    return exit_code(options, found)


def _export(
    folder: Path, kernels: StudyKernels, parts: TuningParts, advisor: AdvisorSettings
) -> None:
    """The files of both parts. Raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    by_name = {each.row.name: each for each in kernels.materials}
    for name, part in (("train", parts.training), ("validation", parts.validation)):
        materials = [by_name[kernel.row.name] for kernel in part]
        write(as_jsonl(materials, advisor), folder / f"{name}.jsonl", data=True)
    write(answer_sheet(parts.validation), folder / "answers.csv")
