"""Folders of real programs that sessions edit copies of."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.robustness.fuzzing.corpus import EXAMPLES, SUFFIXES

MOST_BYTES: Final = 60_000
"""The longest file that is edited, and the most of a folder's sources together, times four."""


@dataclass(frozen=True, slots=True)
class EditedProject:
    """A folder, and the files in it that are opened."""

    folder: Path
    files: tuple[str, ...]


def projects(folders: Sequence[Path] = ()) -> tuple[EditedProject, ...]:
    """The folders with GPU sources below the examples and ``folders``, sorted by path."""
    found = []
    for root in (EXAMPLES, *folders):
        for folder in sorted({root, *(each for each in root.rglob("*") if each.is_dir())}):
            files = sorted(each for each in folder.iterdir() if _is_source(each))
            fit = tuple(each.name for each in files if _shows_gpu_code(each))
            if fit and sum(each.stat().st_size for each in files) <= 4 * MOST_BYTES:
                found.append(EditedProject(folder, fit))
    return tuple(found)


def copied(project: EditedProject, to: Path) -> Path:
    """A copy of a project's sources; the folder that they are in."""
    to.mkdir(parents=True)
    for each in sorted(project.folder.iterdir()):
        if _is_source(each) or each.name.lower().startswith(("makefile", "cmakelists")):
            shutil.copyfile(each, to / each.name)
    return to


def _is_source(path: Path) -> bool:
    return path.suffix in SUFFIXES and path.is_file() and not path.is_symlink()


def _shows_gpu_code(path: Path) -> bool:
    text = path.read_bytes()
    signs = (b"__global__", b"<<<", b"__kernel", b"omp target", b"clCreateKernel")
    return len(text) <= MOST_BYTES and any(sign in text for sign in signs)
