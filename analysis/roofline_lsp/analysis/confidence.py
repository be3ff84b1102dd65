"""How sure a verdict is: by the distance from the ridge and what had to be assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from roofline_lsp.analysis.prediction import UnknownUsed
from roofline_lsp.analysis.traffic import Traffic

_RESOLVED_SPREAD: Final = 0.7
"""Standard deviation of ln(predicted / true intensity) of kernels without assumptions."""
_SPREAD_PER_UNKNOWN: Final = 0.35
_SPREAD_OF_RANDOM_BYTES: Final = 0.8
_MOST_SPREAD: Final = 2.0


def confidence(
    margin: float, unknowns: Sequence[UnknownUsed], traffic: Traffic, moved: float
) -> float:
    """The probability that the verdict is right.

    ``margin`` is the natural logarithm of the intensity over its ridge; its error is taken as
    normal, wider the more had to be assumed.
    """
    spread = _RESOLVED_SPREAD + _SPREAD_PER_UNKNOWN * min(len(unknowns), 4)
    spread += _SPREAD_OF_RANDOM_BYTES * (traffic.uncertain_bytes / moved if moved else 0.0)
    spread = min(spread, _MOST_SPREAD)
    return 0.5 * (1.0 + math.erf(abs(margin) / spread / math.sqrt(2.0)))
