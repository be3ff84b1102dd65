"""The combinations of thread indices and loop counters with which a launch comes to a region.

Where conditions and trip counts depend on few of them, all combinations are evaluated one by one;
of more thread indices than that a dense sample is, spread evenly over the launch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.thread_sample import GOLDEN
from roofline_analysis.regions.kernel_summary import Region, RegionForm
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record

_MAX_COMBINATIONS: Final = 1 << 17
"""The most combinations that are tried one by one. A limit on the work."""
_SAMPLED: Final = 1 << 16
"""Threads that stand for those of a larger launch."""
_NEIGHBOURS: Final = 8
"""Threads of the sample that lie together, so that every second is half of them."""
_ENOUGH: Final = 256
"""Threads of such a sample from which on a share of it is told: what fewer have may be far off."""

_MOST_REMEMBERED: Final = 1 << 22
"""Numbers of combinations that are kept from one region to the next. A limit on memory."""
_MOST_WAYS: Final = 64
"""Ways that are kept. A limit on memory, too."""

Weights = NDArray[np.float64] | NDArray[np.bool_]
"""How often there is each combination; truths as long as no loop repeats some."""


@record(frozen=True, slots=True, eq=False)
class Combinations:
    """Values of some indices and counters, and how often the launch has each combination."""

    lanes: Environment
    """Each index and counter along an axis of its own; of a sample the indices share one."""
    weights: Weights
    """The runs with each combination, up to a factor that is the same for all."""
    count: int
    """Axes in use, of those that ``weights`` has."""
    sampled: bool
    """A sample of threads stands for all."""

    def share(self, conditions: Sequence[Expr | None]) -> float | None:
        """The share of the runs in which conditions hold.

        None if it is unknown, if there are no runs, or if too few threads of a sample have them.
        """
        passed = _passing(conditions, self.lanes)
        if passed is None or self.weights.dtype != np.bool_:
            return None if passed is None else self._mean(passed.astype(np.float64))
        found = np.count_nonzero(np.logical_and(passed, self.weights))
        if self.sampled and found < _ENOUGH:
            return None
        whole = np.count_nonzero(self.weights)
        return float(found) / float(whole) if whole else None

    def mean(self, expr: Expr) -> float | None:
        """The mean of a trip count over the runs; None as for ``share``."""
        found = self.lanes.evaluate(expr)
        return None if found is None else self._mean(np.maximum(np.asarray(found), 0.0))

    def _mean(self, values: NDArray[np.float64]) -> float | None:
        found = values * self.weights
        if self.sampled and np.count_nonzero(found) < _ENOUGH:
            return None
        whole = float(self.weights.sum())
        return float(found.sum()) / whole if whole else None

    @property
    def numbers(self) -> int:
        """Numbers that it keeps, at most."""
        return (1 + self.lanes.remembered) * self.weights.size


_Way = tuple[tuple[Region, bool], ...]
"""Regions that are entered from the outside in, and whether each one's counter is asked for."""


class CombinationFinder:
    """The combinations with which one launch comes to its regions.

    What regions have in common, the threads and the conditions around them, is evaluated once.
    """

    def __init__(self, environment: Environment, extents: Mapping[Symbol, int]) -> None:
        """``extents`` has the number of values of each index, as ``thread_extents`` orders them."""
        self._environment = environment
        self._extents = extents
        self._moving: dict[Region, frozenset[Symbol]] = {}
        self._known: dict[tuple[int, tuple[Symbol, ...], _Way], Combinations | None] = {}

    def at(self, region: Region, asked: Sequence[Expr | None]) -> Combinations | None:
        """The combinations of what ``asked`` depends on, as they reach the place of ``region``.

        None if loops have too many trips, if the numbers depend on no index and no counter, or if
        the launch does not decide them.
        """
        around = [each for each in region.around() if each.form is not RegionForm.KERNEL]
        used = _moving(asked)
        if not used:
            return None
        relevant: set[Region] = set()
        while True:
            # What a condition around depends on may bring in more conditions.
            more = [each for each in around if each not in relevant and self._matters(each, used)]
            if not more:
                break
            for each in more:
                relevant.add(each)
                used |= self._moving_in(each)
        indices = tuple(symbol for symbol in self._extents if symbol in used)
        way = tuple((each, each.counter in used) for each in reversed(around) if each in relevant)
        self._forget()
        found = self._on(len(used), indices, way)
        return found if found is not None and found.count == len(used) else None

    def _on(self, room: int, indices: tuple[Symbol, ...], way: _Way) -> Combinations | None:
        """What is left behind a way; None if it is not known."""
        key = (room, indices, way)
        if key not in self._known:
            if way:
                before = self._on(room, indices, way[:-1])
                self._known[key] = _entered(before, *way[-1]) if before is not None else None
            else:
                none = Combinations(self._environment, np.ones((1,) * room, dtype=bool), 0, False)
                self._known[key] = _with_indices(none, indices, self._extents)
        return self._known[key]

    def _forget(self) -> None:
        """Begin anew where much is kept, so that it stays within bounds."""
        kept = sum(each.numbers for each in self._known.values() if each is not None)
        if kept > _MOST_REMEMBERED or len(self._known) > _MOST_WAYS:
            self._known.clear()

    def _moving_in(self, region: Region) -> frozenset[Symbol]:
        """The thread indices and loop counters that a region's runs depend on."""
        found = self._moving.get(region)
        if found is None:
            found = self._moving[region] = frozenset(_moving((*region.conditions, region.trips)))
        return found

    def _matters(self, region: Region, used: set[Symbol]) -> bool:
        """Whether a region around makes some combinations more frequent than others."""
        return region.counter in used or not used.isdisjoint(self._moving_in(region))


def _moving(exprs: Sequence[Expr | None]) -> set[Symbol]:
    """The thread indices and loop counters in expressions."""
    scopes = (SymbolScope.THREAD, SymbolScope.LOOP)
    return {
        symbol
        for expr in exprs
        if expr is not None
        for symbol in expr.symbols()
        if symbol.scope in scopes
    }


def _with_indices(
    axes: Combinations, indices: Sequence[Symbol], extents: Mapping[Symbol, int]
) -> Combinations:
    """Thread indices added, of which the first changes most often: all values, or a sample."""
    every = math.prod(extents[symbol] for symbol in indices)
    if every <= _MAX_COMBINATIONS:
        for symbol in indices:
            axes = _with_axis(axes, symbol, extents[symbol]) or axes
        return axes
    strata = np.arange(_SAMPLED // _NEIGHBOURS)
    jitter = strata * GOLDEN % 1.0
    groups = every // _NEIGHBOURS
    first = ((strata + jitter) * (groups / len(strata))).astype(np.int64)
    position = np.add.outer(first * _NEIGHBOURS, np.arange(_NEIGHBOURS)).ravel()
    shape = [1] * axes.weights.ndim
    shape[0] = len(position)
    lanes = axes.lanes
    for symbol in indices:
        coarser = position // extents[symbol]
        finer = position - coarser * extents[symbol]  # at a fraction of the cost of a remainder
        lanes = lanes.extended(symbol, finer.reshape(shape))
        position = coarser
    return Combinations(lanes, axes.weights * np.ones(shape, dtype=bool), len(indices), True)


def _with_axis(axes: Combinations, symbol: Symbol, values: int) -> Combinations | None:
    """An index added; None if there are too many combinations, or none."""
    if not 0 < values * axes.weights.size <= _MAX_COMBINATIONS:
        return None
    shape = [1] * axes.weights.ndim
    shape[axes.count] = values
    lanes = axes.lanes.extended(symbol, np.arange(values).reshape(shape))
    weights = axes.weights * np.ones(shape, dtype=bool)
    return Combinations(lanes, weights, axes.count + 1, axes.sampled)


def _entered(axes: Combinations, region: Region, counted: bool) -> Combinations | None:
    """The runs that enter a guard or a loop; None if they are not known.

    ``counted``: the loop's counter becomes an axis.
    """
    if region.form is RegionForm.GUARD:
        passed = _passing(region.conditions, axes.lanes)
        return None if passed is None else _weighted(axes, passed)
    found = axes.lanes.evaluate(region.trips) if region.trips is not None else None
    if found is None or region.exits or region.counter is None:
        return None
    trips = np.maximum(np.asarray(found, dtype=np.float64), 0.0)
    if not counted:
        return _weighted(axes, trips)
    most = float(trips.max(initial=0.0))
    inside = _with_axis(axes, region.counter, math.ceil(most)) if most < _MAX_COMBINATIONS else None
    if inside is None:
        return None
    counter = inside.lanes.value(region.counter)
    return _weighted(inside, np.asarray(counter) < trips)


def _weighted(axes: Combinations, runs: Weights) -> Combinations:
    return Combinations(axes.lanes, axes.weights * runs, axes.count, axes.sampled)


def _passing(conditions: Sequence[Expr | None], lanes: Environment) -> NDArray[np.bool_] | None:
    passed: NDArray[np.bool_] | None = None
    for condition in conditions:
        value: Lane | None = lanes.evaluate(condition) if condition is not None else None
        if value is None:
            return None
        holds = np.asarray(value) != 0
        passed = holds if passed is None else passed & holds
    return np.ones((), dtype=bool) if passed is None else np.asarray(passed)
