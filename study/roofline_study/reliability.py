"""Whether confidences mean what they say: of the kernels given 80%, about 80% are right."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The bounds of the bands of confidence."""

_CERTAIN = 1e-6
"""Confidences are kept so far from 0 and 1 for the log loss, which is infinite there."""


@dataclass(frozen=True, slots=True)
class ConfidenceBand:
    """Whether predictions of about the same confidence are right as often as they claim."""

    low: float
    """Confidences from here ..."""
    high: float
    """... to below here; the last band includes it."""
    count: int
    mean_confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Confidences compared with outcomes, over the kernels with a predicted class."""

    bands: tuple[ConfidenceBand, ...]
    brier: float | None
    """The mean of (confidence - 1 if right, 0 if wrong)^2: 0 is best, always saying 0.5 gives 0.25.

    None, as the other two, without kernels.
    """
    log_loss: float | None
    """The mean of -ln(confidence in the true class): 0 is best, always saying 0.5 gives 0.69."""
    calibration_error: float | None
    """The mean over kernels of |mean confidence - accuracy| of their band."""


def reliability(results: Iterable[tuple[float, bool]]) -> Reliability:
    """How good confidences are, from pairs of (confidence, was right)."""
    held = list(results)
    if not held:
        return Reliability((), None, None, None)
    bands = confidence_bands(held)
    apart = sum(band.count * abs(band.mean_confidence - band.accuracy) for band in bands)
    return Reliability(
        bands=bands,
        brier=statistics.fmean((confidence - right) ** 2 for confidence, right in held),
        log_loss=statistics.fmean(_surprise(confidence, right) for confidence, right in held),
        calibration_error=apart / len(held),
    )


def confidence_bands(
    results: Iterable[tuple[float, bool]], edges: Sequence[float] = EDGES
) -> tuple[ConfidenceBand, ...]:
    """Group (confidence, was right) by bands of confidence; empty bands are left out."""
    held = list(results)
    bands = []
    for low, high in itertools.pairwise(edges):
        inside = [
            (confidence, right)
            for confidence, right in held
            if low <= confidence < high or confidence == high == edges[-1]
        ]
        if inside:
            mean = statistics.fmean(confidence for confidence, _ in inside)
            share = sum(right for _, right in inside) / len(inside)
            bands.append(ConfidenceBand(low, high, len(inside), mean, share))
    return tuple(bands)


def _surprise(confidence: float, right: bool) -> float:
    given = confidence if right else 1 - confidence
    return -math.log(min(max(given, _CERTAIN), 1 - _CERTAIN))
