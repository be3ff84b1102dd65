"""Integer operations that one instruction does together: operands that an operation absorbs.

IMAD and LEA multiply and add, IADD3 adds three, LOP3 does any logic of three operands and can test
its result against 0, SHF shifts two registers through each other, which rotates one. The rules
follow SASS for compute capability 8.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline_analysis.device.costs.integer_costs import integer_cost, is_wide
from roofline_analysis.device.costs.wide_integers import (
    factors_of,
    product_cost,
    product_in_sum,
)
from roofline_analysis.device.values import Value

Operands = tuple[Value, ...]
Free = Callable[[Value], bool]
"""Whether an operand has not been computed yet and may be computed at its use."""

_LOGIC: Final = frozenset(("&", "|", "^", "~"))


def instructions(
    operation: str, type_: str, operands: Operands, free: Free, *, divides_by_warp: bool
) -> tuple[Operands, float]:
    """What has to be there for an operation, and the instructions that it takes then.

    ``divides_by_warp``: the compiler divides by ``warpSize`` as by any number.
    """
    if is_wide(type_):
        product = product_in_sum(operands, free) if operation == "+" else None
        if product is not None:
            factors, added = product
            return (*factors_of(factors), added), product_cost(factors)
        if operation == "*":
            return factors_of(operands), product_cost(operands)
    operands = taken_in(operation, type_, operands, free) or operands
    return operands, integer_cost(operation, type_, operands, divides_by_warp=divides_by_warp)


def taken_in(operation: str, type_: str, operands: Operands, free: Free) -> Operands | None:
    """The operands of an instruction that does an operation together with one of its operands.

    None if the two operations need separate instructions.
    """
    if operation in ("+", "-"):
        if any(_is_truth(operand) for operand in operands):
            return None  # A choice between the sum and the sum and 1.
        # A product goes into IMAD; else a sum into IADD3.
        product = _absorb(operands, ("*", "<<"), free)
        return product or _absorb(operands, ("+", "-"), free, wide=True)
    if operation in _LOGIC:
        rotated = rotation(operation, type_, operands)
        return (rotated,) if rotated is not None else _absorb(operands, _LOGIC, free, wide=True)
    if operation == "equal":
        return _tested(operands, free)
    return None


def _is_truth(operand: Value) -> bool:
    return operand.node is not None and operand.node[0] == "from bool"


def _absorb(
    operands: Operands, operations: object, free: Free, *, wide: bool = False
) -> Operands | None:
    for position, operand in enumerate(operands):
        if operand.node is None or operand.constant is not None or not free(operand):
            continue
        operation, inner = operand.node
        if operation not in operations or (is_wide(operand.type) and not wide):  # type: ignore[operator]
            continue
        if operation in _LOGIC and rotation(operation, operand.type, inner) is not None:
            continue
        return (*inner, *operands[:position], *operands[position + 1 :])
    return None


def _tested(operands: Operands, free: Free) -> Operands | None:
    """``(a & b) == 0``: LOP3 sets the predicate; so does a remainder by a power of two."""
    tested = operands[0]
    if len(operands) > 1 and operands[1].constant != 0:
        return None
    if tested.node is None or is_wide(tested.type) or not free(tested):
        return None
    operation, inner = tested.node
    if operation == "&" and inner[1].constant is not None:
        return _unshifted(inner[0]), inner[1]
    if operation in _LOGIC or (operation == "%" and _power_of_two(inner[1])):
        return inner
    return None


def _unshifted(value: Value) -> Value:
    """``x`` for ``x >> n >> m``: a mask by a constant is shifted, instead of what it tests."""
    while value.node is not None and value.node[0] == ">>" and not is_wide(value.type):
        whole, by = value.node[1]
        if by.constant is None or is_wide(whole.type):
            break
        value = whole
    return value


def rotation(operation: str, type_: str, operands: Operands) -> Value | None:
    """``x`` for a rotation ``(x << n) | (x >> 32 - n)``; None for anything else."""
    if operation not in ("|", "^") or is_wide(type_) or len(operands) != 2:
        return None
    left, right = operands
    if left.node is None or right.node is None:
        return None
    kinds = {left.node[0], right.node[0]}
    if kinds != {"<<", ">>"}:
        return None
    (first, by), (second, back) = left.node[1], right.node[1]
    if any(operand.type != "unsigned int" for operand in operands):
        return None  # A signed number's sign comes in from the left.
    if first.expr is None or first.expr != second.expr:
        return None
    if by.constant is not None and back.constant is not None:
        return first if by.constant + back.constant == 32 else None
    return first


def _power_of_two(value: Value) -> bool:
    known = value.constant
    return isinstance(known, int) and known > 0 and known & (known - 1) == 0
