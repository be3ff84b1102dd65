"""Predictions for emulated launches, and those that were made before and still hold."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

import roofline_analysis
import roofline_core
import roofline_hardware_db
import roofline_parsers
import roofline_study
from roofline_analysis.api import gpu_used, read_file
from roofline_analysis.api.explain.kernel_records import Operations
from roofline_analysis.project.paths import absolute
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_profiling.datasets import row_of
from roofline_profiling.differential.compared import (
    Compared,
    ComparedRun,
    QuantityDeviation,
    compared,
)
from roofline_profiling.differential.differing_lines import (
    PredictedLine,
    line_differences,
    parts,
)
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.loading import AsBuilt, as_built
from roofline_profiling.differential.outcomes import ProgramOutcome, path_of
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import LineOperations
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs, Judgement, judge_program
from roofline_study.programs import ProgramAnalyser
from roofline_study.quantities import OPERATIONS
from roofline_study.workers import in_processes

LIMIT_S: Final = 300.0
"""Seconds that the analysis of a program may take."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What is predicted of one program."""

    program: AsBuilt
    run: ComparedRun
    rows: tuple[MeasuredKernel, ...]
    line_work: tuple[tuple[LineOperations, ...], ...]
    """Of each row, the operations of each line."""


def judged(
    programs: Sequence[TreeProgram],
    outcomes: dict[str, ProgramOutcome],
    plan: DifferentialPlan,
    *,
    jobs: int,
) -> Iterator[list[Compared]]:
    """The comparisons of each program that ran; kept ones are taken where they still hold."""
    version = _version(plan)
    tasks: list[_Task] = []
    for program in programs:
        outcome = outcomes.get(program.name)
        if outcome is None or outcome.best is None:
            continue
        task = _task(program, outcome, plan)
        known = _read(task, plan, version)
        if known is None:
            tasks.append(task)
        else:
            yield known
    work = partial(_judge, settings=plan.settings)
    for done in in_processes(work, tasks, jobs=jobs, limit_s=LIMIT_S):
        task = tasks[done.index]
        found = done.result
        if found is None:
            lost = (Judgement(row, None, done.failure) for row in task.rows)
            found = [compared(each, task.run) for each in lost]
        _write(task, found, plan, version)
        yield found


def judged_alone(
    program: TreeProgram, outcome: ProgramOutcome, plan: DifferentialPlan
) -> list[Compared]:
    """The comparisons of one program that ran, made in this process; none are kept or taken."""
    task = _task(program, outcome, plan)
    try:
        return _judge(task, plan.settings)
    except RooflineError as error:
        lost = (Judgement(row, None, str(error)) for row in task.rows)
        return [compared(each, task.run) for each in lost]


def _task(program: TreeProgram, outcome: ProgramOutcome, plan: DifferentialPlan) -> _Task:
    best = outcome.best
    assert best is not None
    ridges = gpu_used(plan.settings).ridges
    rows = [
        (row, each.line_work)
        for number, each in enumerate(best.launches, 1)
        if (row := row_of(each, program.name, ridges, number)) is not None
    ]
    run = ComparedRun(shlex.join(best.args), best.how, best.sampled, outcome.code_lines)
    database = path_of(program.name, plan.results / "compiled")
    read = as_built(program, outcome.compilations, database)
    return _Task(read, run, tuple(row for row, _ in rows), tuple(work for _, work in rows))


def _judge(task: _Task, settings: Settings) -> list[Compared]:
    program = task.program.program
    analyser = ProgramAnalyser(task.program.load)
    inputs = Inputs(program.tree, settings, details=True)
    folder = program.folder.relative_to(program.tree).as_posix()
    args = tuple(shlex.split(task.run.args))
    rows = [replace(row, program=folder, args=args) for row in task.rows]
    found = judge_program(rows, inputs=inputs, analyser=analyser)
    deviations = partial(_deviations, tree=program.tree, lines_of=_reader(program.tree))
    return [
        compared(
            replace(each, row=replace(each.row, program=program.name)),
            task.run,
            deviations(each, work),
        )
        for each, work in zip(found, task.line_work, strict=True)
    ]


def _reader(tree: Path) -> Callable[[Path], list[str] | None]:
    """Gives the lines of a tree's source by its path in it; None for a file that is not in it."""

    @cache
    def lines(path: Path) -> list[str] | None:
        """The lines of the source at this path in the tree."""
        text = None if path.is_absolute() else read_file(tree / path)
        return None if text is None else text.decode("utf-8", "replace").splitlines()

    return lines


def _deviations(
    judgement: Judgement,
    work: Sequence[LineOperations],
    *,
    tree: Path,
    lines_of: Callable[[Path], list[str] | None],
) -> dict[str, QuantityDeviation]:
    """The deviation of each kind of operation; none without a prediction."""
    if judgement.details is None:
        return {}
    predicted = [
        PredictedLine(
            _in_tree(each.path, tree),
            each.line,
            _operations(each.operations),
            each.operations.int_moves,
        )
        for each in judgement.details.lines
    ]
    return {
        name: QuantityDeviation(
            parts(name, getattr(judgement.row, name), work, predicted, lines_of),
            line_differences(name, work, predicted),
        )
        for name in OPERATIONS.values()
    }


def _in_tree(path: Path, tree: Path) -> Path:
    whole = absolute(path)
    return whole.relative_to(tree) if whole.is_relative_to(tree) else whole


def _operations(held: Operations) -> dict[str, float]:
    return {name: getattr(held, name) for name in OPERATIONS.values()}


@cache
def _code_hash() -> str:
    """A hash of the files that make predictions and comparisons."""
    digest = hashlib.sha256()
    packages = (roofline_analysis, roofline_core, roofline_hardware_db, roofline_parsers)
    folders = [Path(package.__path__[0]) for package in (*packages, roofline_study)]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc"]
    for path in [*sorted(paths), *sorted(Path(__file__).parent.glob("*.py"))]:
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _version(plan: DifferentialPlan) -> str:
    return hashlib.sha256(f"{_code_hash()}{plan.settings!r}".encode()).hexdigest()[:20]


def _place(task: _Task, plan: DifferentialPlan) -> Path:
    return path_of(task.program.program.name, plan.results / "compared")


def _read(task: _Task, plan: DifferentialPlan, version: str) -> list[Compared] | None:
    try:
        content = json.loads(_place(task, plan).read_text(encoding="utf-8"))
        if content["version"] != version or content["rows"] != _rows_hash(task):
            return None
        return [Compared.of_content(each) for each in content["launches"]]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(task: _Task, found: Sequence[Compared], plan: DifferentialPlan, version: str) -> None:
    content = {
        "version": version,
        "rows": _rows_hash(task),
        "launches": [each.content() for each in found],
    }
    path = _place(task, plan)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be written: {error.strerror}") from None


def _rows_hash(task: _Task) -> str:
    return hashlib.sha256(repr((task.rows, task.run, task.program.sources)).encode()).hexdigest()[
        :20
    ]
