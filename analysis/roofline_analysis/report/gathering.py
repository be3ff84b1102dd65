"""The reports of many programs put into the order of the files that were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roofline_analysis.project.tasks import ProgramTask
from roofline_analysis.report.report import FileReport


def gathered(
    paths: Sequence[Path], tasks: Iterable[ProgramTask], reports: Iterable[Sequence[FileReport]]
) -> list[FileReport]:
    """A report for each path, in order, then those of included files.

    ``reports`` has those of each task: of its members, then of included files, of which the first
    task that includes a file decides. A path of no task gets an empty report.
    """
    found: dict[Path, FileReport] = {}
    for task, made in zip(tasks, reports, strict=True):
        for report in made:
            if report.path in task.members:
                found[report.path] = report
            else:
                found.setdefault(report.path, report)
    ordered = [found.pop(path) if path in found else FileReport(path, ()) for path in paths]
    return [*ordered, *found.values()]
