"""Steps 3, 4 and 5 as text: regions, accesses and operations of the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from roofline_analysis.api.explain.kernel_records import AccessFacts, ArrayFacts, RegionFacts
from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.regions.kernel_summary import RegionForm
from roofline_core.program.precision import Precision
from roofline_core.text.table import aligned
from roofline_core.text.units import UNKNOWN, exact, percent, scaled, significant
from roofline_lsp.formats.explanation.layout import (
    INDENT,
    TIED,
    amount,
    place,
    precisions_in,
    wrapped,
)

_Item = TypeVar("_Item")

MOST_REGIONS = 80
MOST_ACCESSES = 40
"""Of one array. Text says how many more there are; JSON has them all."""
MOST_LINES = 80
_SOURCE_WIDTH = 72
_NOTICED = 1.05
_SHORT = 84
"""Of an access: characters that go on one line."""
_WIDEST = 130
"""Of a line of a table: a longer one is broken."""
_MOST_ALIKE = 3
_PATTERNS = {
    "data-dependent": "address rests on data",
    "not affine": "address is not affine",
    "one place": "one place",
}
_LONG = 80
"""Of what decides a region: longer formulas stand below its line."""
_BELOW = f"{INDENT}      "
_DEEPEST = 12
"""Regions further inside stand below one another."""


def region_lines(explained: LaunchExplanation) -> Iterator[str]:
    """A table with a line a region, and below it what an estimate rests on."""
    used = precisions_in(region.operations for region in explained.regions)
    groups = _in_groups(explained.regions, lambda region: _row(region, explained.path, used))
    shown = groups[:MOST_REGIONS]
    rows = [["line", "region", "runs", "each", *(each.title for each in used), "why"]]
    rows += [_row(region, explained.path, used) for region, _ in shown]
    lines = aligned(rows, right=(0, *range(2, 4 + len(used))), indent=INDENT)
    yield lines[0]
    for line, (region, alike) in zip(lines[1:], shown, strict=True):
        yield line
        if len(_why(region)) > _LONG:
            yield from wrapped(_why(region), _BELOW)
        if region.why:
            yield from wrapped(f"~ estimated: {region.why}", _BELOW)
        if alike:
            yield f"{_BELOW}and {alike} more like it"
    yield from _more(sum(1 + alike for _, alike in groups[MOST_REGIONS:]), "region")


def access_lines(explained: LaunchExplanation) -> Iterator[str]:
    """Array by array, what it moves and each access to it."""
    if not explained.arrays:
        yield f"{INDENT}none"
    named = _named(explained)
    for array in explained.arrays:
        yield from wrapped(_array(array))
        groups = _in_groups(array.accesses, _likeness)
        yield from _table_of(groups[:MOST_ACCESSES], explained.path, named)
        left = sum(1 + alike for _, alike in groups[MOST_ACCESSES:])
        yield from _more(left, "access", "accesses")


def operation_lines(explained: LaunchExplanation) -> Iterator[str]:
    """A table of the lines that compute something."""
    lines = explained.lines[:MOST_LINES]
    if not lines:
        yield f"{INDENT}none"
        return
    used = precisions_in(line.operations for line in lines)
    special = any(line.operations.special_ops for line in lines)
    heads = [*(each.title for each in used), *(["special"] if special else []), "runs"]
    rows = [["line", *heads, "source"]]
    for line in lines:
        cells = [amount(line.operations.of(precision)) for precision in used]
        cells += [amount(line.operations.special_ops)] if special else []
        where = place(line.path, line.line, explained.path)
        rows.append([where, *cells, scaled(line.executions), _short(line.source or "")])
    yield from aligned(rows, right=range(len(heads) + 1), indent=INDENT)
    yield from _more(len(explained.lines) - MOST_LINES, "line")


def _in_groups(
    items: Sequence[_Item], likeness: Callable[[_Item], object]
) -> list[tuple[_Item, int]]:
    """Items one after the other; of many alike the first, with how many follow it."""
    groups: list[tuple[_Item, int]] = []
    for _, group in itertools.groupby(items, likeness):
        alike = list(group)
        if len(alike) > _MOST_ALIKE:
            groups.append((alike[0], len(alike) - 1))
        else:
            groups += ((each, 0) for each in alike)
    return groups


# -- regions


def _row(region: RegionFacts, home: Path, used: Sequence[Precision]) -> list[str]:
    return [
        place(region.path, region.line, home),
        f"{'  ' * min(region.depth, _DEEPEST)}{_kind(region)}",
        scaled(region.runs),
        _each(region),
        *(amount(region.operations.of(precision)) for precision in used),
        "" if len(_why(region)) > _LONG else _why(region),
    ]


_GUARDS: Final = {
    "exits": "if, then leaves",
    "falls_through": "the others",
    "enters": "before the loop",
    "slow": "divisions of 0",
}
"""Guards by their role, other than a branch that is taken."""


def _kind(region: RegionFacts) -> str:
    if region.form is RegionForm.LOOP:
        return f"loop {region.counter}"
    if region.form is RegionForm.GUARD:
        if region.walked_runs > 1 and region.formula is None:
            return f"unrolled, {region.walked_runs} runs"
        return _GUARDS.get(region.role, "if")
    return "kernel"


def _each(region: RegionFacts) -> str:
    """``1024 trips``, ``50%``; ``~`` marks an estimate."""
    guess = "~" if region.estimated else ""
    if region.form is RegionForm.LOOP:
        return f"{guess}{exact(region.trips)} trip{'' if region.trips == 1 else 's'}"
    plain = region.form is RegionForm.KERNEL or (region.walked_runs > 1 and region.formula is None)
    return "" if plain else f"{guess}{percent(region.share)}"


def _why(region: RegionFacts) -> str:
    if region.form is RegionForm.KERNEL:
        return "the threads of the launch"
    if region.form is RegionForm.GUARD and region.walked_runs > 1 and region.formula is None:
        return "a loop with as many runs in the source"
    text = region.formula or UNKNOWN
    notes = [text] + (["unrolled"] if region.unrolled else [])
    notes += [f"{region.barriers} barriers"] if region.barriers > 1 else []
    notes += ["a barrier"] if region.barriers == 1 else []
    return "; ".join(notes)


# -- accesses


def _array(array: ArrayFacts) -> str:
    """``x  global float, 4 MB: reads 4 MB from DRAM and 8 MB again; writes ...``."""
    size = f", {scaled(array.size_bytes, 'B')}" if array.size_bytes is not None else ""
    head = f"{array.name}  {array.space} {array.element}{size}"
    parts = []
    if array.read_bytes:
        again = array.read_bytes - array.first_read_bytes
        parts.append(f"{scaled(array.first_read_bytes, 'B')} read from DRAM")
        parts += [f"{scaled(again, 'B')} read again"] if again > 0.5 else []
    if array.written_bytes:
        kept = f", {scaled(array.write_bytes, 'B')} of it to DRAM before the end"
        counted = kept if array.written_bytes - array.write_bytes > 0.5 else ""
        parts.append(f"{scaled(array.written_bytes, 'B')} written{counted}")
    if not parts:
        parts.append("no DRAM traffic")
    return f"{head}: {'; '.join(parts)}"


def _named(explained: LaunchExplanation) -> str:
    """All formulas, to see which loaded numbers they rest on."""
    offsets = (access.offset for array in explained.arrays for access in array.accesses)
    return " ".join((*offsets, *(region.formula or "" for region in explained.regions)))


def _likeness(access: AccessFacts) -> object:
    """What accesses of a line share that differ in their offsets alone."""
    return access.path, access.line, access.mode, access.size_bytes, *list(_costs(access))[:2]


def _table_of(groups: Sequence[tuple[AccessFacts, int]], home: Path, named: str) -> Iterator[str]:
    """Where and what each access is; what it costs on the same line, or below it."""
    rows, below = [], []
    for access, alike in groups:
        loads = f"  as {access.loads}" if access.loads is not None and access.loads in named else ""
        what, costs = f"{access.size_bytes} B at {access.offset}{loads}", "; ".join(_costs(access))
        costs += f"; and {alike} more like it" if alike else ""
        short = len(what) + len(costs) < _SHORT
        below.append("" if short else costs)
        cell = f"{what}; {costs}".replace(TIED, " ") if short else what
        rows.append([f"{place(access.path, access.line, home)}:", access.mode.value, cell])
    for line, costs in zip(aligned(rows, indent=f"{INDENT}  "), below, strict=True):
        yield from [line] if len(line) <= _WIDEST else wrapped(line.strip(), f"{INDENT}  ", _BELOW)
        yield from wrapped(costs, f"{INDENT}       ")


def _costs(access: AccessFacts) -> Iterator[str]:
    if not access.executions:
        yield "never runs"
        return
    yield f"{scaled(access.executions)} times"
    if access.sectors_per_request is not None:
        least = access.least_sectors_per_request or access.sectors_per_request
        more = access.sectors_per_request > least * _NOTICED
        note = f" ({significant(least)} if its lanes were neighbours)" if more else ""
        yield f"{_sectors(access.sectors_per_request)} a warp{note}"
    elif access.clocks_per_request is not None and access.clocks_per_request > 1:
        yield f"{significant(access.clocks_per_request)} clocks a warp"
    if access.pattern is not None:
        strides = access.pattern.replace(" x ", f"{TIED}x{TIED}")
        yield _PATTERNS.get(access.pattern, f"strides{TIED}x{TIED}extents {strides}")
    if access.footprint_bytes is not None:
        yield f"touches {scaled(access.footprint_bytes, 'B')}"
    if access.dram_read_bytes:
        yield f"DRAM read {scaled(access.dram_read_bytes, 'B')}"
    if access.dram_write_bytes:
        yield f"DRAM written {scaled(access.dram_write_bytes, 'B')}"


def _sectors(number: float) -> str:
    """``1 sector``, ``5.66 sectors``."""
    return f"{significant(number)} sector{'' if number == 1 else 's'}"


def _short(text: str) -> str:
    return text if len(text) <= _SOURCE_WIDTH else f"{text[: _SOURCE_WIDTH - 3]}..."


def _more(left: int, noun: str, plural: str | None = None) -> Iterator[str]:
    if left > 0:
        yield f"{INDENT}and {left} more {noun if left == 1 else plural or noun + 's'}"
