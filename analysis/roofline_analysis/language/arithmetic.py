"""C's operators on known numbers, with the types that decide how results wrap around."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.language.types import common_type, is_float, is_unsigned, wrapped
from roofline_core.algebra.folding import FOLD
from roofline_core.algebra.operations import Number

COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
INTEGER_OPERATIONS: Final[Mapping[str, str]] = {
    "/": "div", "%": "mod", "<<": "shl", ">>": "shr", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
"""The names that ``symbolic`` has for operators on integers."""


def operation_type(op: str, left: str, right: str) -> str:
    """The canonical type in which an operator computes, before a comparison makes it a bool."""
    return common_type(left, "int" if op in ("<<", ">>") else right)


def fold(op: str, a: Number, b: Number, kind: str) -> Number | None:
    """The value of ``a op b`` computed in a canonical type; None where it is undefined."""
    if is_unsigned(kind) or is_float(kind):
        a = wrapped(a, kind)
        b = wrapped(b, kind) if op not in ("<<", ">>") else b
    compare = COMPARISONS.get(op)
    if compare is not None:
        return int(compare(a, b))
    try:
        if op == "+":
            result: Number = a + b
        elif op == "-":
            result = a - b
        elif op == "*":
            result = a * b
        elif op == "/":
            result = a / b if is_float(kind) else FOLD["div"](a, b)
        else:
            result = FOLD[INTEGER_OPERATIONS[op]](a, b)
    except (ArithmeticError, ValueError, KeyError):
        return None
    if isinstance(result, float) and math.isnan(
        result
    ):  # Not a number, which nothing may be compared with.
        return None
    return wrapped(result, kind)
