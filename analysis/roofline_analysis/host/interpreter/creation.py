"""Values of casts, ``sizeof``, brace lists, constructions and ``new``."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.objects.construction import construct
from roofline_analysis.host.objects.initialisers import initialise
from roofline_analysis.host.state.interpreter_state import (
    SCALARS,
    Evaluators,
    HostInterpreter,
    Locators,
)
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import FLOATING, convert
from roofline_analysis.host.state.types import assumed_size, class_of, resolve, sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Text, Value
from roofline_analysis.language.bits import reinterpreted
from roofline_analysis.language.layouts import ASSUMED_BYTES
from roofline_core.algebra.symbolic import Expr, constant
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type


def _locate_cast(interpreter: HostInterpreter, node: ex.Cast) -> HostPlace:
    if node.type.reference:
        return interpreter.place(node.operand)
    return Cell("", resolve(interpreter, node.type), _cast(interpreter, node))


def _cast(interpreter: HostInterpreter, node: ex.Cast) -> Value:
    type = resolve(interpreter, node.type)
    if isinstance(node.operand, ex.InitList):
        return initialise(interpreter, type, node.operand, "")
    value = interpreter.eval(node.operand)
    if type.name == "void" and not type.pointers:
        return value
    if node.reinterpret and isinstance(value, Scalar) and type.name in SCALARS:
        return _bits(interpreter, value, type)
    if type.name not in SCALARS and not type.pointers and not isinstance(value, OpaqueValue):
        struct = class_of(interpreter, type)
        if struct is not None and not isinstance(value, Aggregate):
            return construct(interpreter, type, [Cell("", AUTO, value)])
    return convert(interpreter, value, type)


def _bits(interpreter: HostInterpreter, value: Scalar, type: Type) -> Value:
    """The bits of a number read as a number of another type."""
    if type.pointers or type.dims:
        return convert(interpreter, value, type)
    number = value.value.constant
    found = None if number is None else reinterpreted(number, value.type_name, type.name)
    if found is not None:
        return Scalar(constant(found), type.name, value.origin)
    if FLOATING.isdisjoint((type.name, value.type_name)):
        return convert(interpreter, value, type)
    return interpreter.unknown("bits", f"they are those of a {value.type_name}", type.name)


def _sizeof(interpreter: HostInterpreter, node: ex.SizeOf) -> Value:
    if isinstance(node.operand, Type):
        size = None
        if not node.operand.pointers:
            place = find_variable(interpreter, node.operand.name)
            if place is not None:
                size = _place_size(interpreter, place)
        if size is None:
            size = sizeof(interpreter, node.operand)
        name = node.operand.name
    else:
        size = _operand_size(interpreter, node.operand)
        name = "an expression"
    if size is None:
        return interpreter.unknown(
            f"sizeof({name})", "the type's layout is not known", "unsigned long",
            assumed=_assumed(interpreter, node), line=node.line, shared=True,
        )  # fmt: skip
    return Scalar(size, "unsigned long")


def _assumed(interpreter: HostInterpreter, node: ex.SizeOf) -> int:
    return (
        assumed_size(interpreter, node.operand) if isinstance(node.operand, Type) else ASSUMED_BYTES
    )


def _place_size(interpreter: HostInterpreter, place: HostPlace) -> Expr | None:
    held = place.get()
    type = resolve(interpreter, place.type)
    if type.dims and hasattr(held, "size_bytes"):
        found: Expr | None = getattr(held, "size_bytes", None)
        return found
    if type.name == "auto":
        return _value_size(interpreter, held)
    return sizeof(interpreter, type)


def _value_size(interpreter: HostInterpreter, value: Value | None) -> Expr | None:
    if isinstance(value, Scalar):
        return sizeof(interpreter, Type(value.type_name))
    if isinstance(value, Pointer):
        return constant(8)
    if isinstance(value, Text):
        return constant(len(value.value) + 1)
    if isinstance(value, Aggregate):
        return sizeof(interpreter, value.type)
    return None


def _operand_size(interpreter: HostInterpreter, node: ex.Expression) -> Expr | None:
    while isinstance(node, (ex.Assign, ex.Update)):
        node = node.target  # The operand is not evaluated.
    place = interpreter.place(node)
    found = _place_size(interpreter, place)
    return found if found is not None else _value_size(interpreter, place.get())


def _init_list(interpreter: HostInterpreter, node: ex.InitList) -> Value:
    fields = {str(i): interpreter.eval(item) for i, item in enumerate(node.items)}
    return Aggregate(Type("initializer_list"), fields)


def _construct(interpreter: HostInterpreter, node: ex.Construct) -> Value:
    type = resolve(interpreter, node.type)
    called = interpreter.symbols.called_by(node) if type.name == node.type.name else None
    if called is not None:
        return interpreter.eval(called)
    if len(node.args) == 1 and isinstance(node.args[0], ex.InitList):
        return initialise(interpreter, type, node.args[0], "")
    return construct(interpreter, type, [interpreter.place(argument) for argument in node.args])


def _new(interpreter: HostInterpreter, node: ex.New) -> Value:
    type = resolve(interpreter, node.type)
    storage = Storage(
        "", BufferSpace.HOST, sizeof(interpreter, type), type, interpreter.origin("new", node.line)
    )
    if node.count is not None or type.dims:
        element = Type(type.name, type.args, type.pointers)
        storage.element = element
        size = sizeof(interpreter, element)
        count = interpreter.number(interpreter.eval(node.count)) if node.count is not None else None
        if size is not None and count is not None:
            storage.size_bytes = size * count.value
        return Pointer(storage, constant(0), element, storage.origin)
    value = construct(interpreter, type, [interpreter.place(argument) for argument in node.args])
    if not isinstance(value, OpaqueValue):
        storage.elements[0] = value
    return Pointer(storage, constant(0), type, storage.origin)


EVALUATORS: Final[Evaluators] = {
    ex.Cast: _cast,
    ex.SizeOf: _sizeof,
    ex.InitList: _init_list,
    ex.Construct: _construct,
    ex.New: _new,
}


LOCATORS: Final[Locators] = {
    ex.Cast: _locate_cast,
}
