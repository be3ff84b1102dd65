"""Numbers written as text, read as the C library reads them."""

from __future__ import annotations

import re
from typing import Final

_PREFIXED: Final = re.compile(r"\s*([+-]?(?:0[xX][0-9a-fA-F]+|\d+))")
_HEXADECIMAL: Final = re.compile(r"\s*([+-]?(?:0[xX])?[0-9a-fA-F]+)")
_DECIMAL: Final = re.compile(r"\s*([+-]?\d+)")
_REAL: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def number_end(text: str, type_name: str, base: int = 10) -> int:
    """How many characters the number takes that a C string starts with, 0 if there is none."""
    found = _pattern(type_name, base).match(text)
    return found.end() if found is not None else 0


def _pattern(type_name: str, base: int) -> re.Pattern[str]:
    if type_name in ("float", "double"):
        return _REAL
    return {0: _PREFIXED, 16: _HEXADECIMAL}.get(base, _DECIMAL)


def parse_number(text: str, type_name: str, base: int = 10) -> int | float:
    """The number a C string starts with, 0 if it starts with none."""
    found = _pattern(type_name, base).match(text)
    if type_name in ("float", "double"):
        return float(found[1]) if found else 0.0
    if found is None:
        return 0
    digits = found[1]
    if base == 0 and len(digits.lstrip("+-")) > 1 and digits.lstrip("+-")[0] == "0":
        # A leading zero means octal to C, which Python would not read so.
        base = 16 if digits.lstrip("+-")[1] in "xX" else 8
    try:
        return int(digits, base)
    except ValueError:
        return 0
