"""Operators of the program's own: free functions and members named ``operator+`` and the like."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.device.interpreter.inlining import callee_of, inline
from roofline_analysis.device.state.frames import Names
from roofline_analysis.device.state.walker import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, Place, StructValue
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import is_float, is_integer
from roofline_core.program import expressions as ex
from roofline_core.program.units import Function


def call_operator(
    walker: DeviceInterpreter, op: str, operands: tuple[DeviceValue, ...]
) -> DeviceValue | None:
    """An overloaded operator of the program, free or a member, if it has one for the operands."""
    name = f"operator{op}"
    candidates = walker.symbols.functions_named(name)
    if not candidates:
        return None
    free = [f for f in candidates if f.owner is None and _accepts(walker, f, operands)]
    found = callee_of(walker, free, operands)
    if found is not None:
        return inline(walker, found, operands)
    first = walker.types.resolve(walker.type_of(operands[0]))
    members, scope = walker.types.system.classes.find_methods(first, name)
    found = callee_of(walker, members, operands[1:], scope=scope)
    if found is not None:
        place = walker.declare("", first, operands[0])
        return inline(walker, found, operands[1:], this=place, scope=scope)
    return None


def _accepts(
    walker: DeviceInterpreter, function: Function, operands: Sequence[DeviceValue]
) -> bool:
    if len(function.params) != len(operands):
        return False
    for parameter, operand in zip(function.params, operands, strict=True):
        wanted = walker.types.resolve(parameter.type)
        actual = walker.type_of(operand)
        if any(t.name == parameter.type.name for t in function.template_params):
            continue
        classlike = not (is_integer(wanted.name) or is_float(wanted.name))
        if classlike != isinstance(operand, StructValue):
            return False
        if classlike and last_component(wanted.name) != last_component(actual.name):
            return False
    return True


def call_compound(
    walker: DeviceInterpreter, op: str, place: Place, right: DeviceValue
) -> DeviceValue | None:
    """An overloaded ``+=`` and the like, for an operand of class type."""
    name = f"operator{op}"
    candidates = walker.symbols.functions_named(name)
    if not candidates:
        return None
    held = walker.read(place)
    if not isinstance(held, StructValue):
        return None
    members, scope = walker.types.system.classes.find_methods(walker.types.resolve(held.type), name)
    found = callee_of(walker, members, (right,), scope=scope)
    if found is not None:
        inline(walker, found, (right,), this=place, scope=scope)
        return walker.read(place)
    free = [f for f in candidates if f.owner is None and _accepts(walker, f, (held, right))]
    found = callee_of(walker, free, (held, right))
    if found is None:
        return None
    left = ex.Name(found.function.span.line, "$left")
    before = walker.enter(
        Names({"$left": place}, walker.types.scope, walker.constants, walker.scope)
    )
    inline(walker, found, (left, right))
    walker.leave(before)
    return walker.read(place)
