"""One process for each piece of work, so that a crash or a hang costs that piece alone."""

from __future__ import annotations

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

from roofline_lsp.reports.crash import crash_reason

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done(Generic[Result]):
    """What became of the item at ``index``."""

    index: int
    result: Result | None
    failure: str | None
    """Why there is no result: the exception and where it was raised, a signal, the time limit."""


@dataclass(frozen=True, slots=True)
class _Running:
    index: int
    process: BaseProcess
    deadline_s: float


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], *, jobs: int, limit_s: float
) -> Iterator[Done[Result]]:
    """Do ``work`` for each item, at most ``jobs`` at a time, and yield each outcome as it comes.

    The result travels back by pickle. Processes still at work when the iterator is closed are
    ended.
    """
    # Starting from a copy of this process spares every piece the imports; macOS and Windows cannot
    # do it safely.
    method = "fork" if sys.platform == "linux" else "spawn"
    context: Any = multiprocessing.get_context(method)
    gc.freeze()  # a collection in a copy would have to copy what it looks at
    waiting = list(enumerate(items))[::-1]
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, jobs):
                index, item = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(work, item, theirs), daemon=True)
                process.start()
                theirs.close()
                running[ours] = _Running(index, process, time.monotonic() + limit_s)
            yield from _finished(running, limit_s)
    finally:
        gc.unfreeze()
        for connection, task in running.items():
            _end(connection, task)


def _finished(running: dict[Connection, _Running], limit_s: float) -> Iterator[Done[Any]]:
    patience = min(task.deadline_s for task in running.values()) - time.monotonic()
    ready = wait(list(running), timeout=max(0.0, patience))
    for connection in [connection for connection in running if connection in ready]:
        task = running.pop(connection)
        done = _received(connection, task)
        _end(connection, task)
        yield done
    for connection, task in list(running.items()):
        if connection not in ready and time.monotonic() >= task.deadline_s:
            del running[connection]
            _end(connection, task)
            yield Done(task.index, None, f"no result within {limit_s:g} s")


def _received(connection: Connection, task: _Running) -> Done[Any]:
    try:
        result, failure = connection.recv()
    except (EOFError, OSError):
        task.process.join()
        code = task.process.exitcode or 0
        cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return Done(task.index, None, f"the process ended by itself ({cause})")
    return Done(task.index, result, failure)


def _end(connection: Connection, task: _Running) -> None:
    connection.close()
    if task.process.is_alive():
        task.process.join(timeout=0.2)  # one that has sent its result is about to leave
    if task.process.is_alive():
        task.process.kill()
    task.process.join()
    task.process.close()


def _child(work: Callable[[Any], Any], item: Any, connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children itself
    try:
        connection.send((work(item), None))
    except Exception as error:  # whatever it is, it is the piece's outcome
        connection.send((None, crash_reason(error)))
    connection.close()
    os._exit(0)  # nothing of the parent's is to be cleaned up here
