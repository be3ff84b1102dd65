"""Guards whose conditions the launch decides, and which lanes of a sample pass them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.regions.conditions import negation
from roofline_analysis.regions.kernel_summary import Region
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbolic import Expr

Mask = NDArray[np.bool_]

ALL: Final[Mask] = np.ones((), dtype=bool)
"""Stands for a mask of all lanes."""


def lanes_that_pass(
    guard: Region, lanes: Environment, shape: tuple[int, ...], *, given: bool
) -> Mask | None:
    """The lanes, of a sample of this shape, that pass a guard; None unless the launch decides.

    ``ALL`` where conditions that are the same for all lanes hold. ``given``: what guards around
    decide may be taken from them even beside other conditions, as no samples of data tell more.
    """
    held: Mask = ALL
    for condition, decided in zip(guard.conditions, decided_by_others(guard), strict=True):
        value: Lane | None = decided
        if decided is None:
            value = lanes.evaluate(condition) if condition is not None else None
        elif not given and len(guard.conditions) > 1:
            return None
        if value is None:
            return None
        if not isinstance(value, np.ndarray) or not value.ndim:
            if value != 0:
                continue
            passes = np.zeros(shape, dtype=bool)
        else:
            passes = value != 0
            if passes.shape != shape or passes.dtype != np.bool_:
                return None
        held = passes if held is ALL else held & passes
    return held


def decided_by_others(guard: Region) -> tuple[int | None, ...]:
    """For each condition of a guard 1 or 0 where the guards around it decide it, else None."""
    if guard.decided is None:
        guard.decided = tuple(_decided_around(guard, each) for each in guard.conditions)
    return guard.decided


def _decided_around(guard: Region, condition: Expr | None) -> int | None:
    if condition is None:
        return None
    for region in guard.guards_in_run():
        if condition in region.conditions:
            return 1
        if len(region.conditions) == 1 and negation(region.conditions[0]) == (condition,):
            return 0
    return None
