"""Measured launches compared with their predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roofline_analysis.report.report import GpuUsed, Prediction, Verdict
from roofline_core.settings import Settings
from roofline_profiling.datasets import row_of
from roofline_profiling.error_terms import Gap, gap_of
from roofline_profiling.errors import ValidationError
from roofline_profiling.measurement import Measurement
from roofline_profiling.sources import Sources
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import TIME_LIMIT_S, Evaluation
from roofline_study.judge import Inputs, Judgement, judge_programs
from roofline_study.programs import ProgramAnalyser

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class LaunchComparison:
    """A measured launch and its prediction."""

    measurement: Measurement
    measured: Verdict | None
    """The measured class; None where counts for it are missing."""
    prediction: Prediction | None
    failure: str | None
    """The reason for a missing prediction or class; None if there is a class."""
    gap: Gap | None
    """The comparison with the prediction; None without a prediction."""
    place: str | None = None
    """The kernel's ``file:line``, where it was looked for in one project."""
    stale: bool = False
    """The kernel's code has changed since; such launches are in no metric."""

    @property
    def name(self) -> str:
        """``program:kernel``, or the kernel where there is no program."""
        program = self.measurement.program
        return f"{program}:{self.measurement.kernel}" if program else self.measurement.kernel

    @property
    def predicted(self) -> Verdict | None:
        """The predicted class."""
        return self.prediction.dram_verdict if self.prediction is not None else None

    @property
    def right(self) -> bool | None:
        """Whether the classes agree; None where none was measured or the code has changed."""
        if self.measured is None or self.stale:
            return None
        return self.predicted is self.measured


@dataclass(frozen=True, slots=True)
class Validation:
    """The outcome for all launches."""

    comparisons: tuple[LaunchComparison, ...]
    """The launches in the order of the measurements."""
    evaluation: Evaluation
    """The figures over launches with a measured class and all counts, as of ``evaluate``."""
    problems: tuple[str, ...] = ()

    @property
    def gpu(self) -> GpuUsed:
        """The ridges by which classes are judged."""
        return self.evaluation.gpu

    @property
    def accuracy(self) -> float | None:
        """The share of right classes; None where none was measured."""
        rights = [each.right for each in self.comparisons if each.right is not None]
        return sum(rights) / len(rights) if rights else None


@dataclass(frozen=True, slots=True)
class ValidationTask:
    """What to compare measurements with."""

    sources: Path
    """A project; for measurements that name a program, the folder that holds its folder."""
    settings: Settings
    gpu: GpuUsed
    jobs: int = 1
    limit_s: float = TIME_LIMIT_S
    bodies: tuple[str | None, ...] | None = None
    """Of each measurement, the hash of the code that was measured, where that is known."""


def validate(
    measurements: Sequence[Measurement],
    task: ValidationTask,
    *,
    problems: Iterable[str] = (),
    progress: Progress | None = None,
    analyser: ProgramAnalyser | None = None,
) -> Validation:
    """Compare every launch. ``analyser`` stands in for the real one in tests.

    Raises ValidationError if there is nothing to compare or the sources do not exist.
    """
    if not measurements:
        raise ValidationError("there is no measurement: profile, or name a report")
    if not task.sources.is_dir():
        raise ValidationError(f"the folder of sources {task.sources} does not exist")
    by_program = [at for at, each in enumerate(measurements) if each.program is not None]
    found = _of_programs(measurements, by_program, task, progress, analyser)
    sources = Sources(task.sources, task.settings)
    for at, each in enumerate(measurements):
        if each.program is None:
            body = task.bodies[at] if task.bodies is not None else None
            found[at] = _of_project(each, sources, task, body, at)
            if progress is not None:
                progress(len(found), len(measurements), each.kernel)
    ordered = [found[at] for at in range(len(measurements))]
    judgements = tuple(judged for _, judged in ordered if judged is not None)
    return Validation(
        tuple(comparison for comparison, _ in ordered),
        Evaluation(task.gpu, False, judgements),
        tuple(problems),
    )


_Outcome = tuple[LaunchComparison, Judgement | None]


def _of_programs(
    measurements: Sequence[Measurement],
    places: Sequence[int],
    task: ValidationTask,
    progress: Progress | None,
    analyser: ProgramAnalyser | None,
) -> dict[int, _Outcome]:
    """By place, as ``evaluate`` judges them: a program that crashes fails alone."""
    rows: list[MeasuredKernel] = []
    for at in places:
        each = measurements[at]
        row = row_of(each, each.program or "", task.gpu.ridges, at)
        if row is None:
            lacking = ", ".join(each.missing()) or "time_ns"
            raise ValidationError(f"{each.origin}: {each.kernel} lacks {lacking}")
        rows.append(row)
    total = len({row.program for row in rows})
    done = judge_programs(
        rows,
        Inputs(task.sources, task.settings),
        analyser=analyser or ProgramAnalyser.real(),
        jobs=task.jobs,
        limit_s=task.limit_s,
    )
    found: dict[int, _Outcome] = {}
    for count, (program, judgements) in enumerate(done, 1):
        for judged in judgements:
            at = judged.row.line
            comparison = _comparison(measurements[at], judged.prediction, judged.failure, task)
            found[at] = (comparison, judged)
        if progress is not None:
            progress(count, total, program)
    return found


def _of_project(
    launch: Measurement, sources: Sources, task: ValidationTask, body: str | None, at: int
) -> _Outcome:
    kernel = sources.find(launch)
    if kernel is None:
        comparison = _comparison(launch, None, f"no kernel of this name below {task.sources}", task)
    else:
        comparison = replace(
            _comparison(launch, kernel.prediction, kernel.failure, task),
            place=f"{sources.relative(kernel.path)}:{kernel.line}",
            stale=body is not None and body != kernel.body,
        )
    row = row_of(launch, task.sources.resolve().name, task.gpu.ridges, at)
    if row is None or comparison.stale:
        return comparison, None
    return comparison, Judgement(row, comparison.prediction, comparison.failure)


def _comparison(
    launch: Measurement, prediction: Prediction | None, failure: str | None, task: ValidationTask
) -> LaunchComparison:
    gap = gap_of(launch, prediction, task.gpu.ridges) if prediction is not None else None
    return LaunchComparison(launch, launch.verdict(task.gpu.ridges), prediction, failure, gap)
