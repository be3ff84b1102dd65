"""Numbers written as text, read as the C library reads them."""

from __future__ import annotations

import re
from typing import Final

_INTEGER: Final = re.compile(r"\s*([+-]?(?:0[xX][0-9a-fA-F]+|\d+))")
_DECIMAL: Final = re.compile(r"\s*([+-]?\d+)")
_REAL: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def parse_number(text: str, type_name: str, base: int = 10) -> int | float:
    """The number a C string starts with, 0 if it starts with none."""
    if type_name in ("float", "double"):
        found = _REAL.match(text)
        return float(found[1]) if found else 0.0
    if base in (0, 16):
        found = _INTEGER.match(text)
        try:
            return int(found[1], 0 if base == 0 else 16) if found else 0
        except ValueError:
            return int(found[1]) if found else 0
    found = _DECIMAL.match(text)
    try:
        return int(found[1], base) if found else 0
    except ValueError:
        return 0
