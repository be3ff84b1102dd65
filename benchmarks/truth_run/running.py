"""Runs of built programs under the emulator, each ended as soon as its kernels are counted."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from roofline_profiling.emulate.records import LaunchRecord, launch_of
from roofline_study.dataset import MeasuredKernel

from .matching import find_launch
from .names import KernelName, demangle, read_name

_POLL_S = 0.5
_TAIL_BYTES = 2000
_MAX_LOG_BYTES = 64 * 1024**2
_LAUNCH = b',"launch":'
"""What begins the part of a record that launches of the same kernel and shape do not share."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How programs are run."""

    library: Path
    """The folder with the runtime library of the emulator."""
    configuration: str
    """Lines of the emulator's configuration; ``output`` is set for each program."""
    results: Path
    """The folder for records, logs and endings."""
    limit_s: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended."""

    program: str
    how: str
    """``all counted`` (then it was stopped), ``ended``, ``time limit``, ``status N``, ``signal N``
    or ``not built``."""
    seconds: float
    tail: str
    """The last of what it printed."""

    @property
    def early(self) -> str:
        """How the run ended, for tables; empty if the program came to its own end."""
        if self.how in ("ended", "all counted"):
            return ""
        lines = [line for line in self.tail.splitlines() if line.strip()]
        spoken = self.how.startswith(("status", "signal")) and lines
        return f"{self.how}: {lines[-1].strip()[:100]}" if spoken else self.how


class Records:
    """The records of a run so far, read as they are written.

    Only the first of launches that are alike is kept: a program may launch a kernel a million
    times.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._shapes: set[bytes] = set()
        self.launches: list[LaunchRecord] = []
        self.names: dict[str, KernelName] = {}

    def update(self) -> bool:
        """Read what was added; true if there were new records."""
        if not self._path.exists():
            return False
        added = [each for each in map(launch_of, self._first_lines()) if each is not None]
        new = {each.kernel for each in added} - self.names.keys()
        self.names |= {mangled: read_name(name) for mangled, name in demangle(new).items()}
        self.launches += added
        return bool(added)

    def _first_lines(self) -> Iterator[bytes]:
        """The whole lines that were added, of each kernel and shape the first."""
        with self._path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._read += len(line)
                shape = line.partition(_LAUNCH)[0]
                if shape not in self._shapes:
                    self._shapes.add(shape)
                    yield line

    def has(self, row: MeasuredKernel) -> bool:
        """True if the row's launch is there."""
        return find_launch(row, self.launches, self.names).launch is not None


def run_program(
    setting: Setting, program: Path, folder: Path, rows: Sequence[MeasuredKernel]
) -> Ending:
    """Run a program in its folder with its rows' arguments until each row's launch is counted."""
    name = rows[0].program
    if not program.exists():
        return _kept(setting, Ending(name, "not built", 0.0, ""))
    output, log = setting.results / f"{name}.jsonl", setting.results / f"{name}.log"
    output.unlink(missing_ok=True)
    records, start = Records(output), time.monotonic()
    with log.open("wb") as printed:
        process = subprocess.Popen(
            [program, *(rows[0].args or ())],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            env=_environment(setting, name, output),
            start_new_session=True,
            preexec_fn=partial(_limit, setting.memory_bytes),  # noqa: PLW1509 - no threads here
        )
        how = _wait(process, start + setting.limit_s, partial(_all_counted, records, rows))
    seconds = time.monotonic() - start
    return _kept(setting, Ending(name, how, round(seconds, 2), _tail(log)))


def read_ending(results: Path, program: str) -> Ending | None:
    """How a program's run ended; None if it was not run."""
    path = results / f"{program}.ending.json"
    return Ending(**json.loads(path.read_text())) if path.exists() else None


def _kept(setting: Setting, ending: Ending) -> Ending:
    path = setting.results / f"{ending.program}.ending.json"
    path.write_text(json.dumps(asdict(ending)) + "\n")
    return ending


def _environment(setting: Setting, name: str, output: Path) -> dict[str, str]:
    configuration = setting.results / f"{name}.configuration"
    configuration.write_text(f"{setting.configuration.rstrip()}\noutput={output}\n")
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(setting.library),
        "ROOFLINE_EMULATE": str(configuration),
    }


def _limit(memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(process: subprocess.Popen[bytes], end: float, enough: Callable[[], bool]) -> str:
    """Wait for the end or for enough; the process group is gone afterwards."""
    how = ""
    while not how and process.poll() is None:
        if enough():
            how = "all counted"
        elif time.monotonic() > end:
            how = "time limit"
        else:
            time.sleep(_POLL_S)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    if how:
        return how
    if status < 0:
        return f"signal {-status}"
    return f"status {status}" if status else "ended"


def _all_counted(records: Records, rows: Sequence[MeasuredKernel]) -> bool:
    return records.update() and all(map(records.has, rows))


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        text = file.read().decode(errors="replace")
    if log.stat().st_size > _MAX_LOG_BYTES:
        log.write_text(text)
    return text
