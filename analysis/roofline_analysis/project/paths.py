"""Paths as the parts of a project know them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from roofline_core.settings import OWN_FILE

_ROOT_MARKS: Final = (".git", ".hg", ".svn", OWN_FILE)


def project_root(folder: Path) -> Path:
    """The nearest folder above that version control or a settings file marks, else the folder."""
    return marked_root(folder) or absolute(folder)


def marked_root(folder: Path) -> Path | None:
    """The nearest folder, this one or above, that version control or a settings file marks."""
    start = absolute(folder)
    for above in (start, *start.parents):
        if any((above / mark).exists() for mark in _ROOT_MARKS):
            return above
    return None


def absolute(path: Path) -> Path:
    """A path from the root, without ``..``; links are not followed."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps '..'


def spelled_like(asked: Path, path: Path) -> Path:
    """A path spelled as the one that was asked about: relative or absolute."""
    if asked.is_absolute():
        return path
    return asked if absolute(asked) == path else Path(os.path.relpath(path))
