"""Pieces of work in a few processes, where a crash or a hang costs the one piece at work.

A process does one piece after the other: what the first has to make, such as what tree-sitter is
asked and the GPU's entry, serves them all. One that crashes or takes too long is replaced.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from roofline_core.program.crash import crash_reason

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done(Generic[Result]):
    """The outcome of the item at ``index``."""

    index: int
    result: Result | None
    failure: str | None
    """Why there is no result: the exception and where it was raised, a signal, the time limit."""


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], *, jobs: int, limit_s: float
) -> Iterator[Done[Result]]:
    """Do ``work`` for each item, at most ``jobs`` at a time, and yield each outcome as it comes.

    Items and results travel by pickle. Processes still at work when the iterator is closed are
    ended.
    """
    gc.freeze()  # a collection in a copy of this process would have to copy what it looks at
    waiting = list(enumerate(items))[::-1]
    workers: dict[Connection, _Worker] = {}
    try:
        for _ in range(min(max(1, jobs), len(waiting))):
            _start(workers, work, *waiting.pop(), limit_s)
        while workers:
            for connection, done in _finished(workers, limit_s):
                if not workers[connection].works:
                    workers.pop(connection).end()
                    if waiting:
                        _start(workers, work, *waiting.pop(), limit_s)
                elif waiting:
                    workers[connection].give(*waiting.pop(), limit_s)
                else:
                    workers.pop(connection).end()
                yield done
    finally:
        gc.unfreeze()
        for worker in workers.values():
            worker.end()


class _Worker:
    """A worker process."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        # Starting from a copy of this process spares the imports; macOS and Windows cannot do it
        # safely.
        copied = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if copied else "spawn")
        self.connection, theirs = context.Pipe()
        # The copy of our end has to be closed, for else the process would not see that we are gone.
        ours = self.connection if copied else None
        self._process: BaseProcess = context.Process(
            target=_serve, args=(work, theirs, ours), daemon=True
        )
        self._process.start()
        theirs.close()
        self.works = True
        """Whether the process can take another item."""
        self._index = -1
        self.deadline_s = 0.0

    def give(self, index: int, item: object, limit_s: float) -> None:
        """Send the process its next item."""
        self._index = index
        self.deadline_s = time.monotonic() + limit_s
        with contextlib.suppress(OSError):  # that it is gone shows when the answer is read
            self.connection.send(item)

    def received(self) -> Done[Any]:
        """The outcome of the current item, whose answer has arrived."""
        try:
            result, failure = self.connection.recv()
        except (EOFError, OSError):
            self.works = False
            self._process.join()
            code = self._process.exitcode or 0
            cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            return Done(self._index, None, f"the process ended by itself ({cause})")
        return Done(self._index, result, failure)

    def given_up(self, limit_s: float) -> Done[Any]:
        """The outcome of an item that exceeds the time limit."""
        self.works = False
        return Done(self._index, None, f"no result within {limit_s:g} s")

    def end(self) -> None:
        """End the process at once."""
        self.connection.close()
        if self.works:
            self._process.join(timeout=0.2)  # with nothing to do it leaves by itself
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._process.close()


def _start(
    workers: dict[Connection, _Worker],
    work: Callable[[Any], Any],
    index: int,
    item: object,
    limit_s: float,
) -> None:
    worker = _Worker(work)
    workers[worker.connection] = worker
    worker.give(index, item, limit_s)


def _finished(
    workers: dict[Connection, _Worker], limit_s: float
) -> list[tuple[Connection, Done[Any]]]:
    """The outcomes of finished and abandoned items; waits for the first answer or deadline."""
    patience = min(worker.deadline_s for worker in workers.values()) - time.monotonic()
    ready = wait(list(workers), timeout=max(0.0, patience))
    found = []
    for connection, worker in workers.items():
        if connection in ready:
            found.append((connection, worker.received()))
        elif time.monotonic() >= worker.deadline_s:
            found.append((connection, worker.given_up(limit_s)))
    return found


def _serve(work: Callable[[Any], Any], connection: Connection, other: Connection | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children itself
    if other is not None:
        other.close()
    while True:
        try:
            item = connection.recv()
        except (EOFError, OSError):
            break
        try:
            connection.send((work(item), None))
        except Exception as error:  # whatever it is, it is the piece's outcome
            connection.send((None, crash_reason(error)))
    os._exit(0)  # nothing of the parent's is to be cleaned up here
