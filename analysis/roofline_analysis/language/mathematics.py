"""Functions of the C mathematics library, computed where their arguments are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

UNARY: Final[Mapping[str, Callable[[float], float]]] = {
    "acos": math.acos, "acosh": math.acosh, "asin": math.asin, "asinh": math.asinh,
    "atan": math.atan, "atanh": math.atanh, "cbrt": math.cbrt, "cosh": math.cosh,
    "erf": math.erf, "erfc": math.erfc, "exp2": math.exp2, "expm1": math.expm1,
    "lgamma": math.lgamma, "log10": math.log10, "log1p": math.log1p, "rint": round,
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "sinh": math.sinh, "tan": math.tan, "tanh": math.tanh, "tgamma": math.gamma,
}  # fmt: skip
"""Those of one argument that the symbolic algebra has no operation for, by their double names."""
BINARY: Final[Mapping[str, Callable[[float, float], float]]] = {
    "atan2": math.atan2, "copysign": math.copysign, "fmod": math.fmod, "hypot": math.hypot,
}  # fmt: skip


def computed(name: str, arguments: Sequence[float]) -> float | None:
    """The value of a function; None if it is not in the tables or undefined there."""
    try:
        if len(arguments) == 1 and name in UNARY:
            return float(UNARY[name](arguments[0]))
        if name == "copysign" and not arguments[-1]:
            return None  # The sign of a zero is not kept.
        if len(arguments) == 2 and name in BINARY:
            return float(BINARY[name](*arguments))
    except (ArithmeticError, ValueError):
        pass
    return None
