"""Device values where a number, or a value of a certain type, is wanted."""

from __future__ import annotations

from roofline_analysis.device.state.arithmetic import convert
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.vectors import build
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.types import is_float, is_integer, vector_parts
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type


def scalar(interpreter: DeviceInterpreter, node: ir.Expression) -> Value:
    """The value of an expression as a number; what is no number becomes an unknown one."""
    return as_scalar(interpreter, interpreter.evaluate(node))


def as_scalar(interpreter: DeviceInterpreter, value: DeviceValue) -> Value:
    """A device value where a number is wanted."""
    if isinstance(value, Value):
        return value
    if isinstance(value, StructValue) and len(value.fields) == 1:
        (inner,) = value.fields.values()
        return as_scalar(interpreter, inner)
    if isinstance(value, (PointerValue, PlacePointer)):
        return number(1, "unsigned long")
    keep(interpreter, value)
    return Value(
        "int", interpreter.fresh("object", SymbolScope.DATA), interpreter.costs.loop_bits()
    )


def constant_of(interpreter: DeviceInterpreter, node: ir.Expression) -> int | None:
    """The integer an expression is at compile time, or None."""
    known = scalar(interpreter, node).constant
    return int(known) if known is not None else None


def coerce(interpreter: DeviceInterpreter, value: DeviceValue, type_: Type) -> DeviceValue:
    """The value as it is once stored in a variable of this type."""
    resolved = interpreter.types.resolve(type_)
    if isinstance(value, Value):
        if resolved.pointers and value.constant is not None:
            return interpreter.opaque(resolved, 0, "null")
        if not resolved.pointers and not resolved.dims:
            if resolved.name in ("auto", value.type):
                return value
            if is_float(resolved.name) or is_integer(resolved.name):
                return convert(interpreter, value, resolved.name)
            if interpreter.opencl and vector_parts(resolved.name):
                return build(interpreter, resolved, (value,))
            if vector_parts(resolved.name):
                names = (interpreter.types.fields(resolved) or {}).keys()
                return StructValue(resolved, dict.fromkeys(names, value))
        return value
    if isinstance(value, StructValue) and value.type.name == "{}" and not resolved.dims:
        return _from_list(interpreter, value, resolved)
    if isinstance(value, PointerValue) and resolved.pointers and resolved.name != "auto":
        pointee = Type(resolved.name, resolved.args, resolved.pointers - 1, const=resolved.const)
        if pointee.name == "void":
            return value
        return PointerValue(value.array, value.offset, pointee)
    return value


def _from_list(interpreter: DeviceInterpreter, value: StructValue, type_: Type) -> DeviceValue:
    """``{a, b}`` as an object: its fields in order, the rest 0."""
    layout = interpreter.types.fields(type_)
    if layout is None or type_.pointers:
        return value
    fields: dict[str, DeviceValue] = {}
    given = list(value.fields.values())
    for position, (name, inner) in enumerate(layout.items()):
        item = given[position] if position < len(given) else number(0, "int")
        fields[name] = coerce(interpreter, item, inner.type)
    return StructValue(type_, fields)
