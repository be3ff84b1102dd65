"""``roofline-lsp study decompose``: operations and bytes asked apart, beside what was measured."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_analysis.api import gpu_used
from roofline_core.settings import AdvisorSettings
from roofline_lsp.cli.papers.asking import ModelInterview, advisor_settings, interviews
from roofline_lsp.cli.papers.kernels import drawn_kernels, judged, study_rows, study_settings
from roofline_lsp.cli.papers.results import exit_code, incomplete, write_results
from roofline_study.dataset import MeasuredKernel
from roofline_study.papers.classification import KernelMaterial, material_of
from roofline_study.papers.decomposition import (
    CountAnswers,
    about,
    count_questions,
    counts_given,
    static_counts,
)
from roofline_study.papers.decomposition_tables import (
    decomposition_svg,
    kernels_table,
    paper_table,
    published_kernels,
    shares_table,
)
from roofline_study.papers.scores import paid


def run(options: argparse.Namespace) -> int:
    """Ask or read what is kept, print the tables, and return the exit code."""
    advisor = advisor_settings(options)
    materials, drawn, note = _materials(options, advisor)
    found = interviews(
        options,
        advisor,
        lambda settings: list(count_questions(materials, settings, options.trials)),
    )
    rows = [material.row for material in materials]
    answers: list[CountAnswers] = []
    if not options.no_static:
        answers.append(static_counts(judged(options, rows)))
    answers += [_counts(each, materials, options.trials) for each in found if each.held]
    scored = [about(each, drawn) for each in answers]
    tables = [
        paper_table(rows, answers),
        shares_table(scored, [note, *incomplete(found)]),
        *([kernels_table(answers)] if options.each else []),
    ]
    write_results(options, tables, decomposition_svg(scored))
    return exit_code(options, found)


def _materials(
    options: argparse.Namespace, advisor: AdvisorSettings
) -> tuple[tuple[KernelMaterial, ...], tuple[MeasuredKernel, ...], str]:
    """The kernels to ask about, those of them that are scored, and what was drawn, in words.

    Beside a balanced selection stand the kernels of the published table.
    """
    gpu = gpu_used(study_settings(options))
    if options.program:
        rows = _first_launches(study_rows(options, options.program))
        made = tuple(material_of(row, options.sources, gpu) for row in rows)
        return made, rows, f"All {len(made)} kernels of the programs that were named."
    kernels = drawn_kernels(options, advisor)
    drawn = tuple(material.row for material in kernels.materials)
    more = tuple(
        material_of(row, options.sources, gpu)
        for row in published_kernels(_first_launches(study_rows(options)))
        if row not in drawn
    )
    return (*kernels.materials, *more), drawn, kernels.drawn.text() + "."


def _first_launches(rows: Sequence[MeasuredKernel]) -> tuple[MeasuredKernel, ...]:
    """The first row of each kernel."""
    first: dict[str, MeasuredKernel] = {}
    for row in rows:
        first.setdefault(row.name, row)
    return tuple(first.values())


def _counts(held: ModelInterview, materials: Sequence[KernelMaterial], trials: int) -> CountAnswers:
    cost = paid(held.held, held.model)
    return counts_given(held.model, materials, held.answers, trials, cost)
