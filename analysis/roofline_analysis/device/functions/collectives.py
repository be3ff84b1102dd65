"""Collective operations of a warp or block: one thread's share of the work."""

from __future__ import annotations

import math
from typing import Final

from roofline_analysis.device.costs.integer_costs import is_wide
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import (
    CodeValue,
    DeviceValue,
    FieldPlace,
    Place,
    PlacePointer,
    SwizzlePlace,
    Value,
    VariablePlace,
)
from roofline_analysis.language.types import is_integer
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import constant, make_symbol
from roofline_core.program.expressions import Call, Expression, Lambda, Literal, Name
from roofline_core.program.types import Type

_FLOATS: Final = {
    "float": Work.SP, "double": Work.DP, "half": Work.HP, "__half": Work.HP, "bfloat16": Work.HP,
    "__nv_bfloat16": Work.HP, "half2": Work.HP, "__half2": Work.HP,
}  # fmt: skip

_OPERANDS: Final = (" left", " right")
"""Names that no program has."""


def charge_operations(interpreter: DeviceInterpreter, type_: Type, operations: float) -> None:
    """Charge arithmetic on values of a type; an object's counts once for each of its fields."""
    kind = _FLOATS.get(type_.name)
    if kind is not None and not type_.pointers:
        interpreter.costs.charge(kind, operations)
        return
    if is_integer(type_.name) or type_.pointers:
        wide = type_.pointers or is_wide(type_.name)
        interpreter.costs.charge(Work.INT, operations * (2 if wide else 1))
        return
    for inner in (interpreter.types.fields(type_) or {}).values():
        charge_operations(interpreter, inner.type, operations)


def is_own_operator(interpreter: DeviceInterpreter, node: Expression) -> bool:
    """Whether an argument is a function, lambda or object with ``operator()`` of the program."""
    if isinstance(node, Lambda):
        return True
    if isinstance(node, Literal):
        return False
    if isinstance(node, Name) and interpreter.scope.find(node.name) is None:
        return any(each.has_body for each in interpreter.symbols.functions_named(node.name))
    made = node.callee if isinstance(node, Call) else None
    if isinstance(made, Name) and not _is_declared(interpreter, made.name):
        return False  # ``cub::Max()``
    value = interpreter.evaluate(node)
    if isinstance(value, CodeValue):
        return value.lambda_ is not None or value.function is not None
    type_ = interpreter.types.resolve(interpreter.type_of(value))
    methods, _ = interpreter.types.system.classes.find_methods(type_, "operator()")
    return any(each.has_body for each in methods)


def _is_declared(interpreter: DeviceInterpreter, name: str) -> bool:
    """Whether a name is that of a class, alias or function of the program."""
    symbols = interpreter.symbols
    known = symbols.find_struct(name) is not None or symbols.find_alias(name) is not None
    return known or any(each.has_body for each in symbols.functions_named(name))


def run_operator(
    interpreter: DeviceInterpreter, operator: Expression, type_: Type, times: float
) -> None:
    """Run an operator ``times`` times in a thread, on unknown values of a type."""
    costs = interpreter.costs
    loop = costs.open_loop()
    loop.trips = constant(times)
    interpreter.next_fresh += 1
    counter = f"step#{interpreter.next_fresh}"
    loop.counter = make_symbol(counter, SymbolScope.LOOP, nonnegative=True)
    operands = []
    for side in _OPERANDS:
        unknown = interpreter.opaque(type_, costs.loop_bits(), side, SymbolScope.DATA)
        interpreter.declare(side, type_, unknown)
        operands.append(Name(operator.line, side))
    keep(interpreter, interpreter.evaluate(Call(operator.line, operator, tuple(operands))))
    for side in _OPERANDS:
        interpreter.scope.names.pop(side, None)
    costs.close(loop)


def steps(lanes: float) -> float:
    """Steps of a butterfly over so many lanes."""
    return math.ceil(math.log2(lanes)) if lanes > 1 else 0


def constant_argument(
    interpreter: DeviceInterpreter, argument: Type | Expression | None
) -> int | None:
    """A template argument that is a number; None where it is not known."""
    if argument is None:
        return None
    if isinstance(argument, Type):
        held: DeviceValue | None = interpreter.constants.get(argument.name)
    else:
        held = interpreter.evaluate(argument)
    return held.whole if isinstance(held, Value) else None


def give(interpreter: DeviceInterpreter, node: Expression, name: str) -> None:
    """Mark an argument as written by a call: its value then depends on data."""
    place = _written(interpreter, node)
    if place is not None:
        type_ = interpreter.place_type(place)
        interpreter.write(
            place, interpreter.opaque(type_, interpreter.costs.loop_bits(), name, SymbolScope.DATA)
        )


def _written(interpreter: DeviceInterpreter, node: Expression) -> Place | None:
    place = interpreter.place_of(node)
    if place is None:
        value = interpreter.evaluate(node)
        place = value.place if isinstance(value, PlacePointer) else None
    if isinstance(place, (VariablePlace, FieldPlace, SwizzlePlace)):
        return place
    return None


def items_of(interpreter: DeviceInterpreter, node: Expression) -> int:
    """How many values an argument holds: the elements of an array in registers, else 1."""
    place = interpreter.place_of(node)
    type_ = interpreter.place_type(place) if place is not None else None
    if type_ is None or not type_.dims:
        return 1
    count = constant_argument(interpreter, type_.dims[0])
    return max(1, count or 1)
