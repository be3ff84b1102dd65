"""Strangers' files written below one folder, whatever their names and sizes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_core.program.units import Problem, Severity
from roofline_core.text.units import counted

_IGNORE_FILES: Final = (".gitignore", ".rooflineignore")
"""The hidden files that a check reads."""
_MOST_NAME_BYTES: Final = 255
_MOST_DEPTH: Final = 60
_MOST_PROBLEMS: Final = 100
"""The most files that are named as left out; of further ones the number is told."""
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """How much of one input is unpacked; what is beyond is left out, and told."""

    files: int = 100_000
    total_bytes: int = 4 << 30
    file_bytes: int = 16_000_000
    """The largest file, as for files of folders."""


class FullError(Exception):
    """Nothing more of an input is taken."""


class TreeWriter:
    """Writes regular files below a folder, each once, and nothing anywhere else.

    No link and no special file is ever made, so that no later file can be led out of the folder.
    """

    def __init__(self, folder: Path, limits: UnpackLimits) -> None:
        """``folder`` is a new one that nobody else may write to."""
        self.folder = folder
        self.problems: list[Problem] = []
        """What was left out, each with the path that it would have."""
        self._limits = limits
        self._files = self._bytes = self._untold = 0

    def put(self, name: str, read: Callable[[int], bytes]) -> None:
        """Write a file; ``read`` gives its first bytes, at most as many as it is asked for.

        What cannot be taken is told in ``problems``. Raises FullError beyond the limits.
        """
        parts = self._parts(name)
        if parts is None:
            return
        limits = self._limits
        if self._files >= limits.files:
            self._full(f"only {counted(limits.files, 'file')} were unpacked")
        text = read(limits.file_bytes + 1)
        if len(text) > limits.file_bytes:
            limit = limits.file_bytes / 1e6
            self.leave_out(name, f"more than the limit of {limit:.0f} MB, not unpacked")
            return
        if self._bytes + len(text) > limits.total_bytes:
            self._full(f"only {self._bytes / 1e6:.0f} MB were unpacked")
        self._files += 1
        self._bytes += len(text)
        self._write(name, parts, text)

    def leave_out(self, name: str, why: str) -> None:
        """Tell that a file is not taken. ``name`` is not trusted: it stays below the folder."""
        if len(self.problems) >= _MOST_PROBLEMS:
            self._untold += 1
            return
        shown = name.replace("\\", "/").replace("..", "__").strip("/")
        self.problems.append(Problem(Severity.ERROR, why, self.folder / shown))

    def finish(self) -> None:
        """Tell how many further files were left out."""
        if self._untold:
            message = f"{counted(self._untold, 'further file')} not unpacked"
            self.problems.append(Problem(Severity.ERROR, message, self.folder))

    def _parts(self, name: str) -> list[str] | None:
        """The folders and the name of a file; None for one that is not to be written."""
        parts = name.replace("\\", "/").removeprefix("./").split("/")
        if parts[-1] in _IGNORE_FILES and not any(part.startswith(".") for part in parts[:-1]):
            return parts
        if not _is_inside(parts):
            self.leave_out(name, "its name leads out of the archive, not unpacked")
            return None
        if len(parts) > _MOST_DEPTH or any(map(_is_no_name, parts)):
            self.leave_out(name, "its name is no file's, not unpacked")
            return None
        return None if any(part.startswith(".") for part in parts) else parts

    def _write(self, name: str, parts: list[str], text: bytes) -> None:
        path = self.folder.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, _FLAGS, 0o600), "wb") as file:
                file.write(text)
        except FileExistsError:
            self.leave_out(name, "there is a file in its place already, not unpacked")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.leave_out(name, f"cannot be unpacked: {reason}")

    def _full(self, why: str) -> None:
        self.problems.insert(
            0, Problem(Severity.ERROR, f"{why}; split it into several inputs", self.folder)
        )
        raise FullError


def _is_inside(parts: list[str]) -> bool:
    """Whether a name stays in its folder: neither absolute, nor with a drive, nor upward."""
    return bool(parts[0]) and ".." not in parts and ":" not in parts[0]


def _is_no_name(part: str) -> bool:
    if not part or part == "." or any(ord(character) < 32 for character in part):
        return True
    with contextlib.suppress(UnicodeEncodeError):
        return len(part.encode()) > _MOST_NAME_BYTES
    return True
