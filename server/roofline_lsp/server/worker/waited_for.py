"""Kernels that the editor waits for while their file is analysed, in the worker.

``LookAt`` is heard by the thread that reads, in the middle of a job; the analysis looks here
between two kernels, and what it then knows is sent ahead of the job's answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from roofline_analysis.api.wishes import Wish, Wishes
from roofline_analysis.report.report import KernelReport
from roofline_lsp.server.worker.jobs import LookAt


class WaitedFor:
    """The wishes of all files, put in by one thread and taken out by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes: dict[Path, list[Wish]] = {}

    def put(self, look: LookAt) -> None:
        """Take a wish, which may come before its file's job does."""
        with self._lock:
            self._wishes.setdefault(look.path, []).append(look.wish)

    def taken(self, path: Path) -> Sequence[Wish]:
        """The wishes for a file since this was last asked."""
        with self._lock:
            return self._wishes.pop(path, ())


class WishesOfFile(Wishes):
    """What an analysis of one file asks and tells."""

    def __init__(
        self, path: Path, waited_for: WaitedFor, tell: Callable[[Wish, KernelReport], None]
    ) -> None:
        self._path = path
        self._waited_for = waited_for
        self._tell = tell

    def open(self) -> Sequence[Wish]:
        """What was wished since this was last asked."""
        return self._waited_for.taken(self._path)

    def grant(self, wish: Wish, report: KernelReport) -> None:
        """Send a wished kernel's report."""
        self._tell(wish, report)
