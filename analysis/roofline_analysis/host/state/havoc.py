"""Invalidation of everything that code outside the execution may have changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from roofline_analysis.host.state.access import load
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import (
    AUTO,
    DATA,
    SIZE,
    ElementPlace,
    HostFieldPlace,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.open_file import OpenFile, file_of
from roofline_analysis.host.state.open_files import lose, lose_all
from roofline_analysis.host.values import (
    Aggregate,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
    is_null,
)
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_LARGEST_INT: Final = 2**31 - 1
"""The largest ``int`` of the platforms that have GPUs."""
_LARGEST_FLOAT: Final = 3.4e38
"""Nearly the largest ``float``."""


def forget_value(interpreter: HostInterpreter, place: HostPlace, why: str) -> None:
    """Make a scalar or null pointer unknown; other pointers keep their targets.

    The contents of these targets become unknown.
    """
    value = place.get()
    if isinstance(value, Scalar) or (value is None and place.type.name in SCALARS):
        kind = value.type_name if isinstance(value, Scalar) else place.type.name
        if value is None and place.type.pointers:
            return
        assumed = interpreter.assumed_value(value.value) if isinstance(value, Scalar) else None
        if assumed is not None:
            # Where a search for the largest or least starts (-1, INT_MAX, FLT_MAX) it hardly ends.
            real = kind in ("float", "double")
            kept = abs(assumed) < _LARGEST_FLOAT if real else 0 < assumed < _LARGEST_INT
            assumed = assumed if kept else None
        usual = value.value if isinstance(value, Scalar) and assumed else None
        name = place.name or "a value"
        interpreter.store(place, interpreter.unknown(name, why, kind, assumed=usual))
    elif isinstance(value, Text):
        interpreter.store(place, OpaqueValue(place.name, why, Type("std::string")))
    elif is_null(value):
        interpreter.store(place, OpaqueValue(place.name, why, place.type))
    elif isinstance(value, OpaqueValue):
        number = number_type(place.type) or number_type(value.type)
        if number is not None:  # Another one that is not known: their difference is not 0.
            interpreter.store(place, OpaqueValue(place.name or "a value", why, number))
    else:
        forget_reachable(interpreter, value)


def number_type(type: Type | None) -> Type | None:
    """The type, if it is a number's."""
    if type is None or type.pointers or type.dims or type.name not in SCALARS:
        return None
    return type


def forget_reachable(interpreter: HostInterpreter, value: Value | None, depth: int = 0) -> None:
    """Forget the contents of the buffers a value leads to, not the pointers themselves."""
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        value = value.buffer
    if isinstance(value, OpenFile):
        lose(interpreter, value)
    elif isinstance(value, Storage):
        _forget_storage(interpreter, value, depth)
    elif isinstance(value, Aggregate) and depth < 3:
        for held in list(value.fields.values()):
            if isinstance(held, (Pointer, Storage, Aggregate)):
                forget_reachable(interpreter, held, depth + 1)


def _forget_storage(interpreter: HostInterpreter, storage: Storage, depth: int) -> None:
    if storage.place is not None:
        if depth == 0:
            forget_value(interpreter, storage.place, "it is changed through a pointer")
        return
    element = storage.element
    holds_pointers = element is not None and (bool(element.pointers) or element.name not in SCALARS)
    if holds_pointers and depth < 3:
        for index, held in list(storage.elements.items())[:64]:
            if is_null(held):
                interpreter.store(ElementPlace(storage, index, element or AUTO), None)
            forget_reachable(interpreter, held, depth + 1)
    for member in storage.members.values():
        interpreter.forget_contents(member)
    if not holds_pointers:
        interpreter.forget_contents(storage)


def forget_call(
    interpreter: HostInterpreter,
    function: Function,
    args: Sequence[HostPlace],
    this: Aggregate | None,
) -> None:
    """Make unknown all that a call, not executed to its end, may have changed."""
    why = f"{function.name}() was not followed to its end"
    for formal, place in zip(function.params, args, strict=False):
        if formal.type.const:
            continue
        if formal.type.reference:
            forget_value(interpreter, place, why)
            _forget_size(interpreter, place, why)
        elif formal.type.pointers or formal.type.dims:
            forget_reachable(interpreter, place.get())
    if interpreter.reading.open_files and interpreter.reach.may_read(function.body):
        lose_all(interpreter, f"behind {function.name}(), which was not followed to its end")
    names = interpreter.reach.assigned_globals(function)
    forget_names(interpreter, names, why, this)


def _forget_size(interpreter: HostInterpreter, place: HostPlace, why: str) -> None:
    """Make the number of a container's elements unknown."""
    value = place.get()
    size = value.fields.get(SIZE) if isinstance(value, Aggregate) else None
    if isinstance(value, Aggregate) and isinstance(size, Scalar):
        name = f"size of {place.name or 'a container'}"
        held = (interpreter.assumed_value(size.value) or 0) / _share_read(interpreter)
        usual = max(round(held), interpreter.options.default_size)
        unknown = interpreter.unknown(name, why, size.type_name, assumed=usual)
        interpreter.store(HostFieldPlace(value, SIZE, AUTO), unknown)
        data = value.fields.get(DATA)
        if isinstance(data, Storage):
            data.size_bytes = None


def _share_read(interpreter: HostInterpreter) -> float:
    """How much of the file that is being read lies behind, 0 to 1; 1 where that is not known.

    A file that is too long to be read to its end goes on as it began.
    """
    for opened in interpreter.reading.open_files[::-1]:
        position: int | None = opened.position
        size: int | None = opened.file.size_bytes
        if position and size:
            return min(1.0, position / size)
    return 1.0


def forget_names(
    interpreter: HostInterpreter, names: Iterable[str], why: str, this: Aggregate | None = None
) -> None:
    """Forget variables by name: globals, or fields of ``this``."""
    for name in sorted(names):
        if this is not None and name in this.fields:
            held = this.fields[name]
            if is_null(held):
                interpreter.store(HostFieldPlace(this, name, AUTO), None)
            elif isinstance(held, (Pointer, Storage)):
                forget_reachable(interpreter, held, 1)
            continue
        if name not in interpreter.symbols.globals:
            continue
        place = find_variable(interpreter, name)
        if place is not None:
            forget_value(interpreter, place, why)


def forget_unknown_call(interpreter: HostInterpreter, name: str, args: Iterable[HostPlace]) -> None:
    """Make unknown all that a function without a body may change through its arguments."""
    why = f"{name}() is not known"
    for place in args:
        value = place.get()
        opened = file_of(value)
        if opened is not None:
            lose(interpreter, opened, f"behind {name}(), which is not known")
        elif isinstance(value, Pointer) and isinstance(value.buffer, Storage):
            inner = value.buffer.place
            if inner is not None:
                forget_value(interpreter, inner, why)
            elif value.pointee is None or not value.pointee.const:
                interpreter.forget_contents(value.buffer)
        elif isinstance(value, Aggregate):
            load(interpreter, place)


def forget_declared_call(
    interpreter: HostInterpreter, function: Function, args: Sequence[HostPlace]
) -> None:
    """Make unknown what a function that is only declared may change through its references."""
    why = f"{function.name}() is declared, and its body is not part of the program"
    for formal, place in zip(function.params, args, strict=False):
        if not formal.type.reference or formal.type.const:
            continue
        value = place.get()
        forget_value(interpreter, place, why)
        _forget_size(interpreter, place, why)
        if isinstance(value, Aggregate):
            for name, held in list(value.fields.items()):
                if isinstance(held, Scalar) and name != SIZE:
                    label = f"{place.name}.{name}" if place.name else name
                    unknown = interpreter.unknown(label, why, held.type_name)
                    interpreter.store(HostFieldPlace(value, name, AUTO), unknown)
