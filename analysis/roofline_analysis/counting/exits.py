"""Exits that end a loop before its trip count, or that alone end it.

A loop without a trip count is searched for the first trip in which an exit holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.thread_sample import Floats
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import Exit, Region
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol

_EXIT_SHARE: Final = 0.75
"""The share of its known trip count that a loop with data-dependent exits runs.

Fitted to the measured operations of the development kernels: it slightly lowers the mean error of
both halves of the programs.
"""
_ALIKE: Final = 4.0
"""The elements of two sequences that are compared up to the first that differs.

As many as the odds of a branch that leaves make; texts and keys are rarely alike for long."""
_LONGEST_PROBE: Final = 1 << 20
"""Trips after which an exit that was not taken is assumed never to be taken."""
_MOST_TESTED: Final = 1 << 18
"""The most trips, over all sampled threads, of which each is tested. A limit on the work."""


def cut_short(loop: Region, lanes: Environment, trips: Floats, *, assumed: bool) -> Floats:
    """The trip counts after early exits; exact if the launch decides the exits.

    A loop of known trip count with data-dependent exits runs a fixed share of it.
    """
    longest = float(trips.max(initial=0.0))
    if not loop.exits or longest < 2 or not np.isfinite(longest):
        return trips
    most = int(longest)
    assert loop.counter is not None
    start = lanes.extended(loop.counter, 0)
    fixed = [e for e in loop.exits if all(_is_known(c, start) for c in e.conditions)]
    if fixed and most * len(trips) <= _MOST_TESTED:
        index = np.repeat(np.arange(len(trips)), most)
        counter = np.tile(np.arange(most), len(trips))
        inner = lanes.restricted(index).extended(loop.counter, counter)
        for exit_ in fixed:
            last = counter + (0 if exit_.at_start else 1)
            runs = np.where(_all_hold(exit_, inner, len(index)), last, most)
            trips = np.minimum(trips, runs.reshape(len(trips), most).min(axis=1))
    elif fixed:
        # Too many to test each: those that hold from some trip on are searched for that one.
        lasting = [each for each in fixed if _lasts(each, loop.counter)]
        ends = _first_exit(lasting, loop.counter, lanes, len(trips))
        trips = trips if ends is None else np.minimum(trips, ends)
    if len(fixed) < len(loop.exits) and not assumed:
        trips = np.where(trips > 1, np.maximum(trips * _EXIT_SHARE, 1.0), trips)
    if any(map(_finds_a_difference, loop.exits)):
        trips = np.minimum(trips, _ALIKE)
    return trips


def _finds_a_difference(exit_: Exit) -> bool:
    """Whether a loop ends at the first of two sequences' elements, as loaded, that differ."""
    if len(exit_.conditions) != 1 or exit_.conditions[0] is None:
        return False
    test = single_apply(exit_.conditions[0])
    if test is None or test.op != "ne":
        return False
    terms = test.args[0].terms
    loaded = [monomial[0] for monomial in terms if len(monomial) == 1]
    return (
        sorted(terms.values()) == [-1, 1]
        and len(loaded) == len(terms)
        and all(isinstance(s, Symbol) and s.scope is SymbolScope.DATA for s in loaded)
    )


def ended_by_exit(loop: Region, lanes: Environment, count: int) -> Floats | None:
    """The trip counts of a loop with a single exit; None if the launch does not decide it."""
    assert loop.counter is not None
    start = lanes.extended(loop.counter, 0)
    fixed = [e for e in loop.exits if all(_is_known(c, start) for c in e.conditions)]
    return _first_exit(fixed, loop.counter, lanes, count)


def _lasts(exit_: Exit, counter: Symbol) -> bool:
    """Whether an exit that holds in a trip does so in all later ones, as the end of a range."""
    condition = exit_.conditions[0] if len(exit_.conditions) == 1 else None
    test = single_apply(condition) if condition is not None else None
    if test is None or test.op not in ("lt", "le"):
        return False
    slope = test.args[0].coefficient(counter)
    return slope is not None and slope.constant is not None and slope.constant < 0


def _first_exit(
    exits: Sequence[Exit], counter: Symbol, lanes: Environment, count: int
) -> Floats | None:
    """The trips to the first of some exits, each of which holds from some trip on."""
    best: Floats | None = None
    for exit_ in exits:
        low, high = np.full(count, -1), np.full(count, _LONGEST_PROBE)
        probe = np.zeros(count, dtype=np.int64)
        while bool((high - low > 1).any()):
            leaves = _all_hold(exit_, lanes.extended(counter, probe), count)
            high = np.where(leaves, np.minimum(high, probe), high)
            low = np.where(leaves, low, np.maximum(low, probe))
            wide = np.where(high < _LONGEST_PROBE, (low + high) // 2, 2 * low + 2)
            probe = np.clip(wide, 0, _LONGEST_PROBE - 1)
        if bool((high < _LONGEST_PROBE).all()):
            runs = (high + (0 if exit_.at_start else 1)).astype(float)
            best = runs if best is None else np.minimum(best, runs)
    return best


def _is_known(condition: Expr | None, environment: Environment) -> bool:
    return condition is not None and environment.evaluate(condition) is not None


def _all_hold(exit_: Exit, environment: Environment, count: int) -> NDArray[np.bool_]:
    held = np.ones(count, dtype=bool)
    for condition in exit_.conditions:
        value = environment.evaluate(condition) if condition is not None else None
        if value is not None:
            held &= np.asarray(value) != 0
    return held
