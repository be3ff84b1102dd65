"""How much a figure would vary with other programs: the bootstrap.

Programs are drawn, not kernels: the kernels of one program resemble each other, so that drawing
them by themselves would claim to know more than is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
SEED = 20250720
"""Any number; it is fixed so that the same predictions give the same intervals."""
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies in 95% of the resamples."""

    low: float
    high: float


def intervals(
    programs: Sequence[Sequence[float]],
    figures: Mapping[str, Callable[[Sequence[float]], float | None]],
) -> dict[str, Interval | None]:
    """The interval of each figure.

    ``programs`` holds a row of sums for each program; a figure is computed from the sums over all.
    None where there are fewer than two programs, or where half of the resamples leave it undefined.
    """
    if len(programs) < 2:
        return dict.fromkeys(figures)
    count = len(programs)
    draws = np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=RESAMPLES)
    sums = (draws @ np.asarray(programs, dtype=np.float64)).tolist()
    return {name: _interval([figure(row) for row in sums]) for name, figure in figures.items()}


def _interval(values: Sequence[float | None]) -> Interval | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    if 2 * len(known) < len(values):
        return None
    outside = (1 - COVERAGE) / 2
    low, high = np.quantile(known, [outside, 1 - outside])
    return Interval(float(low), float(high))
