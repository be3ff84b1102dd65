"""A program run under a time limit, with whatever it starts, and ended as gently as it lets."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_profiling.errors import ProfilerError

_STANDARD_ERROR = 2
_POLL_S = 0.1
GRACE_S = 10.0
"""Seconds that a program has to write its results after it was asked to end."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    code: int
    """The exit code, negative for a signal."""
    timed_out: bool = False
    interrupted: bool = False
    """Whether Ctrl-C ended it."""
    seconds: float = 0.0


def run(
    command: Sequence[str],
    *,
    limit_s: float,
    folder: Path | None = None,
    watch: Callable[[], None] | None = None,
    output: int | None = None,
    environment: Mapping[str, str] | None = None,
    grace_s: float = GRACE_S,
) -> Ended:
    """Run a command without a shell and wait for it.

    Its standard input is empty; what it prints goes to ``output``, a file descriptor, by default
    this process's standard error. ``environment`` takes the place of this process's. ``watch`` is
    called several times a second. When time is up, or on Ctrl-C, it is asked to end, with all it
    started, and after ``grace_s`` made to. Raises ProfilerError if it cannot be started.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=_STANDARD_ERROR if output is None else output,
            stderr=None if output is None else output,
            cwd=folder,
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise ProfilerError(f"{command[0]}: cannot be run: {error.strerror}") from None
    timed_out = interrupted = False
    try:
        while not _over(process):
            if watch is not None:
                watch()
            if time.monotonic() - started > limit_s:
                timed_out = True
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if process.poll() is None or timed_out or interrupted:
            _end(process, grace_s)
        if watch is not None:
            watch()
    return Ended(process.returncode, timed_out, interrupted, time.monotonic() - started)


def _over(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """Ask the process group to stop, and kill what does not."""
    for sent, wait_s in ((signal.SIGINT, grace_s), (signal.SIGTERM, grace_s / 5)):
        _signal(process, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait_s)
            break
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal(process: subprocess.Popen[bytes], sent: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, sent)
