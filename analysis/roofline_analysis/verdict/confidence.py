"""The confidence in a verdict, from the distance to the ridge and the assumptions made.

The probability that a verdict is right is a logistic function of a few features. Its coefficients
are in ``data/confidence.toml``, fitted by ``benchmarks/calibrate_confidence.py`` to measured
kernels by the study's rule. No verdict depends on them.

By the default rule the same features and coefficients are taken, with that rule's margin: the
distance to its ridges, with its bytes. There are no measured classes by that rule to fit to, so how
well its confidences are calibrated is not known.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from roofline_analysis.verdict.prediction import ConfidenceFeatures
from roofline_core.program.records import record

FEATURES: Final = (
    "constant",
    "distance",
    "off_ridge",
    "compute_bound",
    "assumed_operations",
    "uncertain_bytes",
    "unknowns",
    "unseen",
    "reuse",
    "guessed_sizes",
    "guessed_compute_bound",
    "for_other_sizes",
)
"""The names of the features, in the order of ``features`` and of the coefficients."""
TABLE: Final = Path(__file__).parent / "data" / "confidence.toml"
LEAST, MOST = 0.5, 0.99
"""The range of confidences: a verdict is at least as likely as its opposite, never certain."""
MOST_BY_GUESS: Final = 0.7
"""Assumed, chosen without measurement."""
_MANY_UNKNOWNS: Final = 15
"""The number of unknowns is capped at this value. Assumed, chosen without measurement."""


def confidence(grounds: ConfidenceFeatures) -> float:
    """The probability that the verdict is right, ``LEAST`` to ``MOST``.

    At most ``MOST_BY_GUESS`` for a compute-bound kernel whose many blocks move next to nothing at
    sizes that no host code fixes: that is a sign of a lost footprint. ``LEAST`` for one of which
    less than a warp works in the launch that was followed, which is perhaps not reached.
    """
    if grounds.is_small_step and grounds.margin > 0:
        return LEAST
    found = probability(features(grounds), _coefficients())
    lost = grounds.moves_little and grounds.guessed_sizes > 0 and grounds.margin > 0
    return min(found, MOST_BY_GUESS) if lost else found


def features(grounds: ConfidenceFeatures) -> tuple[float, ...]:
    """The numbers that ``FEATURES`` names."""
    return (
        1.0,
        1.0 - math.exp(-abs(grounds.margin)),
        1.0 - math.exp(-3.0 * abs(grounds.margin)),
        float(grounds.margin > 0),
        grounds.assumed_share,
        grounds.uncertain_share,
        math.log2(1 + min(grounds.unknowns, _MANY_UNKNOWNS)),
        grounds.unseen_share,
        grounds.reuse,
        float(grounds.guessed_sizes > 0),
        float(grounds.guessed_sizes > 0 and grounds.margin > 0),
        float(grounds.for_other_sizes),
    )


@record(frozen=True, slots=True)
class Contribution:
    """One summand of the log-odds that a verdict is right."""

    name: str
    """One of ``FEATURES``."""
    value: float
    log_odds: float
    """The feature's value times its coefficient."""


def contributions(grounds: ConfidenceFeatures) -> tuple[Contribution, ...]:
    """Each feature's summand of the log-odds from which ``confidence`` is computed."""
    rows = zip(FEATURES, features(grounds), _coefficients(), strict=True)
    return tuple(Contribution(name, value, value * factor) for name, value, factor in rows)


def probability(values: Sequence[float], coefficients: Sequence[float]) -> float:
    """The logistic function of the weighted sum, clamped to ``LEAST`` and ``MOST``."""
    log_odds = math.fsum(c * v for c, v in zip(coefficients, values, strict=True))
    return min(MOST, max(LEAST, 1.0 / (1.0 + math.exp(-log_odds))))


@cache
def _coefficients() -> tuple[float, ...]:
    table: Mapping[str, float] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["coefficients"]
    return tuple(float(table[name]) for name in FEATURES)
