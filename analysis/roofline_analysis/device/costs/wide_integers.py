"""64-bit integers, which a GPU computes by instructions of 32 bits and by its uniform datapath.

Read off machine code for sm_86 of addresses, comparisons and values with 64-bit indices: nvcc 13.0,
and clang 18 with ptxas 12.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.device.costs.integer_costs import (
    SAME_IN_ALL_THREADS,
    is_nonnegative,
    is_wide,
)
from roofline_analysis.device.values import Value
from roofline_core.algebra.symbol_scopes import SymbolScope

Operands = tuple[Value, ...]

_HIGHEST: Final = 1 << 32
_PRODUCTS: Final[Sequence[float]] = (4.0, 3.0, 1.0)
"""Instructions of a product by how many of its factors have an upper half of 0: IMAD.WIDE.U32 of
the lower halves, into which what is added goes as well, IMAD of each mixed pair, and IADD3."""


def product_cost(factors: Operands) -> float:
    """Instructions of a product of 64 bits, with or without a number that is added to it."""
    if all(unwidened(each) is not each for each in factors):
        return 1.0  # IMAD.WIDE widens both.
    cost = _PRODUCTS[sum(map(_has_no_upper_half, factors))]
    # The upper half of an argument is multiplied and added at once.
    return cost - 1.0 if cost == 3.0 and any(map(_is_argument, factors)) else cost


def _is_argument(value: Value) -> bool:
    return (
        value.constant is None
        and value.expr is not None
        and all(symbol.scope is SymbolScope.PARAM for symbol in value.expr.symbols())
    )


def _has_no_upper_half(value: Value) -> bool:
    known = value.constant
    if known is not None:
        return 0 <= known < _HIGHEST
    inner = unwidened(value)
    return inner is not value and is_nonnegative(inner)


def unwidened(value: Value) -> Value:
    """The 32-bit number that a 64-bit one was made of; itself if it was made of none."""
    if value.node is not None and value.node[0] == "extend":
        return value.node[1][0]
    return value


def factors_of(factors: Operands) -> Operands:
    """What has to be there for a product: of two widened numbers these themselves."""
    inner = tuple(map(unwidened, factors))
    both = all(one is not other for one, other in zip(inner, factors, strict=True))
    return inner if both else factors


def product_in_sum(
    operands: Operands, free: Callable[[Value], bool]
) -> tuple[Operands, Value] | None:
    """The factors of a product among two summands and the other summand; None if there is none.

    ``free`` says whether a value has not been computed for something else.
    """
    for position, operand in enumerate(operands):
        if operand.node is None or operand.constant is not None or not is_wide(operand.type):
            continue
        operation, factors = operand.node
        if operation == "*" and free(operand):
            return factors, operands[1 - position]
    return None


def summands(index: Value) -> Operands:
    """The numbers that a 64-bit index is the sum of."""
    if index.node is None or index.node[0] != "+" or not is_wide(index.type):
        return (index,)
    return tuple(each for operand in index.node[1] for each in summands(operand))


def is_widening_product(value: Value) -> bool:
    """Whether a number is a product of two of 32 bits that are widened."""
    if value.node is None or value.node[0] != "*" or not is_wide(value.type):
        return False
    return all(unwidened(each) is not each for each in value.node[1])


def is_same_in_block(value: Value) -> bool:
    """Whether a number depends on the launch and the block alone."""
    return value.expr is not None and all(
        symbol.scope in SAME_IN_ALL_THREADS or symbol.name.startswith("blockIdx.")
        for symbol in value.expr.symbols()
    )
