"""How many lanes of a warp are at work in a branch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.execution import Execution
from roofline_analysis.counting.thread_sample import GOLDEN, volume
from roofline_analysis.counting.warps import LANE
from roofline_analysis.regions.kernel_summary import Region
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr

_ROUNDS: Final = 8
"""How often each warp of the sample is looked at, in other runs of the loops around."""

Mask = NDArray[np.bool_]


def divergence(execution: Execution, guard: Region) -> float | None:
    """The warps that run a guard's branch, over those that its lanes would fill; at least 1.

    Lanes of a warp are compared in the same runs of the loops around. Lanes that do not reach the
    guard are no part of it. None where its conditions depend on data, or no lane passes.
    """
    warp = execution.warp_size
    if execution.lanes is None or volume(execution.block) % warp:
        return None
    reached = passed = np.zeros((0, warp), dtype=bool)
    for number in range(_ROUNDS):
        lanes = _in_runs(execution, execution.lanes, guard, number)
        here = np.ones(len(execution.lanes.values[LANE]), dtype=bool)
        for outer in guard.around():
            held = _held(lanes, outer.conditions, len(here))
            here = here if held is None else here & held
        held = _held(lanes, guard.conditions, len(here))
        if held is None:
            return None
        reached = np.concatenate((reached, here.reshape(-1, warp)))
        passed = np.concatenate((passed, (here & held).reshape(-1, warp)))
    return _warps_per_full(passed) / _warps_per_full(reached) if passed.any() else None


def _in_runs(execution: Execution, lanes: Environment, guard: Region, number: int) -> Environment:
    """The lanes with counters of the loops around a guard, the same for all lanes of a warp."""
    count = len(lanes.values[LANE])
    warps = np.arange(count // execution.warp_size) + number * count
    for depth, loop in enumerate(guard.loops()):
        runs = execution.regions.get(loop)
        if loop.counter is not None and runs is not None:
            spread = ((warps + 1) * GOLDEN ** (depth + 1)) % 1.0
            counter = (spread * max(1.0, runs.trips)).astype(np.int64)
            lanes = lanes.extended(loop.counter, np.repeat(counter, execution.warp_size))
    return lanes


def _held(lanes: Environment, conditions: Iterable[Expr | None], count: int) -> Mask | None:
    """Where all conditions hold; None if one is not known."""
    held = np.ones(count, dtype=bool)
    for condition in conditions:
        value = lanes.evaluate(condition) if condition is not None else None
        if value is None:
            return None
        held &= np.asarray(value) != 0
    return held


def _warps_per_full(lanes: Mask) -> float:
    """Warps with any lane over those that their lanes would fill."""
    return float(lanes.any(axis=1).sum() * lanes.shape[1] / lanes.sum())
