"""Conversion operators of the program's classes: objects where other types are wanted."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.device.interpreter.inlining import PLACES, callee_of, inline, value_at
from roofline_analysis.device.interpreter.operator_calls import object_place
from roofline_analysis.device.interpreter.static_types import static_type
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Place, StructValue
from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.scope import Scope
from roofline_analysis.language.types import is_arithmetic
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def converted(
    interpreter: DeviceInterpreter, value: StructValue, wanted: Type | None = None
) -> DeviceValue | None:
    """What a class's own conversion operator makes of an object; None if it has none that fits.

    ``wanted`` is the type that it is converted to; None: any number.
    """
    if value.type.dims or value.type.pointers:
        return None
    fitting = _fitting(interpreter, interpreter.types.resolve(value.type), wanted)
    for method, scope in fitting:
        place = interpreter.declare("", value.type, value)
        result = _run(interpreter, method, scope, place)
        if result is not None:
            return value_at(interpreter, result)
    return None


def as_number(interpreter: DeviceInterpreter, value: DeviceValue) -> DeviceValue:
    """An object as the number that its class converts it to; else the value."""
    made = converted(interpreter, value) if isinstance(value, StructValue) else None
    return value if made is None or isinstance(made, StructValue) else made


def place_referred_to(
    interpreter: DeviceInterpreter, node: ex.Expression, type_: Type
) -> Place | None:
    """The place that a reference of a type is another name for; None where that is a value."""
    place = interpreter.place_of(node)
    if place is None and is_arithmetic(type_.name) and not type_.pointers:
        return referred_place(interpreter, node)
    return place


def referred_place(interpreter: DeviceInterpreter, node: ex.Expression) -> Place | None:
    """What an object stands for that converts to a reference; None for any other expression."""
    type_ = static_type(interpreter, node)
    if type_ is None or type_.pointers or type_.dims:
        return None
    if not interpreter.types.system.is_class(type_):
        return None
    references = [
        (method, scope)
        for method, scope in _fitting(interpreter, type_, None)
        if method.return_type.reference
    ]
    if not references:
        return None
    result = _run(interpreter, *references[0], object_place(interpreter, node, type_))
    return result if isinstance(result, PLACES) else None


def _run(
    interpreter: DeviceInterpreter, method: Function, scope: Scope, this: Place
) -> DeviceValue | Place | None:
    found = callee_of(interpreter, [method], (), scope=scope)
    return None if found is None else inline(interpreter, found, (), this=this, scope=scope)


def _fitting(
    interpreter: DeviceInterpreter, type_: Type, wanted: Type | None
) -> list[tuple[Function, Scope]]:
    """The conversion operators that give what is wanted, the best first."""
    found: list[tuple[bool, Function, Scope]] = []
    for method, scope in _operators(interpreter, type_):
        result = interpreter.types.system.resolve(method.return_type, scope)
        if _fits(result, wanted):
            other = wanted is not None and result.name != wanted.name
            found.append((other, method, scope))
    found.sort(key=lambda each: each[0])
    return [(method, scope) for _, method, scope in found]


def _fits(result: Type, wanted: Type | None) -> bool:
    if wanted is None:
        return not result.pointers and is_arithmetic(result.name)
    if wanted.pointers or result.pointers:
        return bool(wanted.pointers) == bool(result.pointers)
    # A number converts to another one, an object does not.
    both = is_arithmetic(result.name) and is_arithmetic(wanted.name)
    return both or same_name(result.name, wanted.name)


def _operators(interpreter: DeviceInterpreter, type_: Type) -> Iterator[tuple[Function, Scope]]:
    for scope, struct in interpreter.types.system.classes.hierarchy(type_):
        for method in struct.methods:
            if method.name.startswith("operator "):
                yield method, scope
