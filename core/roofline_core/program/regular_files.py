"""Files read without ever waiting for them: regular ones alone, and only as long as they say."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

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

    It is looked at before it is opened, as devices act on that, and again once it is, so that what
    is put in its place meanwhile changes nothing. Raises OSError, of which NotRegularError and
    TooLargeError are kinds.
    """
    if is_special(os.path.realpath(path)) or not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        raise NotRegularError
    handle = os.open(path, _FLAGS)
    with open(handle, "rb", closefd=True) as file:  # noqa: PTH123 - a descriptor
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError
        if status.st_size > most_bytes:
            raise TooLargeError(status.st_size)
        return file.read(status.st_size)
