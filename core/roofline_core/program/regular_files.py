"""Files read without ever waiting for them: regular ones alone, and only as long as they say."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO, Final

_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
"""A pipe without a writer is opened at once, a terminal takes no control."""
_SPECIAL: Final = ("/proc/", "/sys/", "/dev/")
_MEMORY: Final = "/dev/shm/"
"""Where files lie in memory."""


class NotRegularError(OSError):
    """What a path leads to is no regular file."""

    def __init__(self) -> None:
        """Named as system errors are."""
        super().__init__(0, "not a regular file")


class TooLargeError(OSError):
    """A file with more bytes than are wanted."""

    def __init__(self, size_bytes: int) -> None:
        """``size_bytes``: how many it has."""
        super().__init__(0, f"{size_bytes / 1e6:.1f} MB are too many")
        self.size_bytes = size_bytes


def is_special(real: str) -> bool:
    """Whether a path without links is the system's: ``/proc``, ``/sys`` or ``/dev``."""
    whole = f"{real}/"
    return whole.startswith(_SPECIAL) and not whole.startswith(_MEMORY)


def read_regular_file(path: Path | str, most_bytes: int) -> bytes:
    """The bytes of a regular file.

    Raises OSError, of which NotRegularError and TooLargeError are kinds.
    """
    with open_regular_file(path) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        if size_bytes > most_bytes:
            raise TooLargeError(size_bytes)
        return file.read(size_bytes)


def open_regular_file(path: Path | str) -> IO[bytes]:
    """A regular file, opened for reading.

    It is looked at before it is opened, as devices act on that, and again once it is, so that what
    is put in its place meanwhile changes nothing. Raises OSError, of which NotRegularError is one.
    """
    if is_special(os.path.realpath(path)) or not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        raise NotRegularError
    file = open(os.open(path, _FLAGS), "rb")  # noqa: PTH123, SIM115 - a descriptor; the caller's
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotRegularError
    return file
