"""Operators of the program's own: free functions and members named ``operator+`` and the like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.device.interpreter.inlining import callee_of, inline, value_at
from roofline_analysis.device.interpreter.static_types import static_type, subscripts
from roofline_analysis.device.state.frames import Names
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, MemoryPlace, Place, StructValue, Value
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_arithmetic, is_float, is_integer
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_ALLOCATIONS: Final = frozenset(("operator new", "operator delete"))


def call_operator(
    interpreter: DeviceInterpreter, op: str, operands: tuple[DeviceValue, ...]
) -> DeviceValue | None:
    """An overloaded operator of the program, free or a member, if it has one for the operands."""
    name = f"operator{op}"
    candidates = interpreter.symbols.functions_named(name)
    if not candidates:
        return None
    free = [f for f in candidates if f.owner is None and _accepts(interpreter, f, operands)]
    found = callee_of(interpreter, free, operands)
    if found is not None:
        return value_at(interpreter, inline(interpreter, found, operands))
    first = interpreter.types.resolve(interpreter.type_of(operands[0]))
    members, scope = interpreter.types.system.classes.find_methods(first, name)
    found = callee_of(interpreter, members, operands[1:], scope=scope)
    if found is not None:
        place = interpreter.declare("", first, operands[0])
        result = inline(interpreter, found, operands[1:], this=place, scope=scope)
        return value_at(interpreter, result)
    return None


def call_member_operator(
    interpreter: DeviceInterpreter,
    op: str,
    node: ex.Expression,
    args: Sequence[ex.Expression] = (),
) -> DeviceValue | Place | None:
    """A member operator of the program, such as ``operator[]``; None if the object has none.

    The object is not copied: it may be changed, and what it refers to stays in its place.
    """
    if not interpreter.symbols.functions_named(f"operator{op}"):
        return None
    type_ = static_type(interpreter, node)
    if (
        type_ is None
        or type_.pointers
        or type_.dims
        or not interpreter.types.system.is_class(type_)
    ):
        return None
    members, scope = interpreter.types.system.classes.find_methods(type_, f"operator{op}")
    args = subscripts(args) if op == "[]" else args
    found = callee_of(interpreter, members, args, scope=scope)
    if found is None:
        return None
    place = interpreter.place_of(node)
    if place is None:
        place = interpreter.declare("", type_, interpreter.evaluate(node))
    return inline(interpreter, found, args, this=place, scope=scope)


def call_conversion(
    interpreter: DeviceInterpreter, value: StructValue, wanted: Type
) -> DeviceValue | None:
    """What the class's ``operator float`` gives; None where it has none that is meant for sure."""
    found: list[tuple[Type, str]] = []
    owner = interpreter.types.resolve(value.type)
    classes = interpreter.types.system.classes
    for name in interpreter.symbols.functions:
        if name.startswith("operator ") and name not in _ALLOCATIONS:
            members, scope = classes.find_methods(owner, name)
            for member in members:
                result = interpreter.types.system.resolve(member.return_type, scope)
                if is_arithmetic(result.name) and not result.pointers and not member.params:
                    found.append((result, name))
    exact = [each for each in found if each[0].name == wanted.name] or found
    if len({name for _, name in exact}) != 1:
        return None
    members, scope = classes.find_methods(owner, exact[0][1])
    callee = callee_of(interpreter, members, (), scope=scope)
    if callee is None:
        return None
    place = interpreter.declare("", owner, value)
    return value_at(interpreter, inline(interpreter, callee, (), this=place, scope=scope))


def converted_operands(
    interpreter: DeviceInterpreter, left: DeviceValue, right: DeviceValue
) -> tuple[Value, Value] | None:
    """Both operands as numbers, objects by their conversion operators; None if one is none."""
    numbers = []
    for one, other in ((left, right), (right, left)):
        wanted = Type(other.type) if isinstance(other, Value) else Type("float")
        found = call_conversion(interpreter, one, wanted) if isinstance(one, StructValue) else one
        if not isinstance(found, Value):
            return None
        numbers.append(found)
    return numbers[0], numbers[1]


def _accepts(
    interpreter: DeviceInterpreter, function: Function, operands: Sequence[DeviceValue]
) -> bool:
    if len(function.params) != len(operands):
        return False
    for parameter, operand in zip(function.params, operands, strict=True):
        wanted = interpreter.types.resolve(parameter.type)
        actual = interpreter.type_of(operand)
        if any(t.name == parameter.type.name for t in function.template_params):
            continue
        classlike = not (is_integer(wanted.name) or is_float(wanted.name))
        if classlike != isinstance(operand, StructValue):
            return False
        if classlike and last_component(wanted.name) != last_component(actual.name):
            return False
    return True


def call_assignment(
    interpreter: DeviceInterpreter, target: ex.Expression, place: Place | None, value: DeviceValue
) -> DeviceValue | None:
    """An ``operator=`` of the target's class; None if it has none, or lies in memory.

    The target may be an object that a function returns and that refers to what is assigned.
    """
    if isinstance(place, MemoryPlace) or not interpreter.symbols.functions_named("operator="):
        return None
    type_ = value.type if isinstance(value, StructValue) else static_type(interpreter, target)
    if type_ is None or not interpreter.symbols.assigns_itself(type_.name):
        return None
    if place is None:
        place = interpreter.declare("", type_, interpreter.evaluate(target))
    return call_compound(interpreter, "=", place, value)


def call_compound(
    interpreter: DeviceInterpreter, op: str, place: Place, right: DeviceValue
) -> DeviceValue | None:
    """An overloaded ``+=`` and the like, for an operand of class type."""
    name = f"operator{op}"
    candidates = interpreter.symbols.functions_named(name)
    if not candidates:
        return None
    held = interpreter.read(place)
    if not isinstance(held, StructValue):
        return None
    members, scope = interpreter.types.system.classes.find_methods(
        interpreter.types.resolve(held.type), name
    )
    found = callee_of(interpreter, members, (right,), scope=scope)
    if found is not None:
        inline(interpreter, found, (right,), this=place, scope=scope)
        return interpreter.read(place)
    free = [f for f in candidates if f.owner is None and _accepts(interpreter, f, (held, right))]
    found = callee_of(interpreter, free, (held, right))
    if found is None:
        return None
    left = ex.Name(found.function.span.line, "$left")
    before = interpreter.enter(
        Names({"$left": place}, interpreter.types.scope, interpreter.constants, interpreter.scope)
    )
    inline(interpreter, found, (left, right))
    interpreter.leave(before)
    return interpreter.read(place)
