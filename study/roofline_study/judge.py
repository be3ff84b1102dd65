"""The analyser run over the programs of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.report.report import Prediction, Verdict
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings, nearest
from roofline_core.text.units import counted
from roofline_study.dataset import MeasuredKernel
from roofline_study.programs import AnalysedProgram, Executable, ProgramAnalyser, executables
from roofline_study.workers import in_processes


@dataclass(frozen=True, slots=True)
class Inputs:
    """The folder of programs, and which facts of their runs the analyser gets."""

    sources: Path
    """The folder that holds a folder for each program."""
    settings: Settings
    source_only: bool = False
    """Withhold the command line, the grid and the block."""
    details: bool = False
    """Also keep the explanation of each prediction."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A measured kernel and its prediction."""

    row: MeasuredKernel
    prediction: Prediction | None
    failure: str | None = None
    """The reason for a missing prediction or class; None if there is a class."""
    details: LaunchExplanation | None = None
    """The explanation of the prediction; None if it was not requested."""

    @property
    def verdict(self) -> Verdict | None:
        """The predicted class."""
        return self.prediction.verdict if self.prediction is not None else None

    @property
    def correct(self) -> bool:
        """Whether the prediction has the measured class; False where none was measured."""
        return self.verdict is not None and self.verdict is self.row.label


class _Benchmark:
    """The executables of one program of the data set, each read once for each command line."""

    def __init__(
        self, rows: Sequence[MeasuredKernel], inputs: Inputs, analyser: ProgramAnalyser
    ) -> None:
        self._names = [row.kernel for row in rows]
        self._inputs = inputs
        self._analyser = analyser
        self._folder = inputs.sources / rows[0].program
        self.executables = executables(self._folder, inputs.sources)
        self._programs: dict[object, AnalysedProgram] = {}

    def judge(self, row: MeasuredKernel) -> Judgement:
        """Judge by the first executable that has the kernel. What reading it raises is raised."""
        if not self.executables:
            known = self._folder.is_dir()
            reason = "no source file in" if known else "there is no folder"
            return Judgement(row, None, f"{reason} {self._folder}")
        names: list[str] = []
        for executable in self.executables:
            program = self._program(executable, row)
            judgement = _judged(row, program, self._inputs)
            if judgement is not None:
                return judgement
            names += [candidate.base_name for candidate in program.kernels()]
        wanted = parse_profiled_name(row.kernel).base_name
        return Judgement(row, None, _not_found(wanted, names))

    def _argv(self, row: MeasuredKernel) -> tuple[str, ...] | None:
        return None if self._inputs.source_only else row.args

    def _settings(self, executable: Executable, row: MeasuredKernel) -> Settings:
        given = self._inputs.settings
        includes = (*given.include_dirs, *executable.include_dirs)
        defines = (*given.defines, *row.defines)
        return replace(given, include_dirs=includes, defines=defines, args=self._argv(row))

    def _program(self, executable: Executable, row: MeasuredKernel) -> AnalysedProgram:
        argv = self._argv(row)
        key = (executable, row.defines, argv)
        if key not in self._programs:
            settings = self._settings(executable, row)
            # Programs lend one another their data as they do their headers.
            self._programs[key] = self._analyser.load(
                executable.units,
                settings,
                argv=argv,
                profiled_names=self._names,
                root=self._inputs.sources,
            )
        return self._programs[key]


def judge_program(
    rows: Sequence[MeasuredKernel], *, inputs: Inputs, analyser: ProgramAnalyser
) -> list[Judgement]:
    """Judge the measured kernels of one program.

    Whatever goes wrong with one kernel is its failure alone; what goes wrong in reading the program
    is raised.
    """
    benchmark = _Benchmark(rows, inputs, analyser)
    return [benchmark.judge(row) for row in rows]


def judge_programs(
    rows: Sequence[MeasuredKernel],
    inputs: Inputs,
    *,
    analyser: ProgramAnalyser,
    jobs: int,
    limit_s: float,
) -> Iterator[tuple[str, list[Judgement]]]:
    """Judge programs in ``jobs`` processes, and yield the name and kernels of each as it is done.

    A program that crashes or takes longer than ``limit_s`` fails with all its kernels; the others
    go on.
    """
    groups: dict[str, list[MeasuredKernel]] = {}
    for row in rows:
        groups.setdefault(row.program, []).append(row)
    work = partial(judge_program, inputs=inputs, analyser=analyser)
    # The programs with most kernels first, so that none of them is what everything waits for at the
    # end.
    items = sorted(groups.values(), key=len, reverse=True)
    for done in in_processes(work, items, jobs=jobs, limit_s=limit_s):
        group = items[done.index]
        judged = done.result
        if judged is None:
            judged = [Judgement(row, None, done.failure) for row in group]
        yield group[0].program, judged


def _judged(row: MeasuredKernel, program: AnalysedProgram, inputs: Inputs) -> Judgement | None:
    """None if the program does not have the kernel."""
    grid, block = (None, None) if inputs.source_only else (row.grid, row.block)
    details = None
    try:
        prediction = program.predict(row.kernel, grid=grid, block=block)
        if inputs.details:
            details = program.details(row.kernel, grid=grid, block=block)
    except RooflineError as error:
        return Judgement(row, None, str(error))
    except Exception as error:  # one kernel's crash must not cost the others
        return Judgement(row, None, crash_reason(error))
    if prediction is None:
        return None
    # A mapping that cannot be pickled, such as a mapping proxy, must not keep the result from
    # travelling.
    prediction = replace(
        # The data set's classes count DRAM bytes only.
        prediction.by_dram(),
        precision_verdicts=dict(prediction.precision_verdicts),
    )
    failure = None if prediction.verdict is not None else "read, but left undecided"
    return Judgement(row, prediction, failure, details)


def _not_found(name: str, known: Sequence[str]) -> str:
    names = list(dict.fromkeys(known))
    if not names:
        return "no kernel was found in the program's sources"
    if name in names:
        return f"'{name}' was found, but no overload or specialisation matches"
    close = nearest(name, names)
    hint = f"; the nearest is '{close}'" if close else ""
    return f"'{name}' is not among the {counted(len(names), 'kernel')} found{hint}"
