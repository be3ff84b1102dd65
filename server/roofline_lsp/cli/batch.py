"""Many files analysed, with the files around them as their programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_lsp.api import AnalysisCache, ProjectIndex, analyze, analyze_paths
from roofline_lsp.api.report import FileReport
from roofline_lsp.cli.files import Collected, read_regular
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.kernel.program import Problem, Severity
from roofline_lsp.reports.crash import crash_reason
from roofline_lsp.settings import Settings

Show = Callable[[int, int, str], None]
"""Told how many files are done, of how many, and the last one's name."""


def analyse(
    found: Collected, settings: Settings, show: Show, root: Path | None = None
) -> list[FileReport]:
    """The report of each file, in order. A crash in one costs that one alone.

    The host code that launches a kernel may stand in another file, so files below ``root``, by
    default those of the same folder, are read too as far as they are linked; they get no report.
    Raises RooflineError for settings that cannot be used.
    """
    project = ProjectIndex(root, files=found.files, exclude=settings.exclude, reader=read_regular)
    for folder in found.folders:
        project.look_below(folder)
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
