"""The one place where the advisor starts programs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LONGEST_OUTPUT = 100_000


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of running a program."""

    code: int | None
    """The exit code; None where it took too long."""
    output: str
    """The end of its output."""


async def run(
    command: Sequence[str], *, cwd: Path, limit_s: float, environment: Mapping[str, str]
) -> Ran:
    """Run a program with nothing to read, and end it and its children when it is too slow."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Ran(127, f"'{command[0]}' cannot be run: {error.strerror}")
    try:
        async with asyncio.timeout(limit_s):
            output = await _end_of_output(process)
            await process.wait()
        return Ran(process.returncode, output)
    except TimeoutError:
        return Ran(None, "")
    finally:
        _end(process)
        await process.wait()


async def _end_of_output(process: asyncio.subprocess.Process) -> str:
    """All that a program says is read, and only the end of it kept."""
    assert process.stdout is not None
    kept = b""
    while found := await process.stdout.read(_LONGEST_OUTPUT):
        kept = (kept + found)[-_LONGEST_OUTPUT:]
    return kept.decode("utf-8", "replace").strip()


def _end(process: asyncio.subprocess.Process) -> None:
    """End a program and what it left running."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
