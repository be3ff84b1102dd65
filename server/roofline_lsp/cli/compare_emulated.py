"""``roofline-lsp study compare-emulated``: emulated programs held against their predictions."""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import replace
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings, merge
from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.options import add_analysis_options, analysis_layer, positive_int
from roofline_lsp.cli.output import write

_GIB = 1024**3


class DataSetError(RooflineError):
    """A table of programs that cannot be read."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = made.add_argument
    add(
        "trees",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folders of CUDA, OpenCL or OpenMP programs",
    )
    add(
        "--results", type=Path, required=True, metavar="DIR",
        help="where outcomes are kept: another run does what is missing or has changed",
    )  # fmt: skip
    add("--program", action="append", default=[], metavar="GLOB", help="only these; repeatable")
    add("--without", type=Path, metavar="CSV", help="leave out the programs of this data set")
    add("--arguments", type=Path, metavar="TOML", help="command lines and compiler flags")
    add("--csv", type=Path, metavar="FILE", help="also write a row for each launch")
    add("--output", type=Path, metavar="FILE", help="write the summary here")
    add_analysis_options(made)
    add_counts(
        made,
        ("--time-limit", 60, "seconds that each run of a program may take"),
        ("--memory-limit", 8, "GiB of memory that a program may take"),
        ("--blocks", 64, "blocks of a launch that run where runs with less work end too late, too"),
        ("--shapes", 8, "launches of a kernel that are compared, each of another grid or block"),
        ("--jobs", 1, "programs that run at a time"),
        ("--most", 3, "disagreements that are listed of each cause"),
    )
    add("--no-run", action="store_true", help="compare what was kept, and run nothing")
    add("--again", action="store_true", help="run programs anew that have an outcome")


def add_counts(made: argparse.ArgumentParser, *counts: tuple[str, int, str]) -> None:
    """Add options of one positive number each: name, default, and what there are so many of."""
    for name, default, what in counts:
        made.add_argument(
            name,
            type=positive_int,
            default=default,
            metavar="N",
            help=f"{what}; default: {default}",
        )


def run(options: argparse.Namespace) -> int:
    """Emulate, compare, and return the exit code: 1 if a launch disagrees.

    Raises ProfilerError, SettingsError, UnknownGpuError and DataSetError.
    """
    from roofline_profiling.differential.compare import differential  # noqa: PLC0415 - brings the analysis
    from roofline_profiling.differential.plan import DifferentialPlan, read_rules  # noqa: PLC0415
    from roofline_profiling.differential.table import as_csv, as_text  # noqa: PLC0415

    plan = DifferentialPlan(
        trees=tuple(options.trees),
        results=options.results.absolute(),
        settings=study_settings(options),
        rules=read_rules(options.arguments) if options.arguments is not None else (),
        only=tuple(options.program),
        without=_programs(options.without) if options.without is not None else frozenset(),
        limit_s=float(options.time_limit),
        memory_bytes=options.memory_limit * _GIB,
        blocks=options.blocks,
        shapes=options.shapes,
        jobs=options.jobs,
        runs=not options.no_run,
        again=options.again,
    )
    result = differential(plan, tell)
    if options.csv is not None:
        write(as_csv(result.launches), options.csv)
    write(as_text(result, most=options.most), options.output)
    return OK if all(each.agrees_fully for each in result.launches) else FINDINGS


def study_settings(options: argparse.Namespace) -> Settings:
    """The settings of predictions: the bytes and the clock by which counters are judged."""
    settings = replace(merge(analysis_layer(options)), rule="study")
    return settings if options.clock is not None else replace(settings, clock="base")


def _programs(path: Path) -> frozenset[str]:
    """The names in the column ``program`` of a CSV file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return frozenset(row["program"] for row in csv.DictReader(file))
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise DataSetError(f"{path}: cannot be read as a data set: {error}") from None


def tell(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)
