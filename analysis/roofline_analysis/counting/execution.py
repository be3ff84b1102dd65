"""How often each region of a kernel runs in a launch.

A sample of whole warps stands for all threads: every warp where there are few, else warps spread
over the grid, the first and last block among them. Conditions and trip counts are evaluated for
each lane of the sample; a loop's counter takes either every value or a spread of them. Conditions
that are affine in the thread indices are counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.branch_odds import ON_COUNTED, BranchOdds, both
from roofline_analysis.counting.combinations import CombinationFinder
from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.decided_guards import ALL, decided_by_others, lanes_that_pass
from roofline_analysis.counting.exact_counts import mean_strided_trips
from roofline_analysis.counting.exits import cut_short, ended_by_exit
from roofline_analysis.counting.progressions import (
    PassingRange,
    exact_condition,
    thread_extents,
)
from roofline_analysis.counting.recurrences import LoopRuns, Recurrences
from roofline_analysis.counting.thread_sample import (
    GOLDEN,
    Floats,
    sample_threads,
    takes_all,
    volume,
)
from roofline_analysis.counting.tickets import TicketOdds
from roofline_analysis.counting.trip_estimates import (
    FILLED_IN,
    Estimate,
    SharedLengths,
    TripEstimates,
)
from roofline_analysis.counting.turning_blocks import turning_blocks
from roofline_analysis.counting.warps import Warps, chance_of_any
from roofline_analysis.device.values import LAUNCH, WARP_SIZE
from roofline_analysis.regions.index_sources import IndexSources
from roofline_analysis.regions.kernel_summary import (
    LoopNumber,
    Region,
    RegionForm,
    Role,
    Ticket,
)
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, apply
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage

_PASSES: Final = np.ones((), dtype=bool)
_MAX_EXPANDED: Final = 32768
"""The most pairs of a lane and a trip that are evaluated one by one. A limit on the work."""
_MOST_RUNS: Final = 1e24
"""The most runs of a loop's body that are counted: a GPU would be at them for a century."""


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
    in_block: float = 0.0
    """Runs summed over the warps of the block that runs the region most often."""


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
    warp_size: int = WARP_SIZE
    """Threads of a warp."""
    endless: tuple[int, float] | None = None
    """The line and the trips of a loop that no GPU could bring to its end; None without one."""

    @property
    def threads(self) -> int:
        """Threads of the launch."""
        return volume(self.grid) * volume(self.block)

    def most_trips(self, loop: Region) -> float | None:
        """The trips that a loop's bounds give it if nothing ends it before.

        None if threads or data decide them.
        """
        return self.number(loop.trips) if loop.trips is not None else None

    def number(self, expr: Expr) -> float | None:
        """A number that the launch fixes; None if threads or data decide it."""
        found = self.environment.evaluate(expr)
        return float(found) if found is not None and np.ndim(found) == 0 else None

    def runs_of(self, region: Region) -> float | None:
        """How often a region runs; None before it was counted."""
        runs = self.regions.get(region)
        return None if runs is None else runs.runs

    def mean_trips(self, loop: Region) -> float | None:
        """A loop's trips by its bounds, or on average of those counted; None before that."""
        runs = self.regions.get(loop)
        by_bounds = self.most_trips(loop)
        return by_bounds if by_bounds is not None or runs is None else runs.trips


@record(frozen=True, slots=True)
class LoadedNumbers:
    """What is known of the numbers that a kernel loads."""

    drawn: DrawnNumbers
    """Samples of them; they give the odds of data-dependent branches."""
    sources: IndexSources | None = None
    """Which indices decide them; these tell how many threads have one length in common."""
    numbers: Mapping[Symbol, LoopNumber] = field(default_factory=dict)
    """What decides the numbers that loops change."""
    tickets: Mapping[Symbol, Ticket] = field(default_factory=dict)
    """What atomics that count gave."""
    meanings: Mapping[Symbol, Expr] = field(default_factory=dict)
    """Other numbers by what they stand for."""
    guessed: AbstractSet[Symbol] = frozenset()
    """Arguments of which nobody gives the value."""


@stage(Stage.EXECUTE)
def execute(
    root: Region,
    grid: Dim3,
    block: Dim3,
    values: Mapping[Symbol, int | float],
    warp_size: int = WARP_SIZE,
    sizes: Mapping[str, float] | None = None,
    loaded: LoadedNumbers | None = None,
) -> Execution:
    """Count the runs of every region of a kernel in one launch.

    ``sizes`` has the bytes of allocations by array name; they estimate data-dependent trip counts.
    ``loaded`` tells what is known of the numbers that the kernel loads; None: nothing.
    """
    bound: dict[Symbol, Lane] = dict(values)
    for axis, blocks, threads in zip("xyz", grid, block, strict=True):
        bound[LAUNCH[f"gridDim.{axis}"]] = blocks
        bound[LAUNCH[f"blockDim.{axis}"]] = threads
    result = Execution(grid, block, Environment(bound), warp_size=warp_size)
    turns: list[int] = []
    if not takes_all(grid, block):
        turns = turning_blocks(root, grid, block, result.environment)
    lanes, weights, warps = sample_threads(grid, block, bound, warp_size, turns)
    result.lanes = lanes
    loaded = loaded or LoadedNumbers(DrawnNumbers({}, {}))
    lengths = SharedLengths(loaded.sources, thread_extents(grid, block), result.mean_trips)
    estimates = TripEstimates(root, sizes or {}, lengths)
    recurrences = Recurrences(loaded.numbers)
    warp_lanes = min(warp_size, volume(block))
    tickets = TicketOdds(
        loaded.tickets, loaded.meanings, result.runs_of, result.environment, loaded.guessed
    )
    counter = _Counter(result, estimates, warps, warp_lanes, loaded.drawn, recurrences, tickets)
    counter.visit(root, lanes, weights)
    return result


class _Counter:
    def __init__(
        self,
        execution: Execution,
        estimates: TripEstimates,
        warps: Warps,
        warp_lanes: int,
        drawn: DrawnNumbers,
        recurrences: Recurrences,
        tickets: TicketOdds,
    ) -> None:
        self.drawn = drawn
        self.tickets = tickets
        self.recurrences = recurrences
        self.execution = execution
        self.estimates = estimates
        self.warps = warps
        self.warp_lanes = warp_lanes
        self.depth = 0
        self.complete = takes_all(execution.grid, execution.block)
        """Every thread of the launch is a lane of the sample."""
        self._counted: tuple[Environment, Floats, tuple[float, float, float]] | None = None
        """The last lanes, how often they run, and the runs of their warps."""
        self._used: frozenset[Symbol] | None = frozenset()
        """Symbols that the guards around depend on; None inside a loop."""
        extents = thread_extents(execution.grid, execution.block)
        self._combinations = CombinationFinder(execution.environment, extents)
        self.warp_odds_ratio = 1.0
        """A warp's odds of reaching this region over one lane's odds, from assumed conditions."""
        self.longest_ratio = 1.0
        """Runs of the warp that gets here most often over the mean, where one block gets here."""

    @property
    def _all_evaluated(self) -> bool:
        """Whether every thread and trip is evaluated, so that the counts are exact as they are."""
        return self.complete and not self.depth

    def visit(
        self, region: Region, lanes: Environment, weights: Floats, total: float | None = None
    ) -> None:
        """Count how often a region runs, then the regions in it.

        ``lanes`` has the symbols' values of each sampled lane that gets here, ``weights`` how many
        runs each of them stands for, ``total`` the sum of these.
        """
        runs = self.execution.regions.setdefault(region, RegionRuns(0.0))
        total = float(weights.sum()) if total is None else total
        runs.runs = total
        warp_runs, in_block, longest = self._warp_runs(lanes, weights)
        runs.warp_runs = warp_runs * self.warp_odds_ratio
        runs.in_block = in_block * self.warp_odds_ratio * self.longest_ratio
        runs.longest = longest * self.warp_odds_ratio * self.longest_ratio
        if region.form is RegionForm.GUARD and region.parent is not None:
            # One lane may stand for all that pass; no warp does so more often than it gets here.
            around_it = self.execution.regions[region.parent]
            runs.in_block = min(runs.in_block, around_it.in_block)
            runs.longest = min(runs.longest, around_it.longest)
        around = self._used
        if region.form is RegionForm.LOOP or around is None:
            self._used = None
        else:
            self._used = around.union(*(c.symbols() for c in region.conditions if c is not None))
        for child in region.children:
            if child.form is RegionForm.GUARD:
                self._guard(child, lanes, weights, total)
            else:
                lanes = self._loop(child, lanes, weights, total)
        self._used = around

    def _warp_runs(self, lanes: Environment, weights: Floats) -> tuple[float, float, float]:
        last = self._counted
        if last is None or last[0] is not lanes or last[1] is not weights:
            last = self._counted = lanes, weights, self.warps.count(lanes, weights)
        return last[2]

    # -- guards

    def _guard(self, guard: Region, lanes: Environment, weights: Floats, total: float) -> None:
        """Count a guard's inside; ``total`` is the sum of the ``weights``."""
        if guard.role is Role.SLOW:
            self._slow_path(guard, lanes, weights, total)
        elif not self._decided_guard(guard, lanes, weights, total):
            self._guard_by_odds(guard, lanes, weights, total)

    def _slow_path(self, guard: Region, lanes: Environment, weights: Floats, total: float) -> None:
        """Count what divisions of 0 compute besides; without samples of the data nothing is 0."""
        share: Lane | None = None
        if guard.dividend is not None and not self.drawn.empty:
            share = self.drawn.share(apply("eq", guard.dividend), lanes, guard)
        held = np.broadcast_to(np.asarray(share if share is not None else 0.0), weights.shape)
        inside = weights * held
        within = float(inside.sum())
        self.execution.regions[guard] = RegionRuns(0.0, share=within / total if total else 0.0)
        self.visit(guard, lanes, inside, within)

    def _decided_guard(
        self, guard: Region, lanes: Environment, weights: Floats, total: float
    ) -> bool:
        """Count the inside of a guard whose conditions the launch decides; False for others."""
        held = lanes_that_pass(guard, lanes, weights.shape, given=self.drawn.empty)
        if held is None:
            return False
        unchanged = held is ALL or np.count_nonzero(held) == len(weights)
        inside = weights if unchanged else weights[held]
        within = total if unchanged else float(inside.sum())
        exact = None if self._all_evaluated else self._exact_share(guard)
        if exact is not None and total:
            passed = np.ones(weights.shape, dtype=bool) if held is ALL else held
            inside, held = self._scaled(inside, passed, exact * total, weights)
            within, unchanged = float(inside.sum()), bool(held.all())
        part = within / total if total else 0.0
        self.execution.regions[guard] = RegionRuns(0.0, share=part)
        left = lanes if unchanged else lanes.restricted(np.flatnonzero(held))
        self.visit(guard, left, inside, within)
        return True

    def _guard_by_odds(
        self, guard: Region, lanes: Environment, weights: Floats, total: float
    ) -> None:
        """Count a guard's inside, with odds for what the launch does not decide."""
        odds = BranchOdds(lanes, guard, self.drawn, self.tickets)
        share = _share_of(guard, odds)
        assumed = odds.assumed
        if not isinstance(share, np.ndarray) and share > 0:
            passed = np.broadcast_to(_PASSES, weights.shape)
            inside = weights if share == 1 else weights * share
            possible = total
        else:
            share = share * np.ones(len(weights), dtype=np.int64)
            passed = share > 0
            unchanged = bool((share == 1).all())
            inside = weights if unchanged else (weights * share)[passed]
            possible = total if unchanged else float(weights[passed].sum())
        exact = None if assumed or self._all_evaluated else self._exact_share(guard)
        if exact is not None and total:
            inside, passed = self._scaled(inside, passed, exact * total, weights)
        within = total if inside is weights else float(inside.sum())
        part = within / total if total else 0.0
        self.execution.regions[guard] = RegionRuns(
            0.0, share=part, assumed=assumed, why=odds.why if assumed else ""
        )
        if assumed:
            self.execution.assumed_conditions.append(guard)
        before = self.warp_odds_ratio, self.longest_ratio
        mean = within / possible if possible else 1.0
        if 0.0 < mean < 1.0 and assumed:
            self.warp_odds_ratio *= chance_of_any(mean, self.warp_lanes) / mean
        elif 0.0 < mean < 1.0 and odds.by_ticket:
            self.longest_ratio /= mean
        left = lanes if passed.all() else lanes.restricted(np.flatnonzero(passed))
        self.visit(guard, left, inside, within)
        self.warp_odds_ratio, self.longest_ratio = before

    def _scaled(
        self, inside: Floats, passed: NDArray[np.bool_], wanted: float, weights: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        sampled = float(inside.sum())
        if sampled:
            return inside * (wanted / sampled), passed
        if wanted and len(weights):
            # No sampled lane counts: let one represent the threads that pass.
            passed = np.zeros_like(passed)
            passed[0] = True
            return np.array([wanted]), passed
        return inside, passed

    def _exact_share(self, guard: Region) -> float | None:
        """The exact share of runs that pass; None unless few indices and counters decide it."""
        if self._used is None:
            return self._share_of_combinations(guard)
        used = set(self._used)
        execution = self.execution
        # Conditions on one progression of indices cut an interval from it.
        intervals: dict[tuple[tuple[Symbol, float], ...], PassingRange] = {}
        for condition in guard.conditions:
            if condition is None:
                return None
            symbols = {s for s in condition.symbols() if s.scope is SymbolScope.THREAD}
            interval = exact_condition(
                condition, execution.grid, execution.block, execution.environment
            )
            if interval is not None and interval.digits in intervals:
                interval = intervals[interval.digits].meet(interval)
            elif symbols & used:
                interval = None
            if interval is None:
                return self._share_of_combinations(guard)
            used |= symbols
            intervals[interval.digits] = interval
        return math.prod(interval.share for interval in intervals.values())

    def _share_of_combinations(self, guard: Region) -> float | None:
        found = self._combinations.at(guard, guard.conditions)
        return found.share(guard.conditions) if found is not None else None

    # -- loops

    def _loop(self, loop: Region, lanes: Environment, weights: Floats, total: float) -> Environment:
        """Count a loop's inside; gives ``lanes`` with what is known after it.

        ``total`` is the sum of the ``weights``.
        """
        value: Lane | None
        found: LoopRuns | None = None
        if loop.trips is not None:
            value = lanes.evaluate(loop.trips)
        else:
            value = ended_by_exit(loop, lanes, len(weights))
            if value is None:
                found = self.recurrences.runs(loop, lanes, len(weights))
                value = found.trips if found is not None else None
        if value is not None and found is None and not self._can_end(loop, value, weights):
            value = None
        assumed = value is None
        why = ""
        if value is None:
            self.execution.assumed_trips.append(loop)
            estimate = self._estimated_trips(loop, lanes, weights, total)
            value, why = estimate.trips, estimate.why
        trips = np.maximum(np.broadcast_to(np.asarray(value, dtype=float), weights.shape), 0.0)
        if found is None:
            trips = cut_short(loop, lanes, trips, assumed=assumed)
        inside = weights * trips
        within = float(inside.sum())
        mean = within / total if total else 0.0
        exact = None if assumed or self._all_evaluated else self._exact_trips(loop)
        if exact is not None and mean and self._can_end(loop, exact, weights):
            weights, mean = weights * (exact / mean), exact
            inside = weights * trips
            within = float(inside.sum())
        self.execution.regions[loop] = RegionRuns(0.0, trips=mean, assumed=assumed, why=why)
        assert loop.counter is not None
        most = float(trips.max(initial=0.0))
        starts = found.starts if found is not None else {}
        if not starts and not _depends(loop, loop.counter):
            middle = np.floor(trips / 2)
            there = lanes.extended(loop.counter, middle.astype(np.int64))
            self.visit(loop, there, inside, within)
        elif most * len(weights) <= _MAX_EXPANDED and most >= 1:
            self._every_run(loop, lanes, weights, trips, int(most), starts)
        else:
            self.depth += 1
            spread = (np.arange(len(weights)) * GOLDEN * self.depth + 0.5 * self.depth) % 1.0
            counter = np.floor(spread * trips).astype(np.int64)
            there = lanes.extended(loop.counter, counter)
            for symbol, table in starts.items():
                there = there.extended(symbol, table[counter, np.arange(len(weights))])
            self.visit(loop, there, inside, within)
            self.depth -= 1
        for symbol, number in found.after.items() if found is not None else ():
            lanes = lanes.extended(symbol, number)
        return lanes

    def _estimated_trips(
        self, loop: Region, lanes: Environment, weights: Floats, total: float
    ) -> Estimate:
        in_trip = partial(self._runs_in_trip, loop, lanes, weights, total)
        taken = self.tickets.trips(loop, lanes, in_trip)
        if taken is not None:
            return Estimate(taken, ON_COUNTED)
        estimate = self.estimates.of(loop, lanes, total)
        load = self.drawn.load_behind(loop.trips) if loop.trips is not None else None
        if loop.trips is None or load is None or not self.estimates.reads_most(load, total, lanes):
            return estimate
        drawn = self.drawn.mean(loop.trips, lanes, loop)
        if drawn is None:
            return estimate
        if loop.exits:  # Whichever ends it first.
            return Estimate(np.minimum(drawn, estimate.trips), estimate.why)
        return Estimate(drawn, FILLED_IN)

    def _runs_in_trip(
        self, loop: Region, lanes: Environment, weights: Floats, total: float, region: Region
    ) -> float | None:
        """How often a region in a loop runs in one trip of all threads; None if data decide it."""
        runs = total
        for each in (region, *region.around()):
            if each is loop:
                return runs
            if each.form is not RegionForm.GUARD:
                return None
            share = self._share_of_combinations(each)
            if share is None:
                held = lanes_that_pass(each, lanes, weights.shape, given=self.drawn.empty)
                if held is None or not total:
                    return None
                share = 1.0 if held is ALL else float(weights[held].sum()) / total
            runs *= share
        return None

    def _can_end(self, loop: Region, trips: Lane, weights: Floats) -> bool:
        """Whether a loop may have so many trips; notes one that nothing else ends."""
        runs = np.maximum(np.asarray(trips, dtype=float), 0.0) * weights
        if float(runs.sum()) <= _MOST_RUNS:
            return True
        if not loop.exits and self.execution.endless is None:
            self.execution.endless = loop.site[1], float(np.max(trips))
        return False

    def _exact_trips(self, loop: Region) -> float | None:
        """The exact mean trip count; None unless few indices and counters decide it.

        Also of a grid-stride loop that all threads run.
        """
        if loop.trips is None or loop.exits:
            return None
        execution = self.execution
        if self._all_threads_run(loop):
            strided = mean_strided_trips(
                loop.trips, execution.grid, execution.block, execution.environment
            )
            if strided is not None:
                return strided
        found = self._combinations.at(loop, (loop.trips,))
        return found.mean(loop.trips) if found is not None else None

    def _all_threads_run(self, loop: Region) -> bool:
        """Whether all threads of the launch come to a loop, once."""
        for region in loop.around():
            runs = self.execution.regions.get(region)
            if region.form is RegionForm.LOOP or (runs is not None and runs.share != 1.0):
                return False
        return True

    def _every_run(
        self,
        loop: Region,
        lanes: Environment,
        weights: Floats,
        trips: Floats,
        most: int,
        numbers: Mapping[Symbol, NDArray[Any]] = MappingProxyType({}),
    ) -> None:
        """Visit a loop once for each run of each lane; ``numbers``: runs x lanes."""
        assert loop.counter is not None
        index = np.tile(np.arange(len(weights)), most)
        counter = np.repeat(np.arange(most), len(weights))
        keep = counter < trips[index]
        index, counter = index[keep], counter[keep]
        inner = lanes.restricted(index).extended(loop.counter, counter)
        for symbol, table in numbers.items():
            inner = inner.extended(symbol, table[counter, index])
        inner = self.warps.in_iterations(inner, counter, most)
        self.visit(loop, inner, weights[index])


def _share_of(guard: Region, odds: BranchOdds) -> Lane:
    """The odds that all conditions of a guard hold: one number, or one for each lane."""
    together = odds.together(guard.conditions) if len(guard.conditions) > 1 else None
    if together is not None:
        return together
    share: Lane = 1
    for condition, decided in zip(guard.conditions, decided_by_others(guard), strict=True):
        share = both(share, odds.of(condition) if decided is None else decided)
    return share


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
