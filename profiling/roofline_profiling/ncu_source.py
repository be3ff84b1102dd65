"""Nsight Compute's source page as CSV: ``ncu --page source --print-source cuda,sass --csv``.

A block for each file and function: its path, its name, a header, then source lines with the sums of
their instructions, and below each the instructions themselves.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_profiling.bounded_reader import text_lines
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Imported, Measurement, name_of
from roofline_profiling.numbers import number_of
from roofline_profiling.pc_samples import Place, hottest

MARK: Final = frozenset({"Line No", "Source"})
SASS_MARK: Final = frozenset({"Address", "Source"})
"""The page of instructions alone."""
_FILE: Final = ("File Path", "File Name")
_FUNCTION: Final = ("Function Name", "Kernel Name")
_SAMPLES: Final = ("Warp Stall Sampling (All Samples)", "# Samples")
_EXECUTED: Final = ("Instructions Executed",)
_MAX_FUNCTIONS: Final = 10_000
_MAX_PLACES: Final = 1_000_000


@dataclass(slots=True)
class _Page:
    """What the lines so far said."""

    file: str = "?"
    function: str = "?"
    columns: dict[str, int] = field(default_factory=dict)
    line: int | None = None
    summed: set[str] = field(default_factory=set)
    """The kinds of counts that the current source line has itself."""
    counts: dict[str, dict[str, dict[Place, float]]] = field(default_factory=dict)
    """By function, then by kind: ``samples`` and ``executed``."""
    places: int = 0


def read_ncu_source(path: Path) -> Imported:
    """The hot lines of each function, as measurements without counts.

    Raises ReportError where there is none.
    """
    page = _Page()
    for _, line in text_lines(path):
        try:
            cells = next(csv.reader([line]))
        except (csv.Error, StopIteration):
            continue
        _take(page, [cell.strip() for cell in cells])
    found = [
        Measurement(kernel, lines=lines, origin=path.name)
        for kernel, kinds in page.counts.items()
        if (lines := hottest(kinds["samples"], kinds["executed"]))
    ]
    if not found:
        raise ReportError(
            f"{path}: no source line has samples; compile with -lineinfo, collect the section"
            " SourceCounters, and export with --print-source cuda,sass"
        )
    return Imported(tuple(found))


def _take(page: _Page, cells: list[str]) -> None:
    if len(cells) == 2 and cells[0] in _FILE:
        page.file = name_of(cells[1])
    elif len(cells) >= 2 and cells[0] in _FUNCTION:
        page.function, page.columns = name_of(cells[1]), {}
    elif set(cells) >= MARK:
        page.columns = {
            kind: next((cells.index(name) for name in names if name in cells), -1)
            for kind, names in (("samples", _SAMPLES), ("executed", _EXECUTED))
        }
        page.line = None
    elif page.columns and cells:
        _count(page, cells)


def _count(page: _Page, cells: list[str]) -> None:
    """A source line; or an instruction of one, which counts where the line itself has no sum."""
    numbers = {
        kind: number_of(cells[at]) if 0 <= at < len(cells) else None
        for kind, at in page.columns.items()
    }
    if cells[0]:
        page.line = int(cells[0]) if cells[0].isdecimal() and len(cells[0]) < 10 else None
        page.summed = {kind for kind, number in numbers.items() if number is not None}
    if page.line is None:
        return
    kinds = page.counts.get(page.function)
    if kinds is None:
        if len(page.counts) == _MAX_FUNCTIONS:
            return
        kinds = page.counts[page.function] = {"samples": {}, "executed": {}}
    place = (page.file, page.line)
    for kind, number in numbers.items():
        if not number or number < 0 or (not cells[0] and kind in page.summed):
            continue
        if place not in kinds[kind]:
            if page.places == _MAX_PLACES:
                continue
            page.places += 1
        kinds[kind][place] = kinds[kind].get(place, 0.0) + number
