"""Expressions of device code evaluated to device values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.device.assigned import only_reads
from roofline_analysis.device.functions.cub import primitive_value
from roofline_analysis.device.functions.matrix_fragments import element_count
from roofline_analysis.device.interpreter import names
from roofline_analysis.device.interpreter.calls import call
from roofline_analysis.device.interpreter.choices import conditional
from roofline_analysis.device.interpreter.objects import construct
from roofline_analysis.device.interpreter.operator_calls import call_compound, call_operator
from roofline_analysis.device.interpreter.places import place_of
from roofline_analysis.device.state import vectors
from roofline_analysis.device.state.arithmetic import binary, negate
from roofline_analysis.device.state.conversions import as_scalar, coerce
from roofline_analysis.device.state.dead_code import keep, keep_skipped
from roofline_analysis.device.state.memory import (
    compare_pointers,
    difference,
    need_value,
    offset_by,
)
from roofline_analysis.device.state.walker import DeviceInterpreter
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
    CodeValue,
    DeviceValue,
    FieldPlace,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    VariablePlace,
    number,
)
from roofline_analysis.language.types import is_integer
from roofline_core.algebra.symbolic import from_atom
from roofline_core.program import expressions as ir
from roofline_core.program.types import Type

_BUILTIN_SYMBOLS: Final = {**THREAD, **LAUNCH}


def evaluate(walker: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    """The value of an expression; its work and accesses are charged to the current region."""
    handler = _EVALUATORS.get(type(node))
    if handler is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "expression")
    return handler(walker, node)


def _read_place(walker: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    place = place_of(walker, node)
    if place is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "value")
    if isinstance(place, FieldPlace) and place.type.dims:
        return PlacePointer(place, place.type.pointee())
    value = walker.read(place)
    if isinstance(value, StructValue) and value.type.dims:
        return PlacePointer(place, value.type.pointee())
    return value


def _member(walker: DeviceInterpreter, node: ir.Member) -> DeviceValue:
    walker.at(node)
    if isinstance(node.base, ir.Name):
        builtin = _BUILTIN_SYMBOLS.get(f"{node.base.name}.{node.name}")
        if builtin is not None:
            return Value("unsigned int", from_atom(builtin))
    if node.name == "num_elements":
        count = element_count(walker, node.base)
        if count is not None:
            return count
    if not node.arrow and place_of_is_temporary(node.base):
        if walker.opencl and node.name in ("x", "s0"):
            walker.first_channels.add(node.base)
        held = evaluate(walker, node.base)
        if isinstance(held, StructValue) and node.name in held.fields:
            return held.fields[node.name]
        picked = vectors.pick(held, node.name) if walker.opencl else None
        if picked is None:
            keep(walker, held)
        return picked or walker.opaque(Type("int"), walker.machine.loop_bits(), node.name)
    return _read_place(walker, node)


def place_of_is_temporary(node: ir.Expression) -> bool:
    """Whether an expression gives a value that is stored nowhere."""
    if isinstance(node, ir.Cast):
        return not node.type.pointers and not node.type.reference
    if isinstance(node, ir.Unary):
        return node.op not in ("*", "&")
    return isinstance(node, (ir.Call, ir.Construct, ir.Conditional, ir.Binary))


def _index(walker: DeviceInterpreter, node: ir.Index) -> DeviceValue:
    walker.at(node)
    return _read_place(walker, node)


def _unary(walker: DeviceInterpreter, node: ir.Unary) -> DeviceValue:
    if node.op == "*":
        place = place_of(walker, node)
        return walker.read(place) if place is not None else walker.opaque(Type("int"), 0, "value")
    if node.op == "&":
        return _address_of(walker, node.operand)
    operand = evaluate(walker, node.operand)
    overloaded = None if isinstance(operand, Value) else _overloaded(walker, node.op, (operand,))
    return overloaded or vectors.unary(walker, node.op, operand)


def _address_of(walker: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    place = place_of(walker, node)
    if isinstance(place, MemoryPlace):
        return place.pointer
    if isinstance(place, FieldPlace) and place.index is not None:
        return PlacePointer(place.owner, place.type, place.index)
    if place is not None:
        return PlacePointer(place, walker.type_of(walker.read(place)))
    value = evaluate(walker, node)
    if isinstance(value, (PointerValue, PlacePointer, CodeValue)):
        return value
    keep(walker, value)
    return walker.opaque(Type("int", pointers=1), 0, "address")


def _update(walker: DeviceInterpreter, node: ir.Update) -> DeviceValue:
    walker.at(node)
    place = place_of(walker, node.target)
    if place is None:
        return walker.opaque(Type("int"), walker.machine.loop_bits(), "value")
    before = walker.read(place)
    after = _stepped(walker, before, 1 if node.op == "++" else -1)
    walker.write(place, after)
    return after if node.prefix else before


def _stepped(walker: DeviceInterpreter, value: DeviceValue, by: int) -> DeviceValue:
    if isinstance(value, PointerValue):
        return offset_by(walker, value, number(by, "int"))
    if isinstance(value, PlacePointer):
        return PlacePointer(
            value.place,
            value.pointee,
            binary(walker, "+", value.index or number(0, "int"), number(by, "int")),
        )
    one = number(1, "int")
    return binary(walker, "+" if by > 0 else "-", as_scalar(walker, value), one)


def _binary(walker: DeviceInterpreter, node: ir.Binary) -> DeviceValue:
    if node.op == ",":
        evaluate(walker, node.left)
        return evaluate(walker, node.right)
    left = evaluate(walker, node.left)
    walker.at(node)
    if node.op in ("&&", "||") and not only_reads(node.right):
        before = dict(walker.slots)
        right = evaluate(walker, node.right)
        keep_skipped(walker, before)
    else:
        right = evaluate(walker, node.right)
    walker.written_products = (_is_product(node.left), _is_product(node.right))
    result = combine(walker, node.op, left, right)
    walker.written_products = (False, False)
    return result


def _is_product(node: ir.Expression) -> bool:
    return isinstance(node, ir.Binary) and node.op == "*"


def combine(
    walker: DeviceInterpreter, op: str, left: DeviceValue, right: DeviceValue
) -> DeviceValue:
    """``left op right`` for any operands."""
    if isinstance(left, Value) and isinstance(right, Value):
        return binary(walker, op, left, right)
    if op in ("==", "!=", "<", "<=", ">", ">=", "&&", "||") and not isinstance(left, StructValue):
        return compare_pointers(walker, left, right)
    if isinstance(left, PointerValue) and isinstance(right, Value):
        index = right if op == "+" else negate(walker, right)
        return offset_by(walker, left, index)
    if isinstance(right, PointerValue) and isinstance(left, Value):
        return offset_by(walker, right, left)
    if isinstance(left, PointerValue) and isinstance(right, PointerValue):
        return difference(walker, left, right)
    if isinstance(left, PlacePointer) and isinstance(right, Value):
        index = right if op == "+" else negate(walker, right)
        moved = index if left.index is None else binary(walker, "+", left.index, index)
        return PlacePointer(left.place, left.pointee, moved)
    overloaded = _overloaded(walker, op, (left, right))
    if overloaded is not None:
        return overloaded
    return vectors.elementwise(walker, op, left, right)


def _overloaded(
    walker: DeviceInterpreter, op: str, operands: tuple[DeviceValue, ...]
) -> DeviceValue | None:
    return call_operator(walker, op, operands)


def _assign(walker: DeviceInterpreter, node: ir.Assign) -> DeviceValue:
    walker.at(node)
    place = place_of(walker, node.target)
    if node.op == "=":
        value = evaluate(walker, node.value)
    else:
        before = evaluate(walker, node.target) if place is None else walker.read(place)
        right = evaluate(walker, node.value)
        whole = call_compound(walker, node.op, place, right) if place is not None else None
        if whole is not None:
            return whole
        walker.written_products = (False, _is_product(node.value))
        value = combine(walker, node.op[:-1], before, right)
        walker.written_products = (False, False)
    walker.at(node)
    if place is None:
        need_value(walker, value)
        return value
    value = coerce(walker, value, walker.place_type(place))
    walker.write(place, value)
    return value


def _cast(walker: DeviceInterpreter, node: ir.Cast) -> DeviceValue:
    value = evaluate(walker, node.operand)
    type_ = walker.types.resolve(node.type)
    if isinstance(value, Value):
        if type_.pointers or node.reinterpret:
            keep(walker, value)
        if type_.pointers:
            return value if value.constant == 0 else walker.opaque(type_, value.varies, "address")
        if node.reinterpret:
            return Value(type_.name, value.expr if is_integer(type_.name) else None, value.varies)
        return coerce(walker, value, type_)
    if isinstance(value, PointerValue) and type_.pointers:
        pointee = Type(type_.name, type_.args, type_.pointers - 1, const=type_.const)
        return PointerValue(value.array, value.offset, pointee)
    if isinstance(value, PlacePointer) and type_.pointers:
        if type_.pointers > 1 or type_.name != value.pointee.name:
            walker.machine.operations.keep_all()  # Its elements are read as others.
        return PlacePointer(value.place, value.pointee, value.index)
    return value


def _size_of(walker: DeviceInterpreter, node: ir.SizeOf) -> DeviceValue:
    if isinstance(node.operand, Type):
        place = walker.scope.find(node.operand.name) if not node.operand.pointers else None
        type_ = walker.place_type(place) if place is not None else node.operand
    elif isinstance(node.operand, ir.Literal) and isinstance(node.operand.value, str):
        return number(len(node.operand.value) + 1, "unsigned long")
    elif isinstance(node.operand, ir.Unknown):
        type_ = Type(node.operand.text)
    else:
        place = place_of(walker, node.operand)
        type_ = (
            walker.place_type(place)
            if place is not None
            else walker.type_of(evaluate(walker, node.operand))
        )
    return number(walker.bytes_of(type_), "unsigned long")


def _init_list(walker: DeviceInterpreter, node: ir.InitList) -> DeviceValue:
    fields = {str(i): evaluate(walker, item) for i, item in enumerate(node.items)}
    return StructValue(Type("{}", dims=(None,)), fields)


def _construct(walker: DeviceInterpreter, node: ir.Construct) -> DeviceValue:
    made = primitive_value(walker, walker.types.resolve(node.type))
    if made is not None:
        return made
    return construct(
        walker, node.type, tuple(evaluate(walker, arg) for arg in node.args), node.args
    )


def _lambda(walker: DeviceInterpreter, node: ir.Lambda) -> DeviceValue:
    return CodeValue(lambda_=node, around=walker.names())


def _unknown(walker: DeviceInterpreter, node: ir.Unknown) -> DeviceValue:
    for part in node.parts:
        need_value(walker, evaluate(walker, part))
        place = place_of(walker, part)
        if isinstance(place, VariablePlace):
            type_ = walker.place_type(place)
            walker.write(place, walker.opaque(type_, walker.machine.loop_bits(), "asm", "data"))
    return walker.opaque(Type("int"), walker.machine.loop_bits(), "unknown")


def _ignored(walker: DeviceInterpreter, node: ir.Expression) -> DeviceValue:
    walker.machine.operations.keep_all()
    return walker.opaque(Type("int", pointers=1), walker.machine.loop_bits(), "new")


_EVALUATORS: Final[Mapping[type[ir.Expression], Callable[..., DeviceValue]]] = {
    ir.Literal: names.literal,
    ir.Name: names.name,
    ir.Unary: _unary,
    ir.Update: _update,
    ir.Binary: _binary,
    ir.Assign: _assign,
    ir.Conditional: conditional,
    ir.Call: call,
    ir.Index: _index,
    ir.Member: _member,
    ir.Cast: _cast,
    ir.SizeOf: _size_of,
    ir.InitList: _init_list,
    ir.Construct: _construct,
    ir.New: _ignored,
    ir.Launch: _ignored,
    ir.Lambda: _lambda,
    ir.Unknown: _unknown,
}
