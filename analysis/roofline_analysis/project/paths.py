"""Paths as the parts of a project know them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from roofline_core.program.asked import asked
from roofline_core.settings import OWN_FILE

_REPOSITORY_MARKS: Final = (".git", ".hg", ".svn")
_ROOT_MARKS: Final = (*_REPOSITORY_MARKS, OWN_FILE)


def project_root(folder: Path) -> Path:
    """The nearest folder above that version control or a settings file marks, else the folder."""
    return marked_root(folder) or absolute(folder)


def marked_root(folder: Path) -> Path | None:
    """The nearest folder, this one or above, that version control or a settings file marks."""
    return _marked(folder, _ROOT_MARKS)


def repository_root(folder: Path) -> Path | None:
    """The nearest folder, this one or above, that version control marks."""
    return _marked(folder, _REPOSITORY_MARKS)


def is_marked(folder: Path) -> bool:
    """Whether version control or a settings file marks a folder as the root of a project."""
    return _has_mark(folder, _ROOT_MARKS)


def _marked(folder: Path, marks: Sequence[str]) -> Path | None:
    start = absolute(folder)
    return next((above for above in (start, *start.parents) if _has_mark(above, marks)), None)


def _has_mark(folder: Path, marks: Sequence[str]) -> bool:
    places = [folder / mark for mark in marks]
    asked(places)
    return any(place.exists() for place in places)


def workspace_of(paths: Sequence[Path], root: Path | None) -> Path:
    """The folder below which a program's data files may be read.

    It is ``root`` if the program's first file is below it, else the root of that file's project.
    The file's own folder takes the place of the file system's root and of a home folder.
    """
    folder = absolute(paths[0]).parent if paths else absolute(Path())
    given = absolute(root) if root is not None else None
    found = given if given in (folder, *folder.parents) else None
    found = project_root(folder) if found is None else found
    return folder if found in (found.parent, Path.home()) else found


def absolute(path: Path) -> Path:
    """A path from the root, without ``..``; links are not followed."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps '..'


def spelled_like(asked: Path, path: Path) -> Path:
    """A path spelled as the one that was asked about: relative or absolute."""
    if asked.is_absolute():
        return path
    return asked if absolute(asked) == path else Path(os.path.relpath(path))
