"""Operators of the program's own: free functions and members named ``operator+`` and the like."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.device.interpreter.inlining import PLACES, callee_of, inline, value_at
from roofline_analysis.device.interpreter.static_types import static_type, subscripts
from roofline_analysis.device.state.frames import Names
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Place, PlacePointer, StructValue
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_float, is_integer
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function


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
    place = object_place(interpreter, node, type_)
    return inline(interpreter, found, args, this=place, scope=scope)


def assign_through(
    interpreter: DeviceInterpreter, node: ex.Assign
) -> tuple[DeviceValue, Place] | None:
    """``a[i] = x``, ``a[i] += x`` where a member operator of the program takes ``x``.

    Gives its result and the object. None where the object on the left has no such operator; ``=``
    between objects of one class is no such operator.
    """
    name = f"operator{node.op}"
    if not interpreter.symbols.functions_named(name):
        return None
    type_ = static_type(interpreter, node.target)
    if type_ is None or type_.pointers or type_.dims:
        return None
    if not interpreter.types.system.is_class(type_):
        return None
    members, scope = interpreter.types.system.classes.find_methods(type_, name)
    simple = last_component(type_.name) if node.op == "=" else None
    taking = [f for f in members if f.params and last_component(f.params[0].type.name) != simple]
    found = callee_of(interpreter, taking, (node.value,), scope=scope) if taking else None
    if found is None:
        return None
    place = object_place(interpreter, node.target, type_)
    result = inline(interpreter, found, (node.value,), this=place, scope=scope)
    return value_at(interpreter, result), place


def object_place(interpreter: DeviceInterpreter, node: ex.Expression, type_: Type) -> Place:
    """Where an object of a class is, evaluated once; an object that is stored nowhere gets a place.

    ``type_`` is the class.
    """
    result: DeviceValue | Place | None
    if isinstance(node, ex.Index):
        result = call_member_operator(interpreter, "[]", node.base, (node.index,))
    elif isinstance(node, ex.Unary) and node.op == "*":
        result = call_member_operator(interpreter, "*", node.operand)
    elif isinstance(node, ex.Call):
        result = interpreter.call(node)
    else:
        result = None
    if result is None:
        result = interpreter.place_of(node)
    if result is None:
        result = interpreter.evaluate(node)
    if isinstance(result, PLACES):
        return result
    if isinstance(result, PlacePointer) and result.index is None:
        return result.place
    return interpreter.declare("", type_, result)


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
