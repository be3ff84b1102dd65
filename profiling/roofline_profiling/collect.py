"""A data set made from program folders: each built, run under the profiler, its kernels a row.

As in the data set that ``evaluate`` was made for, the first launch of each kernel counts. Work that
was done is not done again: a file beside the table tells what came of each program.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.api import gpu_used
from roofline_core.program.precision import Precision
from roofline_core.settings import SOURCE_SUFFIXES, Settings
from roofline_hardware_db import UnknownGpuError
from roofline_profiling.datasets import header_text, row_of, row_text
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import Measurement
from roofline_profiling.ncu_command import Options
from roofline_profiling.process import run
from roofline_profiling.profile import Profiled, profile

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TAIL_BYTES = 4000
_MOST_REASON = 300

Tell = Callable[[str], None]
Show = Callable[[Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to collect, and how programs are built and run."""

    programs: Path
    """The folder that holds a folder for each program."""
    table: Path
    """The CSV file that is written."""
    options: Options
    build: str = "make"
    """A command run in each folder; empty for programs that are built."""
    command: str | None = None
    """How each program is run; None for what its Makefile's target ``run`` would."""
    only: tuple[str, ...] = ()
    gpu: str | None = None
    """Whose ridges make the classes; None for the GPU that reports name."""
    build_limit_s: float = 600.0

    @property
    def progress(self) -> Path:
        """The file that records the outcome of each program."""
        return self.table.with_name(f"{self.table.name}.progress.jsonl")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one program."""

    program: str
    kernels: int
    """The number of rows written for it."""
    stage: str | None = None
    """The stage that failed: ``build``, ``run`` or ``profile``; None if none did."""
    reason: str = ""


class _FailedError(Exception):
    """The reason that a program gives no row."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(reason)
        self.stage = stage


def collect(
    plan: Plan, *, tell: Tell = lambda _: None, show: Show = lambda _: None
) -> list[Outcome]:
    """Go through the folders, and return what came of those that were not done before.

    ``tell`` is told of each program, ``show`` of each command before it runs. Programs that failed
    earlier are tried again. Raises ProfilerError if there is no program, or a file cannot be
    written.
    """
    folders = _folders(plan)
    done = _resume(plan)
    outcomes: list[Outcome] = []
    waiting = [folder for folder in folders if folder.name not in done]
    if len(waiting) < len(folders):
        tell(f"{len(folders) - len(waiting)} of {len(folders)} programs are done already")
    for number, folder in enumerate(waiting, 1):
        tell(f"[{number}/{len(waiting)}] {folder.name}")
        try:
            rows, note = _measured(folder, plan, show)
            outcome = Outcome(folder.name, len(rows), reason=note)
        except _FailedError as failure:
            rows, outcome = [], Outcome(folder.name, 0, failure.stage, str(failure))
            tell(f"  {failure.stage} failed: {failure}")
        _append(plan.table, "".join(rows))
        _append(plan.progress, _line(outcome))
        outcomes.append(outcome)
    return outcomes


def _folders(plan: Plan) -> list[Path]:
    try:
        found = sorted(path for path in plan.programs.iterdir() if path.is_dir())
    except OSError as error:
        raise ProfilerError(f"{plan.programs}: cannot be read: {error.strerror}") from None
    names = {path.name for path in found}
    for name in plan.only:
        if name not in names:
            raise ProfilerError(f"{plan.programs}: there is no program '{name}'")
    chosen = [path for path in found if _is_program(path) and path.name in (plan.only or names)]
    if not chosen:
        raise ProfilerError(f"{plan.programs}: no folder in it has a Makefile or a source file")
    return chosen


def _is_program(folder: Path) -> bool:
    try:
        files = list(folder.iterdir())
    except OSError:
        return True  # so that it is listed as one that failed
    return any(path.name in _MAKEFILES or path.suffix.lower() in SOURCE_SUFFIXES for path in files)


def _resume(plan: Plan) -> set[str]:
    """The programs that are done; rows of others, from a run that was cut short, are removed."""
    done: set[str] = set()
    for line in _read(plan.progress).splitlines():
        try:
            content = json.loads(line)
            if content["stage"] is None:
                done.add(content["program"])
            else:
                done.discard(content["program"])
        except (ValueError, TypeError, KeyError):
            continue  # cut short
    text = _read(plan.table)
    if not text:
        _write(plan.table, header_text())
        return set()
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or ",".join(rows[0]) + "\n" != header_text():
        raise ProfilerError(f"{plan.table}: not a data set of this command; name another file")
    kept = [row for row in rows[1:] if len(row) == len(rows[0]) and row[0] in done]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([rows[0], *kept])
    if out.getvalue() != text:
        _write(plan.table, out.getvalue())
    return done


def _measured(folder: Path, plan: Plan, show: Show) -> tuple[list[str], str]:
    if plan.build:
        _build(folder, plan, show)
    command = shlex.split(plan.command) if plan.command else _run_command(folder)
    with tempfile.TemporaryFile() as out:
        try:
            found = profile(command, plan.options, folder=folder, show=show, output=out.fileno())
        except ProfilerError as error:
            raise _FailedError("profile", str(error)) from None
    if found.interrupted:
        raise KeyboardInterrupt
    rows = list(_rows(folder.name, found, plan))
    if not rows:
        raise _FailedError("profile", "no launch has all the counts that a row needs")
    return rows, "; ".join(found.problems)


def _rows(program: str, found: Profiled, plan: Plan) -> Iterator[str]:
    seen: set[str] = set()
    for launch in found.measurements:
        if launch.kernel in seen:
            continue
        row = row_of(launch, program, _ridges(launch, plan), 0)
        if row is not None and row.grid is not None and row.block is not None:
            seen.add(launch.kernel)
            yield row_text(row)


def _ridges(launch: Measurement, plan: Plan) -> Mapping[Precision, float]:
    name = plan.gpu or launch.gpu
    if name is None:
        raise _FailedError("profile", "the report does not name the GPU: give --gpu")
    try:
        return gpu_used(Settings(gpu=name, clock="base")).ridges
    except UnknownGpuError as error:
        raise _FailedError("profile", f"{error}; --gpu names one to judge by") from None


def _build(folder: Path, plan: Plan, show: Show) -> None:
    command = shlex.split(plan.build)
    show(["cd", str(folder), "&&", *command])
    with tempfile.TemporaryFile() as out:
        try:
            ended = run(command, limit_s=plan.build_limit_s, folder=folder, output=out.fileno())
        except ProfilerError as error:
            raise _FailedError("build", str(error)) from None
        if ended.interrupted:
            raise KeyboardInterrupt
        if ended.timed_out:
            raise _FailedError("build", f"it took longer than {plan.build_limit_s:g} s")
        if ended.code:
            raise _FailedError("build", f"it ended with {ended.code}: {_tail(out.fileno())}")


def _run_command(folder: Path) -> list[str]:
    """What ``make run`` would run: the last line of its dry run that starts a program here."""
    if not any((folder / name).is_file() for name in _MAKEFILES):
        raise _FailedError("run", "there is no Makefile to tell how: give --run")
    with tempfile.TemporaryFile() as out:
        try:
            run(
                ["make", "--dry-run", "--no-print-directory", "run"],
                limit_s=60,
                folder=folder,
                output=out.fileno(),
            )
        except ProfilerError as error:
            raise _FailedError("run", str(error)) from None
        out.seek(0)
        text = out.read(1024**2).decode("utf-8", "replace")
    for line in reversed(text.splitlines()):
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        if words and words[0].startswith("./") and (folder / words[0]).is_file():
            return words
    raise _FailedError("run", "its Makefile has no target 'run' that starts a program: give --run")


def _tail(descriptor: int) -> str:
    """The last line that mentions an error, else the last line."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.lseek(descriptor, max(0, size - _TAIL_BYTES), os.SEEK_SET)
    text = os.read(descriptor, _TAIL_BYTES).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line and not line.startswith("make")]
    return (telling or lines or ["it said nothing"])[-1][:_MOST_REASON]


def _line(outcome: Outcome) -> str:
    content = {
        "program": outcome.program,
        "kernels": outcome.kernels,
        "stage": outcome.stage,
        "reason": outcome.reason,
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be read: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    """Replace a file atomically: an interruption leaves either the old or the new content."""
    beside = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be written: {error.strerror}") from None


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be written: {error.strerror}") from None
