"""The indices of addresses: what compilers know of them, and so how they compute the address."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.costs.integer_costs import is_small, is_wide
from roofline_analysis.device.costs.wide_integers import unwidened
from roofline_analysis.device.values import Value
from roofline_analysis.regions.kernel_summary import Region, Stride
from roofline_core.algebra.symbolic import Expr

_LARGEST: Final = 1 << 63
"""No address of 64 bits with a sign is beyond it."""


def is_addressable(offset: Expr) -> bool:
    """Whether a byte offset is made of numbers that addresses have: no infinity, NaN or 1e30."""
    return all(-_LARGEST <= n <= _LARGEST for n in offset.terms.values())


def index_of(offset: Value) -> Value | None:
    """The index that an address was last moved by."""
    if offset.node is None or offset.node[0] != "address":
        return None
    base, index = offset.node[1]
    return index if index.constant is None else index_of(base)


def may_wrap(offset: Value, loop: Region) -> bool:
    """Whether what a loop moves an address by is a sum or a product in 32 bits without a sign."""
    if offset.node is None or offset.node[0] != "address":
        return False
    base, widened = offset.node[1]
    index = unwidened(widened)
    if index.varies & loop.bit and index.type == "unsigned int" and index.node is not None:
        return True
    return may_wrap(base, loop)


def wraps_by_constant(offset: Value, *, bounded: bool) -> bool:
    """Whether an address's last index has a constant summand with which it may wrap around.

    ``bounded``: the compiler knows the bounds of thread indices.
    """
    return _wraps(_narrow_index(offset), bounded)


def any_wraps_by_constant(offset: Value, *, bounded: bool) -> bool:
    """The same of any of an address's indices, such as those of an array of rows."""
    if offset.node is None or offset.node[0] != "address":
        return False
    base, index = offset.node[1]
    return _wraps(unwidened(index), bounded) or any_wraps_by_constant(base, bounded=bounded)


def _wraps(index: Value | None, bounded: bool) -> bool:
    return (
        index is not None
        and may_exceed(index, bounded=bounded)
        and index.expr is not None
        and index.expr.offset != 0
    )


def may_exceed(index: Value, *, bounded: bool) -> bool:
    """Whether an index is a 32-bit sum without a sign of more than what is known to be small."""
    return (
        index.type == "unsigned int"
        and index.expr is not None
        and not is_small(index.expr, bounded=bounded)
    )


def is_counter(offset: Value, loop: Region) -> bool:
    """Whether an address's index is the loop's own variable, which is there anyway."""
    index = _narrow_index(offset)
    return index is not None and index.node is None and bool(index.varies & loop.bit)


def is_unsigned_counter(offset: Value, loop: Region) -> bool:
    """Whether it is an unsigned one of 32 bits."""
    index = _narrow_index(offset)
    return is_counter(offset, loop) and index is not None and index.type == "unsigned int"


def shared_offset(offset: Value, loop: Region) -> object | None:
    """What tells an index in a loop from others, if the arrays that it picks from share an offset.

    That is the loop's own variable, with or without a number that is the same in all runs: of 64
    bits, or a sum of signed numbers to which a signed one is added in each run, so that it does not
    wrap around. None for other indices.
    """
    index = _narrow_index(offset)
    if index is None or (index.type.startswith("unsigned") and not is_wide(index.type)):
        return None
    moving, added = index, None
    if index.node is not None:
        operation, operands = index.node
        if operation != "+":
            return None
        added, moving = sorted(operands, key=lambda each: bool(each.varies & loop.bit))
        if added.varies & loop.bit:
            return None
    if moving.node is not None or not moving.varies & loop.bit:
        return None
    if is_wide(index.type):
        return index.type
    if loop.counter is None or moving.expr is None:
        return None
    if moving.expr.coefficient(loop.counter) in loop.wrapping:
        return None
    if added is None or added.constant is not None:
        return index.type
    return added.key() if not added.varies and _is_signed(added) else None


def moves_by_product(offset: Value, loop: Region) -> bool:
    """Whether the offset of a 64-bit index moves by a product of 32-bit numbers, IMAD.WIDE."""
    index = index_of(offset)
    if index is None or index.expr is None or loop.counter is None:
        return False
    if not is_wide(index.type) or shared_offset(offset, loop) is None:
        return False
    return index.expr.coefficient(loop.counter) in loop.widened


def _is_signed(value: Value) -> bool:
    """Whether a number of 32 bits is made of signed ones alone."""
    if value.type != "int":
        return False
    if value.node is None:
        return True
    return all(_is_signed(each) or each.constant is not None for each in value.node[1])


def stride_of(offset: Value, loop: Region, *, known: bool, charged: float) -> Stride:
    """How an address moves with a loop; ``known`` and ``charged`` are those of ``Stride``."""
    index = _narrow_index(offset)
    factor = None
    if index is not None and index.expr is not None and loop.counter is not None:
        factor = index.expr.coefficient(loop.counter)
    elements = factor.constant if factor is not None else None
    narrow = False
    summed = index is not None and index.node is not None and index.node[0] in ("+", "-")
    if index is not None and index.expr is not None and elements and loop.counter is not None:
        start = index.expr - Expr({(loop.counter,): elements})
        narrow = index.type == "int" and start.constant is None
    return Stride(elements, narrow=narrow, summed=summed, known=known, charged=charged)


def _narrow_index(offset: Value) -> Value | None:
    """The index that an address was last moved by, before it was widened."""
    index = index_of(offset)
    return None if index is None else unwidened(index)


def is_widened(index: Value) -> bool:
    """Whether a 64-bit index is a 32-bit one, which IMAD.WIDE widens."""
    if index.node is None:
        return index.expr is not None and is_small(index.expr)
    return index.node[0] in ("extend", "global id", "offset", "offset id")
