"""The number of machine instructions of integer operations.

The figures are those of SASS for compute capability 8.6; ``data/expansions.toml`` says how the
larger ones were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.device.costs.expansions import measured_operator
from roofline_analysis.device.values import Value
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol

WARP_SIZE_NODE: Final = "warp size"
"""What ``warpSize`` is made by."""
SAME_IN_ALL_THREADS: Final = (SymbolScope.PARAM, SymbolScope.LAUNCH)
INTEGER_COSTS: Final[Mapping[str, float]] = {
    "address wide": 1.0,  # IMAD.WIDE of a 32-bit index on a 64-bit base
    "address": 1.0,  # LEA or IMAD in the 32-bit shared window
    "address of wide index": 2.0,  # LEA and LEA.HI.X
    "address of bytes": 2.0,  # IADD3 and IADD3.X: there is nothing to multiply by
    "address step wide": 2.0,  # IADD3 and IADD3.X
    "address step": 1.0,
    "null test": 2.0,  # ISETP and ISETP.EX
    "quotient of remainder": 3.0,  # its last step and its sign, where the remainder was computed
    "loop": 2.0,  # IADD3 and ISETP
    "loop wide": 4.0,  # the same of a 64-bit counter: IADD3.X and ISETP.EX, too
    "loop wide of any step": 6.0,  # of 4 copies: two IADD3 of 3 operands, their upper halves
    "loop entry": 2.0,  # ISETP whether it runs at all, and a move to start from
    # Of a loop that is unrolled in part: LOP3, ISETP and IADD3 to share out the runs among rounds
    # of 16, 8 and 4, and what the runs left over at the end cost more than those in a round.
    "unrolled loop": 10.0,
    "unrolled loop wide": 22.0,  # of 64 bits: upper halves, their tests and moves
    "runs left over": 2.0,
}

UNIFORM: Final = frozenset(("+", "-", "*", "<<", ">>", "&", "|", "^", "~", "negate", "extend"))
"""Operations that the uniform datapath does once for a warp; they are not counted."""
_THREAD_RANGES: Final = frozenset(("threadIdx.x", "threadIdx.y", "threadIdx.z"))

_NARROW_TEST: Final = 8.0
"""LOP3 and ISETP: whether both operands of a 64-bit division fit in 32 bits; and the moves to and
from that path, on which compilers divide as for ``unsigned``. Indices do fit, as a rule. Measured
on sm_86, nvcc 13 and clang 18: a division or remainder takes 15 to 17 in all."""

_WIDE: Final = frozenset(("long", "unsigned long", "long long", "unsigned long long"))


def is_wide(type_name: str) -> bool:
    """Whether arithmetic on this type takes two registers."""
    return type_name in _WIDE


_SIMPLE: Final[Mapping[str, tuple[float, float]]] = {
    # operation: 32-bit, 64-bit
    "+": (1, 2),
    "-": (1, 2),
    "*": (1, 4),  # of 64 bits by what its factors are: ``product_cost``
    "<<": (1, 2),
    ">>": (1, 2),
    ">> low": (1, 1),  # SHF of two registers into one
    "&": (1, 2),
    "|": (1, 2),
    "^": (1, 2),
    "~": (1, 2),
    "negate": (1, 2),
    "compare": (1, 2),
    "equal": (1, 2),
    "min": (1, 3),
    "max": (1, 3),
    "abs": (1, 3),
    "select": (0, 0),  # SEL, which is not counted
    "from bool": (0, 0),  # a predicate
    "not": (0, 0),
    "and": (0, 0),
    "or": (0, 0),
    "extend": (0, 1),
    "narrow": (0, 0),
    "address": (1, 1),
    "global id": (1, 1),  # IMAD of 32-bit indices, wide or not
    "offset": (1, 1),  # IADD3 of what an OpenCL launch adds to its indices, 0 as well
    "offset id": (2, 2),  # both
}


def integer_cost(
    operation: str, type_name: str, operands: Sequence[Value], *, divides_by_warp: bool = False
) -> float:
    """Instructions of one integer operation whose operands are in registers.

    ``divides_by_warp``: the compiler divides by ``warpSize`` as by any number.
    """
    if operation in ("/", "%"):
        return _division_cost(operation, type_name, operands, divides_by_warp)
    narrow, wide = _SIMPLE.get(operation, (1, 2))
    if operation == "extend":
        return 0.0 if is_nonnegative(operands[0]) else 1.0  # SHF of the sign
    if operation in ("compare", "equal") and operands:
        return wide if any(is_wide(o.type) for o in operands) else narrow
    return wide if is_wide(type_name) else narrow


def is_uniform(expr: Expr) -> bool:
    """Whether a number depends on the launch alone, not on the thread, block or data."""
    return all(symbol.scope in SAME_IN_ALL_THREADS for symbol in expr.symbols())


def is_small(expr: Expr, *, bounded: bool = True) -> bool:
    """Whether a number is a sum of thread indices and loop counters, which no sum wraps around.

    ``bounded``: the compiler knows the bounds of thread indices.
    """
    return all(
        isinstance(atom, Symbol)
        and (atom.scope is SymbolScope.LOOP or (bounded and atom.name in _THREAD_RANGES))
        for monomial in expr.terms
        for atom in monomial
    )


def is_nonnegative(value: Value, *, by_threads: bool = True) -> bool:
    """Whether the compiler can prove an integer non-negative, from its type or its operands.

    The compiler must assume that sums and products with a block index may overflow.
    ``by_threads``: indices of threads are known to be no negative numbers.
    """
    truth = value.node is not None and value.node[0] == "from bool"
    if truth or value.type.startswith("unsigned") or value.type == "bool":
        return True
    if value.expr is None:
        return False
    for monomial, factor in value.expr.terms.items():
        if factor < 0 or len(monomial) > 1:
            return False
        for atom in monomial:
            ranged = isinstance(atom, Symbol) and (
                atom.scope is SymbolScope.LOOP or (by_threads and atom.name in _THREAD_RANGES)
            )
            if not ranged:
                return False
    return True


def _power_of_two(value: Value) -> bool:
    known = value.constant
    return isinstance(known, int) and known > 0 and known & (known - 1) == 0


def _division_cost(
    operation: str, type_name: str, operands: Sequence[Value], divides_by_warp: bool
) -> float:
    name = "long long" if is_wide(type_name) else "int"
    if type_name.startswith("unsigned"):
        name = "unsigned long long" if is_wide(type_name) else "unsigned"
    divisor = operands[1] if len(operands) > 1 else None
    if divisor is None or divisor.constant is None or (divides_by_warp and _is_warp_size(divisor)):
        form = "var"
        if is_wide(type_name):
            return _NARROW_TEST + measured_operator(f"unsigned {operation} var").int_ops
    else:
        form = "pow2" if _power_of_two(divisor) else "const"
        # An int that was an index of threads counts as any other by nvcc 13 and clang 18.
        shifts = form == "pow2" and is_nonnegative(operands[0], by_threads=False)
        if shifts and not is_wide(type_name):
            return 1.0  # SHF or LOP3
    return measured_operator(f"{name} {operation} {form}").int_ops


def _is_warp_size(value: Value) -> bool:
    if value.node is not None and value.node[0] == "extend":
        value = value.node[1][0]
    return value.node is not None and value.node[0] == WARP_SIZE_NODE
