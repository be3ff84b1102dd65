"""How much a figure would vary with other programs: the bootstrap.

Programs are drawn, not kernels: the kernels of one program resemble each other, so that drawing
them by themselves would claim to know more than is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 20250720
"""Any number; it is fixed so that the same predictions give the same intervals."""
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies in 95% of the resamples."""

    low: float
    high: float


Floats = NDArray[np.float64]
Figure = Callable[[Floats], Floats]
"""From sums, a row for each resample, to a value for each; NaN where it is undefined."""


def intervals(
    programs: Sequence[Sequence[float]], figures: Mapping[str, Figure]
) -> dict[str, Interval | None]:
    """The interval of each figure.

    ``programs`` holds a row of sums for each program; a figure is computed from the sums over all.
    None where there are fewer than two programs, or where half of the resamples leave it undefined.
    """
    if len(programs) < 2:
        return dict.fromkeys(figures)
    sums = _draws(len(programs)) @ np.asarray(programs, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: _interval(figure(sums)) for name, figure in figures.items()}


@cache
def _draws(count: int) -> Floats:
    """How often each of ``count`` programs is drawn, a row for each resample."""
    draws = np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=RESAMPLES)
    return draws.astype(np.float64)


def _interval(values: Floats) -> Interval | None:
    known = values[np.isfinite(values)]
    if 2 * len(known) < len(values):
        return None
    outside = (1 - COVERAGE) / 2
    low, high = np.quantile(known, [outside, 1 - outside])
    return Interval(float(low), float(high))
