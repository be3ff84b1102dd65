"""A lock on an open file, held against other processes and other openings of the same file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

if sys.platform == "win32":
    import msvcrt

    _FAR = 2**40
    """The offset of the locked byte, beyond any content: on Windows others may still read."""

    @contextmanager
    def locked(file: IO[bytes]) -> Iterator[None]:
        """Hold the lock; waits for whoever has it."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def locked(file: IO[bytes]) -> Iterator[None]:
        """Hold the lock; waits for whoever has it."""
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
