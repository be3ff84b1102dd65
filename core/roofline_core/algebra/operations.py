"""The operations that are not polynomial, by the names that ``Apply`` has for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

Number = int | float
"""A number that an expression holds."""

OPERATIONS: Final[Mapping[str, str]] = {
    "div": "C integer division, truncating towards zero",
    "mod": "C remainder, with the sign of the dividend",
    "fdiv": "division of reals",
    "min": "the smaller of two",
    "max": "the larger of two",
    "shl": "a << b",
    "shr": "a >> b, arithmetic",
    "and": "bitwise and",
    "or": "bitwise or",
    "xor": "bitwise exclusive or",
    "lt": "1 if a < 0, else 0",
    "le": "1 if a <= 0, else 0",
    "eq": "1 if a == 0, else 0",
    "ne": "1 if a != 0, else 0",
    "land": "1 if both are not 0, else 0",
    "lor": "1 if one is not 0, else 0",
    "select": "b if a is not 0, else c",
    "trunc": "the integer part, towards zero",
    "floor": "the largest integer not above",
    "ceil": "the smallest integer not below",
    "abs": "the magnitude",
    "sqrt": "the square root",
    "pow": "a to the power b",
    "log2": "the logarithm to base 2",
    "log": "the natural logarithm",
    "exp": "the exponential",
    "sin": "the sine",
    "cos": "the cosine",
    "mul": "a product left factored",
    "whole": "a long expression kept as one",
}


def finite(number: Number) -> float | None:
    """A number as a double; None for infinity, for what is no number, and beyond all doubles."""
    try:
        found = float(number)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def truncated(number: Number | None) -> int | None:
    """A number without its fraction; None for None, infinity and what is no number."""
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return None
    return int(number)
