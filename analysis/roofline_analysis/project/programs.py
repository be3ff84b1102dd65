"""Files grouped into the programs that they are linked into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.project.files import Reader, siblings
from roofline_analysis.project.project import ProjectIndex
from roofline_core.settings import KERNEL_SUFFIXES
from roofline_parsers.reading.gate import has_kernels


def files_of_program(path: Path, project: ProjectIndex) -> tuple[Path, ...]:
    """The files to read for a report on ``path``: its program, followed by ``path`` if a header."""
    units = project.program(path)
    return units if path in units else (*units, path)


def programs(paths: Sequence[Path], project: ProjectIndex) -> list[tuple[list[Path], list[Path]]]:
    """Group files into programs, each file into one.

    Returns, for each program, all its files in reading order, and the members of ``paths`` in it.
    """
    groups: dict[tuple[Path, ...], list[Path]] = {}
    for path in paths:
        groups.setdefault(project.program(path), []).append(path)
    return [
        ([*units, *(path for path in members if path not in units)], members)
        for units, members in sorted(groups.items(), key=lambda group: group[0])
    ]


def beside(path: Path, reader: Reader) -> ProjectIndex:
    """An index of only the folder of a file, for callers without an index."""
    return ProjectIndex(None, files=(path, *siblings(path)), reader=reader)


def worth_reading(path: Path, text: bytes) -> bool:
    """Whether a file can have a kernel: plain C, C++ and Python only if its text shows a sign."""
    return path.suffix.lower() in KERNEL_SUFFIXES or has_kernels(text)
