"""Loads and stores through pointers."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.state.aliases import is_stored_in
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory_numbers import (
    Members,
    numbers_stored,
    symbol_of,
    with_members,
)
from roofline_analysis.device.state.parameters import null_test
from roofline_analysis.device.state.sign_changes import charge_sign_change
from roofline_analysis.device.values import (
    DeviceValue,
    PlacePointer,
    PointerValue,
    StructValue,
    Value,
    number,
)
from roofline_analysis.language.types import is_float, is_integer
from roofline_analysis.regions.kernel_summary import APART, AccessMode, Array, MemorySpace
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, constant
from roofline_core.program.types import Type

_FILLED: Final = (MemorySpace.GLOBAL, MemorySpace.CONSTANT)
"""Spaces that the host fills."""


def offset_by(
    interpreter: DeviceInterpreter, pointer: PointerValue, index: Value, pointee: Type | None = None
) -> PointerValue:
    """``pointer + index``, the index counted in elements."""
    element = pointee or pointer.pointee
    size = _stride(interpreter, element)
    base = pointer.offset
    if index.expr is None:
        return PointerValue(
            pointer.array, Value("long", None, interpreter.costs.loop_bits()), element
        )
    if base.expr is None:
        return PointerValue(pointer.array, base, element)
    expr = base.expr + index.expr * size
    node = None if index.constant == 0 else ("address", (base, index))
    value = base if node is None else Value("long", expr, base.varies | index.varies, node)
    return PointerValue(pointer.array, value, element)


def _stride(interpreter: DeviceInterpreter, element: Type) -> Expr | int:
    """Bytes from one element to the next; rows of ``float (*x)[n]`` are as long as ``n`` says."""
    closed = interpreter.types.resolve(element)
    if not closed.dims or interpreter.types.size(closed) is not None:
        return interpreter.bytes_of(closed)
    total = constant(interpreter.bytes_of(Type(closed.name, closed.args, closed.pointers)))
    for dim in closed.dims:
        extent = interpreter.evaluate(dim) if dim is not None else None
        if not isinstance(extent, Value) or extent.expr is None:
            return interpreter.bytes_of(closed)
        total = total * extent.expr
    return total


def field_of(pointer: PointerValue, offset_bytes: int, type_: Type) -> PointerValue:
    """The address of a member of the object pointed to."""
    base = pointer.offset
    if offset_bytes == 0 or base.expr is None:
        return PointerValue(pointer.array, base, type_)
    moved = Value("long", base.expr + offset_bytes, base.varies, base.node)
    return PointerValue(pointer.array, moved, type_)


def load(interpreter: DeviceInterpreter, pointer: PointerValue) -> DeviceValue:
    """The value in memory; a repeated load with no store between is one load."""
    type_ = interpreter.types.resolve(pointer.pointee)
    if type_.dims:
        # A row of a larger array decays to a pointer to its first element.
        inner = type_.pointee()
        whole, each = interpreter.types.size(type_), interpreter.types.size(inner)
        elements = whole // each if whole and each else None
        return PointerValue(pointer.array, pointer.offset, inner, elements)
    costs = interpreter.costs
    array = pointer.array
    varies = pointer.offset.varies
    if is_stored_in(costs.region.loops(), array):
        varies |= costs.loop_bits()
    size = _element_bytes(interpreter, type_)
    key = None
    if pointer.offset.expr is not None and not type_.volatile:
        key = ("load", array, pointer.offset.expr, _epoch(interpreter, array), size)
        found = costs.find(key, costs.region)
        if found is not None:
            return found  # type: ignore[return-value]
    value = _loaded(interpreter, array, type_, varies, pointer)
    members: Members = ()
    if array.space in _FILLED:
        value, members = with_members(interpreter, pointer, value)
    symbol = symbol_of(value)
    interpreter.byte_vectors.note_load(pointer, type_, value)
    costs.touch(pointer, size, AccessMode.READ, symbol, members)
    if symbol is not None and array.space is MemorySpace.SHARED:
        interpreter.handed.load(pointer, symbol, costs.region)
    if key is not None:
        costs.region.available[key] = value
    return value


def _element_bytes(interpreter: DeviceInterpreter, type_: Type) -> int:
    """Bytes of what is loaded or stored; where its type is not known, that is recorded."""
    size = interpreter.bytes_of(type_)
    if interpreter.unknown_sizes and interpreter.types.size(type_) is None:
        interpreter.costs.lose(UnseenKind.TYPE, type_.name)
    return size


def _epoch(interpreter: DeviceInterpreter, array: Array) -> int:
    """The version of the array's contents, which increases with each store that may alias it."""
    if array.read_only:
        return 0
    own = interpreter.epochs.get(array, 0)
    return own if array.restrict else own + interpreter.epochs.get(array.space, 0)


def _loaded_pointer(
    interpreter: DeviceInterpreter, array: Array, type_: Type, varies: int, pointer: PointerValue
) -> PointerValue:
    """A pointer in memory: which of the objects it points to, its own address says."""
    pointee = Type(type_.name, type_.args, type_.pointers - 1, const=type_.const)
    name, place = f"{array.name}[]", pointer.offset.expr
    of_block = interpreter.handed.spaces.get(array) == {MemorySpace.SHARED}
    if (
        not of_block
        and place is not None
        and not any(symbol.scope in DATA_SCOPES for symbol in place.symbols())
    ):
        objects = interpreter.array(name, pointee, indirect=True, apart=True)
        return PointerValue(objects, Value("long", place * APART, varies), pointee)
    first = interpreter.fresh(name, SymbolScope.DATA, nonnegative=True)
    if of_block:
        objects = interpreter.array(f"{name}@block", pointee, MemorySpace.SHARED, indirect=True)
        return PointerValue(objects, Value("long", first, varies), pointee)
    objects = interpreter.array(f"{name}@data", pointee, indirect=True)
    return PointerValue(objects, Value("long", first, varies), pointee)


def _loaded(
    interpreter: DeviceInterpreter, array: Array, type_: Type, varies: int, pointer: PointerValue
) -> DeviceValue:
    if type_.pointers:
        return _loaded_pointer(interpreter, array, type_, varies, pointer)
    if is_float(type_.name):
        drawn = interpreter.fresh(array.name, SymbolScope.DATA) if array.space in _FILLED else None
        return Value(type_.name, None, varies, estimate=drawn)
    if is_integer(type_.name):
        unsigned = type_.name.startswith("unsigned") or type_.name == "bool"
        fresh = interpreter.fresh(array.name, SymbolScope.DATA, nonnegative=unsigned)
        return Value(type_.name, fresh, varies)
    return interpreter.opaque(type_, varies, array.name, SymbolScope.DATA)


def store(interpreter: DeviceInterpreter, pointer: PointerValue, value: DeviceValue) -> None:
    """Write a value to memory."""
    costs = interpreter.costs
    array = pointer.array
    type_ = interpreter.types.resolve(pointer.pointee)
    need_value(interpreter, value)
    charge_sign_change(interpreter, value)
    size = _element_bytes(interpreter, type_)
    stored = numbers_stored(interpreter, pointer, value) if array.space in _FILLED else ()
    costs.touch(pointer, size, AccessMode.WRITE, stored=stored)
    # Another pointer of the same space may name this memory, unless it is restrict.
    changed: object = array if array.restrict or array.declared else array.space
    interpreter.epochs[changed] = interpreter.epochs.get(changed, 0) + 1
    if isinstance(value, PointerValue) and array.space is MemorySpace.SHARED:
        interpreter.handed.spaces.setdefault(array, set()).add(value.array.space)
    interpreter.handed.store(pointer, value, costs.region)
    kept = isinstance(value, (Value, StructValue)) and not type_.volatile
    if kept and pointer.offset.expr is not None:
        key = ("load", array, pointer.offset.expr, _epoch(interpreter, array), size)
        costs.region.available[key] = value


def need_value(interpreter: DeviceInterpreter, value: DeviceValue) -> None:
    """Charge the instructions that bring a value into registers."""
    if isinstance(value, Value):
        interpreter.costs.need(value)
    elif isinstance(value, StructValue):
        for inner in value.fields.values():
            need_value(interpreter, inner)
    elif isinstance(value, PointerValue):
        interpreter.costs.need_address(value)
    else:
        keep(interpreter, value)


def compare_pointers(
    interpreter: DeviceInterpreter, op: str, left: DeviceValue, right: DeviceValue
) -> Value:
    """The outcome of comparing addresses, known only against null.

    No pointer is taken for null but those that the launch passes as such.
    """
    for pointer, other in ((left, right), (right, left)):
        if isinstance(pointer, (PointerValue, PlacePointer)) and isinstance(other, Value):
            if other.constant == 0 and op in ("==", "!="):
                if isinstance(pointer, PointerValue):
                    interpreter.costs.need_null_test(pointer.array)
                    null = null_test(interpreter, pointer, int(op == "=="))
                    if null is not None:
                        return null
                return number(int(op == "!="), "bool")
            return Value("bool", None, 0)
    return Value("bool", None, interpreter.costs.loop_bits())


def difference(interpreter: DeviceInterpreter, left: PointerValue, right: PointerValue) -> Value:
    """``left - right`` in elements, where both point into one array."""
    if left.array is right.array and left.offset.expr is not None and right.offset.expr is not None:
        size = interpreter.bytes_of(left.pointee)
        expr = apply("div", left.offset.expr - right.offset.expr, constant(size))
        return Value("long", expr, left.offset.varies | right.offset.varies)
    return Value("long", None, interpreter.costs.loop_bits())
