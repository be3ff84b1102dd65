"""Numbers as JSON and tables keep them."""

from __future__ import annotations

import math

SIGNIFICANT_DIGITS = 10
"""Numbers are estimates; more digits would only make equal reports differ."""


def rounded(value: float | None) -> float | int | None:
    """Rounded, whole numbers without a fraction; infinities and NaN, which JSON lacks, as None."""
    if value is None or not math.isfinite(value):
        return None
    if not _is_whole(value):
        value = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return int(value) if _is_whole(value) else value


def _is_whole(value: float) -> bool:
    """Whether a number is whole, and small enough that its neighbours are, too."""
    return float(value).is_integer() and abs(value) < 2**53
