"""Short numbers for the editor, where the format of ``formats.units`` does not fit."""

from __future__ import annotations

from roofline_core.text.units import scaled

_TIMES = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))


def count(value: float) -> str:
    """``4096``, ``65,536``, ``1.05 M``: whole numbers as they are while they are short."""
    if float(value).is_integer() and abs(value) < 100_000:
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return scaled(value)


def duration(nanoseconds: float) -> str:
    """``840 ns``, ``18.2 µs``, ``1.2 ms``."""
    unit, size = _TIMES[0]
    for name, length in _TIMES:
        if float(f"{nanoseconds / length:.3g}") >= 1:
            unit, size = name, length
    return scaled(nanoseconds / size, unit)


def percent(share: float) -> str:
    """``33%``; a small share that is there is ``<1%``, one just short of all ``>99%``."""
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1 - 1e-6:
        return ">99%"
    return f"{share * 100:.0f}%"


def factor(ratio: float) -> str:
    """``1.4×``, ``57×``, ``12,000×``: two significant digits."""
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f}×" if rounded >= 10 else f"{rounded:g}×"
