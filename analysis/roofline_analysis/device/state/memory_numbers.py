"""Which numbers of an array are loaded and stored, where its elements are objects or vectors.

The samples of an array of objects are those of each member (``points.x``). A load of one, of a
whole object, or of a vector that is read from an array of numbers says here whose number is which
symbol; a store says which numbers it changes, and what they become.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, PointerValue, StructValue, Value
from roofline_analysis.language.class_layouts import Field
from roofline_analysis.language.types import is_float
from roofline_analysis.regions.kernel_summary import Array, StoredNumber
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.types import Type

Members = tuple[tuple[str, Symbol], ...]
"""Names of arrays' members, and the symbols of what was loaded of them."""
_DEEPEST: Final = 4
"""The deepest nesting of objects that is looked into: a class that is not valid has itself."""
_MOST_MEMBERS: Final = 16
"""The most numbers of one object that are told apart."""


def with_members(
    interpreter: DeviceInterpreter, pointer: PointerValue, value: DeviceValue
) -> tuple[DeviceValue, Members]:
    """What was loaded, of which each floating-point number is a symbol, too, and whose it is."""
    if isinstance(value, Value):
        symbol = symbol_of(value)
        name = None if symbol is None else _member_at(interpreter, pointer, 0)
        if symbol is None or name is None or name == pointer.array.name:
            return value, ()
        return value, ((name, symbol),)
    if not isinstance(value, StructValue) or not 0 < len(value.fields) <= _MOST_MEMBERS:
        return value, ()
    made = _estimated(interpreter, pointer.array, value)
    found: list[tuple[str, Symbol]] = []
    for offset, number in _numbers(interpreter, made, 0):
        symbol = symbol_of(number)
        name = None if symbol is None else _member_at(interpreter, pointer, offset)
        if name is not None and symbol is not None:
            found.append((name, symbol))
    return made, tuple(found)


def numbers_stored(
    interpreter: DeviceInterpreter, pointer: PointerValue, value: DeviceValue
) -> tuple[StoredNumber, ...]:
    """The numbers of an array that a store changes; none where that is not known."""
    type = interpreter.types.resolve(pointer.pointee)
    element = _element_of(interpreter, pointer.array)
    if isinstance(value, Value):
        parts = [(0, type, value.nearly)]
    elif isinstance(value, StructValue):
        parts = list(islice(_parts(interpreter, type, value, 0, 0), _MOST_MEMBERS + 1))
    else:
        return ()
    whole = interpreter.types.size(element)
    if not 0 < len(parts) <= _MOST_MEMBERS or not whole:
        return ()
    found: list[StoredNumber] = []
    for offset, kind, number in parts:
        name = _member_at(interpreter, pointer, offset)
        size = interpreter.types.size(kind)
        of_numbers = name == pointer.array.name
        if name is None or not size or (of_numbers and size != whole):
            return ()
        found.append(StoredNumber(name, number, whole))
    return tuple(found)


def _parts(
    interpreter: DeviceInterpreter, type: Type, value: DeviceValue | None, start: int, depth: int
) -> Iterator[tuple[int, Type, Expr | None]]:
    """Each number of an object: where it starts, in bytes, its type, and what it is, if known."""
    fields = interpreter.types.fields(type) if depth < _DEEPEST else None
    if fields is None:
        yield start, type, None
        return
    for name, field in fields.items():
        held = value.fields.get(name) if isinstance(value, StructValue) else None
        at = start + field.offset_bytes
        if interpreter.types.fields(field.type) is not None:
            yield from _parts(interpreter, field.type, held, at, depth + 1)
        elif not field.type.pointers and not field.type.dims:
            yield at, field.type, held.nearly if isinstance(held, Value) else None


def symbol_of(value: DeviceValue) -> Symbol | None:
    """The symbol that a value is; None for anything else."""
    number = value.nearly if isinstance(value, Value) else None
    if number is None:
        return None
    atoms = list(number.atoms())
    return atoms[0] if len(atoms) == 1 and isinstance(atoms[0], Symbol) else None


def _estimated(interpreter: DeviceInterpreter, array: Array, value: StructValue) -> StructValue:
    fields: dict[str, DeviceValue] = {}
    for name, held in value.fields.items():
        if isinstance(held, StructValue):
            fields[name] = _estimated(interpreter, array, held)
        elif isinstance(held, Value) and held.nearly is None and is_float(held.type):
            drawn = interpreter.fresh(array.name, SymbolScope.DATA)
            fields[name] = Value(held.type, None, held.varies, estimate=drawn)
        else:
            fields[name] = held
    return StructValue(value.type, fields)


def _numbers(
    interpreter: DeviceInterpreter, value: StructValue, start: int
) -> Iterator[tuple[int, Value]]:
    """The numbers in an object, each with its distance in bytes from ``start``."""
    layout = interpreter.types.fields(value.type) or {}
    for name, held in value.fields.items():
        field = layout.get(name)
        if field is None or field.bits is not None:
            continue
        if isinstance(held, Value):
            yield start + field.offset_bytes, held
        elif isinstance(held, StructValue):
            yield from _numbers(interpreter, held, start + field.offset_bytes)


def _member_at(interpreter: DeviceInterpreter, pointer: PointerValue, further: int) -> str | None:
    """The name of the array's number that lies so many bytes behind an address; None if unknown."""
    array, offset = pointer.array, pointer.offset.expr
    element = _element_of(interpreter, array)
    fields = interpreter.types.fields(element)
    if fields is None:
        return array.name
    size = interpreter.types.size(element)
    inside = _remainder(offset, size) if offset is not None and size else None
    path = "" if inside is None or size is None else _path_at(interpreter, fields, inside + further)
    return f"{array.name}.{path}" if path else None


def _element_of(interpreter: DeviceInterpreter, array: Array) -> Type:
    """The type of what an array of any number of dimensions has many of."""
    element = interpreter.types.resolve(array.element)
    return Type(element.name, element.args, element.pointers)


def _remainder(offset: Expr, size_bytes: int) -> int | None:
    """Where in an object of its array an address is, in bytes; None if that depends on symbols."""
    for monomial, number in offset.terms.items():
        if not isinstance(number, int) or (monomial and number % size_bytes):
            return None
    start = offset.terms.get((), 0)
    return int(start) % size_bytes


def _path_at(interpreter: DeviceInterpreter, fields: Mapping[str, Field], at: int) -> str:
    """The member ``inner.x`` that starts so many bytes into an object; empty if none does."""
    for name, field in fields.items():
        if field.bits is None and field.offset_bytes <= at < field.offset_bytes + field.size_bytes:
            inner = interpreter.types.fields(field.type)
            if inner is None:
                return name if at == field.offset_bytes else ""
            path = _path_at(interpreter, inner, at - field.offset_bytes)
            return f"{name}.{path}" if path else ""
    return ""
