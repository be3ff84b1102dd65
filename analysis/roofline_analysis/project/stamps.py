"""Whether files and folders are as they were, told from their times and sizes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, ...]
"""When something was written, and when it was put where it is; its size and its number on disk."""


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of what is at a path; None where there is nothing."""
    try:
        status = os.stat(path)  # noqa: PTH116 - thousands of them
    except (OSError, ValueError):  # a null character in the name
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


class Stamps:
    """The stamps of paths as they were when somebody looked."""

    def __init__(self) -> None:
        self._kept: dict[Path, Stamp | None] = {}

    def note(self, path: Path) -> None:
        """What is at a path is looked at now."""
        self._kept[path] = stamp_of(path)

    def changed(self) -> Iterator[Path | None]:
        """One item for each path: itself if it has changed since it was noted, else None."""
        for path in tuple(self._kept):
            yield path if stamp_of(path) != self._kept[path] else None
