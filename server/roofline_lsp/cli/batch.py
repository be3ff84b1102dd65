"""Many files analysed, with the files around them as their programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.api import AnalysisCache, ProjectIndex, analyze, analyze_paths, project_root
from roofline_analysis.report.report import FileReport
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Layer, Settings
from roofline_lsp.cli.files import Collected, collect, read_regular
from roofline_lsp.cli.options import resolved
from roofline_parsers.reading.gate import has_kernels


@dataclass(frozen=True, slots=True)
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
    found = gathered(paths, settings, ignore_files=ignore_files)
    return Prepared(settings, found, project_root(folder))


def gathered(paths: Sequence[str], settings: Settings, *, ignore_files: bool = True) -> Collected:
    """The files that paths stand for."""
    return collect(paths, exclude=settings.exclude, gate=has_kernels, ignore_files=ignore_files)


def common_folder(paths: Sequence[str]) -> Path:
    """The deepest existing folder above all paths, from which the settings file is searched."""
    folders = []
    for path in paths:
        folder = Path(path).absolute()
        while not folder.is_dir():
            folder = folder.parent
        folders.append(folder)
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # several drives
        return Path.cwd()


Show = Callable[[int, int, str], None]
"""Called with: files done, files in all, the last file's name."""


def analyse(
    found: Collected, settings: Settings, show: Show, root: Path | None = None
) -> list[FileReport]:
    """The report of each file, in order. A crash in one costs that one alone.

    The host code that launches a kernel may stand in another file, so files below ``root``, by
    default those of the same folder, are read too as far as they are linked; they get no report.
    Raises RooflineError for settings that cannot be used.
    """
    project = project_around(found, settings, root)
    try:
        reports = analyze_paths(
            found.files,
            settings,
            reader=read_regular,
            progress=lambda done, total, path: show(done, total, path.name),
            project=project,
        )
        done = list(reports)
        found.problems.extend(project.problems)
        return done
    except RooflineError:
        raise
    except Exception:  # one of them is at fault: each by itself tells which
        return _one_by_one(found.files, settings, show, project)


def project_around(found: Collected, settings: Settings, root: Path | None = None) -> ProjectIndex:
    """The index that finds the programs of files, below ``root`` or else in their own folders."""
    project = ProjectIndex(root, files=found.files, exclude=settings.exclude, reader=read_regular)
    for folder in found.folders:
        project.look_below(folder)
    return project


def _one_by_one(
    files: Sequence[Path], settings: Settings, show: Show, project: ProjectIndex
) -> list[FileReport]:
    cache = AnalysisCache()
    reports = []
    for path in files:
        reports.append(_alone(path, settings, cache, project))
        show(len(reports), len(files), path.name)
    return reports


def _alone(
    path: Path, settings: Settings, cache: AnalysisCache, project: ProjectIndex
) -> FileReport:
    try:
        text = read_regular(path) or b""
        return analyze(text, path, settings, reader=read_regular, cache=cache, project=project)
    except RooflineError:
        raise
    except Exception as error:  # whatever it is, the other files are checked
        message = f"internal error, please report it: {crash_reason(error)}"
        return FileReport(path, (), (Problem(Severity.ERROR, message, path),))
