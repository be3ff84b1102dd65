"""A copy of a program's folder to build and run in, so that a person's tree stays as it is."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roofline_core.settings import SOURCE_SUFFIXES
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.errors import ProfilerError


@dataclass(frozen=True, slots=True)
class TreeCopy:
    """A tree with one folder copied."""

    tree: Path
    folder: Path
    """The program's."""


@contextlib.contextmanager
def scratch(program: TreeProgram) -> Iterator[TreeCopy]:
    """The copied folder, at its place in a tree whose other entries are links to the originals.

    So paths such as ``../include`` mean what they mean in the tree. Raises ProfilerError.
    """
    with tempfile.TemporaryDirectory(prefix="roofline-tree-") as name:
        try:
            tree = Path(name) / program.tree.name
            yield TreeCopy(tree, _laid_out(tree, program.tree, program.folder))
        except OSError as error:
            raise ProfilerError(f"{program.folder}: cannot be copied: {error}") from None


@contextlib.contextmanager
def sources_copied(program: TreeProgram) -> Iterator[TreeCopy]:
    """The whole tree with its sources and headers copied, and links to its other files.

    An analysis reads no file by a link that leads out of its tree. Raises ProfilerError.
    """
    with tempfile.TemporaryDirectory(prefix="roofline-tree-") as name:
        try:
            tree = Path(name) / program.tree.name
            _copy_sources(program.tree, tree)
            folder = tree / program.folder.relative_to(program.tree)
            yield TreeCopy(tree, folder)
        except OSError as error:
            raise ProfilerError(f"{program.tree}: cannot be copied: {error}") from None


def _copy_sources(there: Path, here: Path) -> None:
    for folder, folders, files in os.walk(there):
        folders[:] = [each for each in folders if not each.startswith(".")]
        made = here / Path(folder).relative_to(there)
        made.mkdir()
        for name in files:
            path = Path(folder) / name
            if path.suffix.lower() in SOURCE_SUFFIXES and path.is_file():
                shutil.copyfile(path, made / name)
            else:
                (made / name).symlink_to(path)


def _laid_out(here: Path, there: Path, folder: Path) -> Path:
    for part in folder.relative_to(there).parts:
        here.mkdir()
        for path in there.iterdir():
            if path.name != part:
                (here / path.name).symlink_to(path)
        here, there = here / part, there / part
    shutil.copytree(there, here, symlinks=True)
    return here
