"""Device values where a number, or a value of a certain type, is wanted."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.state.arithmetic import convert
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.parameters import null_test
from roofline_analysis.device.state.vectors import build
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.templates import other_instance
from roofline_analysis.language.types import is_arithmetic, is_float, is_integer, vector_parts
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type

_START: Final = 1 << 40
"""The number of the address that an array begins at: allocations are aligned, and none is at 0."""


def scalar(interpreter: DeviceInterpreter, node: ir.Expression) -> Value:
    """The value of an expression as a number; what is no number becomes an unknown one."""
    return as_scalar(interpreter, interpreter.evaluate(node))


def as_scalar(interpreter: DeviceInterpreter, value: DeviceValue) -> Value:
    """A device value where a number is wanted."""
    if isinstance(value, Value):
        return value
    if isinstance(value, StructValue):
        made = interpreter.parts.converted(interpreter, value, None)
        if isinstance(made, Value):
            return made
    if isinstance(value, StructValue) and len(value.fields) == 1:
        (inner,) = value.fields.values()
        return as_scalar(interpreter, inner)
    if isinstance(value, PointerValue) and value.offset.expr is not None:
        # The parts of the address are computed anew wherever they are needed: no node.
        return Value("unsigned long", value.offset.expr + _START, value.offset.varies)
    if isinstance(value, (PointerValue, PlacePointer)):
        return number(1, "unsigned long")
    keep(interpreter, value)
    return Value(
        "int", interpreter.fresh("object", SymbolScope.DATA), interpreter.costs.loop_bits()
    )


def tested(interpreter: DeviceInterpreter, value: DeviceValue) -> Value:
    """A device value where a condition is wanted; whether a pointer is null takes a test."""
    if isinstance(value, PointerValue):
        interpreter.costs.need_null_test(value.array)
        null = null_test(interpreter, value, 0)
        if null is not None:
            return null
    return as_scalar(interpreter, value)


def constant_of(interpreter: DeviceInterpreter, node: ir.Expression) -> int | None:
    """The integer an expression is at compile time, or None."""
    return scalar(interpreter, node).whole


def coerce(interpreter: DeviceInterpreter, value: DeviceValue, type_: Type) -> DeviceValue:
    """The value as it is once stored in a variable of this type."""
    resolved = interpreter.types.resolve(type_)
    if isinstance(value, Value):
        return _of_number(interpreter, value, resolved)
    if isinstance(value, StructValue) and value.type.name == "{}" and not resolved.dims:
        return _from_list(interpreter, value, resolved)
    if isinstance(value, StructValue) and value.type != resolved:
        made = _by_operator(interpreter, value, resolved)
        if made is not None:
            return made
        if is_arithmetic(resolved.name) and not resolved.pointers and not resolved.dims:
            # The object's bytes as a number: they were stored as another type.
            varies = interpreter.costs.loop_bits()
            return interpreter.opaque(resolved, varies, "bits", SymbolScope.DATA)
        return _sliced(interpreter, value, resolved)
    if isinstance(value, PointerValue) and resolved.pointers and resolved.name != "auto":
        pointee = Type(resolved.name, resolved.args, resolved.pointers - 1, const=resolved.const)
        if pointee.name == "void":
            return value
        return PointerValue(value.array, value.offset, pointee)
    return value


def _of_number(interpreter: DeviceInterpreter, value: Value, type_: Type) -> DeviceValue:
    """A number as it is once stored in a variable of a resolved type."""
    if type_.pointers and value.constant is not None:
        return interpreter.opaque(type_, 0, "null")
    if not type_.pointers and not type_.dims:
        if type_.name in ("auto", value.type):
            return value
        if is_float(type_.name) or is_integer(type_.name):
            return convert(interpreter, value, type_.name)
        if interpreter.opencl and vector_parts(type_.name):
            return build(interpreter, type_, (value,))
        if vector_parts(type_.name):
            return _to_vector(interpreter, value, type_)
    return value


def _by_operator(
    interpreter: DeviceInterpreter, value: StructValue, type_: Type
) -> DeviceValue | None:
    """An object as what its class converts it to."""
    if type_.dims or type_.name == "auto" or same_name(value.type.name, type_.name):
        return None
    made = interpreter.parts.converted(interpreter, value, type_)
    return None if made is None else coerce(interpreter, made, type_)


def _to_vector(interpreter: DeviceInterpreter, value: Value, type_: Type) -> StructValue:
    """A number as a vector of it; as ``dim3`` it is the first of three."""
    names = (interpreter.types.fields(type_) or {}).keys()
    if type_.name != "dim3":
        return StructValue(type_, dict.fromkeys(names, value))
    ones = dict.fromkeys(names, number(1, "unsigned int"))
    return StructValue(type_, {**ones, "x": convert(interpreter, value, "unsigned int")})


def _sliced(interpreter: DeviceInterpreter, value: StructValue, type_: Type) -> DeviceValue:
    """An object copied to one of a base class, which has only that class's fields.

    Of another instance of its template a conversion makes one that is not followed.
    """
    system = interpreter.types.system
    if other_instance(value.type, type_) and not value.type.dims:
        keep(interpreter, value)
        return interpreter.opaque(type_, interpreter.costs.loop_bits(), "converted")
    if value.type.name == type_.name:
        return value
    if type_.dims or type_.pointers or not system.is_class(type_):
        return value
    lost = system.classes.fields_above(value.type, type_)
    if lost is None:
        return value
    names = (interpreter.types.fields(type_) or {}).keys() - lost
    return StructValue(type_, {n: held for n, held in value.fields.items() if n in names})


def _from_list(interpreter: DeviceInterpreter, value: StructValue, type_: Type) -> DeviceValue:
    """``{a, b}`` as an object: its fields in order, the rest 0."""
    layout = interpreter.types.fields(type_)
    given = list(value.fields.values())
    if type_.pointers or type_.name == "auto":
        return value
    if layout is None and is_arithmetic(type_.name):
        return coerce(interpreter, given[0] if given else number(0, "int"), type_)
    if layout is None:
        keep(interpreter, value)
        return interpreter.opaque(type_, interpreter.costs.loop_bits(), "object")
    fields: dict[str, DeviceValue] = {}
    for position, (name, inner) in enumerate(layout.items()):
        item = given[position] if position < len(given) else number(0, "int")
        fields[name] = coerce(interpreter, item, inner.type)
    return StructValue(type_, fields)
