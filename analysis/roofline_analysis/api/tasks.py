"""Many files analysed program by program, each program a task that can be done by itself.

What a task gives does not depend on the tasks done before it, nor on where it is done, so they may
be done in any order and in several processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.entry import file_report
from roofline_analysis.api.program import ProgramAnalysis, ProgramPlace
from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.project.project import ProjectIndex
from roofline_analysis.project.tasks import ProgramTask, Progress, tasks_of
from roofline_analysis.report.gathering import gathered
from roofline_analysis.report.report import FileReport
from roofline_core.program.units import is_stand_in
from roofline_core.settings import Settings, args_of
from roofline_core.settings.sources import is_reported_with


def analyze_paths(
    paths: Sequence[Path],
    settings: Settings,
    *,
    reader: Reader = read_file,
    progress: Progress | None = None,
    project: ProjectIndex | None = None,
) -> Iterator[FileReport]:
    """Analyse files, grouped into programs; reports come in the order of the files.

    Behind them come those of files with kernels that they include, if no suffix tells such files:
    ``paths`` cannot have them. ``project`` finds the files linked with ``paths``; without it only
    ``paths`` are linked.
    """
    if project is None:
        project = ProjectIndex(None, files=paths, reader=reader)
    cache = AnalysisCache()
    tasks = tasks_of(paths, project)
    wanted = sum(len(task.members) for task in tasks)
    done: list[tuple[FileReport, ...]] = []
    for task in tasks:
        done.append(task_reports(task, settings, reader, cache))
        if progress is not None:
            progress(
                sum(len(each.members) for each in tasks[: len(done)]), wanted, task.members[-1]
            )
    yield from gathered(paths, tasks, done)


def task_reports(
    task: ProgramTask, settings: Settings, reader: Reader, cache: AnalysisCache
) -> tuple[FileReport, ...]:
    """The reports of a task's members, in their order.

    Behind them come those of included files with kernels that are no sources by their suffix, such
    as ``kernels.inc``. Raises RooflineError for settings that cannot be used.
    """
    analysis = loaded(task, settings, reader, cache)
    others = _others_reported(analysis, task.members)
    return tuple(file_report(analysis, path) for path in (*task.members, *others))


def loaded(
    task: ProgramTask, settings: Settings, reader: Reader, cache: AnalysisCache
) -> ProgramAnalysis:
    """A task's program, read."""
    return ProgramAnalysis.load(
        task.units,
        settings,
        argv=args_of(settings, task.units),
        reader=reader,
        cache=cache,
        place=ProgramPlace(task.include_dirs, task.root, frozenset(task.members)),
    )


def loaded_programs(
    paths: Sequence[Path], settings: Settings, project: ProjectIndex, reader: Reader = read_file
) -> Iterable[tuple[ProgramAnalysis, tuple[Path, ...]]]:
    """Each program to which ``paths`` belong, loaded, with the members of ``paths`` in it."""
    cache = AnalysisCache()
    for task in tasks_of(paths, project):
        yield loaded(task, settings, reader, cache), task.members


def _others_reported(analysis: ProgramAnalysis, members: Sequence[Path]) -> list[Path]:
    """The files with kernels that are reported with a program's members, behind them."""
    found = dict.fromkeys(
        function.path for function in analysis.functions if not is_stand_in(function.path)
    )
    asked = frozenset(members)
    return [path for path in found if path not in asked and is_reported_with(path, asked)]
