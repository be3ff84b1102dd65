"""Casts and ``sizeof``: types that expressions of device code name."""

from __future__ import annotations

from roofline_analysis.device.interpreter.places import place_of
from roofline_analysis.device.state.conversions import coerce
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.bits import reinterpreted
from roofline_analysis.language.types import is_arithmetic, is_integer
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type


def cast(interpreter: DeviceInterpreter, node: ir.Cast) -> DeviceValue:
    """A value converted to a type, or its bits read as that type's."""
    value = interpreter.evaluate(node.operand)
    type_ = interpreter.types.resolve(node.type)
    if isinstance(value, Value):
        if type_.pointers or node.reinterpret:
            keep(interpreter, value)
        if type_.pointers:
            return (
                value if value.constant == 0 else interpreter.opaque(type_, value.varies, "address")
            )
        if node.reinterpret:
            return _bits(interpreter, value, type_)
        return coerce(interpreter, value, type_)
    if isinstance(value, PointerValue) and type_.pointers:
        pointee = Type(type_.name, type_.args, type_.pointers - 1, const=type_.const)
        return PointerValue(value.array, value.offset, pointee)
    if isinstance(value, PointerValue) and is_integer(type_.name):
        return PointerValue(value.array, value.offset, Type("char"))  # It is counted in bytes.
    if isinstance(value, PlacePointer) and type_.pointers:
        if type_.pointers > 1 or type_.name != value.pointee.name:
            interpreter.costs.operations.keep_all()  # Its elements are read as others.
        pointee = _pointee_in(interpreter, value, Type(type_.name, type_.args, type_.pointers - 1))
        return PlacePointer(value.place, pointee, value.index)
    if isinstance(value, StructValue) and is_arithmetic(type_.name) and not type_.pointers:
        return coerce(interpreter, value, type_)
    return value


def _pointee_in(interpreter: DeviceInterpreter, pointer: PlacePointer, wanted: Type) -> Type:
    """The element of a vector that is read as an array of its numbers; else that of the pointer."""
    fields = interpreter.types.fields(interpreter.place_type(pointer.place)) or {}
    plain = bool(fields) and all(field.type.name == wanted.name for field in fields.values())
    return wanted if plain and is_arithmetic(wanted.name) else pointer.pointee


def _bits(interpreter: DeviceInterpreter, value: Value, type_: Type) -> Value:
    """The bits of a number read as a number of another type."""
    if is_integer(type_.name) and is_integer(value.type):
        return Value(type_.name, value.expr, value.varies)
    known = value.constant
    found = None if known is None else reinterpreted(known, value.type, type_.name)
    if found is not None:
        return number(found, type_.name)
    made = interpreter.fresh("bits", SymbolScope.DATA) if is_integer(type_.name) else None
    return Value(type_.name, made, value.varies)


def size_of(interpreter: DeviceInterpreter, node: ir.SizeOf) -> DeviceValue:
    """The bytes of a type, or of what an expression that is not evaluated would give."""
    if isinstance(node.operand, Type):
        place = interpreter.scope.find(node.operand.name) if not node.operand.pointers else None
        type_ = interpreter.place_type(place) if place is not None else node.operand
    elif isinstance(node.operand, ir.Literal) and isinstance(node.operand.value, str):
        return number(len(node.operand.value) + 1, "unsigned long")
    elif isinstance(node.operand, ir.Unknown):
        type_ = Type(node.operand.text)
    else:
        operand = node.operand
        while isinstance(operand, (ir.Assign, ir.Update)):
            operand = operand.target  # The operand is not evaluated.
        place = place_of(interpreter, operand)
        type_ = (
            interpreter.place_type(place)
            if place is not None
            else interpreter.type_of(interpreter.evaluate(operand))
        )
    return number(interpreter.bytes_of(type_), "unsigned long")
