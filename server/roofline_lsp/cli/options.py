"""Options that several commands share."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from roofline_core.settings import (
    CLOCKS,
    COMPILERS,
    VERDICT_RULES,
    Layer,
    Settings,
    resolve,
    validate,
)
from roofline_lsp.batch.options import BatchOptions, processors
from roofline_lsp.batch.store import default_folder

ORIGIN = "command line"


def resolved(start: Path, *stronger: Layer, file: Path | None = None) -> Settings:
    """The settings for a path, as ``settings.resolve`` gives them, with its warnings told.

    Raises SettingsError.
    """
    settings = resolve(start, *stronger, file=file)
    for warning in settings.warnings:
        print(f"roofline-lsp: warning: {warning}", file=sys.stderr)
    return settings


def add_analysis_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to judge for and how sources are compiled."""
    parser.add_argument(
        "--gpu", metavar="NAME", help="the GPU to judge for; `roofline-lsp gpus` lists them"
    )
    parser.add_argument("--clock", choices=CLOCKS, help="the clock to compute peaks at")
    parser.add_argument(
        "--define",
        "-D",
        action="append",
        metavar="NAME[=VALUE]",
        dest="defines",
        help="define a macro; may be repeated",
    )
    parser.add_argument(
        "--include-dir",
        "-I",
        action="append",
        metavar="DIR",
        dest="include_dirs",
        help="look up #include here; may be repeated",
    )


def add_rule_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--rule``; ``default`` is the rule without it, for the help."""
    parser.add_argument(
        "--rule",
        choices=VERDICT_RULES,
        help="what decides the class: every pipe against compulsory DRAM traffic (compulsory), or"
        " SP, DP and INT against the bytes that Nsight Compute counts, as in the HPDC'25 study"
        f" (study); default: {default}",
    )


DATA_SET: Final = Layer("data set", {"rule": "study", "compiler": "clang", "fast_math": False})
"""How measured kernels of a data set are judged: by what their labels are computed with, and as the
compiler that built them makes them."""


def add_compiler_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--compiler``; ``default`` is the compiler without it, for the help."""
    parser.add_argument(
        "--compiler",
        choices=COMPILERS,
        help="whose machine code is counted: how loops are unrolled and addresses computed (auto:"
        f" clang's for OpenMP and for HIP on AMD's GPUs, else nvcc's); default: {default}",
    )


def add_program_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how the program is run and which settings file holds."""
    parser.add_argument(
        "--args", metavar="ARGV", help="the command line that the program is run with, quoted"
    )
    parser.add_argument(
        "--settings-profile",
        metavar="NAME",
        help="settings that a settings file has under [profiles.NAME], over its others",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a settings file, instead of searching for one"
    )


def add_judging_options(made: argparse.ArgumentParser) -> None:
    """Add what a kernel of a project is judged for: GPU, macros, rule, compiler, command line."""
    add_analysis_options(made)
    add_rule_option(made, "compulsory")
    add_compiler_option(made, "auto")
    add_program_options(made)


def add_exclude_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--exclude``."""
    parser.add_argument(
        "--exclude", action="append", metavar="GLOB", help="leave this out of folders; repeatable"
    )


def add_work_options(parser: argparse._ActionsContainer) -> None:
    """Add the options that say how the work is done, which change no result."""
    parser.add_argument(
        "--jobs",
        type=jobs,
        metavar="N",
        help="processes that analyse; auto: one for each processor; default: the same, 8 at most,"
        " for 8 programs and more, else 1",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="neither take nor keep reports of earlier runs"
    )
    parser.add_argument(
        "--cache-dir",
        type=Path,
        metavar="DIR",
        help="keep reports here; default: roofline-lsp/reports in the user's folder of caches",
    )


def add_process_options(parser: argparse._ActionsContainer) -> None:
    """Add the options of commands that judge each program of a data set in a process of its own."""
    add = parser.add_argument
    add("--jobs", type=positive_int, metavar="N", help="programs at a time; default: the CPUs")
    add(
        "--time-limit",
        type=positive_int,
        default=300,
        metavar="S",
        help="seconds that one program may take; default: 300",
    )
    add("--no-progress", action="store_true", help="draw no progress bar")


def batch_options(options: argparse.Namespace) -> BatchOptions:
    """What was given of ``add_work_options``."""
    folder = options.cache_dir or default_folder()
    cache = None if options.no_cache else folder
    return BatchOptions(options.jobs, cache, getattr(options, "scheduler", None))


def warn_of_cache(message: str) -> None:
    """Tell why reports of earlier runs are not used."""
    print(f"roofline-lsp: warning: {message}", file=sys.stderr)


def analysis_layer(options: argparse.Namespace) -> Layer:
    """What was given of ``add_analysis_options``, of ``--args``, ``--exclude`` and of rules.

    Raises SettingsError.
    """
    names = (
        *(
            "gpu",
            "clock",
            "rule",
            "compiler",
            "what_if",
            "defines",
            "include_dirs",
            "args",
            "settings_profile",
            "exclude",
        ),
        *("background_gbs", "background_period_ms"),
    )
    given = {name.replace("_", "-"): getattr(options, name, None) for name in names}
    for name in ("select", "ignore"):
        words = getattr(options, name, None)
        given[name] = None if words is None else [w for word in words for w in word.split(",") if w]
    return validate(given, origin=ORIGIN, folder=Path())


def turned_on() -> Layer:
    """The layer of a command that asks the model: whoever gives it wants that, for this run."""
    return Layer(ORIGIN, {"advisor": {"enabled": True}})


def jobs(text: str) -> int:
    """An argparse type: a number of processes, or ``auto``."""
    return processors() if text == "auto" else positive_int(text)


def positive_int(text: str) -> int:
    """An argparse type: a whole number of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return number
