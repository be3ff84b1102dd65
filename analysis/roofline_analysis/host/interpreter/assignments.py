"""Assignments: ``=``, ``+=``, ``++`` and their kin, and what a store to a place entails."""

from __future__ import annotations

from roofline_analysis.host.interpreter.operator_calls import call_operator, call_operator_place
from roofline_analysis.host.objects.initialisers import initialise
from roofline_analysis.host.state.access import load
from roofline_analysis.host.state.access import rvalue as rvalue_of
from roofline_analysis.host.state.array_members import note_member
from roofline_analysis.host.state.interpreter_state import (
    SCALARS,
    HostInterpreter,
)
from roofline_analysis.host.state.memory import (
    AUTO,
    Cell,
    ElementPlace,
    HostFieldPlace,
    HostPlace,
)
from roofline_analysis.host.state.named_values import name_value
from roofline_analysis.host.state.operators import (
    advance,
    binary,
    convert,
    copied,
    integer,
)
from roofline_analysis.host.state.types import class_of, resolve
from roofline_analysis.host.values import (
    Aggregate,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.bits import in_bit_field
from roofline_core.algebra.symbolic import constant
from roofline_core.program import expressions as ex


def locate_update(interpreter: HostInterpreter, node: ex.Update) -> HostPlace:
    """The place of ``++x`` of a variable; a temporary with the value for other forms."""
    interpreter.spend(node.line)  # A row of them is one statement, and takes as long as many.
    value = update(interpreter, node)
    return (
        interpreter.place(node.target)
        if node.prefix and isinstance(node.target, ex.Name)
        else Cell("", AUTO, value)
    )


def update(interpreter: HostInterpreter, node: ex.Update) -> Value:
    """Execute ``++`` or ``--`` on a number, a pointer, a text or an object with an operator.

    The value is the new one for a prefix, else the old one.
    """
    place = interpreter.place(node.target)
    old = load(interpreter, place)
    if isinstance(old, Aggregate):
        postfix = [] if node.prefix else [Cell("", AUTO, integer(0))]
        found = call_operator(interpreter, node.op, [place, *postfix])
        if found is not None:
            return found
    one = integer(1)
    new: Value
    if isinstance(old, Pointer):
        new = advance(interpreter, old, one, 1 if node.op == "++" else -1)
    elif isinstance(old, Text):
        new = Text(old.value[1:], old.origin)
    else:
        number = interpreter.number(old, place.type.name if place.type.name in SCALARS else "int")
        if number is None:
            return old
        new = binary(interpreter, node.op[0], number, integer(1, number.type_name))
        old = number
    if isinstance(place, ElementPlace):
        interpreter.note_growth(place.storage, integer(1) if node.op == "++" else None)
    assign(interpreter, place, new)
    return new if node.prefix else old


def assigned_value(interpreter: HostInterpreter, node: ex.Assign) -> Value:
    """Execute an assignment; its value is what the place holds afterwards."""
    return rvalue_of(interpreter, locate_assign(interpreter, node))


def locate_assign(interpreter: HostInterpreter, node: ex.Assign) -> HostPlace:
    """Execute ``=`` or a compound assignment; the place is what was assigned to."""
    if node.op == "=":
        if isinstance(node.value, ex.InitList):
            place = interpreter.place(node.target)
            interpreter.store(place, initialise(interpreter, place.type, node.value, place.name))
            return place
        value = interpreter.eval(node.value)
        place = interpreter.place(node.target)
        if isinstance(value, Aggregate) and interpreter.symbols.assigns_itself(value.type.name):
            own = call_operator_place(interpreter, "=", [place, Cell("", value.type, value)])
            if own is not None:
                return own
    else:
        place = interpreter.place(node.target)
        left = rvalue_of(interpreter, place)
        right = interpreter.eval(node.value)
        value = _compound(interpreter, node.op, place, left, right)
        if isinstance(place, ElementPlace):
            interpreter.note_growth(place.storage, right if node.op == "+=" else None)
    assign(interpreter, place, value)
    return place


def _compound(
    interpreter: HostInterpreter, op: str, place: HostPlace, left: Value, right: Value
) -> Value:
    """The value of ``left op right``, where ``left`` is what the place holds."""
    if isinstance(left, Aggregate):
        found = call_operator(interpreter, op, [place, Cell("", AUTO, right)])
        return found if found is not None else left
    return binary(interpreter, op[:-1], left, right)


def assign(interpreter: HostInterpreter, place: HostPlace, value: Value) -> None:
    """Store a value converted to the place's type, with a name for a buffer that has none."""
    if isinstance(value, Aggregate):
        current = place.get()
        if current is value:
            return
        duplicate = copied(value)
        if isinstance(duplicate, Aggregate):
            if isinstance(current, Aggregate) and current.type.name != "auto":
                duplicate.type = current.type
            value = duplicate
    converted = convert(interpreter, value, resolve(interpreter, place.type))
    if isinstance(place, (HostFieldPlace, ElementPlace, Cell)):
        name_value(interpreter, place.name, converted)
    if isinstance(place, HostFieldPlace):
        converted = _in_field(interpreter, place, converted)
        note_member(interpreter, place, converted)
    if isinstance(place, ElementPlace):
        interpreter.note_element(place.storage, converted)
    if isinstance(place, ElementPlace) and place.index is None:
        interpreter.forget_contents(place.storage)
        return
    interpreter.store(place, converted)


def _in_field(interpreter: HostInterpreter, place: HostFieldPlace, value: Value) -> Value:
    """A value as a field holds it; other fields of a union are no longer known."""
    struct = class_of(interpreter, place.owner.type)
    if struct is None:
        return value
    if struct.union or any(group.union for group in struct.groups):
        layout = interpreter.types.layout(place.owner.type)
        for other in layout.beside(place.name) if layout is not None else ():
            if other in place.owner.fields:
                interpreter.store(HostFieldPlace(place.owner, other, AUTO), None)
    if isinstance(value, Scalar) and any(f.name == place.name and f.bits for f in struct.fields):
        layout = interpreter.types.layout(place.owner.type)
        width = layout.fields[place.name].bits if layout is not None else None
        number = value.value.constant
        held = (
            in_bit_field(number, value.type_name, width) if number is not None and width else None
        )
        return value if held is None else Scalar(constant(held), value.type_name, value.origin)
    return value
