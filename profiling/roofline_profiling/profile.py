"""A program run under Nsight Compute, and its measurements, complete or partial."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roofline_profiling.errors import ProfilerError, ReportError
from roofline_profiling.importing import read_report
from roofline_profiling.measurement import Imported, Measurement
from roofline_profiling.ncu_command import Options, command_line, find_ncu, import_command
from roofline_profiling.process import Ended, run

PERMISSION = (
    "no permission for the GPU's performance counters (ERR_NVGPUCTRPERM): run as root, or have the"
    " driver loaded with the option NVreg_RestrictProfilingToAdminUsers=0;"
    " https://developer.nvidia.com/ERR_NVGPUCTRPERM tells how"
)
_LOG = "ncu.log"
_MOST_TEXT = 64 * 1024**2
_NO_METRIC = re.compile(r"(?:[Ff]ailed to find metric|[Mm]etric not found:?)\s+'?([\w.:]+)")
_PROFILING = re.compile(r'==PROF== Profiling "([^"\n]*)"')
_APPLICATION = re.compile(r"application returned an error code \((-?\d+)\)")

Show = Callable[[Sequence[str]], None]
Progress = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Profiled:
    """The outcome of a run."""

    measurements: tuple[Measurement, ...]
    problems: tuple[str, ...]
    """Problems, each with its remedy; measurements made before them are kept."""
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    """What is worth knowing, though nothing went wrong."""


def profile(
    program: Sequence[str],
    options: Options,
    *,
    folder: Path | None = None,
    show: Show = lambda _: None,
    progress: Progress = lambda _, __: None,
    output: int | None = None,
) -> Profiled:
    """Run a program, its path first, under the profiler.

    ``show`` is told the command before it runs, ``progress`` the number and name of the kernel
    that is being profiled; ``folder`` is where to run, ``output`` where the program prints. Raises
    ProfilerError where nothing could be measured.
    """
    _check_program(program[0], folder)
    ncu = find_ncu(options.ncu)
    left_out: frozenset[str] = frozenset()
    with tempfile.TemporaryDirectory(prefix="roofline-") as held:
        log = Path(held) / _LOG
        while True:
            command = command_line(ncu, program, options, str(log), left_out=left_out)
            show(command)
            watch = _Watch(log, progress)
            ended = run(
                command, limit_s=options.limit_s, folder=folder, watch=watch.look, output=output
            )
            text = _read(log)
            lacking = frozenset(_NO_METRIC.findall(text)) - left_out
            if not lacking or ended.timed_out or ended.interrupted:
                break
            left_out |= lacking
        return _outcome(program, options, ended, log, text, ncu)


def _check_program(name: str, folder: Path | None) -> None:
    if not Path(name).parent.name and shutil.which(name) is not None:
        return  # on PATH, without a folder before it
    path = (folder or Path()) / name
    if not path.is_file():
        raise ProfilerError(f"{name}: no such program; build it first, or give its path")
    if not shutil.which(str(path.absolute())):
        raise ProfilerError(f"{name}: not an executable file")


class _Watch:
    """Follows the profiler's log for the kernels that it has come to."""

    def __init__(self, log: Path, progress: Progress) -> None:
        self._log = log
        self._progress = progress
        self._at = 0
        self._count = 0

    def look(self) -> None:
        """Report the kernels that were started since the last call."""
        try:
            with self._log.open(encoding="utf-8", errors="replace") as file:
                file.seek(self._at)
                text = file.read(1024**2)
        except (OSError, ValueError):
            return
        # A line that is still being written is looked at again.
        whole = text[: text.rfind("\n") + 1] if len(text) < 1024**2 else text
        self._at += len(whole.encode("utf-8", "replace"))
        for name in _PROFILING.findall(whole):
            self._count += 1
            self._progress(self._count, name)


def _outcome(
    program: Sequence[str], options: Options, ended: Ended, log: Path, text: str, ncu: str
) -> Profiled:
    problems = _problems(ended, text, options, program[0])
    measurements: tuple[Measurement, ...] = ()
    try:
        found = _found(options, ncu, log)
        measurements = tuple(replace(each, args=tuple(program[1:])) for each in found.measurements)
        told = (each.replace(str(log), "the profiler's table") for each in found.problems)
        problems += [each for each in told if not (problems and _APPLICATION.search(each))]
    except ReportError as error:
        if not problems:
            said = _errors(text) or str(error).replace(f"{log}: ", "")
            problems.append(f"{program[0]}: nothing was measured: {said}")
    if not measurements:
        if not ended.interrupted:
            raise ProfilerError("\n".join(problems))
    return Profiled(measurements, tuple(dict.fromkeys(problems)), ended.interrupted)


def _found(options: Options, ncu: str, log: Path) -> Imported:
    """What is in the table, or in the report that was asked for instead.

    Without NVIDIA's package the profiler itself makes a table of its report, which has no lines.
    Raises ReportError.
    """
    if options.report is None or not options.report.is_file():
        return read_report(log)
    if importlib.util.find_spec("ncu_report") is not None:
        return read_report(options.report)
    table = log.with_name("imported.csv")
    run(import_command(ncu, options.report, str(table)), limit_s=options.limit_s)
    return read_report(table)


def _problems(ended: Ended, text: str, options: Options, name: str) -> list[str]:
    """What went wrong, in sentences; the cause comes before its consequences."""
    if "ERR_NVGPUCTRPERM" in text:
        return [PERMISSION]
    if ended.interrupted:
        return [f"{name}: interrupted; what was measured by then is kept"]
    if ended.timed_out:
        stopped = f"{name}: stopped after {options.limit_s:g} s; what was measured by then is kept."
        slow = "A profiled program runs many times slower: give --time-limit, or less work"
        return [f"{stopped} {slow}"]
    problems = []
    failed = _APPLICATION.search(text)
    if failed is not None:
        problems.append(f"{name}: {_ended_with(int(failed[1]))}; launches before that are kept")
    elif ended.code < 0:
        problems.append(f"{name}: the profiler was ended by signal {-ended.code}")
    if "No kernels were profiled" in text:
        hint = f"no kernel's name matches '{options.kernel}'" if options.kernel else "no launch"
        problems.append(f"{name}: nothing was measured: {hint} on a GPU was seen")
    elif ended.code > 0 and not problems:
        said = _errors(text)
        problems.append(
            f"{name}: the profiler ended with {ended.code}{f': {said}' if said else ''}"
        )
    return problems


def _ended_with(code: int) -> str:
    """A shell's code for a signal is 128 and more."""
    if code < 0 or 128 < code < 160:
        return f"the program was ended by signal {-code if code < 0 else code - 128}"
    return f"the program ended with {code}"


def _errors(text: str) -> str:
    found = re.findall(r"^==ERROR== (.*)$", text, re.MULTILINE)
    return "; ".join(dict.fromkeys(each.strip()[:300] for each in found[:3]))


def _read(log: Path) -> str:
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_TEXT)
    except OSError:
        return ""
