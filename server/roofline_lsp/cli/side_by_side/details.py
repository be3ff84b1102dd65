"""The steps of an explanation as text, beside a measurement."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.explain.host_records import HostValue
from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_core.text.units import UNKNOWN, exact
from roofline_lsp.formats.explanation.host_steps import value_lines
from roofline_lsp.formats.explanation.kernel_steps import access_lines, region_lines
from roofline_lsp.formats.explanation.verdict_steps import time_lines

LINE_WIDTH = 110


def launch_lines(explained: LaunchExplanation, root: Path | None) -> list[str]:
    """Where the kernel and the judged launch stand, and the dimensions that the host code has."""
    kernel, launch = place(explained.path, explained.line, root), explained.launch
    if launch.path is None:
        return [f"kernel at {kernel}; no launch found"]
    where = place(launch.path, launch.line, root)
    which = f"one of {launch.launches} launches" if launch.launches > 1 else "launch"
    text = f"kernel at {kernel}, {which} at {where}: grid {_dims(launch.grid)}, "
    return textwrap.wrap(f"{text}block {_dims(launch.block)}", LINE_WIDTH, subsequent_indent="  ")


def details_lines(explained: LaunchExplanation) -> list[str]:
    """The steps that a measurement says nothing of, each with a title and a blank line before it.

    Lines without a file are of the kernel's file.
    """
    return [
        *("", "  values from the host", *value_lines(explained)),
        *("", "  regions, their own operations over the whole launch", *region_lines(explained)),
        *("", "  accesses, by array", *access_lines(explained)),
        *("", "  time that each resource alone would take", *time_lines(explained)),
    ]


def place(path: Path | None, line: int | None, root: Path | None) -> str:
    """``main.cu:42``, relative to the program's folder where it is below it."""
    if path is None:
        return UNKNOWN
    shown = path.relative_to(root) if root is not None and path.is_relative_to(root) else path
    return f"{shown}:{line}" if line is not None else str(shown)


def _dims(dims: Sequence[HostValue]) -> str:
    """What the host code computes them from, or the numbers."""
    return f"({', '.join(each.formula or exact(each.number) for each in dims)})"
