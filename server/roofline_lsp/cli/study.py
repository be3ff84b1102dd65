"""``roofline-lsp study``: data sets made, programs emulated, papers made again, times learnt."""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roofline_core.text.units import counted
from roofline_lsp.cli import compare_emulated, llmperf, reduce_disagreement
from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.options import positive_int
from roofline_lsp.cli.output import write
from roofline_lsp.cli.papers.options import (
    add_class_options,
    add_decompose_options,
    add_rq1_options,
    add_rq4_options,
)

if TYPE_CHECKING:
    from roofline_profiling.collect import Outcome


_ASKING = (
    "Published figures stand beside ours. Without --ask nothing is sent: the cost is told, and the"
    " answers that are kept are scored. It can be stopped and started again, and asks nothing"
    " twice."
)


@dataclass(frozen=True, slots=True)
class PaperStudy:
    """A study of a paper that a command makes again."""

    module: str
    """In the folder ``papers``, imported when it runs."""
    help: str
    about: str
    add_options: Callable[[argparse.ArgumentParser], None]


PAPER_STUDIES: Mapping[str, PaperStudy] = {
    "rq1": PaperStudy(
        "rq1",
        "ask models roofline questions with given numbers",
        "Ask models whether programs are compute-bound or bandwidth-bound by given bandwidth, peak"
        " and intensity, after 2, 4 and 8 examples, with and without a chain of thought.",
        add_rq1_options,
    ),
    "rq2": PaperStudy(
        "classify",
        "ask models for the classes of measured kernels, from their sources",
        "Ask models for the class of kernels drawn evenly from a data set, from their sources,"
        " beside the static analyser.",
        add_class_options,
    ),
    "rq3": PaperStudy(
        "classify",
        "the same with one solved example of each class",
        "Ask models for the class of kernels drawn evenly from a data set, after one solved example"
        " of each class, beside the static analyser.",
        add_class_options,
    ),
    "rq4": PaperStudy(
        "rq4",
        "write data for fine-tuning, and score fine-tuned models",
        "Part the kernels by program, 80 to 20, write them for fine-tuning, and score the answers"
        " of fine-tuned models about those held back, beside the static analyser.",
        add_rq4_options,
    ),
    "decompose": PaperStudy(
        "decompose",
        "ask models for operations and bytes apart",
        "Ask models for the operations and the bytes of kernels, and hold them, and the static"
        " analyser's counts, against what was measured.",
        add_decompose_options,
    ),
}
"""By the name of the command."""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp study",
        description="Make data sets for studies, test the analysis by them, and make the tables of"
        " papers again.",
        allow_abbrev=False,
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    collect = commands.add_parser(
        "collect",
        help="build and profile program folders, and write a data set",
        description="Build each program folder with its Makefile, profile the first launch of each"
        " kernel, and write the CSV file that `roofline-lsp evaluate` reads. It can be stopped and"
        " started again: programs that are done are not done again, those that failed are.",
        allow_abbrev=False,
    )
    _add_options(collect)
    compare = commands.add_parser(
        "compare-emulated",
        help="emulate the programs of folder trees and compare the counts with predictions",
        description="Build each CUDA, OpenCL or OpenMP program of folder trees in a copy of its"
        " folder, run it without a GPU, and hold what the first launch of each kernel, grid and"
        " block executes against what is predicted of it. The programs run on this machine: name"
        " only those you trust. It can be stopped and started again.",
        allow_abbrev=False,
    )
    compare_emulated.add_options(compare)
    reduce = commands.add_parser(
        "reduce-disagreement",
        help="find the smallest program that still shows a disagreement with emulated counts",
        description="Make a program smaller as long as it builds and runs and the same kernel"
        " still disagrees in the same quantity, as compare-emulated has it, with nothing assumed."
        " Every smaller program is run on this machine: name only one that you trust.",
        allow_abbrev=False,
    )
    reduce_disagreement.add_options(reduce)
    for name, command in PAPER_STUDIES.items():
        made_here = commands.add_parser(
            name, help=command.help, description=f"{command.about} {_ASKING}", allow_abbrev=False
        )
        command.add_options(made_here)
    times = commands.add_parser(
        "llmperf",
        help="time OpenCL kernels at sampled sizes, and learn times from the analysis",
        description="The LLMPerf study: launches of OpenCL kernels are sampled and timed, and times"
        " are learnt from what the analysis says of them.",
        allow_abbrev=False,
    )
    llmperf.add_options(times)
    return made


def _add_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("programs", type=Path, metavar="DIR", help="holds a folder for each program")
    add("--output", type=Path, required=True, metavar="CSV", help="the data set to write")
    add(
        "--program", action="append", default=[], metavar="P",
        help="only this program; may be repeated",
    )  # fmt: skip
    add(
        "--build", default="make", metavar="COMMAND",
        help="run in each folder, without a shell; '' for programs that are built; default: make",
    )  # fmt: skip
    add(
        "--run", metavar="COMMAND",
        help="how each program is run, such as './main 1000'; default: what `make run` would run",
    )  # fmt: skip
    add("--gpu", metavar="NAME", help="whose ridges make the classes; default: the one measured on")
    add("--ncu", metavar="PATH", help="where Nsight Compute is, instead of looking for it")
    for name, default, what in (
        ("--time-limit", 600, "a program may take under the profiler"),
        ("--build-limit", 600, "a build may take"),
    ):
        add(
            name, type=positive_int, default=default, metavar="S",
            help=f"seconds that {what}; default: {default}",
        )  # fmt: skip


def run(argv: Sequence[str]) -> int:
    """Collect, tell what failed, and return the exit code: 1 if anything did.

    Raises ProfilerError.
    """
    options = parser().parse_args(argv)
    if options.command == "compare-emulated":
        return compare_emulated.run(options)
    if options.command == "reduce-disagreement":
        return reduce_disagreement.run(options)
    if options.command in PAPER_STUDIES:
        module = PAPER_STUDIES[options.command].module
        return int(importlib.import_module(f"roofline_lsp.cli.papers.{module}").run(options))
    if options.command == "llmperf":
        return llmperf.run(options)
    from roofline_profiling.collect import Plan, collect  # noqa: PLC0415 - brings the parsers
    from roofline_profiling.ncu_command import Options, find_ncu  # noqa: PLC0415

    find_ncu(options.ncu)  # to say so at once, not of every program
    plan = Plan(
        programs=options.programs,
        table=options.output,
        options=Options(ncu=options.ncu, limit_s=options.time_limit),
        build=options.build,
        command=options.run,
        only=tuple(options.program),
        gpu=options.gpu,
        build_limit_s=options.build_limit,
    )
    outcomes = collect(plan, tell=_tell, show=lambda command: _tell(f"  $ {shlex.join(command)}"))
    write(_summary(outcomes, options.output))
    return FINDINGS if any(each.stage for each in outcomes) else OK


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _summary(outcomes: Sequence[Outcome], table: Path) -> str:
    failed = [each for each in outcomes if each.stage]
    kernels = counted(sum(each.kernels for each in outcomes), "kernel")
    done = counted(len(outcomes) - len(failed), "program")
    lines = [f"{kernels} of {done} added to {table}"]
    noted = [each for each in outcomes if not each.stage and each.reason]
    lines += [f"  {each.program}: in part: {each.reason}" for each in noted]
    if failed:
        lines.append(f"{counted(len(failed), 'program')} failed:")
        lines += [f"  {each.program}: {each.stage}: {each.reason}" for each in failed]
    return "\n".join(lines) + "\n"
