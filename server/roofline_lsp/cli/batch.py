"""Many files analysed, with the files around them as their programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_analysis.project.file_states import ReadLog
from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import project_root
from roofline_analysis.project.projects import Projects
from roofline_analysis.project.tasks import ProgramTask, tasks_by_project
from roofline_analysis.report.gathering import gathered
from roofline_analysis.report.report import FileReport
from roofline_core.program.records import record
from roofline_core.settings import Layer, Settings
from roofline_lsp.batch.options import BatchOptions
from roofline_lsp.batch.run import task_reports
from roofline_lsp.cli.files import Collected, collect, read_regular
from roofline_lsp.cli.options import resolved, warn_of_cache
from roofline_lsp.cli.paths import common_folder
from roofline_parsers.reading.gate import has_kernels


@record(frozen=True, slots=True)
class Prepared:
    """The files to analyse and their settings."""

    settings: Settings
    found: Collected
    root: Path
    """The project's folder, in which linked files are searched."""


def prepared(
    paths: Sequence[str],
    layers: Sequence[Layer],
    config: Path | None,
    *,
    start: Path | None = None,
    ignore_files: bool = True,
) -> Prepared:
    """The files that paths stand for, with the settings that hold for them.

    ``layers`` go before settings files, of which ``config`` is one instead of those that are found
    above ``start``, which is by default the folder above all paths. ``ignore_files``: what
    ``.gitignore`` and its like name is left out. Raises SettingsError.
    """
    folder = common_folder(paths if start is None else [str(start)])
    settings = resolved(folder, *layers, file=config)
    found = collected(paths, settings, ignore_files=ignore_files)
    return Prepared(settings, found, project_root(folder))


def collected(paths: Sequence[str], settings: Settings, *, ignore_files: bool = True) -> Collected:
    """The files that paths stand for."""
    return collect(paths, exclude=settings.exclude, gate=has_kernels, ignore_files=ignore_files)


Show = Callable[[int, int, str], None]
"""Called with: files done, files in all, the last file's name."""


def analyse(
    found: Collected,
    settings: Settings,
    show: Show,
    root: Path | None = None,
    options: BatchOptions | None = None,
) -> list[FileReport]:
    """The report of each file, in order. A crash in one costs that one alone.

    ``options`` change how the work is done, and no report.

    The host code that launches a kernel may stand in another file, so files below ``root``, by
    default those of the same folder, are read too as far as they are linked; they get no report.
    Raises RooflineError for settings that cannot be used.
    """
    log = ReadLog(read_regular)
    projects = projects_around(found, settings, root, log)
    tasks = tasks_by_project(found.files, projects)
    wanted = sum(len(task.members) for task in tasks)
    done = 0

    def show_done(task: ProgramTask) -> None:
        """Count the files of a program that is done, and show the last one's name."""
        nonlocal done
        done += len(task.members)
        show(done, wanted, task.members[-1].name)

    reports = task_reports(
        tasks, settings, log, options or BatchOptions(), done=show_done, warn=warn_of_cache
    )
    found.problems.extend(projects.problems)
    return gathered(found.files, tasks, reports)


def projects_around(
    found: Collected, settings: Settings, root: Path | None = None, reader: Reader = read_regular
) -> Projects:
    """The indexes that find the programs of files, below ``root`` or else in their own folders."""
    exclude = settings.exclude
    return Projects(root, found.files, found.folders, exclude=exclude, reader=reader)
