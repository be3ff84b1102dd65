"""A study from its trees to its times: planned in processes, run in processes, kept in a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from roofline_core.settings import Settings
from roofline_study.llmperf.corpus import BuildVariant, kernel_files
from roofline_study.llmperf.kernels import PlannedKernel, Refused, Samples, distinct, plan_file
from roofline_study.llmperf.records import (
    DeviceFacts,
    NotTimed,
    Results,
    Timed,
    read_outcomes,
    read_plan,
    write_device,
    write_plan,
)
from roofline_study.llmperf.running import (
    Device,
    KernelLimits,
    RunTally,
    Tell,
    device_facts,
    run_launches,
)
from roofline_study.workers import in_processes

PLAN_LIMIT_S = 120.0
"""The most seconds that the analysis of one file may take."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The kernels that a study is of."""

    trees: tuple[Path, ...]
    variants: tuple[BuildVariant, ...] = ()
    only: tuple[str, ...] = ()
    """Patterns for the paths of files below their trees; empty: all."""


@dataclass(frozen=True, slots=True)
class Study:
    """What a folder of results has."""

    kernels: tuple[PlannedKernel, ...]
    refused: tuple[Refused, ...]
    timed: dict[str, Timed]
    """By launch."""
    failed: dict[str, NotTimed]
    """By launch or kernel."""


def make_plan(
    corpus: Corpus, results: Results, settings: Settings, samples: Samples, jobs: int, tell: Tell
) -> None:
    """Plan the launches of all kernels, in the place of an earlier plan. Raises CorpusError."""
    files = kernel_files(corpus.trees, corpus.variants, corpus.only)
    task = partial(plan_file, settings=settings, samples=samples)
    found: dict[int, list[PlannedKernel | Refused]] = {}
    done_files = in_processes(task, files, jobs=jobs, limit_s=PLAN_LIMIT_S)
    for count, done in enumerate(done_files, 1):
        file = files[done.index]
        planned = done.result
        found[done.index] = (
            planned if planned is not None else [Refused(file.name, done.failure or "no result")]
        )
        tell(count, len(files), file.name)
    results.folder.mkdir(parents=True, exist_ok=True)
    write_plan(results.plan, distinct(each for index in sorted(found) for each in found[index]))


def run_study(
    results: Results,
    find: Callable[[], Device],
    limits: KernelLimits,
    tell: Tell,
    *,
    again: bool = False,
) -> tuple[DeviceFacts, RunTally]:
    """Time the launches of the plan that have no time; those that failed only ``again``.

    Raises RunError and ResultsError.
    """
    kernels, _ = read_plan(results.plan)
    facts = device_facts(find)
    write_device(results.device, facts)
    return facts, run_launches(kernels, results.times, find, limits, tell, again=again)


def read_study(results: Results) -> Study:
    """What was planned and timed. Raises ResultsError."""
    kernels, refused = read_plan(results.plan)
    timed, failed = read_outcomes(results.times)
    return Study(kernels, refused, timed, failed)
