"""What a run spends its time on: seconds and counts by stage, where somebody asks for them.

The functions that are stages carry ``@stage(...)``. Without a clock in force that costs one look
into a context variable a call; stages are files, functions and launches, not nodes. A clock is in
force in the context that entered ``measured`` and nowhere else, so threads and tasks do not mix.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from time import perf_counter
from typing import ParamSpec, TypeVar

from roofline_core.program.progress import PROGRESS

Given = ParamSpec("Given")
Made = TypeVar("Made")


class Stage(Enum):
    """A part of a run, in the order that a file goes through them."""

    READ = "read"
    """Files from disk."""
    LINK = "link"
    """Files looked through for what belongs to one program."""
    PREPROCESS = "preprocess"
    PARSE = "parse"
    """Syntax trees and the declarations in them."""
    LOWER = "lower"
    """Bodies of functions to the kernel model; target regions to kernels."""
    HOST = "host"
    """The host program executed to its launches."""
    WALK = "walk"
    """What one thread of a kernel does."""
    BIND = "bind"
    """A launch's numbers put to a kernel's symbols."""
    EXECUTE = "execute"
    """How often each part of a kernel runs."""
    TRAFFIC = "traffic"
    PREDICT = "predict"
    """Time, verdict and confidence."""
    RULES = "rules"
    """Kernels and host code looked through for what could be faster."""
    REPORT = "report"


class StageClock:
    """Seconds that were spent in each stage itself, not in the stages it calls, and counts."""

    def __init__(self) -> None:
        self.seconds: dict[Stage, float] = dict.fromkeys(Stage, 0.0)
        self.calls: Counter[Stage] = Counter()
        """How often each stage was entered from another or from none."""
        self.counts: Counter[str] = Counter()
        """What ``count`` was told."""
        self.total_s = 0.0
        """All the time that the clock was in force."""
        self._running: list[Stage] = []
        self._since = 0.0

    def add(self, other: StageClock) -> None:
        """Add what another process spent and counted; its seconds run beside this clock's."""
        for each in Stage:
            self.seconds[each] += other.seconds[each]
        self.calls.update(other.calls)
        self.counts.update(other.counts)

    def run(self, stage: Stage, work: Callable[[], Made]) -> Made:
        """Do something as a part of a stage."""
        now = perf_counter()
        running = self._running
        if running:
            self.seconds[running[-1]] += now - self._since
        self._since = now
        if stage not in running:
            self.calls[stage] += 1
        running.append(stage)
        try:
            return work()
        finally:
            now = perf_counter()
            self.seconds[running.pop()] += now - self._since
            self._since = now


_IN_FORCE: ContextVar[StageClock | None] = ContextVar("roofline_lsp_stages", default=None)


@contextmanager
def measured() -> Iterator[StageClock]:
    """A clock that is in force inside."""
    clock = StageClock()
    token = _IN_FORCE.set(clock)
    started = perf_counter()
    try:
        yield clock
    finally:
        clock.total_s = perf_counter() - started
        _IN_FORCE.reset(token)


def clock_in_force() -> StageClock | None:
    """The clock that somebody asked for; None if nobody did."""
    return _IN_FORCE.get()


def stage(name: Stage) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Count the time of a function as that of a stage, where a clock is in force."""

    def decorate(work: Callable[Given, Made]) -> Callable[Given, Made]:
        """``work`` with its time counted."""

        @functools.wraps(work)
        def staged(*args: Given.args, **kwargs: Given.kwargs) -> Made:
            """Run ``work``, under the clock if one is in force; count a step of progress."""
            PROGRESS.steps += 1
            clock = _IN_FORCE.get()
            if clock is None:
                return work(*args, **kwargs)
            return clock.run(name, lambda: work(*args, **kwargs))

        return staged

    return decorate


def count(what: str, number: int = 1) -> None:
    """Add to a count, where a clock is in force."""
    clock = _IN_FORCE.get()
    if clock is not None:
        clock.counts[what] += number
