"""``roofline-lsp schema``: the JSON Schema of reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write


def parser() -> argparse.ArgumentParser:
    """The options of the command: none."""
    return argparse.ArgumentParser(
        prog="roofline-lsp schema",
        description="Print the JSON Schema (draft 2020-12) that `--check --format json` keeps to.",
        allow_abbrev=False,
    )


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code."""
    parser().parse_args(argv)
    from roofline_lsp.reports.json import schema_text  # noqa: PLC0415

    write(schema_text())
    return OK
