"""``roofline-lsp --profile [options] -- ./app args``: a program measured under a profiler.

With ``--emulate`` its kernels are executed on the CPU instead, and counted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.program.errors import RooflineError
from roofline_lsp.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from roofline_lsp.cli.options import (
    add_analysis_options,
    analysis_layer,
    positive_int,
    resolved,
)
from roofline_lsp.cli.output import redraw, write

if TYPE_CHECKING:
    from roofline_profiling.profile import Profiled


class NoProgramError(RooflineError):
    """A command line without the program to profile."""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp --profile",
        usage="roofline-lsp --profile [options] -- PROGRAM [ARGUMENT ...]",
        description="Run a program under Nsight Compute with just the metrics that a roofline"
        " takes: caches flushed, clocks at base, the first launch of each kernel. What is measured"
        " is kept beside the project, in .roofline/measurements.jsonl, and compared with what is"
        " predicted. With --emulate no GPU is needed: the kernels' machine code is executed on the"
        " CPU, and every operation and memory access is counted; time is not measured.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("--profile", action="store_true", help=argparse.SUPPRESS)
    add("--kernel", metavar="REGEX", help="only kernels whose names match this")
    add(
        "--launches",
        type=_launches,
        default=1,
        metavar="N",
        help="this many launches of each kernel, or 'all'; default: 1",
    )
    add(
        "--time-limit",
        type=positive_int,
        default=600,
        metavar="S",
        help="seconds that the program may take; default: 600",
    )
    add("--ncu", metavar="PATH", help="where Nsight Compute is, instead of looking for it")
    add("--report", type=Path, metavar="FILE", help="also write an .ncu-rep, with line counters")
    add("--sources", type=Path, default=Path(), metavar="DIR", help="the project; default: here")
    add_analysis_options(made)
    add("--no-store", action="store_true", help="do not keep what was measured")
    add("--dry-run", action="store_true", help="print the command, and run nothing")
    _add_emulation_options(made)
    return made


def _add_emulation_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument_group(
        "without a GPU",
        "What follows -- is CUDA sources with the program's arguments (./app.cu 1000), a command"
        " that builds and runs it (make run), or an executable with the shared runtime library.",
    ).add_argument
    add("--emulate", action="store_true", help="execute kernels on the CPU, and count")
    add(
        "--build-flags", default="", metavar="FLAGS", help="for sources: what nvcc is given, quoted"
    )
    add("--nvcc", metavar="PATH", help="where NVIDIA's compiler is, instead of looking for it")
    add("--no-caches", action="store_true", help="simulate no caches: faster, but no DRAM bytes")
    add(
        "--blocks",
        type=positive_int,
        metavar="N",
        help="run at most so many blocks of a launch, spread over its grid, and multiply their"
        " counts; the program's results are then wrong",
    )
    add(
        "--skip-after",
        type=positive_int,
        metavar="N",
        help="do not run a kernel's launches of one shape after so many; the program's results are"
        " then wrong",
    )
    add(
        "--tolerate",
        action="store_true",
        help="go on after an access outside memory, and tell of the first",
    )


def run(argv: Sequence[str]) -> int:
    """Profile, keep, compare, and return the exit code: 1 if something of it went wrong.

    Raises ProfilerError, StoreError, SettingsError and UnknownGpuError.
    """
    at = argv.index("--") if "--" in argv else len(argv)
    options, program = parser().parse_args(argv[:at]), list(argv[at + 1 :])
    if not program:
        raise NoProgramError("name the program to profile: roofline-lsp --profile -- ./app args")
    if options.emulate:
        return _emulate(program, options)
    for name in _EMULATION_ONLY:
        if getattr(options, name):
            raise NoProgramError(f"--{name.replace('_', '-')} needs --emulate")
    from roofline_profiling.ncu_command import PROGRAM, Options, command_line  # noqa: PLC0415
    from roofline_profiling.profile import profile  # noqa: PLC0415

    wanted = Options(
        options.kernel, options.launches, options.report, options.ncu, options.time_limit
    )
    if options.dry_run:
        ncu = options.ncu or PROGRAM
        write(shlex.join(command_line(ncu, program, wanted, "measured.csv")) + "\n")
        return OK
    show = _ProfilingProgress()
    try:
        found = profile(program, wanted, show=show.command, progress=show.kernel)
    finally:
        show.close()
    return _finish(found, program, options)


_EMULATION_ONLY = ("build_flags", "nvcc", "no_caches", "blocks", "skip_after", "tolerate")
_PROFILING_ONLY = ("ncu", "report", "dry_run")


def _emulate(program: Sequence[str], options: argparse.Namespace) -> int:
    from roofline_analysis.api.targets import gpu_of  # noqa: PLC0415 - brings the analysis along
    from roofline_profiling.emulate.building import Around, check_words  # noqa: PLC0415
    from roofline_profiling.emulate.options import EmulationOptions  # noqa: PLC0415
    from roofline_profiling.emulate.run import emulate  # noqa: PLC0415

    for name in _PROFILING_ONLY:
        if getattr(options, name):
            raise NoProgramError(f"--{name.replace('_', '-')} is not for --emulate")
    settings = resolved(options.sources, analysis_layer(options))
    flags = [f"-D{each}" for each in settings.defines]
    flags += [f"-I{each}" for each in settings.include_dirs]
    check_words(flags)
    wanted = EmulationOptions(
        gpu_of(settings),
        options.kernel,
        options.launches,
        options.time_limit,
        caches=not options.no_caches,
        blocks=options.blocks,
        skip_after=options.skip_after,
        tolerate=options.tolerate,
        nvcc=options.nvcc,
        build_flags=(*flags, *shlex.split(options.build_flags)),
    )
    show = _ProfilingProgress("emulated launch")
    around = Around(Path.cwd(), show.command, show.say)
    try:
        found = emulate(program, wanted, around, progress=show.kernel)
    finally:
        show.close()
    return _finish(found, program, options)


def _finish(found: Profiled, program: Sequence[str], options: argparse.Namespace) -> int:
    for note in found.notes:
        print(f"roofline-lsp: note: {note}", file=sys.stderr)
    for problem in found.problems:
        print(f"roofline-lsp: {problem}", file=sys.stderr)
    if found.measurements:
        write(_compared(found, program, options))
    if found.interrupted:
        return INTERRUPTED
    return FINDINGS if found.problems else OK


def _compared(found: Profiled, program: Sequence[str], options: argparse.Namespace) -> str:
    from roofline_analysis.api import gpu_used, project_root  # noqa: PLC0415 - brings the parsers along
    from roofline_profiling.import_store import gpu_name, keep  # noqa: PLC0415
    from roofline_profiling.text_report import launches_text  # noqa: PLC0415
    from roofline_profiling.validate import ValidationTask, validate  # noqa: PLC0415

    root = project_root(options.sources)
    settings = resolved(options.sources, analysis_layer(options))
    measured_on = found.measurements[0].gpu
    if options.gpu is None and measured_on is not None:
        settings = replace(settings, gpu=gpu_name(measured_on))
    if not found.measurements[0].emulated:
        settings = replace(settings, args=tuple(program[1:]))
    if options.clock is None:
        settings = replace(settings, clock="base")
    # Counters show what crosses DRAM while a kernel runs: the study's bytes.
    settings = replace(settings, rule="study")
    closing = ""
    if not options.no_store:
        kept = keep(found.measurements, root, settings)
        closing = f"kept in {os.path.relpath(kept.path)}\n"
    validation = validate(found.measurements, ValidationTask(root, settings, gpu_used(settings)))
    return f"{launches_text(validation)}{_accesses(found)}{closing}"


def _accesses(found: Profiled) -> str:
    """What only an emulation counts of memory accesses."""
    from roofline_profiling.emulate.text import accesses_text  # noqa: PLC0415

    text = accesses_text(found.measurements)
    return f"\nmemory accesses\n{text}" if text else ""


class _ProfilingProgress:
    """What runs, and which kernel is being profiled: on standard error."""

    def __init__(self, what: str = "profiling launch") -> None:
        self._what = what
        self._live = sys.stderr.isatty()
        self._drawn = False

    def command(self, command: Sequence[str]) -> None:
        """Print what is about to run."""
        self.close()
        print(f"$ {shlex.join(command)}", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """Print what else is done."""
        self.close()
        print(f"roofline-lsp: {text}", file=sys.stderr, flush=True)

    def kernel(self, number: int, name: str) -> None:
        """Draw the kernel over the last one at a terminal, else on a line of its own."""
        text = f"{self._what} {number}: {name}"
        if self._live:
            columns = shutil.get_terminal_size().columns
            redraw(sys.stderr, text[: columns - 1])
            self._drawn = True
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe what is drawn."""
        if self._drawn:
            redraw(sys.stderr, "")
            self._drawn = False


def _launches(text: str) -> int | None:
    """An argparse type: a number of launches, or None for ``all``."""
    return None if text == "all" else positive_int(text)
