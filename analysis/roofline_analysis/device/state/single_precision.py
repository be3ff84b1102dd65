"""Doubles that are computed from floats: one operation that is rounded to float is a float's."""

from __future__ import annotations

from roofline_analysis.device.values import Value, number
from roofline_analysis.language.types import wrapped


def in_single(op: str, left: Value, right: Value) -> tuple[str, tuple[Value, ...]] | None:
    """One operation on numbers that floats hold: rounded to float, it is that of floats.

    A double has more than twice the digits of a float, so that rounding twice changes nothing: nvcc
    makes it one operation of floats. Where the double is used elsewhere, too, nvcc keeps it, and
    the operation of floats is counted besides. None for other operations and numbers.
    """
    if left.type != "double" or right.type != "double" or op not in ("+", "-", "*", "/"):
        return None
    one, other = _as_single(left), _as_single(right)
    return None if one is None or other is None else (op, (one, other))


def _as_single(value: Value) -> Value | None:
    """The float that a double is; None if none is known."""
    if value.single is not None and value.single[0] == "float":
        return value.single[1][0]
    known = value.constant
    if known is None or wrapped(float(known), "float") != float(known):
        return None
    return number(float(known), "float")
