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


class Enumeration:
    """The threads and trips of one launch, taken one by one down to the region asked for last.

    What regions around have in common is evaluated once for all accesses in them.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._way: list[tuple[Region, tuple[Environment, int] | None]] = []

    def sectors(self, access: Access, region: Region, sector: int) -> Box | None:
        """The sectors that an access touches, as one run of as many.

        None if the launch has too many threads or trips, or does not decide them.
        """
        reached = self._reached(region)
        found = reached[0].evaluate(access.offset) if reached is not None and reached[1] else None
        if found is None:
            return None
        sectors = distinct(np.asarray(found, dtype=np.int64) // sector)
        start = float(sectors.min()) * sector
        return Box(start, (Dimension(float(sector), float(len(sectors))),), float(sector))

    def _reached(self, region: Region) -> tuple[Environment, int] | None:
        """The threads in each trip that come to a region, and how many; None as for ``sectors``."""
        execution = self._execution
        if execution.lanes is None or not takes_all(execution.grid, execution.block):
            return None
        reached: tuple[Environment, int] | None = execution.lanes, execution.threads
        for depth, around in enumerate(reversed(tuple(region.ancestors()))):
            if depth < len(self._way) and self._way[depth][0] is around:
                reached = self._way[depth][1]
                continue
            del self._way[depth:]
            if reached is not None:
                follow = _in_trips if around.form is RegionForm.LOOP else _that_pass
                reached = follow(around, *reached)
            self._way.append((around, reached))
        return reached


def _in_trips(loop: Region, lanes: Environment, count: int) -> tuple[Environment, int] | None:
    """The threads in each trip of a loop, and how many; None if they are too many or not known."""
    found = lanes.evaluate(loop.trips) if loop.trips is not None and not loop.exits else None
    if found is None or loop.counter is None:
        return None
    numbers = np.broadcast_to(np.maximum(np.asarray(found, dtype=float), 0.0), (count,))
    if not numbers.sum() <= _MOST_POINTS:  # Trips may be infinite or no number.
        return None
    trips = numbers.astype(np.int64)
    total = int(trips.sum())
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
    return lanes.restricted(np.flatnonzero(passed)), int(passed.sum())
