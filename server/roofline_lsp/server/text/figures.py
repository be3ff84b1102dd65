"""Short numbers for the editor, where the format of ``formats.units`` does not fit."""

from __future__ import annotations

from roofline_core.text.units import ratio_text, scaled


def count(value: float) -> str:
    """``4096``, ``65,536``, ``1.05 M``: whole numbers as they are while they are short."""
    if float(value).is_integer() and abs(value) < 100_000:
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return scaled(value)


def percent(share: float) -> str:
    """``33%``; a small share that is there is ``<1%``, one just short of all ``>99%``."""
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1 - 1e-6:
        return ">99%"
    return f"{share * 100:.0f}%"


def factor(ratio: float) -> str:
    """``1.4×``, ``57×``, ``12,000×``: two significant digits."""
    return f"{ratio_text(ratio, 2)}×"
