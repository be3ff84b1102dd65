"""The options of ``--check``."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofline_core.settings import suggestion
from roofline_lsp.cli.fix_options import add_fix_options
from roofline_lsp.cli.options import add_exclude_option, add_work_options
from roofline_lsp.formats.registry import FORMATS

_RULES = "codes, their beginnings, names or ALL, with commas; repeatable"


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add them, in groups."""
    _add_files(parser.add_argument_group("which files"))
    _add_rules(parser.add_argument_group("what is judged"))
    _add_report(parser.add_argument_group("the report"))
    add_fix_options(parser.add_argument_group("fixes"))
    _add_failing(parser.add_argument_group("what fails"))
    _add_model(parser.add_argument_group("a language model"))
    work = parser.add_argument_group("how the work is done")
    add_work_options(work)
    _add_corpora(work)


def _add_files(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add_exclude_option(group)
    add(
        "--no-ignore-files",
        action="store_true",
        help="do not leave out of folders what .gitignore and .rooflineignore name",
    )
    add(
        "--changed-since",
        metavar="REV",
        help="check only files that changed since a revision of git, or include what did",
    )
    add(
        "--stdin-filename",
        type=Path,
        metavar="FILE",
        help="the name of the source on standard input, which `--check -` reads",
    )
    add("--watch", action="store_true", help="check again whenever a file changes")


def _add_rules(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--what-if",
        metavar="GPU,...",
        help="tell the class on these GPUs, too, and the size at which it changes",
    )
    for name, what in (
        ("select", "apply only these rules"),
        ("extend-select", "apply these rules besides those of the settings"),
        ("ignore", "leave these rules out"),
    ):
        add(f"--{name}", action="append", metavar="RULES", help=f"{what}: {_RULES}")


def _add_report(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--format", type=str.lower, choices=tuple(FORMATS), default="text", help="default: text")
    add(
        *("--output", "--output-file"),
        type=Path,
        metavar="FILE",
        help="write the report here; to FILE.ndjson or FILE.parquet, without --format, records are"
        " written as programs are finished",
    )
    add(
        "--also",
        action="append",
        type=_further,
        default=[],
        metavar="FORMAT=FILE",
        help="write a further report of another format; repeatable",
    )
    add(
        "--plot",
        type=Path,
        metavar="FILE",
        help="also draw the kernels on the roofline: .svg, .png or .pdf",
    )
    add("--quiet", action="store_true", help="print no report, only errors and what fails")
    add("--no-progress", action="store_true", help="draw no progress bar")
    add(
        "--statistics",
        action="store_true",
        help="tell on standard error what the run cost, and the findings of each rule",
    )


def _further(text: str) -> tuple[str, Path]:
    """A format and a file."""
    name, sign, file = text.partition("=")
    if name not in FORMATS:
        choices = ", ".join(FORMATS)
        raise argparse.ArgumentTypeError(
            f"there is no format '{name}'{suggestion(name, FORMATS) or f'; there are {choices}'}"
        )
    if not sign or not file:
        raise argparse.ArgumentTypeError(f"'{text}' names no file; write {name}=FILE")
    return name, Path(file)


def _add_failing(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--fail-on",
        action="append",
        metavar="WHAT",
        help="exit with 1 if there is this: cb, bb, undecided; finding, problem, error, warning,"
        " information, hint; rules; since a baseline also slower, class; with commas; repeatable",
    )
    add("--exit-zero", action="store_true", help="exit with 0 whatever was found")
    add("--baseline", type=Path, metavar="FILE", help="fail only for what this file lacks")
    add(
        "--baseline-commit",
        metavar="REV",
        help="the same, against the sources of a revision of git, which are checked, too",
    )
    add(
        "--write-baseline",
        type=Path,
        metavar="FILE",
        help="write what was found, for --baseline of later runs",
    )


def _add_corpora(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="have the workers of a Dask cluster analyse, whose scheduler is at this address, such"
        " as tcp://HOST:PORT; they find the files at the same paths",
    )
    add(
        "--resume",
        action="store_true",
        help="with --output FILE.ndjson or FILE.parquet: take over what stands there of the same"
        " text, settings and version",
    )


def _add_model(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--llm",
        nargs="?",
        const="unsure",
        choices=("unsure", "all"),
        help="send the sources of kernels that the analysis is not sure of (or of all) to a"
        " language model, and report what it says beside the verdicts",
    )
    add(
        "--llm-preview",
        action="store_true",
        help="tell what --llm would ask and cost, and end; the endpoint counts the tokens",
    )
