"""The kernels that a study asks about, and the static analyser's word on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from roofline_analysis.api import gpu_used
from roofline_analysis.report.report import GpuUsed
from roofline_core.settings import AdvisorSettings, Settings, merge
from roofline_lsp.cli.options import DATA_SET, analysis_layer
from roofline_lsp.cli.progress import ProgressBar
from roofline_study.dataset import MeasuredKernel, read_dataset
from roofline_study.evaluate import select
from roofline_study.judge import Inputs, Judgement
from roofline_study.papers.classification import KernelMaterial, material_of, sized
from roofline_study.papers.errors import StudyError
from roofline_study.papers.selection import BalancedKernels, balanced, one_each
from roofline_study.papers.static_rows import static_judgements


@dataclass(frozen=True, slots=True)
class StudyKernels:
    """What was drawn, and what questions tell of each kernel, in the same order."""

    drawn: BalancedKernels
    materials: tuple[KernelMaterial, ...]
    gpu: GpuUsed


def study_settings(options: argparse.Namespace) -> Settings:
    """How measured kernels are judged; no settings file is read. Raises SettingsError."""
    settings = merge(DATA_SET, analysis_layer(options))
    return settings if options.clock is not None else replace(settings, clock="base")


def study_rows(
    options: argparse.Namespace, programs: Sequence[str] = ()
) -> tuple[MeasuredKernel, ...]:
    """The rows of the data sets. Raises DatasetError, EvaluationError and StudyError."""
    rows = [row for path in options.dataset for row in read_dataset(path)]
    measured_on = sorted({row.gpu for row in rows if row.gpu is not None})
    if len(measured_on) > 1:
        raise StudyError(
            f"the data set has rows of several GPUs ({', '.join(measured_on)}); a study is about"
            " one, so leave the others out of it and name that one with '--gpu'"
        )
    return select(rows, language=options.language, programs=programs)


def drawn_kernels(options: argparse.Namespace, advisor: AdvisorSettings) -> StudyKernels:
    """A balanced selection. Raises what reading raises, and StudyError."""
    gpu = gpu_used(study_settings(options))
    held = {}
    for row in one_each(study_rows(options)):
        held[row.name] = material_of(row, options.sources, gpu)
    drawn = balanced(
        [sized(material, advisor) for material in held.values()],
        limit=options.token_limit,
        per_kind=options.per_kind,
        bands=options.bands,
        seed=options.seed,
    )
    return StudyKernels(drawn, tuple(held[each.row.name] for each in drawn.kernels), gpu)


def judged(
    options: argparse.Namespace, rows: Sequence[MeasuredKernel], *, source_only: bool = False
) -> tuple[Judgement, ...]:
    """The static analyser's judgements of kernels."""
    inputs = Inputs(options.sources, study_settings(options))
    with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
        return static_judgements(
            rows, inputs, source_only=source_only, jobs=options.jobs, progress=bar.show
        )
