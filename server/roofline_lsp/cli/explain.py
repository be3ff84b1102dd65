"""``roofline-lsp explain``: how the class of a kernel comes about, step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.explain_file import Question, explain_file
from roofline_analysis.api.tasks import loaded_programs
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.named_kernel import add_named_kernel_options, named_kernel
from roofline_lsp.cli.options import (
    positive_int,
)
from roofline_lsp.cli.output import write
from roofline_lsp.formats.style import ColourStyle


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp explain",
        description="Tell what the analysis believes of the kernels of a file, step by step: host"
        " values, launch, runs of loops and branches, accesses, operations, time, class, and what"
        " each assumption is worth. The file is analysed as `--check` does it.",
        allow_abbrev=False,
    )
    made.add_argument(
        "what",
        metavar="FILE[:KERNEL[:LINE]]",
        help="the file that defines the kernel; the kernel's name or a part of it; a line to"
        " which accesses and operations are confined. FILE:LINE is the kernel around a line",
    )
    made.add_argument(
        "--launch",
        type=positive_int,
        metavar="N",
        help="the launch to explain, of those that are listed; default: 1, which stands for the"
        " kernel in reports",
    )
    made.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    made.add_argument("--output", type=Path, metavar="FILE", help="write it here")
    add_named_kernel_options(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Print the explanation, and return the exit code.

    Raises SettingsError, UnknownGpuError, NoSuchKernelError and NamedKernelError.
    """
    options = parser().parse_args(argv)
    explanation = _explained(options)
    if options.format == "json":
        from roofline_lsp.formats.explanation.document import render as json  # noqa: PLC0415

        write(json(explanation), options.output, data=True)
    else:
        from roofline_lsp.formats.explanation.text import render  # noqa: PLC0415

        style = ColourStyle.of_stream(sys.stdout) if options.output is None else ColourStyle()
        write(render(explanation, style), options.output)
    return OK


def _explained(options: argparse.Namespace) -> Explanation:
    with named_kernel(options.what, options) as asked:
        ((analysis, _),) = loaded_programs(
            [asked.path], asked.settings, asked.project, read_regular
        )
        return explain_file(
            analysis, asked.path, Question(asked.kernel, asked.line, options.launch)
        )
