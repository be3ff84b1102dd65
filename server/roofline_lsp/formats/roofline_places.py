"""Where kernels stand on a roofline, which of them a drawing names, and how far its axes reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

from roofline_core.program.precision import Precision

MOST_NAMED: Final = 15
"""With more kernels only those that stand out are named, and at most so many."""
_MOST_NAME: Final = 40
_FAR_GAP: Final = 0.5
"""Decades between a predicted and a measured place from which a kernel stands out."""
_NARROWEST: Final = 0.25
"""Decades that the middle half of the places is taken to span at least."""
_OUTLIER: Final = 1.5
"""Of the middle half's span, how far outside of it a place stands out: Tukey's inner fence."""
_FAR_OUT: Final = 3.0
"""The same for places that the axes are not stretched for: the outer fence."""


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """Where a kernel stands; both numbers are above 0 and finite."""

    intensity: float
    """Operations per DRAM byte."""
    gops: float
    """10^9 operations per second."""


@dataclass(frozen=True, slots=True)
class Plotted:
    """A kernel by one of its precisions, as predicted, as measured, or both."""

    name: str
    precision: Precision
    predicted: ChartPoint | None = None
    measured: ChartPoint | None = None
    how: str = "measured"
    """The word for the latter: ``measured`` or ``emulated``."""
    wrong: bool = False
    """Whether another class was measured than was predicted."""

    @property
    def place(self) -> ChartPoint | None:
        """Where its name stands: measured if it was, else predicted."""
        return self.measured or self.predicted

    @property
    def short_name(self) -> str:
        """Without its parameters, and not endless."""
        head = self.name.split("(", 1)[0] or self.name
        return head if len(head) <= _MOST_NAME else f"{head[: _MOST_NAME - 3]}..."


def place_of(
    operations: float | None, moved_bytes: float | None, time_ns: float | None
) -> ChartPoint | None:
    """Where counts put a kernel; None where one of them is not known, 0 or infinite."""
    if not operations or not moved_bytes or not time_ns:
        return None
    if not all(map(math.isfinite, (operations, moved_bytes, time_ns))):
        return None
    return ChartPoint(operations / moved_bytes, operations / time_ns)


def named(kernels: Sequence[Plotted]) -> frozenset[int]:
    """The indices of the kernels that a drawing names: all of few, of many those that stand out.

    Those stand out whose class was told wrong, whose measurement lies far from the prediction, and
    that lie far from most others; in this order where there are too many.
    """
    if len(kernels) <= MOST_NAMED:
        return frozenset(range(len(kernels)))
    places = [each.place for each in kernels]
    known = [place for place in places if place is not None]
    across = _spread([math.log10(each.intensity) for each in known])
    up = _spread([math.log10(each.gops) for each in known])
    ranked: list[tuple[bool, float, int]] = []
    for at, (kernel, place) in enumerate(zip(kernels, places, strict=True)):
        if place is None:
            continue
        gap = _gap(kernel)
        beside, above = across.beyond(place.intensity), up.beyond(place.gops)
        if kernel.wrong or gap >= _FAR_GAP or max(beside, above) > _OUTLIER:
            ranked.append((kernel.wrong, gap + beside + above, at))
    ranked.sort(key=lambda each: (not each[0], -each[1], each[2]))
    return frozenset(at for _, _, at in ranked[:MOST_NAMED])


def _gap(kernel: Plotted) -> float:
    """Decades from the predicted place to the measured one; 0 where one is not known."""
    here, there = kernel.predicted, kernel.measured
    if here is None or there is None:
        return 0.0
    return math.hypot(
        math.log10(there.intensity / here.intensity), math.log10(there.gops / here.gops)
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    """The middle half of some numbers."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """Its width, at least ``_NARROWEST``."""
        return max(self.high - self.low, _NARROWEST)

    def beyond(self, value: float) -> float:
        """How far a value lies outside, in spans; 0 inside."""
        logarithm = math.log10(value)
        return max(self.low - logarithm, logarithm - self.high, 0.0) / self.span


def _spread(values: Sequence[float]) -> _Spread:
    if len(values) < 2:
        middle = median(values) if values else 0.0
        return _Spread(middle, middle)
    low, _, high = quantiles(values, n=4, method="inclusive")
    return _Spread(low, high)


def within_reach(values: Sequence[float]) -> list[float]:
    """Of some numbers above 0 those that axes are stretched for: without those far out.

    Few numbers are all within reach.
    """
    if len(values) <= MOST_NAMED:
        return list(values)
    spread = _spread([math.log10(each) for each in values])
    return [each for each in values if spread.beyond(each) <= _FAR_OUT]
