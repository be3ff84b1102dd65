"""Loops that numbers of the launch end, run by run: ``while (n > 1) n = (n + 31) / 32;``.

What a run leaves to the next one is computed for each sampled thread until it leaves the loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.regions.kernel_summary import Exit, LoopNumber, Region
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbolic import ZERO, Symbol

_MOST_RUNS: Final = 64
"""The most runs that are computed: numbers that are halved, or divided by more, end before."""
Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class LoopRuns:
    """The runs of a loop, for each sampled thread."""

    trips: NDArray[np.float64]
    starts: Mapping[Symbol, Numbers]
    """The numbers at the start of each run: an array of runs x threads."""
    after: Mapping[Symbol, Numbers]
    """The numbers after the loop, of each thread."""


class Recurrences:
    """The numbers that each loop of a kernel changes by what they were before."""

    def __init__(self, numbers: Mapping[Symbol, LoopNumber]) -> None:
        self._by_loop: dict[Region, dict[Symbol, LoopNumber]] = {}
        for symbol, number in numbers.items():
            if number.first is not None and number.following is not None:
                self._by_loop.setdefault(number.loop, {})[symbol] = number

    def runs(self, loop: Region, lanes: Environment, count: int) -> LoopRuns | None:
        """The runs of a loop that numbers end; None where something else decides it.

        ``lanes`` has what is known when the loop is reached, ``count`` is the number of threads.
        """
        numbers = self._by_loop.get(loop)
        if numbers is None or loop.counter is None or not loop.exits:
            return None
        values, after = _first(numbers, lanes.extended(loop.counter, 0), count)
        left, trips = np.zeros(count, dtype=bool), np.zeros(count)
        starts: list[dict[Symbol, Numbers]] = []
        for at in range(_MOST_RUNS):
            here = _with(lanes.extended(loop.counter, at), values)
            leaves = _leaving(loop.exits, here, count)
            if leaves is None:
                return None
            left = left | leaves[0]
            if not left.all():
                starts.append(values)
                trips = trips + ~left
                following = {
                    s: number
                    for s in (*values, *after)
                    if (number := _held(here.evaluate(numbers[s].following or ZERO))) is not None
                }
                if len(following) < len(values) + len(after):
                    return None
                values = {s: np.where(left, now, following[s]) for s, now in values.items()}
                after = {s: np.where(left, now, following[s]) for s, now in after.items()}
            left = left | leaves[1]
            if left.all():
                return LoopRuns(trips, _stacked(starts), after)
        return None


def _held(number: Lane | None) -> Lane | None:
    """A number that 64 bits hold; None for others, as for none."""
    return None if isinstance(number, int) and not -(2**63) <= number < 2**63 else number


def _first(
    numbers: Mapping[Symbol, LoopNumber], lanes: Environment, count: int
) -> tuple[dict[Symbol, Numbers], dict[Symbol, Numbers]]:
    """The numbers at the start of the first run, and those that are left if there is none.

    Without those that depend on what is not known in some run.
    """
    found: dict[Symbol, Numbers] = {}
    for symbol, number in numbers.items():
        value = lanes.evaluate(number.first) if number.first is not None else None
        if _held(value) is not None:
            found[symbol] = np.broadcast_to(np.asarray(value), (count,))
    while True:
        here = _with(lanes, {s: v for s, v in found.items() if not numbers[s].after})
        open_ = [s for s in found if here.evaluate(numbers[s].following or ZERO) is None]
        if not open_:
            break
        for symbol in open_:
            del found[symbol]
    starts = {s: value for s, value in found.items() if not numbers[s].after}
    return starts, {s: value for s, value in found.items() if numbers[s].after}


def _with(lanes: Environment, values: Mapping[Symbol, Numbers]) -> Environment:
    for symbol, value in values.items():
        lanes = lanes.extended(symbol, value)
    return lanes


def _leaving(
    exits: list[Exit], here: Environment, count: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """The threads that leave before this run, and those for which it is the last one.

    None where data decide one of the exits.
    """
    before, last = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    for exit_ in exits:
        held = np.ones(count, dtype=bool)
        for condition in exit_.conditions:
            value = here.evaluate(condition) if condition is not None else None
            if value is None:
                return None
            held &= np.asarray(value) != 0
        if exit_.at_start:
            before |= held
        else:
            last |= held
    return before, last


def _stacked(starts: list[dict[Symbol, Numbers]]) -> dict[Symbol, Numbers]:
    symbols = starts[0].keys() if starts else ()
    return {symbol: np.stack([each[symbol] for each in starts]) for symbol in symbols}
