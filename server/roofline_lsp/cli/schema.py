"""``roofline-lsp schema``: the JSON Schema of reports, or of explanations."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp schema",
        description="Print the JSON Schema (draft 2020-12) that `--check --format json` keeps to,"
        " or `explain --format json`.",
        allow_abbrev=False,
    )
    made.add_argument(
        "of",
        nargs="?",
        choices=("report", "explanation"),
        default="report",
        help="default: report",
    )
    return made


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code."""
    if parser().parse_args(argv).of == "explanation":
        from roofline_lsp.formats.explanation import document  # noqa: PLC0415

        write(document.schema_text(), data=True)
    else:
        from roofline_lsp.formats.json import schema_text  # noqa: PLC0415

        write(schema_text(), data=True)
    return OK
