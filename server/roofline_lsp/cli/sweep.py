"""``roofline-lsp sweep``: a kernel over values of a size, an argument or a block, or over GPUs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.reloading import Reloadable
from roofline_analysis.api.sweep.records import Sweep
from roofline_analysis.api.sweep.spec import swept
from roofline_analysis.api.sweep.sweeping import sweep
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.named_kernel import add_named_kernel_options, named_kernel
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import ProgressBar
from roofline_lsp.formats.drawing import check_drawing, write_drawing
from roofline_lsp.formats.style import ColourStyle

_FORMATS = ("text", "csv", "json")


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp sweep",
        description="Tell a kernel's class, intensity and time over values of one number of its"
        " program, over GPUs, or over both, and where the class changes. The program is analysed"
        " with each value as `--check` does it.",
        epilog="A number is a name to which the program's text gives one (`const int n = 1024`,"
        " `#define TILE 16`), a macro of --define, `argv[N]`, `block.x`, or an input or argument"
        " that the program leaves open. Steps are doubled without `:xK` or `:+K`. A list of GPUs is"
        " gpu=A100,H100.",
        allow_abbrev=False,
    )
    made.add_argument(
        "what",
        metavar="FILE[:KERNEL]",
        help="the file that defines the kernel, and the kernel's name or a part of it, or a line",
    )
    made.add_argument(
        "over",
        nargs="+",
        metavar="NAME=LO..HI[:xK|:+K]",
        help="what is varied; also NAME=V,V,... and gpu=NAME,NAME,...",
    )
    made.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    made.add_argument("--output", type=Path, metavar="FILE", help="write it here")
    made.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw time and intensity, too, as .svg, as .png with the extra `png`, or as .pdf"
        " with the extra `plot`",
    )
    made.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    add_named_kernel_options(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Print the sweep, and return the exit code.

    Raises SettingsError, UnknownGpuError, NoSuchKernelError, SweepError, NamedKernelError and
    OutputError.
    """
    options = parser().parse_args(argv)
    if options.plot is not None:
        check_drawing(options.plot)
    made = _swept(options)
    if options.plot is not None:
        from roofline_lsp.formats.sweep.svg import render as drawn  # noqa: PLC0415

        write_drawing(drawn(made), options.plot)
    if options.format == "text":
        from roofline_lsp.formats.sweep.text import render  # noqa: PLC0415

        style = ColourStyle.of_stream(sys.stdout) if options.output is None else ColourStyle()
        write(render(made, style), options.output)
    elif options.format == "csv":
        from roofline_lsp.formats.sweep.csv import render as csv  # noqa: PLC0415

        write(csv(made), options.output)
    else:
        from roofline_lsp.formats.sweep.document import render as json  # noqa: PLC0415

        write(json(made), options.output, data=True)
    return OK


def _swept(options: argparse.Namespace) -> Sweep:
    wanted = [swept(text) for text in options.over]
    with named_kernel(options.what, options) as asked:
        program = Reloadable(asked.path, asked.settings, asked.project, read_regular)
        with ProgressBar(sys.stderr, enabled=not options.no_progress) as bar:
            return sweep(program, wanted, kernel=asked.kernel, line=asked.line, progress=bar.show)
