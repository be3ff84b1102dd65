"""Lines, places and numbers as all steps of an explanation write them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from roofline_analysis.api.explain.host_records import HostValue, HowKnown
from roofline_analysis.api.explain.kernel_records import Operations
from roofline_analysis.report.report import UnknownUsed
from roofline_core.program.precision import Precision
from roofline_core.text.units import exact, scaled

WIDTH = 104
"""Characters of a line of words; tables may be wider."""
TIED = "\u00a0"
"""A blank between words that stay together."""
INDENT = "     "
"""Of what stands below the heading of a step."""

_HOW = {
    HowKnown.ARGV: "from the command line",
    HowKnown.LITERAL: "written in the source",
    HowKnown.COMPUTED: "computed",
    HowKnown.DEFAULT: "the program's default",
    HowKnown.ASSUMED: "ASSUMED",
    HowKnown.UNKNOWN: "not known",
}


def wrapped(text: str, indent: str = INDENT, hanging: str = "  ") -> list[str]:
    """Words on as many lines as they take; lines do not end at ``TIED`` blanks."""
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(TIED, " ") for line in lines]


def how(value: HostValue) -> str:
    """``from the command line: argv[1] at main.cu:42``; ``ASSUMED``."""
    text = _HOW[value.how]
    if value.assumed or value.origin is None:
        return text
    separator = " at" if value.how is HowKnown.LITERAL and len(value.origins) == 1 else ":"
    return f"{text}{separator} {value.origin}"


def reasons(assumed: Iterable[UnknownUsed]) -> Iterator[str]:
    """Why numbers are open and what was taken for them, one sentence each."""
    for each in dict.fromkeys(assumed):
        where = f" ({each.path.name}:{each.line})" if each.path and each.line else ""
        yield f"{each.name}: {each.why}{where}; taken: {exact(each.assumed)}"


def place(path: Path, line: int, home: Path) -> str:
    """The line alone in the kernel's file, ``util.cuh:12`` in another."""
    return str(line) if path == home else f"{path.name}:{line}"


def precisions_in(rows: Iterable[Operations]) -> list[Precision]:
    """Those that some of the rows have operations of."""
    known = list(rows)
    return [p for p in Precision if any(row.of(p) for row in known)]


def amount(number: float, unit: str = "") -> str:
    """A number, or ``-`` for nothing."""
    return scaled(number, unit) if number else "-"
