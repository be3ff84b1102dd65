"""Programs of trees emulated one after the other, or a few at a time; what is done is kept."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.outcomes import (
    ProgramOutcome,
    emulator_hash,
    key_of,
    read_outcome,
    write_outcome,
)
from roofline_profiling.differential.plan import DifferentialPlan

_COMMAND: Final = (sys.executable, "-P", "-m", "roofline_profiling.differential.worker")
_POLL_S: Final = 0.2
_RUNS: Final = 8
"""A program's build, runs and translations take no more than so many limits."""
_GRACE_S: Final = 30.0
_REMOVALS: Final = 20
_TAIL_BYTES: Final = 2000

Tell = Callable[[str], None]


def run_missing(
    programs: Sequence[TreeProgram], plan: DifferentialPlan, tell: Tell
) -> dict[str, ProgramOutcome]:
    """Emulate the programs without a valid outcome, and return all outcomes by program.

    Raises ProfilerError if the results cannot be written. On Ctrl-C what is done is kept.
    """
    emulator = emulator_hash()
    outcomes: dict[str, ProgramOutcome] = {}
    waiting: deque[tuple[TreeProgram, ProgramOutcome]] = deque()
    for program in programs:
        if program.skip:
            outcomes[program.name] = ProgramOutcome(
                program.name, "", "", f"left out: {program.skip}"
            )
            continue
        kept = read_outcome(program.name, plan.kept)
        blank = ProgramOutcome(program.name, key_of(program, plan), emulator)
        if kept is not None:
            outcomes[program.name] = kept
        if plan.runs and (kept is None or plan.again or _is_stale(kept, blank)):
            waiting.append((program, blank))
    if waiting:
        tell(f"{len(waiting)} of {len(programs)} programs to run")
        outcomes |= _run_all(waiting, plan, tell)
    return outcomes


def _is_stale(kept: ProgramOutcome, now: ProgramOutcome) -> bool:
    """Whether a program has to run again: it changed, or what failed may work by now."""
    return kept.key != now.key or (bool(kept.failure) and kept.emulator != now.emulator)


@dataclass(slots=True)
class _Job:
    process: subprocess.Popen[bytes]
    held: Path
    """The folder for all temporary files of the process and of what it starts."""
    blank: ProgramOutcome
    errors: IO[bytes]
    ends_s: float


def _run_all(
    waiting: deque[tuple[TreeProgram, ProgramOutcome]], plan: DifferentialPlan, tell: Tell
) -> dict[str, ProgramOutcome]:
    found: dict[str, ProgramOutcome] = {}
    total, jobs = len(waiting), list[_Job]()
    held = Path(tempfile.mkdtemp(prefix="roofline-study-"))
    try:
        while waiting or jobs:
            while waiting and len(jobs) < plan.jobs:
                jobs.append(_start(*waiting.popleft(), plan, held))
            time.sleep(_POLL_S)
            for job in [each for each in jobs if _is_over(each)]:
                jobs.remove(job)
                outcome = found[job.blank.program] = _finished(job, plan)
                _remove(job.held)
                tell(f"[{len(found)}/{total}] {outcome.program}: {_in_short(outcome)}")
    finally:
        for job in jobs:
            _end(job)
        _remove(held)
    return found


def _start(program: TreeProgram, blank: ProgramOutcome, plan: DifferentialPlan, held: Path) -> _Job:
    held = Path(tempfile.mkdtemp(dir=held))
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
    process = subprocess.Popen(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env={**os.environ, "TMPDIR": str(held)},
        start_new_session=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(pickle.dumps((program, plan, blank)))
        process.stdin.close()
    return _Job(process, held, blank, errors, time.monotonic() + _RUNS * plan.limit_s)


def _is_over(job: _Job) -> bool:
    if job.process.poll() is not None:
        return True
    if time.monotonic() < job.ends_s:
        return False
    _end(job)
    return True


def _end(job: _Job) -> None:
    """Interrupt the worker, which ends what it started; kill it if it does not."""
    if job.process.poll() is None:
        job.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.process.wait(_GRACE_S)
    if job.process.poll() is None:
        job.process.kill()
        job.process.wait()


def _remove(folder: Path) -> None:
    """Remove a folder of temporary files.

    Again where it fails: a process that was killed may still be there for a moment, and write.
    """
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_POLL_S)


def _finished(job: _Job, plan: DifferentialPlan) -> ProgramOutcome:
    """What the worker kept; a failure that is kept now where it kept nothing."""
    kept = read_outcome(job.blank.program, plan.kept)
    if job.process.returncode == 0 and kept is not None:
        return kept
    why = f"took longer than {_RUNS * plan.limit_s:g} s"
    if time.monotonic() < job.ends_s:
        why = f"the process that runs it ended with {job.process.returncode}: {_tail(job.errors)}"
    outcome = replace(job.blank, failure=f"run: {why}")
    write_outcome(outcome, plan.kept)
    return outcome


def _tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _TAIL_BYTES))
    lines = errors.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _in_short(outcome: ProgramOutcome) -> str:
    if outcome.failure:
        return outcome.failure
    best = outcome.best
    if best is None:
        return "nothing"
    seconds = sum(each.seconds for each in outcome.attempts)
    return f"{len(best.launches)} launches, {best.how}, {seconds:.0f} s"
