"""Bootstrap confidence intervals: the variation of a figure over resampled programs.

Programs are resampled, not kernels: kernels of one program are correlated, so resampling kernels
would give intervals that are too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 20250720
"""The seed is fixed so that equal predictions give equal intervals; its value is arbitrary."""
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """The range of a figure in 95% of the resamples."""

    low: float
    high: float


Floats = NDArray[np.float64]
Figure = Callable[[Floats], Floats]
"""Maps sums, one row per resample, to one value per resample; NaN if undefined."""


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
    """The number of times each of ``count`` programs is drawn, one row per resample."""
    draws = np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=RESAMPLES)
    return draws.astype(np.float64)


def _interval(values: Floats) -> Interval | None:
    known = values[np.isfinite(values)]
    if 2 * len(known) < len(values):
        return None
    outside = (1 - COVERAGE) / 2
    low, high = np.quantile(known, [outside, 1 - outside])
    return Interval(float(low), float(high))
