"""Paths as the parts of a project know them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from roofline_core.settings import OWN_FILE

_ROOT_MARKS: Final = (".git", ".hg", ".svn", OWN_FILE)
_PART_MARKS: Final = (
    "LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING", ".gitignore", "pyproject.toml",
    "setup.py",
)  # fmt: skip
"""Files at the top of a project that was copied without version control."""


def include_root(folder: Path) -> Path | None:
    """The folder in and above which a program's headers may lie; None where nothing marks it."""
    start = absolute(folder)
    for above in (start, *start.parents):
        if any((above / mark).exists() for mark in (*_ROOT_MARKS, *_PART_MARKS)):
            return above
    return None


def project_root(folder: Path) -> Path:
    """The nearest folder above that version control or a settings file marks, else the folder."""
    start = absolute(folder)
    for above in (start, *start.parents):
        if any((above / mark).exists() for mark in _ROOT_MARKS):
            return above
    return start


def absolute(path: Path) -> Path:
    """A path from the root, without ``..``; links are not followed."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps '..'


def spelled_like(asked: Path, path: Path) -> Path:
    """A path spelled as the one that was asked about: relative or absolute."""
    if asked.is_absolute():
        return path
    return asked if absolute(asked) == path else Path(os.path.relpath(path))
