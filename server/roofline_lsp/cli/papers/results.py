"""Where the tables and drawings of a study go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.output import write
from roofline_lsp.cli.papers.asking import ModelInterview
from roofline_lsp.formats.drawing import write_drawing
from roofline_study.papers.table import WRITERS, ResultTable


def write_results(options: argparse.Namespace, tables: Sequence[ResultTable], svg: str) -> None:
    """Write the tables, and the drawing where it is wanted.

    Raises OutputError and DrawingError.
    """
    write(WRITERS[options.format](tables), options.output)
    if options.plot is not None:
        write_drawing(svg, options.plot)


def exit_code(options: argparse.Namespace, interviews: Sequence[ModelInterview]) -> int:
    """1 where questions that were to be asked have no answer."""
    return FINDINGS if options.ask and any(each.missing for each in interviews) else OK


def incomplete(interviews: Sequence[ModelInterview]) -> list[str]:
    """Notes on models whose answers are not all there."""
    return [
        f"{each.model}: {each.missing} of {len(each.answers)} questions have no answer yet, and"
        " are left out."
        for each in interviews
        if each.missing
    ]
