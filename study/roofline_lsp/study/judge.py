"""The analyser run over the programs of a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from roofline_lsp.api.report import LaunchReport, Prediction, Verdict
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.reports.crash import crash_reason
from roofline_lsp.reports.units import counted, dimensions
from roofline_lsp.settings import Settings, nearest
from roofline_lsp.study.dataset import MeasuredKernel
from roofline_lsp.study.programs import Analyser, Program, include_folders, program_sources
from roofline_lsp.study.workers import in_processes


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where programs are and what the analyser may know of how they were run."""

    sources: Path
    """The folder that holds a folder for each program."""
    settings: Settings
    source_only: bool = False
    """Withhold the command line, the grid and the block."""
    show_launches: bool = False
    """Also describe the launches found in the host code, which takes a second reading."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A measured kernel and what was predicted for it."""

    row: MeasuredKernel
    prediction: Prediction | None
    failure: str | None = None
    """Why there is no prediction, or none with a class."""
    launches: tuple[str, ...] = ()
    """The launches found in the host code, in words."""

    @property
    def verdict(self) -> Verdict | None:
        """The predicted class."""
        return self.prediction.verdict if self.prediction is not None else None

    @property
    def correct(self) -> bool:
        """Whether the prediction has the measured class."""
        return self.verdict is self.row.label


def judge_program(
    rows: Sequence[MeasuredKernel], *, inputs: Inputs, analyser: Analyser
) -> list[Judgement]:
    """Judge the measured kernels of one program, which is read once for each command line.

    Whatever goes wrong with one kernel is its failure alone; what goes wrong in reading the program
    is raised.
    """
    folder = inputs.sources / rows[0].program
    files = program_sources(folder)
    if not files:
        reason = (
            f"no source file in {folder}" if folder.is_dir() else f"there is no folder {folder}"
        )
        return [Judgement(row, None, reason) for row in rows]
    includes = (*inputs.settings.include_dirs, *include_folders(inputs.sources, files))
    settings = replace(inputs.settings, include_dirs=includes)
    programs: dict[tuple[str, ...] | None, Program] = {}
    judged = []
    for row in rows:
        argv = None if inputs.source_only else row.args
        if argv not in programs:
            programs[argv] = analyser.load(files, replace(settings, args=argv), argv=argv)
        judgement = _judge(row, programs[argv], inputs.source_only)
        if inputs.show_launches:
            known = replace(settings, args=argv)
            found = _launches(partial(analyser.find_launches, files, known, base_name(row.kernel)))
            judgement = replace(judgement, launches=found)
        judged.append(judgement)
    return judged


def judge_programs(
    rows: Sequence[MeasuredKernel],
    inputs: Inputs,
    *,
    analyser: Analyser,
    jobs: int,
    limit_s: float,
) -> Iterator[tuple[str, list[Judgement]]]:
    """Judge each program in a process of its own, and yield its name and kernels as it is done.

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


def base_name(kernel: str) -> str:
    """The identifier of a demangled kernel: ``ns::copy<float>(float *)`` gives ``copy``."""
    text = kernel.replace("(anonymous namespace)::", "")
    head, depth = "", 0
    for character in text:
        if character == "(" and depth == 0:
            break
        depth += {"<": 1, ">": -1}.get(character, 0)
        if depth == 0 and character not in "<>":
            head += character
    return head.split(" ")[-1].split("::")[-1]


def describe_launch(launch: LaunchReport) -> str:
    """``main.cu:42: grid (4, 1, 1), block (256, 1, 1); n = 1000 (argv[1] at main.cu:10)``."""
    parts = [f"grid {dimensions(launch.grid)}, block {dimensions(launch.block)}"]
    if launch.template_args:
        parts.append(f"<{', '.join(launch.template_args)}>")
    if not launch.certain:
        parts.append("perhaps not reached")
    for argument in launch.arguments:
        origin = f" ({argument.origin})" if argument.origin else ""
        parts.append(f"{argument.name} = {argument.value}{origin}")
    return f"{launch.path.name}:{launch.line}: {'; '.join(parts)}"


def _judge(row: MeasuredKernel, program: Program, source_only: bool) -> Judgement:
    grid, block = (None, None) if source_only else (row.grid, row.block)
    try:
        prediction = program.predict(row.kernel, grid=grid, block=block)
    except RooflineError as error:
        return Judgement(row, None, str(error))
    except Exception as error:  # one kernel's crash must not cost the others
        return Judgement(row, None, crash_reason(error))
    if prediction is None:
        return Judgement(row, None, _not_found(row.kernel, program))
    # A mapping that cannot be pickled, such as a mapping proxy, must not keep the result from
    # travelling.
    prediction = replace(prediction, precision_verdicts=dict(prediction.precision_verdicts))
    failure = None if prediction.verdict is not None else "read, but left undecided"
    return Judgement(row, prediction, failure)


def _launches(find: Callable[[], tuple[LaunchReport, ...]]) -> tuple[str, ...]:
    try:
        return tuple(describe_launch(launch) for launch in find())
    except Exception as error:  # an extra that must not cost the judgement
        return (crash_reason(error),)


def _not_found(kernel: str, program: Program) -> str:
    names = list(dict.fromkeys(candidate.base_name for candidate in program.kernels()))
    if not names:
        return "no kernel was found in the program's sources"
    name = base_name(kernel)
    if name in names:
        return f"'{name}' was found, but no overload or specialisation matches"
    close = nearest(name, names)
    hint = f"; the nearest is '{close}'" if close else ""
    return f"'{name}' is not among the {counted(len(names), 'kernel')} found{hint}"
