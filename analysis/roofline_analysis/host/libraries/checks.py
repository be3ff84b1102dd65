"""Checks that end a program: what ``TORCH_CHECK``, ``CHECK_EQ`` and their like hold to be true.

Most are macros of headers that are not there, so they are known by their names.
"""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.path_conditions import condition_of, hold
from roofline_analysis.host.values import OpaqueValue, Scalar, Value
from roofline_core.algebra.symbolic import Expr, apply

_CHECK: Final = re.compile(
    r"(?:^|_|[a-z]|\bI)(?:assert|check|require[sd]?|expects?|ensures?|enforce|throw_if_not|verify)"
    r"(?:m|_msg|_fmt)?(?:_(eq|ne|lt|le|gt|ge))?$",
    re.IGNORECASE,
)
_SIDES: Final = {
    "eq": ("eq", 1), "ne": ("ne", 1), "lt": ("lt", 1), "le": ("le", 1), "gt": ("lt", -1),
    "ge": ("le", -1),
}  # fmt: skip
"""The operation on the difference of the two sides that each comparison is, and its sign."""


def note_check(args: Arguments) -> None:
    """Take what a call asks for to be true from here on, if it is a check by its name."""
    found = _CHECK.search(args.name)
    if found is None:
        return
    compared = _SIDES.get((found[1] or "").lower())
    if compared is not None:
        hold(args.interpreter, _compared(args, *compared))
    else:
        for position in range(min(len(args), 2)):  # Some take what tells of the failure first.
            hold(args.interpreter, _truth(args.value(position)))


def _truth(value: Value) -> Expr | None:
    """What is asked for; None for statuses of calls and whatever else is no truth value."""
    return condition_of(value) if isinstance(value, Scalar) and value.type_name == "bool" else None


def _compared(args: Arguments, op: str, sign: int) -> Expr | None:
    sides = [args.value(position) for position in (0, 1)]
    if not all(isinstance(side, (Scalar, OpaqueValue)) for side in sides):
        return None
    left, right = (args.interpreter.number(side) for side in sides)
    if left is None or right is None:
        return None
    return condition_of(Scalar(apply(op, (left.value - right.value) * sign), "bool"))
