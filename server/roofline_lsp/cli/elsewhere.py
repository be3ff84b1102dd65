"""Kernels that lie in other files than those that were checked, such as headers."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.api.tasks import loaded_programs
from roofline_analysis.project.paths import spelled_like
from roofline_analysis.project.projects import Projects
from roofline_core.program.units import Function, is_stand_in
from roofline_core.settings import Settings
from roofline_lsp.cli.batch import Prepared, projects_around
from roofline_lsp.cli.files import read_regular

_MOST_FILES: Final = 4
_MOST_NAMED: Final = 3


def kernels_elsewhere(work: Prepared) -> str:
    """Where the kernels are that the files launch: a sentence; empty where there is none."""
    paths = work.found.files[:_MOST_FILES]
    projects = projects_around(work.found, work.settings, work.root)
    told: list[str] = []
    where: dict[Path, None] = {}
    for path, kernels in _launched(paths, work.settings, projects):
        told.append(f"'{path}' launches {_named(kernels, path)}")
        where |= dict.fromkeys(spelled_like(path, each.path) for each in kernels)
    if not told:
        return ""
    command = shlex.join(("roofline-lsp", "check", *map(str, where)))
    return f"{'; '.join(told)}; check it there: {command}"


def _launched(
    paths: Sequence[Path], settings: Settings, projects: Projects
) -> Iterator[tuple[Path, list[Function]]]:
    """The files that launch kernels of other files, with these."""
    for project, files in projects.grouped(paths):
        for analysis, members in loaded_programs(files, settings, project, read_regular):
            for path in members:
                if kernels := list(_launched_by(path, analysis)):
                    yield path, kernels


def _launched_by(path: Path, analysis: ProgramAnalysis) -> Iterator[Function]:
    """The kernels of other files that a file's host code launches, each once."""
    seen: set[tuple[Path, str]] = set()
    for launch in analysis.host.launches:
        kernel = launch.kernel
        key = kernel.path, kernel.qualified_name
        if launch.path == path and kernel.path != path and key not in seen:
            seen.add(key)
            if not is_stand_in(kernel.path):
                yield kernel


def _named(kernels: list[Function], path: Path) -> str:
    shown = [
        f"{each.name} ({spelled_like(path, each.path)}:{each.name_span.line})"
        for each in kernels[:_MOST_NAMED]
    ]
    more = len(kernels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
