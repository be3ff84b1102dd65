"""Data files of a program: looked for inside the workspace only, and read up to a size.

The sources may be a stranger's. What a name leads to is read only if it is a regular file whose
real path, links followed, lies inside the workspace; nothing else is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from roofline_core.program.asked import asked
from roofline_core.program.records import record

MOST_BYTES: Final = 4 * 2**20
"""The bytes of one file whose values are read; of what follows, only the size is known."""
MOST_BYTES_IN_ALL: Final = 32 * 2**20
"""The same for all files of one program."""

MOST_FILES: Final = 256
"""The most names that are looked for in one program."""

Reader = Callable[[Path], bytes | None]
"""Gives a file's bytes, or None where it cannot be read."""


@record(frozen=True, slots=True)
class InputFile:
    """A file as the program finds it."""

    name: str
    """As the program names it."""
    data: bytes | None = None
    """Its bytes, at most ``MOST_BYTES`` of them; None where they are not known."""
    size_bytes: int | None = None
    """Its whole size; None where that is not known."""
    missing: str = ""
    """Why its content is not known: ``which was not found``."""


class InputFiles:
    """Finds and reads the data files of one program.

    All reading is done by ``reader``, which therefore learns of each file inside the workspace that
    the program's launches depend on, of missing ones too. Only of files that it leaves out for
    their size is the beginning read here.
    """

    def __init__(self, root: Path, reader: Reader) -> None:
        self._root = Path(os.path.realpath(root))
        self._reader = reader
        self._known: dict[tuple[str, Path | None], InputFile] = {}
        self._bytes_left = MOST_BYTES_IN_ALL

    def find(self, name: str, folder: Path | None) -> InputFile:
        """The file of a name as the program gives it.

        Programs are run from their own folder, or from one above: a relative name is looked for in
        ``folder``, the folder of the program's source, then in each folder above it up to the root
        of the workspace.
        """
        found = self._known.get((name, folder))
        if found is None and len(self._known) >= MOST_FILES:
            return InputFile(name, missing="which was not looked for, after so many others")
        if found is None:
            found = self._known[name, folder] = self._find(name, folder)
        return found

    def _find(self, name: str, folder: Path | None) -> InputFile:
        if not name or "\0" in name:
            return InputFile(name, missing="which was not found")
        bases = self._bases(folder)
        outside = 0
        for base in bases:
            asked((base / name,))
            path = self._inside(base / name)
            if path is None:
                outside += 1
                continue
            found = self._read(name, path)
            if found is not None:
                return found
        why = "which lies outside the workspace" if outside == len(bases) else "which was not found"
        return InputFile(name, missing=why)

    def _bases(self, folder: Path | None) -> Sequence[Path]:
        """The folders that a relative name may start from; the root where nothing else is known."""
        if folder is None:
            return (self._root,)
        above = Path(os.path.realpath(folder)).parents
        between = above[: above.index(self._root)] if self._root in above else ()
        return tuple(dict.fromkeys((folder, *between, self._root)))

    def _inside(self, path: Path) -> Path | None:
        """The path without ``..``; None if what it leads to, links followed, is outside."""
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return None
        if self._root not in Path(real).parents:
            return None
        plain = os.path.normpath(path)
        return Path(plain if os.path.realpath(plain) == real else real)

    def _read(self, name: str, path: Path) -> InputFile | None:
        """The file at a path inside the workspace; None if there is none."""
        try:
            status = path.stat()
        except (OSError, ValueError):
            return self._taken(name, self._reader(path))  # an editor may hold it unsaved
        if not stat.S_ISREG(status.st_mode):
            return InputFile(name, missing="which is not a regular file")
        data = self._reader(path)
        if data is None and status.st_size > MOST_BYTES:
            data = _beginning(path)
            return self._taken(name, data, status.st_size)
        return self._taken(name, data) or InputFile(name, missing="which cannot be read")

    def _taken(self, name: str, data: bytes | None, size: int | None = None) -> InputFile | None:
        if data is None:
            return None
        size = len(data) if size is None else size
        kept = data[: min(MOST_BYTES, self._bytes_left)]
        self._bytes_left -= len(kept)
        return InputFile(name, kept, size)


def _beginning(path: Path) -> bytes | None:
    """The first bytes of a regular file; None where it cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(os.path.realpath(path), flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        regular = stat.S_ISREG(os.fstat(handle).st_mode)
        return file.read(MOST_BYTES) if regular else None
