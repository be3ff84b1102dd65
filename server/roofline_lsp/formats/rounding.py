"""Numbers as JSON and tables keep them."""

from __future__ import annotations

import math

SIGNIFICANT_DIGITS = 10
"""Numbers are estimates; more digits would only make equal reports differ."""


def rounded(value: float | None) -> float | int | None:
    """Rounded, whole numbers without a fraction; infinities and NaN, which JSON lacks, as None."""
    if value is None or not math.isfinite(value):
        return None
    if float(value).is_integer() and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
