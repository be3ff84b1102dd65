"""``roofline-lsp schema``: the JSON Schema of reports, or of what another command prints."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping, Sequence
from typing import Final

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write

_DOCUMENTS: Final[Mapping[str, str]] = {
    "explanation": "roofline_lsp.formats.explanation.document",
    "comparison": "roofline_lsp.formats.comparison.document",
    "sweep": "roofline_lsp.formats.sweep.document",
}
"""The module of each document but the report, by what the command calls it."""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp schema",
        description="Print the JSON Schema (draft 2020-12) that `--check --format json` keeps to,"
        " or another command with `--format json`.",
        allow_abbrev=False,
    )
    made.add_argument(
        "of",
        nargs="?",
        choices=("report", *_DOCUMENTS),
        default="report",
        help="default: report",
    )
    return made


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code."""
    of = parser().parse_args(argv).of
    if of in _DOCUMENTS:
        write(importlib.import_module(_DOCUMENTS[of]).schema_text(), data=True)
    else:
        from roofline_lsp.formats.json import schema_text  # noqa: PLC0415

        write(schema_text(), data=True)
    return OK
