"""Numbers as people read them: scaled by powers of 1000, three digits, ``?`` where unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNKNOWN = "?"

_PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q")
_MOST_NAMED = 3
"""The most assumed sizes that a text names."""
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_LONG_TIMES = ((365.25 * 24 * 3600e9, "years"), (24 * 3600e9, "days"), (3600e9, "h"), (60e9, "min"))
"""Each for times of two and more."""


def scaled(value: float | None, unit: str = "") -> str:
    """``33.6 MFLOP``, ``4.2 MB``, ``512 B``; ``1.5 k`` without a unit; ``?`` for None."""
    if value is None:
        return UNKNOWN
    if not math.isfinite(value):
        return f"{value} {unit}".rstrip()
    step, shown = 0, float(round(value)) if unit == "B" else value
    while abs(float(f"{shown:.3g}")) >= 1000 and step < len(_PREFIXES) - 1:
        step, shown = step + 1, shown / 1000
    return f"{significant(shown)} {_PREFIXES[step]}{unit}".rstrip()


def significant(value: float | None, digits: int = 3) -> str:
    """A number of so many significant digits, without exponent if that is short; ``?`` for None."""
    if value is None:
        return UNKNOWN
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(value: float | None) -> str:
    """A whole number in full, such as ``1048576``, any other in three digits; ``?`` for None."""
    if value is None or not float(value).is_integer() or abs(value) >= 1e15:
        return significant(value)
    return str(int(value))


def duration(time_ns: float | None) -> str:
    """``2.99 ms``, ``850 ns``, ``3.25 h``, ``1.49 M years``; ``?`` for None."""
    if time_ns is None:
        return UNKNOWN
    for size_ns, unit in _LONG_TIMES:
        if time_ns >= 2 * size_ns:
            return f"{scaled(time_ns / size_ns)} {unit}"
    for size_ns, unit in _TIMES:
        if float(f"{time_ns / size_ns:.3g}") >= 1:
            return f"{significant(time_ns / size_ns)} {unit}"
    return f"{significant(time_ns)} ns"


def ratio_text(ratio: float | None, digits: int = 3) -> str:
    """A ratio in so many digits: ``0.85``, ``20.4``, ``12,300``, ``460 M``; ``?`` for None."""
    if ratio is None or not math.isfinite(ratio):
        return significant(ratio)
    rounded = float(f"{ratio:.{digits}g}")
    if abs(rounded) >= 1e6:
        return scaled(rounded)
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else significant(rounded, digits)


def time_text(time_ns: float | None, depends_on: Sequence[str]) -> str:
    """``time 2.99 ms``; ``time depends on n, rows and 2 more`` where sizes are assumed."""
    if not depends_on:
        return f"time {duration(time_ns)}"
    names = list(dict.fromkeys(depends_on))
    more = len(names) - _MOST_NAMED
    return f"time depends on {', '.join(names[:_MOST_NAMED])}" + (
        f" and {more} more" if more > 0 else ""
    )


def percent(share: float | None) -> str:
    """``87%``; ``?`` for None."""
    return UNKNOWN if share is None else f"{100 * share:.0f}%"


def dimensions(size: Sequence[int | None] | None, assumed: Sequence[int] | None = None) -> str:
    """``(4, 1, 1)``; an unknown part as ``~256`` where 256 is assumed for it, else as ``?``."""
    if size is None and assumed is None:
        return UNKNOWN
    parts = size if size is not None else (None, None, None)
    guesses: Sequence[int | None] = assumed if assumed is not None else (None,) * len(parts)
    shown = (
        str(part) if part is not None else UNKNOWN if guess is None else f"~{guess}"
        for part, guess in zip(parts, guesses, strict=True)
    )
    return f"({', '.join(shown)})"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 kernel``, ``2 kernels``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
