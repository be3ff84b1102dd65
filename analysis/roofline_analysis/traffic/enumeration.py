"""Addresses of small launches one by one, where no box of strides and extents describes them.

In a skewed loop nest the bounds of one loop depend on the threads and on the loops around. The
sum of two such counters takes far fewer or far more values than the counters' ranges tell.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roofline_analysis.counting.execution import Execution
from roofline_analysis.counting.thread_sample import takes_all
from roofline_analysis.regions.kernel_summary import Access, Region, RegionForm
from roofline_analysis.traffic.footprint import Box, Dimension
from roofline_core.algebra.evaluate import Environment, distinct
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr

_CHOICES: Final = frozenset(("select", "min", "max"))
_MOST_POINTS: Final = 1 << 18
"""The most pairs of a thread and a trip that are evaluated. A limit on the work."""


def is_skewed(offset: Expr) -> bool:
    """Whether an offset starts where a choice that depends on a loop's counter says."""
    return any(
        isinstance(atom, Apply)
        and atom.op in _CHOICES
        and any(getattr(symbol, "scope", None) is SymbolScope.LOOP for symbol in atom.symbols)
        for atom in offset.atoms()
    )


def enumerated(access: Access, region: Region, execution: Execution, sector: int) -> Box | None:
    """The sectors that an access touches, as one run of as many.

    None if the launch has too many threads or trips, or does not decide them.
    """
    if execution.lanes is None or not takes_all(execution.grid, execution.block):
        return None
    lanes, count = execution.lanes, execution.threads
    for around in reversed(tuple(region.ancestors())):
        if around.form is RegionForm.LOOP:
            inside = _in_trips(around, lanes, count)
        else:
            inside = _that_pass(around, lanes, count)
        if inside is None:
            return None
        lanes, count = inside
    found = lanes.evaluate(access.offset) if count else None
    if found is None:
        return None
    sectors = distinct(np.asarray(found, dtype=np.int64) // sector)
    start = float(sectors.min()) * sector
    return Box(start, (Dimension(float(sector), float(len(sectors))),), float(sector))


def _in_trips(loop: Region, lanes: Environment, count: int) -> tuple[Environment, int] | None:
    """The threads in each trip of a loop, and how many; None if they are too many or not known."""
    found = lanes.evaluate(loop.trips) if loop.trips is not None and not loop.exits else None
    if found is None or loop.counter is None:
        return None
    trips = np.broadcast_to(np.maximum(np.asarray(found), 0), (count,)).astype(np.int64)
    total = int(trips.sum())
    if total > _MOST_POINTS:
        return None
    index = np.repeat(np.arange(count), trips)
    counter = np.arange(total) - np.repeat(np.cumsum(trips) - trips, trips)
    return lanes.restricted(index).extended(loop.counter, counter), total


def _that_pass(guard: Region, lanes: Environment, count: int) -> tuple[Environment, int] | None:
    """The threads that pass a guard, and how many; None if that is not known."""
    passed = np.ones(count, dtype=bool)
    for condition in guard.conditions:
        held = lanes.evaluate(condition) if condition is not None else None
        if held is None:
            return None
        passed &= np.asarray(held) != 0
    return lanes.restricted(passed), int(passed.sum())
