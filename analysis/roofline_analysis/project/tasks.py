"""A request for reports on many files, split into programs that are analysed by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_analysis.project.programs import programs
from roofline_analysis.project.project import ProjectIndex
from roofline_analysis.project.projects import Projects
from roofline_core.program.records import record
from roofline_core.settings import KERNEL_SUFFIXES

Progress = Callable[[int, int, Path], None]
"""Called with: files done, files in all, the last file."""


@record(frozen=True, slots=True)
class ProgramTask:
    """One program, and those of its files that reports are asked for."""

    units: tuple[Path, ...]
    """All its files, in reading order."""
    members: tuple[Path, ...]
    """The files to report on."""
    include_dirs: tuple[Path, ...]
    """Folders of headers that the files do not find beside themselves."""
    root: Path | None
    """The project's folder, below which its data files are read."""


def tasks_of(paths: Sequence[Path], project: ProjectIndex) -> list[ProgramTask]:
    """The programs of files, in an order that depends on their paths alone.

    Files without any sign of a kernel whose suffix is none of a kernel's are in none.
    """
    wanted = [p for p in paths if p.suffix.lower() in KERNEL_SUFFIXES or project.has_kernels(p)]
    return [
        ProgramTask(tuple(units), tuple(members), project.include_dirs(units), project.root)
        for units, members in programs(wanted, project)
    ]


def tasks_by_project(paths: Sequence[Path], projects: Projects) -> list[ProgramTask]:
    """The programs of files of several projects, one project after the other."""
    groups = projects.grouped(paths)
    return [task for project, members in groups for task in tasks_of(members, project)]
