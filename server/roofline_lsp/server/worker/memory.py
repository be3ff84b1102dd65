"""The memory of a worker process: its limit, and how what is not used any more is given back."""

from __future__ import annotations

import ctypes
import gc
import logging
import mmap
import sys
from pathlib import Path
from typing import Final

logger = logging.getLogger(__name__)

MOST_MEMORY_BYTES: Final = 4 << 30
"""The address space of a worker. Projects of thousands of files take well below 1 GB."""

_MIDDLE_EACH: Final = 8
_OLD_EACH: Final = 64
"""Collections of one generation for each of the next one."""


class Garbage:
    """What analyses leave in cycles, which only the collector frees.

    Editing makes an analysis with each letter, of about 1 MB. Where the collector waits until
    200,000 objects were made, those of fifty analyses lie about, and the allocator keeps what they
    took for as long as a few objects that stay lie among them. Collections after so many jobs, of
    what jobs leave, keep it to those of sixteen.
    """

    def __init__(self) -> None:
        """What there is now stays: modules and tables are not looked through again."""
        self._jobs = 0
        gc.collect()
        gc.freeze()

    def after_a_job(self) -> None:
        """Collect the newest objects; now and then older ones, and all of them seldom."""
        self._jobs += 1
        if self._jobs % _OLD_EACH == 0:
            gc.collect(2)
        else:
            gc.collect(1 if self._jobs % _MIDDLE_EACH == 0 else 0)


def give_memory_back() -> None:
    """Free what only cycles hold, and hand free memory to the system, where that can be asked."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
        if trim is not None:
            trim(0)


def resident_bytes() -> int | None:
    """The memory that this process takes; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[1]
    except OSError:
        return None
    return int(pages) * mmap.PAGESIZE


def limit_memory(most_bytes: int) -> None:
    """Have this process get no more address space than this, where the system has such a limit."""
    try:
        import resource  # noqa: PLC0415 - POSIX alone has it
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > most_bytes:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, hard))
        except (OSError, ValueError) as error:
            logger.info("no limit of memory: %s", error)
