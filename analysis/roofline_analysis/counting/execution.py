"""How often each region of a kernel runs in a launch.

A sample of whole warps stands for all threads: every warp where there are few, else warps spread
over the grid, the first and last block among them. Conditions and trip counts are evaluated for
each lane of the sample; a loop's counter takes either every value or a spread of them. Conditions
that are affine in the thread indices are counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.branch_odds import BranchOdds, both
from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.exact_counts import (
    enumerated_share,
    strided_trips,
    sum_of_positive_floors,
)
from roofline_analysis.counting.trip_estimates import TripEstimates
from roofline_analysis.counting.warps import LANE, Warps, chance_of_any
from roofline_analysis.device.values import LAUNCH, THREAD, WARP_SIZE
from roofline_analysis.regions.conditions import negation
from roofline_analysis.regions.kernel_summary import Exit, Region
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.simplify import FOLD
from roofline_core.algebra.symbolic import Apply, Expr, Symbol
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage

_EXIT_SHARE: Final = 0.75
"""The share of its known trip count that a loop with data-dependent exits runs.

Fitted to the measured operations of the development kernels: it slightly lowers the mean error of
both halves of the programs.
"""
_LONGEST_PROBE: Final = 1 << 20
"""Trips after which an exit that was not taken is assumed never to be taken."""
_MAX_LANES: Final = 8192
_SAMPLE_BLOCKS: Final = 24
_MAX_EXPANDED: Final = 32768
_GOLDEN: Final = 0.6180339887498949

Floats = NDArray[np.float64]


@dataclass(slots=True)
class RegionRuns:
    """The counts of one region in one launch."""

    runs: float
    """Runs of the region, summed over all threads."""
    trips: float = 1.0
    """For a loop: mean trip count per run of its parent."""
    assumed: bool = False
    """A condition or trip count was estimated because it could not be evaluated."""
    why: str = ""
    """The reason for an assumed number; empty if nothing was assumed."""
    share: float = 1.0
    """For a guard: the share of its parent's runs that pass, 0 to 1."""
    warp_runs: float = 0.0
    """Runs summed over all warps: a warp runs the region if any of its lanes does."""
    longest: float = 0.0
    """Runs of the warp that runs the region most often."""


@dataclass(slots=True)
class Execution:
    """The runs of every region in one launch, and the launch's environment."""

    grid: Dim3
    block: Dim3
    environment: Environment
    """Values of launch dimensions and kernel arguments; thread indices have no value."""
    regions: dict[Region, RegionRuns] = field(default_factory=dict)
    lanes: Environment | None = None
    assumed_trips: list[Region] = field(default_factory=list)
    assumed_conditions: list[Region] = field(default_factory=list)

    @property
    def threads(self) -> int:
        """Threads of the launch."""
        return _volume(self.grid) * _volume(self.block)


def _volume(dims: Dim3) -> int:
    return dims[0] * dims[1] * dims[2]


@stage(Stage.EXECUTE)
def execute(
    root: Region,
    grid: Dim3,
    block: Dim3,
    values: Mapping[Symbol, int | float],
    warp_size: int = WARP_SIZE,
    sizes: Mapping[str, float] | None = None,
    drawn: DrawnNumbers | None = None,
) -> Execution:
    """Count the runs of every region of a kernel in one launch.

    ``sizes`` has the bytes of allocations by array name; they estimate data-dependent trip counts.
    ``drawn`` has samples of loaded values; they give the odds of data-dependent branches.
    """
    bound: dict[Symbol, Lane] = dict(values)
    for axis, blocks, threads in zip("xyz", grid, block, strict=True):
        bound[LAUNCH[f"gridDim.{axis}"]] = blocks
        bound[LAUNCH[f"blockDim.{axis}"]] = threads
    result = Execution(grid, block, Environment(bound))
    lanes, weights, warps = _sample(grid, block, bound, warp_size)
    result.lanes = lanes
    estimates = TripEstimates(root, sizes or {})
    counter = _Counter(
        result, estimates, warps, min(warp_size, _volume(block)), drawn or DrawnNumbers({}, {})
    )
    counter.visit(root, lanes, weights)
    return result


def _sample(
    grid: Dim3, block: Dim3, bound: Mapping[Symbol, Lane], warp_size: int
) -> tuple[Environment, Floats, Warps]:
    blocks, size = _volume(grid), _volume(block)
    if blocks * size <= _MAX_LANES:
        chosen, block_weights = np.arange(blocks), np.ones(blocks)
        threads, thread_weights = np.arange(size), np.ones(size)
    else:
        threads, thread_weights = _sample_threads(size, warp_size)
        room = max(2, min(_SAMPLE_BLOCKS, _MAX_LANES // len(threads)))
        chosen, block_weights = _spread(blocks, room)
    block_lanes = np.repeat(chosen, len(threads))
    thread_lanes = np.tile(threads, len(chosen))
    weights = np.repeat(block_weights, len(threads)) * np.tile(thread_weights, len(chosen))
    values = dict(bound)
    values[LANE] = np.arange(len(weights))
    for name, linear, dims in (("blockIdx", block_lanes, grid), ("threadIdx", thread_lanes, block)):
        values[THREAD[f"{name}.x"]] = linear % dims[0]
        values[THREAD[f"{name}.y"]] = linear // dims[0] % dims[1]
        values[THREAD[f"{name}.z"]] = linear // (dims[0] * dims[1])
    return Environment(values), weights, Warps(block_lanes, thread_lanes, weights, warp_size)


def _sample_threads(size: int, warp_size: int) -> tuple[NDArray[np.int64], Floats]:
    """Lanes of whole warps of a block, with weights: all warps, or first, last and some between."""
    warps = -(-size // warp_size)
    chosen, weights = _spread(warps, 4) if warps > 4 else (np.arange(warps), np.ones(warps))
    threads = (chosen[:, None] * warp_size + np.arange(warp_size)[None, :]).ravel()
    thread_weights = np.repeat(weights, warp_size)
    inside = threads < size
    return threads[inside], thread_weights[inside]


def _spread(count: int, room: int) -> tuple[NDArray[np.int64], Floats]:
    """At most ``room`` of ``count`` positions, both ends included, with their weights."""
    if count <= room:
        return np.arange(count), np.ones(count)
    inner = room - 2
    if inner <= 0:
        return np.array([0, count - 1]), np.array([count / 2, count / 2])
    strata = (np.arange(inner) + (np.arange(inner) * _GOLDEN + 0.5) % 1.0) / inner
    middle = 1 + (strata * (count - 2)).astype(np.int64)
    positions = np.concatenate(([0], middle, [count - 1]))
    weights = np.concatenate(([1.0], np.full(inner, (count - 2) / inner), [1.0]))
    return positions, weights


@record(frozen=True, slots=True)
class _Interval:
    """The terms of a progression of thread indices for which a condition holds."""

    digits: tuple[tuple[Symbol, float], ...]
    """The thread indices of the progression, with their weights."""
    count: int
    """The number of terms of the progression."""
    first: int | None
    """The first term that passes; None if the passing terms are not consecutive."""
    passing: int

    @property
    def share(self) -> float:
        """The share of the terms that pass, 0 to 1."""
        return self.passing / self.count

    def meet(self, other: _Interval) -> _Interval | None:
        """The intersection of two intervals; None if a ``first`` is unknown."""
        if self.first is None or other.first is None:
            return None
        first = max(self.first, other.first)
        end = min(self.first + self.passing, other.first + other.passing)
        return _Interval(self.digits, self.count, first, max(0, end - first))


class _Counter:
    def __init__(
        self,
        execution: Execution,
        estimates: TripEstimates,
        warps: Warps,
        warp_lanes: int,
        drawn: DrawnNumbers,
    ) -> None:
        self.drawn = drawn
        self.execution = execution
        self.estimates = estimates
        self.warps = warps
        self.warp_lanes = warp_lanes
        self.depth = 0
        self.complete = execution.threads <= _MAX_LANES
        """Every thread of the launch is a lane of the sample, so the sample's counts are exact."""
        self.spread = 1.0
        """A warp's odds of reaching this region over one lane's odds, from assumed conditions."""

    def visit(self, region: Region, lanes: Environment, weights: Floats) -> None:
        runs = self.execution.regions.setdefault(region, RegionRuns(0.0))
        runs.runs = float(weights.sum())
        warp_runs, longest = self.warps.count(lanes, weights)
        runs.warp_runs, runs.longest = warp_runs * self.spread, longest * self.spread
        for child in region.children:
            if child.kind == "guard":
                self._guard(child, lanes, weights)
            else:
                self._loop(child, lanes, weights)

    # -- guards

    def _guard(self, guard: Region, lanes: Environment, weights: Floats) -> None:
        odds = BranchOdds(lanes, guard, self.drawn)
        share: Lane = np.ones(len(weights), dtype=np.int64)
        together = odds.together(guard.conditions) if len(guard.conditions) > 1 else None
        if together is not None:
            share = share * together
        else:
            for condition in guard.conditions:
                share = both(share, self._odds_here(odds, condition, guard))
        assumed = odds.assumed
        passed = share > 0
        inside = (weights * share)[passed]
        possible = float(weights[passed].sum())
        total = float(weights.sum())
        exact = None if assumed or self.complete else self._exact_share(guard)
        if exact is not None and total:
            inside, passed = self._scaled(inside, passed, exact * total, weights)
        part = float(inside.sum()) / total if total else 0.0
        self.execution.regions[guard] = RegionRuns(
            0.0, share=part, assumed=assumed, why=odds.why if assumed else ""
        )
        if assumed:
            self.execution.assumed_conditions.append(guard)
        spread = self.spread
        mean = float(inside.sum() / possible) if assumed and possible else 1.0
        if 0.0 < mean < 1.0:
            self.spread *= chance_of_any(mean, self.warp_lanes) / mean
        self.visit(guard, lanes if passed.all() else lanes.restricted(passed), inside)
        self.spread = spread

    def _odds_here(self, odds: BranchOdds, condition: Expr | None, guard: Region) -> Lane:
        """The odds of a condition, given that the conditions of the guards around it hold."""
        if condition is None:
            return odds.of(condition)
        for region in guard.guards_in_run():
            if condition in region.conditions:
                return 1
            if len(region.conditions) == 1 and negation(region.conditions[0]) == (condition,):
                return 0
        return odds.of(condition)

    def _scaled(
        self, inside: Floats, passed: NDArray[np.bool_], wanted: float, weights: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        sampled = float(inside.sum())
        if sampled:
            return inside * (wanted / sampled), passed
        if wanted and len(weights):
            # No sampled lane passes: let one lane represent the threads that do.
            passed = passed.copy()
            passed[0] = True
            return np.array([wanted]), passed
        return inside, passed

    def _exact_share(self, guard: Region) -> float | None:
        """The exact share of threads that pass; None unless conditions are affine in indices."""
        if guard.innermost_loop is not None:
            return None
        around = (condition for region in guard.around() for condition in region.conditions)
        used = {s for condition in around if condition is not None for s in condition.symbols()}
        # Conditions on one progression of indices cut an interval from it.
        intervals: dict[tuple[tuple[Symbol, float], ...], _Interval] = {}
        for condition in guard.conditions:
            if condition is None:
                return None
            symbols = {s for s in condition.symbols() if s.scope == "thread"}
            interval = self._exact_condition(condition)
            if interval is not None and interval.digits in intervals:
                interval = intervals[interval.digits].meet(interval)
            elif symbols & used:
                interval = None
            if interval is None:
                return self._enumerated_share(guard)
            used |= symbols
            intervals[interval.digits] = interval
        return math.prod(interval.share for interval in intervals.values())

    def _enumerated_share(self, guard: Region) -> float | None:
        around = [condition for region in guard.around() for condition in region.conditions]
        execution = self.execution
        extents = thread_extents(execution.grid, execution.block)
        return enumerated_share(guard.conditions, around, execution.environment, extents)

    def _exact_condition(self, condition: Expr) -> _Interval | None:
        if len(condition.terms) != 1:
            return None
        (monomial, factor), *_ = condition.terms.items()
        if factor != 1 or len(monomial) != 1 or not isinstance(monomial[0], Apply):
            return None
        comparison = monomial[0]
        if comparison.op not in ("lt", "le", "eq", "ne"):
            return None
        progression = self._progression(comparison.args[0])
        if progression is None:
            return None
        start, step, count, digits = progression
        passing = count_satisfying(comparison.op, start, step, count)
        first: int | None = count - passing if step < 0 else 0
        if comparison.op == "eq" and passing == 1 and step:
            first = int(-start / step)
        elif comparison.op == "ne" and 0 < passing < count:
            first = None
        return _Interval(digits, count, first, passing)

    def _progression(
        self, expr: Expr
    ) -> tuple[float, float, int, tuple[tuple[Symbol, float], ...]] | None:
        """The threads' values as a progression ``start + step * j``, 0 <= j < ``count``.

        The last element defines ``j``: each thread index and its weight, the finest first. None if
        the values form no progression.
        """
        extents = thread_extents(self.execution.grid, self.execution.block)
        environment = self.execution.environment
        rest = expr
        digits: list[tuple[Symbol, float]] = []
        for symbol in expr.symbols():
            if symbol.scope != "thread":
                continue
            coefficient = expr.coefficient(symbol)
            value = environment.evaluate(coefficient) if coefficient is not None else None
            if value is None or coefficient is None:
                return None
            rest = rest - coefficient * Expr({(symbol,): 1})
            if value != 0 and extents[symbol] > 1:
                digits.append((symbol, float(value)))
        start = environment.evaluate(rest)
        if start is None or any(s.scope == "thread" for s in rest.symbols()):
            return None
        if not digits:
            return float(start), 0.0, 1, ()
        digits.sort(key=lambda digit: abs(digit[1]))
        first, step = digits[0]
        count = extents[first]
        for symbol, value in digits[1:]:
            if value != step * count:
                return None
            count *= extents[symbol]
        return float(start), step, count, tuple((s, value / step) for s, value in digits)

    # -- loops

    def _loop(self, loop: Region, lanes: Environment, weights: Floats) -> None:
        value: Lane | None
        if loop.trips is not None:
            value = lanes.evaluate(loop.trips)
        else:
            value = self._ended_by_exit(loop, lanes, len(weights))
        assumed = value is None
        why = ""
        if value is None:
            self.execution.assumed_trips.append(loop)
            estimate = self.estimates.of(loop, lanes, float(weights.sum()))
            value, why = estimate.trips, estimate.why
        trips = np.maximum(np.broadcast_to(np.asarray(value, dtype=float), weights.shape), 0.0)
        trips = self._cut_short(loop, lanes, trips, assumed=assumed)
        total = float(weights.sum())
        mean = float((weights * trips).sum()) / total if total else 0.0
        exact = None if assumed or self.complete else self._exact_trips(loop)
        if exact is not None and mean:
            weights, mean = weights * (exact / mean), exact
        self.execution.regions[loop] = RegionRuns(0.0, trips=mean, assumed=assumed, why=why)
        assert loop.counter is not None
        if not _depends(loop, loop.counter):
            middle = np.floor(trips / 2)
            self.visit(loop, lanes.extended(loop.counter, middle.astype(np.int64)), weights * trips)
            return
        most = float(trips.max(initial=0.0))
        if most * len(weights) <= _MAX_EXPANDED and most >= 1:
            self._every_run(loop, lanes, weights, trips, int(most))
            return
        self.depth += 1
        spread = (np.arange(len(weights)) * _GOLDEN * self.depth + 0.5 * self.depth) % 1.0
        counter = np.floor(spread * trips).astype(np.int64)
        self.visit(loop, lanes.extended(loop.counter, counter), weights * trips)
        self.depth -= 1

    def _exact_trips(self, loop: Region) -> float | None:
        """The exact mean trip count of a grid-stride loop that all threads run; None for others."""
        if loop.trips is None or loop.exits:
            return None
        for region in loop.around():
            runs = self.execution.regions.get(region)
            if region.kind == "loop" or (runs is not None and runs.share != 1.0):
                return None
        form = strided_trips(loop.trips)
        found = self._progression(form[0]) if form is not None else None
        stride = self.execution.environment.evaluate(form[1]) if form is not None else None
        if found is None or stride is None:
            return None
        start, step, count, _ = found
        whole = all(float(each).is_integer() for each in (start, step, stride))
        if not whole or stride <= 0 or not step:
            return None
        total = sum_of_positive_floors(count, int(stride), int(step), int(start))
        return total / count

    def _cut_short(
        self, loop: Region, lanes: Environment, trips: Floats, *, assumed: bool
    ) -> Floats:
        """The trip counts after early exits; exact if the launch decides the exits.

        A loop of known trip count with data-dependent exits runs a fixed share of it.
        """
        most = int(trips.max(initial=0.0))
        if not loop.exits or most < 2:
            return trips
        assert loop.counter is not None
        start = lanes.extended(loop.counter, 0)
        fixed = [e for e in loop.exits if all(_is_known(c, start) for c in e.conditions)]
        if fixed and most * len(trips) <= _MAX_EXPANDED * 8:
            index = np.repeat(np.arange(len(trips)), most)
            counter = np.tile(np.arange(most), len(trips))
            inner = lanes.restricted(index).extended(loop.counter, counter)
            for exit_ in fixed:
                last = counter + (0 if exit_.at_start else 1)
                runs = np.where(_all_hold(exit_, inner, len(index)), last, most)
                trips = np.minimum(trips, runs.reshape(len(trips), most).min(axis=1))
        if len(fixed) < len(loop.exits) and not assumed:
            trips = np.where(trips > 1, np.maximum(trips * _EXIT_SHARE, 1.0), trips)
        return trips

    def _ended_by_exit(self, loop: Region, lanes: Environment, count: int) -> Floats | None:
        """The trip counts of a loop with a single exit; None if the launch does not decide it."""
        assert loop.counter is not None
        best: Floats | None = None
        for exit_ in loop.exits:
            if not all(_is_known(c, lanes.extended(loop.counter, 0)) for c in exit_.conditions):
                continue
            low, high = np.full(count, -1), np.full(count, _LONGEST_PROBE)
            probe = np.zeros(count, dtype=np.int64)
            while bool((high - low > 1).any()):
                leaves = _all_hold(exit_, lanes.extended(loop.counter, probe), count)
                high = np.where(leaves, np.minimum(high, probe), high)
                low = np.where(leaves, low, np.maximum(low, probe))
                wide = np.where(high < _LONGEST_PROBE, (low + high) // 2, 2 * low + 2)
                probe = np.clip(wide, 0, _LONGEST_PROBE)
            if bool((high < _LONGEST_PROBE).all()):
                runs = (high + (0 if exit_.at_start else 1)).astype(float)
                best = runs if best is None else np.minimum(best, runs)
        return best

    def _every_run(
        self, loop: Region, lanes: Environment, weights: Floats, trips: Floats, most: int
    ) -> None:
        assert loop.counter is not None
        index = np.tile(np.arange(len(weights)), most)
        counter = np.repeat(np.arange(most), len(weights))
        keep = counter < trips[index]
        index, counter = index[keep], counter[keep]
        inner = lanes.restricted(index).extended(loop.counter, counter)
        inner = self.warps.in_iterations(inner, counter, most)
        self.visit(loop, inner, weights[index])


def _is_known(condition: Expr | None, environment: Environment) -> bool:
    return condition is not None and environment.evaluate(condition) is not None


def _all_hold(exit_: Exit, environment: Environment, count: int) -> NDArray[np.bool_]:
    held = np.ones(count, dtype=bool)
    for condition in exit_.conditions:
        value = environment.evaluate(condition) if condition is not None else None
        if value is not None:
            held &= np.asarray(value) != 0
    return held


def thread_extents(grid: Dim3, block: Dim3) -> dict[Symbol, int]:
    """The number of values of each thread index."""
    return {
        **{THREAD[f"blockIdx.{axis}"]: n for axis, n in zip("xyz", grid, strict=True)},
        **{THREAD[f"threadIdx.{axis}"]: n for axis, n in zip("xyz", block, strict=True)},
    }


def count_satisfying(op: str, start: float, step: float, count: int) -> int:
    """The number of ``start + step * j``, 0 <= j < ``count``, for which ``op`` with 0 holds."""
    if step == 0:
        return count if FOLD[op](start) else 0
    if op in ("eq", "ne"):
        root = -start / step
        hit = int(root == int(root) and 0 <= root < count)
        return hit if op == "eq" else count - hit
    if step > 0:
        # start + step * j < 0  <=>  j < -start / step
        bound = -start / step
        return int(np.clip(np.ceil(bound) if op == "lt" else np.floor(bound) + 1, 0, count))
    bound = start / -step
    below = np.clip(np.floor(bound) + 1 if op == "lt" else np.ceil(bound), 0, count)
    return int(count - below)


def _depends(loop: Region, counter: Symbol) -> bool:
    for region in loop.walk():
        if region is loop:
            continue
        if region.trips is not None and counter in region.trips.symbols():
            return True
        for condition in region.conditions:
            if condition is not None and counter in condition.symbols():
                return True
    return False
