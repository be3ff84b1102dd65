"""Predictions for a data set's kernels compared with the measurements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from roofline_analysis.report.report import GpuUsed
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings, suggestion
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs, Judgement, judge_programs
from roofline_study.programs import ProgramAnalyser
from roofline_study.summary import Summary, summarize

LANGUAGES = ("cuda", "omp")

TIME_LIMIT_S = 300.0
"""The most seconds for one program."""

Progress = Callable[[int, int, str], None]
"""Called after each program with: programs done, programs in all, the program's name."""


class EvaluationError(RooflineError):
    """The evaluation cannot be done as requested."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome for a data set."""

    gpu: GpuUsed
    source_only: bool
    judgements: tuple[Judgement, ...]
    """The kernels in the order of the data set."""

    def summaries(self) -> tuple[Summary, ...]:
        """One for each language with kernels; with several languages, also one for all.

        Where rows are grouped, the same for each group first.
        """
        found: list[Summary] = []
        groups = dict.fromkeys(item.row.group for item in self.judgements)
        if len(groups) > 1:
            for group in groups:
                held = [item for item in self.judgements if item.row.group == group]
                found += self._by_language(held, f"{group}, ")
        return (*found, *self._by_language(self.judgements))

    def _by_language(self, judgements: Sequence[Judgement], of: str = "") -> Iterator[Summary]:
        groups: dict[str, list[Judgement]] = {}
        for judgement in judgements:
            groups.setdefault(judgement.row.language, []).append(judgement)
        if len(groups) > 1:
            groups = {**dict(sorted(groups.items())), "all": list(judgements)}
        for name, held in groups.items():
            yield summarize(of + name, held, self.gpu.ridges)

    def failures(self) -> tuple[Judgement, ...]:
        """The kernels that were not found or not judged."""
        return tuple(judgement for judgement in self.judgements if judgement.failure is not None)


def select(
    rows: Sequence[MeasuredKernel], *, language: str = "all", programs: Sequence[str] = ()
) -> tuple[MeasuredKernel, ...]:
    """The rows of a language and of some programs (none named: all).

    Raises EvaluationError for a program that the data set does not hold, and where nothing is left.
    """
    known = dict.fromkeys(row.program for row in rows)
    for program in programs:
        if program not in known:
            raise EvaluationError(
                f"the data set has no program '{program}'{suggestion(program, known)}"
            )
    chosen = tuple(
        row
        for row in rows
        if language in ("all", row.language) and (not programs or row.program in programs)
    )
    if not chosen:
        raise EvaluationError(f"no kernel to evaluate: of {len(rows)} rows none was asked for")
    return chosen


def by_gpu(
    rows: Sequence[MeasuredKernel], settings: Settings
) -> list[tuple[Settings, tuple[MeasuredKernel, ...]]]:
    """The rows of each GPU with the settings to judge them by, in the order of the rows.

    Those that name no GPU are judged for the settings' one.
    """
    groups: dict[str | None, list[MeasuredKernel]] = {}
    for row in rows:
        groups.setdefault(row.gpu, []).append(row)
    return [
        (settings if gpu is None else replace(settings, gpu=gpu), tuple(held))
        for gpu, held in groups.items()
    ]


def evaluate(
    rows: Sequence[MeasuredKernel],
    inputs: Inputs,
    *,
    jobs: int | None = None,
    limit_s: float = TIME_LIMIT_S,
    progress: Progress | None = None,
    analyser: ProgramAnalyser | None = None,
) -> tuple[Judgement, ...]:
    """Predict every row, in the order of the rows; nothing that a program does stops the run.

    ``jobs`` processes run at a time (None: one for each CPU); ``analyser`` stands in for the real
    one in tests. Raises EvaluationError if the folder of sources does not exist.
    """
    if not inputs.sources.is_dir():
        raise EvaluationError(f"the folder of sources {inputs.sources} does not exist")
    total = len({row.program for row in rows})
    judged: dict[MeasuredKernel, Judgement] = {}
    done = judge_programs(
        rows,
        inputs,
        analyser=analyser or ProgramAnalyser.real(),
        jobs=jobs if jobs is not None else os.cpu_count() or 1,
        limit_s=limit_s,
    )
    for count, (program, judgements) in enumerate(done, 1):
        judged.update((judgement.row, judgement) for judgement in judgements)
        if progress is not None:
            progress(count, total, program)
    return tuple(judged[row] for row in rows)
