"""Numbers and units as profilers print them, whatever the machine's language settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

_BLANKS = dict.fromkeys(map(ord, " \u00a0\u2007\u2009\u202f'\u2019_"))
"""Marks of thousands that no convention uses as decimal mark: blanks of all widths, apostrophes."""
_SHAPE = re.compile(
    r"[+-]?(?=[\d.])(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d*)?(?:e[+-]?\d+)?\Z",
    re.IGNORECASE | re.ASCII,
)
_MAX_DIGITS = 64
MOST_COUNT = 1e100
"""Beyond what anything counts; sums and products of some such numbers stay doubles."""
MOST_THREADS = 10**10
"""Beyond the blocks and threads of any launch in one dimension."""
_NOTHING = frozenset({"", "n/a", "nan", "-nan", "inf", "-inf", "none", "(!)"})


class Convention(Enum):
    """The decimal mark; the other mark may group thousands."""

    POINT = "."
    COMMA = ","


def convention_of(texts: Iterable[str]) -> Convention:
    """The convention that most of the telling numbers of a report follow; a point if none tells.

    ``1,234.5``, ``12.5`` and ``1,234,567`` tell of a point, ``1.234,5``, ``12,5`` and
    ``27.595.520`` of a comma. ``117.344`` alone tells nothing: it may be one number or a thousand
    times that.
    """
    votes = {Convention.POINT: 0, Convention.COMMA: 0}
    for text in texts:
        said = _told_by(text.strip().translate(_BLANKS))
        if said is not None:
            votes[said] += 1
    return max(Convention, key=lambda each: votes[each])


def _told_by(text: str) -> Convention | None:
    points, commas = text.count("."), text.count(",")
    if not (points or commas) or len(text) > _MAX_DIGITS:
        return None
    if points and commas:
        return Convention.POINT if text.rfind(".") > text.rfind(",") else Convention.COMMA
    mark, count = (".", points) if points else (",", commas)
    if count > 1:  # only thousands repeat
        return Convention.COMMA if mark == "." else Convention.POINT
    whole, _, fraction = text.lstrip("+-").partition(mark)
    if not fraction.isdecimal() or not (whole.isdecimal() or not whole):
        return None
    if len(fraction) != 3 or not 1 <= len(whole) <= 3 or whole.startswith("0"):
        return Convention(mark)
    return None


def number_of(text: str, convention: Convention = Convention.POINT) -> float | None:
    """A number of at most ``MOST_COUNT``, or None: ``n/a``, an empty cell, words."""
    text = text.strip()
    if text.lower() in _NOTHING or len(text) > _MAX_DIGITS:
        return None
    text = text.translate(_BLANKS)
    if convention is Convention.COMMA:
        text = text.translate({ord("."): ",", ord(","): "."})
    if _SHAPE.match(text) is None:
        return None
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if abs(value) <= MOST_COUNT else None


_PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
             "T": 1e12, "P": 1e15}  # fmt: skip
"""Nsight Compute scales by powers of 1000."""
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_NAMES = {
    "s": "second", "sec": "second", "second": "second", "seconds": "second",
    "b": "byte", "byte": "byte", "bytes": "byte",
    "hz": "hz", "cycle": "cycle", "cycles": "cycle", "inst": "inst", "instructions": "inst",
    "%": "%", "warp": "warp", "thread": "thread", "block": "block", "register": "register",
    "sector": "sector", "request": "request",
}  # fmt: skip


def unit_of(text: str) -> tuple[float, str]:
    """A unit as a factor and a unit without prefix: ``Gbyte/s`` is 1e9 and ``byte/second``.

    A unit that is not known is itself, with the factor 1.
    """
    over, slash, under = text.strip().partition("/")
    factor, name = _single(over)
    if not slash:
        return factor, name
    below, other = _single(under)
    return factor / below, f"{name}/{other}"


def _single(text: str) -> tuple[float, str]:
    known = _NAMES.get(text) or _NAMES.get(text.lower())
    if known is not None:
        return 1.0, known
    for prefixes, length in ((_BINARY, 2), (_PREFIXES, 1)):
        rest = _NAMES.get(text[length:]) or _NAMES.get(text[length:].lower())
        if text[:length] in prefixes and rest is not None:
            return prefixes[text[:length]], rest
    return 1.0, text
