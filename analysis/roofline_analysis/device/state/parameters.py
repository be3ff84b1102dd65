"""Kernel arguments and their parts, as symbols and arrays named by their path (``p.data``)."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.state.fast_division import note_divider
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.sizes import MAX_NESTED_FIELDS
from roofline_analysis.device.values import (
    DeviceValue,
    PointerValue,
    StructValue,
    Value,
    number,
    param_symbol,
)
from roofline_analysis.language.types import is_float, is_integer, is_unsigned
from roofline_analysis.regions.kernel_summary import Array, MemorySpace
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import constant, symbol
from roofline_core.program.types import Type

_MAX_HELD: Final = 8
"""The most elements of an array within an argument that are numbers of their own. A limit on the
work: a longer array is memory."""


def parameter(interpreter: DeviceInterpreter, path: str, type_: Type) -> DeviceValue:
    """A kernel argument, or a part of one, by its path (``p.data``)."""
    resolved = interpreter.types.resolve(type_)
    if resolved.pointers or resolved.dims:
        return _memory(interpreter, path, resolved)
    if is_integer(resolved.name):
        unsigned = is_unsigned(resolved.name)
        return Value(resolved.name, param_symbol(path, nonnegative=unsigned))
    if is_float(resolved.name):
        return Value(resolved.name, symbol(path, SymbolScope.REAL))
    layout = interpreter.types.fields(resolved)
    if layout is None or path.count(".") > MAX_NESTED_FIELDS:
        return Value(resolved.name, None)
    fields = {
        key: parameter(interpreter, f"{path}.{key}", inner.type) for key, inner in layout.items()
    }
    note_divider(interpreter, fields)
    return StructValue(resolved, fields)


def _memory(interpreter: DeviceInterpreter, path: str, type_: Type) -> DeviceValue:
    """The memory that a pointer points to, or that a long array is."""
    pointee = type_.pointee()
    array = interpreter.arrays.get(path)
    if array is None and type_.dims and "." in path:
        held = _held_array(interpreter, path, type_, pointee)
        if held is not None:
            return held
    if array is None:
        read_only = type_.const and type_.restrict
        array = interpreter.arrays[path] = Array(
            path, MemorySpace.GLOBAL, pointee, read_only, restrict=type_.restrict
        )
    return PointerValue(array, number(0, "long"), pointee)


def null_test(interpreter: DeviceInterpreter, pointer: PointerValue, outcome: int) -> Value | None:
    """What a test of a pointer gives that the launch passes as null; None for any other.

    Only the counting knows the outcome: the code is the same for all launches.
    """
    name, array = pointer.array.name, interpreter.arrays.get(pointer.array.name)
    is_argument = name in interpreter.null_arguments and array is pointer.array
    if not is_argument or pointer.offset.constant != 0:
        return None
    tested = interpreter.fresh("null", SymbolScope.PARAM)
    interpreter.handed.know(tested, constant(outcome))
    return Value("bool", tested)


def _held_array(
    interpreter: DeviceInterpreter, path: str, type_: Type, element: Type
) -> StructValue | None:
    """A short array within an argument, by element (``p.sizes[1]``); None for any other.

    It is part of the argument and no memory that the argument points to.
    """
    size, whole = interpreter.types.size(element), interpreter.types.size(type_)
    count = whole // size if whole and size else 0
    if not 0 < count <= _MAX_HELD or element.pointers or path.count("[") > 1:
        return None
    return StructValue(
        type_, {str(at): parameter(interpreter, f"{path}[{at}]", element) for at in range(count)}
    )
