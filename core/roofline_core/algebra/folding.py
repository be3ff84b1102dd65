"""The non-polynomial operations of ``symbolic`` computed for numbers, as C computes them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

from roofline_core.algebra.operations import Number

MAX_SHIFT: Final = 63
"""The most bits that a shift is folded for: those of the widest integer, but one."""
_MAX_POWER_BITS: Final = 1024


def c_div(a: Number, b: Number) -> Number:
    """C's integer division: the quotient truncated towards zero."""
    quotient = abs(int(a)) // abs(int(b))
    return quotient if (a >= 0) == (b >= 0) else -quotient


def c_mod(a: Number, b: Number) -> Number:
    """C's remainder: it has the sign of the dividend."""
    return int(a) - int(c_div(a, b)) * int(b)


def _pow(a: Number, b: Number) -> Number:
    if (
        isinstance(a, int)
        and isinstance(b, int)
        and a
        and abs(b) * a.bit_length() > _MAX_POWER_BITS
    ):
        raise OverflowError
    result = a**b
    if isinstance(result, complex):
        raise ValueError
    return result


def _magnitude(a: Number) -> Number:
    return abs(a)


def _truncated(a: Number) -> Number:
    return math.trunc(a)


def _shl(a: Number, b: Number) -> Number:
    if not 0 <= b <= MAX_SHIFT:
        raise ValueError
    return int(a) << int(b)


def _shr(a: Number, b: Number) -> Number:
    if not 0 <= b <= MAX_SHIFT:
        raise ValueError
    return int(a) >> int(b)


FOLD: Final[Mapping[str, Callable[..., Number]]] = {
    "div": c_div,
    "mod": c_mod,
    "fdiv": operator.truediv,
    "min": min,
    "max": max,
    "shl": _shl,
    "shr": _shr,
    "and": lambda a, b: int(a) & int(b),
    "or": lambda a, b: int(a) | int(b),
    "xor": lambda a, b: int(a) ^ int(b),
    "lt": lambda a: int(a < 0),
    "le": lambda a: int(a <= 0),
    "eq": lambda a: int(a == 0),
    "ne": lambda a: int(a != 0),
    "land": lambda a, b: int(bool(a) and bool(b)),
    "lor": lambda a, b: int(bool(a) or bool(b)),
    "select": lambda a, b, c: b if a else c,
    "trunc": _truncated,
    "floor": math.floor,
    "ceil": math.ceil,
    "abs": _magnitude,
    "sqrt": math.sqrt,
    "pow": _pow,
    "log2": math.log2,
    "log": math.log,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "mul": operator.mul,
    "whole": lambda a: a,
}
"""Each operation on numbers; may raise ArithmeticError or ValueError where it is undefined."""
