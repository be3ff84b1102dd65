"""Floating-point operations as they are recorded: what each charges once something uses it."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Final

from roofline_analysis.device.costs.expansions import OperationCost
from roofline_analysis.device.operations import Operation
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import Value
from roofline_analysis.language.types import precision_of
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.precision import Precision

_WORK: Final[Mapping[Precision, Work]] = {
    Precision.SP: Work.SP,
    Precision.DP: Work.DP,
    Precision.HP: Work.HP,
}


_FUSED_SHARE: Final = 0.4
"""The share of an expansion's operations that are products of multiply-adds.

Assumed, chosen without measurement: most steps of a division, a root or a polynomial are one, and
if all were it would be 0.5. The table of expansions has operations, not instructions. Only the time
rests on it."""


def made_operation(
    interpreter: DeviceInterpreter, op: str, type_: str, left: Value, right: Value
) -> Operation | None:
    """The recorded operation; None for integers that no floating-point operation made."""
    costs = interpreter.costs
    operands, varies = (left, right), left.varies | right.varies
    precision = precision_of(type_)
    if precision is None or precision not in _WORK:
        return costs.passed_on(operands)
    kind = _WORK[precision]
    _need_literals(interpreter, left, right)
    if op in ("+", "-"):
        return _sum(interpreter, kind, type_, left, right)
    divisor = right.constant
    if op == "*" or (op == "/" and divisor and _exact_reciprocal(divisor)):
        charges = ((kind, _lanes(type_)),)
        made = costs.note(operands, charges, varies, needs=operands, product=kind)
        made.repeatable = any(map(_takes_no_register, operands))
        return made
    if op != "/":
        return costs.passed_on(operands)
    cost = _division_cost(interpreter, type_, left, right)
    made = costs.note(operands, charges_of(cost) if cost else (), varies, needs=operands)
    dividend = left.nearly
    if cost is not None and cost.zero is not None and dividend is not None:
        made.dividend = dividend if rests_on_data(dividend) else None
        kinds = zip((Work.SP, Work.DP, Work.INT), cost.more_if_zero(), strict=True)
        made.when_zero = tuple((kind, amount) for kind, amount in kinds if amount)
    return made


def rests_on_data(number: Expr) -> bool:
    """Whether loaded values decide a number."""
    return any(symbol.scope is SymbolScope.DATA for symbol in number.symbols())


def _division_cost(
    interpreter: DeviceInterpreter, type_: str, left: Value, right: Value
) -> OperationCost | None:
    compiler = interpreter.costs.compiler
    if type_ == "float" and not compiler.rounds_divisions and not compiler.fast_functions:
        return compiler.function_cost("__fdividef")
    if left.constant == 1:
        form = "1 /"
    else:
        form = "/ const" if right.constant is not None else "/"
    return compiler.operator_cost(f"{type_} {form}") or compiler.operator_cost(f"{type_} /")


def _takes_no_register(value: Value) -> bool:
    """Whether instructions read a value from themselves or from constant memory.

    A product by 2 is the sum of a number and itself.
    """
    if value.constant is not None:
        return value.constant != 2
    symbols = value.expr.symbols() if value.expr is not None else frozenset()
    (argument,) = symbols if len(symbols) == 1 else (None,)
    return argument is not None and argument.scope is SymbolScope.REAL and value.made is None


def _sum(
    interpreter: DeviceInterpreter, kind: Work, type_: str, left: Value, right: Value
) -> Operation:
    operands = (left, right)
    fusable: tuple[Value, ...] = operands
    if not interpreter.contracts_all:
        fusable = tuple(
            o for o, own in zip(fusable, interpreter.written_products, strict=True) if own
        )
    return interpreter.costs.note(
        operands,
        ((kind, _lanes(type_)),),
        left.varies | right.varies,
        needs=() if fusable is operands else tuple(o for o in operands if o not in fusable),
        fusable=fusable,
    )


def _need_literals(interpreter: DeviceInterpreter, *operands: Value) -> None:
    """A double whose lower half is not 0 does not fit in an instruction: it takes two moves.

    One of the two is an IMAD, which counts as an integer operation.
    """
    costs = interpreter.costs
    for operand in operands:
        known = operand.constant
        if operand.type != "double" or known is None or not _has_lower_half(known):
            continue
        home = costs.home(0)
        if costs.find(("literal", known), home) is None:
            home.available["literal", known] = True
            home.charge(costs.site, Work.INT, 1.0)


def _has_lower_half(number_: float) -> bool:
    return struct.pack(">d", float(number_))[4:] != bytes(4)


def _lanes(type_: str) -> float:
    return 2.0 if type_ in ("half2", "bfloat162") else 1.0


def _exact_reciprocal(divisor: int | float) -> bool:
    """Division by a power of two becomes a multiplication."""
    mantissa, _ = math.frexp(abs(divisor))
    return mantissa == 0.5


def charge_cost(interpreter: DeviceInterpreter, cost: OperationCost, varies: int) -> None:
    """Charge a measured expansion."""
    for kind, amount in charges_of(cost):
        interpreter.costs.charge(kind, amount, varies)


def note_cost(
    interpreter: DeviceInterpreter,
    cost: OperationCost | None,
    operands: tuple[Value, ...],
    varies: int,
) -> Operation:
    """Note a measured expansion, to be charged if something uses its result."""
    charges = charges_of(cost) if cost is not None else ()
    return interpreter.costs.note(operands, charges, varies, needs=operands)


def charges_of(cost: OperationCost) -> tuple[tuple[Work, float], ...]:
    """What an expansion charges, by kind of work; kinds of which it has none are left out."""
    amounts = (
        (Work.SP, cost.sp_flops),
        (Work.DP, cost.dp_flops),
        (Work.HP, cost.hp_flops),
        (Work.INT, cost.int_ops),
        (Work.SPECIAL, cost.mufu),
        (Work.CONVERSION, cost.conversions),
        (Work.FUSED, (cost.sp_flops + cost.dp_flops) * _FUSED_SHARE),
    )
    return tuple(each for each in amounts if each[1])
