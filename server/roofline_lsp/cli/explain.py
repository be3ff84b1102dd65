"""``roofline-lsp explain``: how the class of a kernel comes about, step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.explain_file import Question, explain_file
from roofline_analysis.api.tasks import loaded_programs
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_lsp.cli.batch import Prepared, prepared, project_around
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.options import (
    add_analysis_options,
    add_compiler_option,
    add_exclude_option,
    add_program_options,
    add_rule_option,
    analysis_layer,
    positive_int,
)
from roofline_lsp.cli.output import write
from roofline_lsp.formats.style import ColourStyle


class NotExplainedError(RooflineError):
    """The file to explain does not exist or cannot be read."""


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
    add_analysis_options(made)
    add_rule_option(made, "compulsory")
    add_compiler_option(made, "auto")
    add_program_options(made)
    add_exclude_option(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Print the explanation, and return the exit code.

    Raises SettingsError, UnknownGpuError, NoSuchKernelError and NotExplainedError.
    """
    options = parser().parse_args(argv)
    file, kernel, line = taken_apart(options.what)
    work = prepared([str(file)], (analysis_layer(options),), options.config)
    explanation = _explained(work, Question(kernel, line, options.launch))
    if options.format == "json":
        from roofline_lsp.formats.explanation.document import render as json  # noqa: PLC0415

        write(json(explanation), options.output, data=True)
    else:
        from roofline_lsp.formats.explanation.text import render  # noqa: PLC0415

        style = ColourStyle.of_stream(sys.stdout) if options.output is None else ColourStyle()
        write(render(explanation, style), options.output)
    return OK


def taken_apart(what: str) -> tuple[Path, str | None, int | None]:
    """The file, the kernel and the line of ``FILE[:KERNEL[:LINE]]``.

    The file is the longest beginning that exists, for names may have colons, too. Raises
    NotExplainedError where there is no such file.
    """
    parts = what.split(":")
    for count in range(len(parts), 0, -1):
        file = Path(":".join(parts[:count]))
        if file.is_file():
            return (file, *_kernel_and_line(parts[count:]))
    if Path(what).is_dir():
        raise NotExplainedError(f"{what}: is a folder; name the file that defines the kernel")
    raise NotExplainedError(f"{parts[0]}: there is no such file; FILE[:KERNEL[:LINE]] is expected")


def _kernel_and_line(parts: Sequence[str]) -> tuple[str | None, int | None]:
    line = None
    if parts and parts[-1].isdecimal():
        line, parts = int(parts[-1]), parts[:-1]
    return ":".join(parts) or None, line


def _explained(work: Prepared, question: Question) -> Explanation:
    if not work.found.files:
        reasons = "; ".join(f"{each.path}: {each.message}" for each in work.found.problems)
        raise NotExplainedError(reasons)
    (path,) = work.found.files
    project = project_around(work.found, work.settings, work.root)
    try:
        ((analysis, _),) = loaded_programs([path], work.settings, project, read_regular)
        return explain_file(analysis, path, question)
    except RooflineError:
        raise
    except Exception as error:
        message = f"{path}: internal error, please report it: {crash_reason(error)}"
        raise NotExplainedError(message) from error
