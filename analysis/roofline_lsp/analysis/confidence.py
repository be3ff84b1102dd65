"""How sure a verdict is: by the distance from the ridge and what had to be assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from roofline_lsp.analysis.prediction import UnknownUsed
from roofline_lsp.analysis.traffic import Traffic


@dataclass(frozen=True, slots=True)
class _Trust:
    """What to expect of predictions that rest on so many assumptions."""

    spread: float
    """Standard deviation of ln(predicted / true intensity), gross errors left out."""
    gross: float
    """The share whose intensity is wrong beyond any spread: their verdict is a coin flip."""


_TRUST: Final = (
    (0, _Trust(0.6, 0.10)),
    (1, _Trust(0.9, 0.20)),
    (3, _Trust(0.9, 0.25)),
)
_LEAST: Final = _Trust(1.0, 0.45)
"""Read off 564 measured CUDA kernels, rounded: of the kernels far from the ridge, 95% are right
where nothing is assumed, 90% with one assumption, 78% with four or more."""
_RANDOM_SPREAD: Final = 0.5
"""More spread where all bytes rest on addresses that depend on data."""


def confidence(
    margin: float, unknowns: Sequence[UnknownUsed], traffic: Traffic, moved: float
) -> float:
    """The probability that the verdict is right, 0.5 to 1.

    ``margin`` is the natural logarithm of the intensity over its ridge.
    """
    trust = next((trust for most, trust in _TRUST if len(unknowns) <= most), _LEAST)
    uncertain = traffic.uncertain_bytes / moved if moved else 0.0
    spread = trust.spread + _RANDOM_SPREAD * min(1.0, uncertain)
    likely = 0.5 * (1.0 + math.erf(abs(margin) / spread / math.sqrt(2.0)))
    return (1.0 - trust.gross) * likely + trust.gross * 0.5
