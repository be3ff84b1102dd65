"""Options of the studies; nothing is imported here that takes long."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofline_lsp.cli.options import (
    add_analysis_options,
    add_compiler_option,
    positive_int,
)
from roofline_lsp.formats.drawing import DrawingError, check_drawing
from roofline_study.papers.defaults import QUESTIONS, SEED, TOKEN_LIMIT, TRIALS


def add_rq1_options(made: argparse.ArgumentParser) -> None:
    """Add the options of ``study rq1``."""
    made.add_argument(
        "--questions", type=positive_int, default=QUESTIONS, metavar="N",
        help=f"questions of each form; default: {QUESTIONS}",
    )  # fmt: skip
    _add_seed(made)
    _add_model_options(made)
    _add_output_options(made)


def add_class_options(made: argparse.ArgumentParser) -> None:
    """Add the options of ``study rq2`` and ``study rq3``."""
    _add_kernel_options(made)
    _add_model_options(made)
    _add_import_option(made)
    _add_output_options(made)


def add_rq4_options(made: argparse.ArgumentParser) -> None:
    """Add the options of ``study rq4``."""
    made.add_argument(
        "--export", type=Path, metavar="DIR",
        help="write train.jsonl and validation.jsonl, and answers.csv to be filled in",
    )  # fmt: skip
    add_class_options(made)


def add_decompose_options(made: argparse.ArgumentParser) -> None:
    """Add the options of ``study decompose``."""
    made.add_argument(
        "--program", action="append", default=[], metavar="P",
        help="all kernels of this program, instead of a balanced selection; may be repeated",
    )  # fmt: skip
    made.add_argument("--each", action="store_true", help="also list every kernel")
    _add_kernel_options(made)
    _add_model_options(made)
    _add_output_options(made)


def _add_kernel_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add(
        "--dataset", type=Path, action="append", required=True, metavar="CSV",
        help="the measured kernels; may be repeated",
    )  # fmt: skip
    add(
        "--sources", type=Path, required=True, metavar="DIR",
        help="holds a folder of sources for each program",
    )  # fmt: skip
    add("--language", choices=("cuda", "omp", "all"), default="all", help="default: all")
    add(
        "--token-limit", type=positive_int, default=TOKEN_LIMIT, metavar="N",
        help=f"leave out kernels with longer prompts; default: {TOKEN_LIMIT}",
    )  # fmt: skip
    add(
        "--per-kind", type=positive_int, metavar="N",
        help="kernels of each language and class; default: as many as there are",
    )  # fmt: skip
    add(
        "--bands", type=positive_int, default=1, metavar="N",
        help="part the token limit into bands, of which each has as many kernels of each language"
        " and class; default: 1",
    )  # fmt: skip
    _add_seed(made)
    add("--no-static", action="store_true", help="leave out the static analyser's rows")
    add(
        "--background-gbs", type=float, metavar="RATE",
        help="GB/s that the measuring machine reads besides the kernels; default: 0",
    )  # fmt: skip
    add(
        "--background-period-ms", type=float, metavar="MS",
        help="how far apart these reads come in bursts; default: 0, steady",
    )  # fmt: skip
    add("--jobs", type=positive_int, metavar="N", help="programs at a time; default: the CPUs")
    add_analysis_options(made)
    add_compiler_option(made, "clang")


def _add_seed(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"of what is drawn; default: {SEED}"
    )


def _add_model_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add(
        "--results", type=Path, metavar="DIR",
        help="where every answer is kept; what is there is not asked again",
    )  # fmt: skip
    add(
        "--ask", action="store_true",
        help="ask the models; without it the cost is told and nothing is sent",
    )  # fmt: skip
    add(
        "--model", action="append", metavar="NAME",
        help="a model to ask or to show the kept answers of; may be repeated; default: the one of"
        " your settings",
    )  # fmt: skip
    add("--base-url", metavar="URL", help="another endpoint that speaks the Messages API")
    add(
        "--trials", type=positive_int, default=TRIALS, metavar="N",
        help=f"how often each question is asked; default: {TRIALS}",
    )  # fmt: skip
    for name, what in (
        ("--budget-tokens", "the most tokens of this run; 0: no limit"),
        ("--max-output-tokens", "the most tokens of a reply, thinking included"),
        ("--batch-from", "from so many questions on they are asked as a batch, at half the price"),
    ):
        add(name, type=int, metavar="N", help=f"{what}; default: that of your settings")
    add("--effort", metavar="LEVEL", help="how much the model may think: low to max")
    add(
        "--structure", choices=("output", "tool"),
        help="how replies are held to their form; 'tool' for endpoints without structured output",
    )  # fmt: skip
    add("--prompts", type=Path, metavar="JSONL", help="write every prompt here, to ask elsewhere")


def _add_import_option(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--answers", type=Path, action="append", default=[], metavar="CSV",
        help="answers made elsewhere, in the columns program, kernel and answer, and model where"
        " there are several; may be repeated",
    )  # fmt: skip


def _drawing(name: str) -> Path:
    path = Path(name)
    try:
        check_drawing(path)
    except DrawingError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return path


def _add_output_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("--format", choices=("text", "markdown", "csv"), default="text", help="default: text")
    add("--output", type=Path, metavar="FILE", help="write the tables here")
    add("--plot", type=_drawing, metavar="FILE", help="also draw the rows: .svg, .png or .pdf")
    add("--no-progress", action="store_true", help="draw no progress bar")
