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

Weights = NDArray[np.float64]


@record(frozen=True, slots=True, eq=False)
class Combinations:
    """Values of some indices and counters, and how often the launch has each combination."""

    lanes: Environment
    """Each index and counter along an axis of its own."""
    weights: Weights
    """The runs with each combination, up to a factor that is the same for all."""
    sampled: bool
    """A sample of threads stands for all."""

    def share(self, conditions: Sequence[Expr | None]) -> float | None:
        """The share of the runs in which conditions hold.

        None if it is unknown, if there are no runs, or if too few threads of a sample have them.
        """
        passed = _passing(conditions, self.lanes)
        return None if passed is None else self._mean(passed.astype(np.float64))

    def mean(self, expr: Expr) -> float | None:
        """The mean of a trip count over the runs; None as for ``share``."""
        found = self.lanes.evaluate(expr)
        return None if found is None else self._mean(np.maximum(np.asarray(found), 0.0))

    def _mean(self, values: Weights) -> float | None:
        found = values * self.weights
        if self.sampled and np.count_nonzero(found) < _ENOUGH:
            return None
        whole = float(self.weights.sum())
        return float(found.sum()) / whole if whole else None


def combinations_at(
    region: Region,
    asked: Sequence[Expr | None],
    environment: Environment,
    extents: Mapping[Symbol, int],
) -> Combinations | None:
    """The combinations of what ``asked`` depends on, as they reach the place of ``region``.

    ``extents`` has the number of values of each thread index, as ``thread_extents`` orders them.
    None if loops have too many trips, if the numbers depend on no index and no counter, or if the
    launch does not decide them.
    """
    around = [each for each in region.around() if each.form is not RegionForm.KERNEL]
    used = _moving(asked)
    if not used:
        return None
    relevant: set[Region] = set()
    while True:
        # What a condition around depends on may bring in more conditions.
        more = [each for each in around if each not in relevant and _matters(each, used)]
        if not more:
            break
        for each in more:
            relevant.add(each)
            used |= _moving((*each.conditions, each.trips))
    axes = _Axes(environment, len(used))
    axes.add_indices([symbol for symbol in extents if symbol in used], extents)
    for each in reversed(around):
        if each in relevant and not _enter(axes, each, used):
            return None
    if axes.count != len(used):
        return None
    return Combinations(axes.lanes, axes.weights, axes.sampled)


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


def _matters(region: Region, used: set[Symbol]) -> bool:
    """Whether a region around makes some combinations more frequent than others."""
    return region.counter in used or not used.isdisjoint(
        _moving((*region.conditions, region.trips))
    )


class _Axes:
    """Combinations while indices and counters are added, one axis for each.

    Where a sample stands for the thread indices, they share an axis.
    """

    def __init__(self, environment: Environment, room: int) -> None:
        self.lanes = environment
        self.weights: Weights = np.ones((1,) * room)
        self.count = 0
        self.sampled = False

    def add_indices(self, indices: Sequence[Symbol], extents: Mapping[Symbol, int]) -> None:
        """Add thread indices, of which the first changes most often: all values, or a sample."""
        every = math.prod(extents[symbol] for symbol in indices)
        if every <= _MAX_COMBINATIONS:
            for symbol in indices:
                self.add(symbol, extents[symbol])
            return
        strata = np.arange(_SAMPLED // _NEIGHBOURS)
        jitter = strata * GOLDEN % 1.0
        groups = every // _NEIGHBOURS
        first = ((strata + jitter) * (groups / len(strata))).astype(np.int64)
        position = np.add.outer(first * _NEIGHBOURS, np.arange(_NEIGHBOURS)).ravel()
        shape = [1] * self.weights.ndim
        shape[0] = len(position)
        for symbol in indices:
            value = (position % extents[symbol]).reshape(shape)
            self.lanes = self.lanes.extended(symbol, value)
            position = position // extents[symbol]
        self.weights = self.weights * np.ones(shape)
        self.count = len(indices)
        self.sampled = True

    def add(self, symbol: Symbol, values: int) -> bool:
        """Add an index; False if there are too many combinations, or none."""
        if not 0 < values * self.weights.size <= _MAX_COMBINATIONS:
            return False
        shape = [1] * self.weights.ndim
        shape[self.count] = values
        self.lanes = self.lanes.extended(symbol, np.arange(values).reshape(shape))
        self.weights = self.weights * np.ones(shape)
        self.count += 1
        return True


def _enter(axes: _Axes, region: Region, used: set[Symbol]) -> bool:
    """Leave the runs that enter a guard or a loop; False if they are not known."""
    if region.form is RegionForm.GUARD:
        passed = _passing(region.conditions, axes.lanes)
        if passed is None:
            return False
        axes.weights = axes.weights * passed
        return True
    found = axes.lanes.evaluate(region.trips) if region.trips is not None else None
    if found is None or region.exits or region.counter is None:
        return False
    trips = np.maximum(np.asarray(found, dtype=np.float64), 0.0)
    if region.counter not in used:
        axes.weights = axes.weights * trips
        return True
    most = float(trips.max(initial=0.0))
    if not most < _MAX_COMBINATIONS or not axes.add(region.counter, math.ceil(most)):
        return False
    counter = axes.lanes.evaluate(Expr({(region.counter,): 1}))
    axes.weights = axes.weights * (np.asarray(counter) < trips)
    return True


def _passing(conditions: Sequence[Expr | None], lanes: Environment) -> NDArray[np.bool_] | None:
    passed: NDArray[np.bool_] = np.ones((), dtype=bool)
    for condition in conditions:
        value: Lane | None = lanes.evaluate(condition) if condition is not None else None
        if value is None:
            return None
        passed = passed & (np.asarray(value) != 0)
    return passed
