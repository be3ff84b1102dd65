"""The bits of numbers: one type's value read as another type's."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from roofline_analysis.language.scope import Number

_FORMATS: Final[Mapping[str, str]] = {
    "bool": "?", "char": "b", "signed char": "b", "unsigned char": "B", "short": "h",
    "unsigned short": "H", "int": "i", "unsigned int": "I", "long": "q", "unsigned long": "Q",
    "long long": "q", "unsigned long long": "Q", "half": "e", "float": "f", "double": "d",
}  # fmt: skip


def reinterpreted(value: Number, source: str, target: str) -> Number | None:
    """A value of one canonical type whose bits are read as another type of the same size.

    None where a type is not modelled, the sizes differ, or the type does not hold the value.
    """
    one, other = _FORMATS.get(source), _FORMATS.get(target)
    if one is None or other is None or struct.calcsize(one) != struct.calcsize(other):
        return None
    try:
        found: Number = struct.unpack(other, struct.pack(one, value))[0]
    except (struct.error, OverflowError):
        return None
    return found


def in_bit_field(value: Number, type_name: str, width: int) -> int | None:
    """What a bit-field of an integral type holds of a number: its lowest bits, with their sign."""
    if not isinstance(value, int) or width <= 0:
        return None
    kept = value & ((1 << width) - 1)
    signed = not type_name.startswith("unsigned") and type_name != "bool"
    return kept - (1 << width) if signed and kept >> (width - 1) else kept
