"""What is read from a file put where the program wants it: numbers, text, bytes, or unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.inputs.scanning import MOST_TEXT, Taken, text_of_bytes
from roofline_analysis.host.state.access import deref
from roofline_analysis.host.state.array_samples import DRAWN, spaced
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import ElementPlace, HostFieldPlace, HostPlace, Storage
from roofline_analysis.host.state.operators import integer, to_scalar_type
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import (
    Aggregate,
    OpaqueValue,
    Origin,
    Pointer,
    Text,
    Value,
)
from roofline_core.program.types import Type

_FORMATS: Final[Mapping[str, str]] = {
    "bool": "?", "char": "b", "signed char": "b", "unsigned char": "B", "short": "<i2",
    "unsigned short": "<u2", "int": "<i4", "unsigned int": "<u4", "long": "<i8",
    "unsigned long": "<u8", "long long": "<i8", "unsigned long long": "<u8", "float": "<f4",
    "double": "<f8",
}  # fmt: skip
"""How numbers lie in memory on the hosts of GPUs: little-endian, ``long`` of 64 bits."""
_MOST_ELEMENTS: Final = 1024
"""The most elements of one binary read that are kept one by one; of more, samples are."""
_BYTE_TYPES: Final = frozenset(("char", "signed char", "unsigned char"))
_MOST_DEPTH: Final = 4
"""Classes within classes that are taken apart."""


def store_taken(
    interpreter: HostInterpreter, target: Value, taken: Taken, origin: Origin | None, why: str
) -> None:
    """Store what one conversion of ``scanf`` took behind its pointer."""
    if taken.text is not None and taken.terminated:
        store_text(interpreter, target, text_of_bytes(taken.text))
        return
    place = deref(interpreter, target)
    if taken.text is not None:
        if len(taken.text) > 1:
            store_text(interpreter, target, None)
        else:
            interpreter.store(place, integer(taken.text[0], "char", origin))
    elif taken.number is None:
        make_unknown(interpreter, place, why, None)
    else:
        store_number(interpreter, place, taken.number, taken.type_name, origin)


def store_number(
    interpreter: HostInterpreter,
    place: HostPlace,
    number: int | float,
    type_name: str,
    origin: Origin | None,
) -> None:
    """Store a number that was read into a variable or element."""
    declared = resolve(interpreter, place.type)
    name = declared.name if declared.name in SCALARS and not declared.pointers else type_name
    read = integer(number, "double" if isinstance(number, float) else "long long", origin)
    if isinstance(place, ElementPlace) and place.index is None:
        interpreter.forget_contents(place.storage)
        return
    value = to_scalar_type(read, name)
    if isinstance(place, ElementPlace):
        interpreter.note_element(place.storage, value)
    interpreter.store(place, value)


def store_text(interpreter: HostInterpreter, target: Value, text: str | None) -> None:
    """Write a C string where a pointer points to; None: characters that are not known."""
    buffer = target.buffer if isinstance(target, Pointer) else target
    if not isinstance(buffer, Storage):
        return
    if buffer.place is not None:
        known = text is not None and buffer.place.type.name in _BYTE_TYPES
        code = ord(text[0]) if known and text else 0
        value = integer(code, "char") if known else OpaqueValue(buffer.name, "it is read as text")
        interpreter.store(buffer.place, value)
        return
    start = target.offset_bytes.constant if isinstance(target, Pointer) else 0
    before = buffer.text if start else ""
    too_long = text is not None and len(text) > MOST_TEXT
    if (
        text is None
        or too_long
        or before is None
        or not isinstance(start, int)
        or start > len(before)
    ):
        interpreter.forget_contents(buffer)
    else:
        interpreter.put_text(buffer, before[:start] + text)


def store_string(
    interpreter: HostInterpreter, place: HostPlace, data: bytes, origin: Origin | None, why: str
) -> None:
    """Store characters in a ``std::string``; too long a one is not known."""
    if len(data) > MOST_TEXT:
        interpreter.store(place, OpaqueValue(place.name, why, Type("std::string"), origin))
    else:
        interpreter.store(place, Text(text_of_bytes(data), origin))


def store_unknown(
    interpreter: HostInterpreter, target: Value, why: str, line: int | None, *, one: bool
) -> None:
    """Make unknown what a pointer points to: ``one`` value there, or all of the buffer."""
    buffer = target.buffer if isinstance(target, Pointer) else target
    if not isinstance(buffer, Storage):
        return
    if buffer.place is not None:
        make_unknown(interpreter, buffer.place, why, line)
        return
    place = deref(interpreter, target)
    if one and place.type.name not in _BYTE_TYPES:
        make_unknown(interpreter, place, why, line)
    else:
        interpreter.forget_contents(buffer)


def make_unknown(
    interpreter: HostInterpreter, place: HostPlace, why: str, line: int | None
) -> None:
    """Make a place hold something that was read and is not known."""
    if isinstance(place, ElementPlace) and place.index is None:
        interpreter.forget_contents(place.storage)
        return
    if place.type.name in SCALARS and not place.type.pointers and not place.type.dims:
        name = place.name or "a value"
        interpreter.store(place, interpreter.unknown(name, why, place.type.name, line=line))
        return
    closed = resolve(interpreter, place.type)
    defined = interpreter.symbols.find_struct(closed.name) is not None
    plain = defined and not (closed.pointers or closed.dims)
    layout = interpreter.types.layout(closed) if plain else None
    if layout is None:
        if place.type.name not in SCALARS:
            interpreter.store(place, OpaqueValue(place.name, why, Type(place.type.name)))
        return
    made = Aggregate(closed)
    for name, member in layout.fields.items():
        if member.type.name in SCALARS and not (member.type.pointers or member.type.dims):
            label = f"{place.name}.{name}"
            made.fields[name] = interpreter.unknown(label, why, member.type.name, line=line)
    interpreter.store(place, made)


def store_bytes(
    interpreter: HostInterpreter,
    target: Value,
    data: bytes,
    origin: Origin | None,
    why: str,
    line: int | None,
) -> None:
    """Store bytes as the memory that a pointer points to holds them.

    What is not a whole number of its elements, or is not known to be such, makes it unknown.
    """
    buffer = target.buffer if isinstance(target, Pointer) else target
    if not isinstance(buffer, Storage) or not data:
        return
    if buffer.place is not None:
        _into_place(interpreter, buffer.place, data, origin, why, line)
        return
    start = target.offset_bytes.constant if isinstance(target, Pointer) else 0
    element = resolve(interpreter, buffer.element) if buffer.element is not None else None
    size = sizeof(interpreter, element) if element is not None else None
    width = size.constant if size is not None else None
    if element is None or not isinstance(start, int) or not width or start % width:
        interpreter.forget_contents(buffer)
    elif element.name in _BYTE_TYPES and not element.pointers and not start and data.isascii():
        text, _, rest = data.partition(b"\0")
        interpreter.put_text(buffer, text.decode() if len(data) <= MOST_TEXT else None)
        for at, code in enumerate(rest[:_MOST_ELEMENTS], len(text) + 1):
            interpreter.store(ElementPlace(buffer, at, element), integer(code, "char", origin))
    else:
        _into_elements(
            interpreter, buffer, int(start // width), data, (element, int(width)), origin
        )


def _into_place(
    interpreter: HostInterpreter,
    place: HostPlace,
    data: bytes,
    origin: Origin | None,
    why: str,
    line: int | None,
) -> None:
    closed = resolve(interpreter, place.type)
    value = decoded(interpreter, data, closed, origin, place.name)
    size = sizeof(interpreter, closed)
    if value is not None and size is not None and size.constant == len(data):
        interpreter.store(place, value)
        return
    make_unknown(interpreter, place, why, line)
    if isinstance(place, HostFieldPlace):  # what is read may reach into the next members
        for name in place.owner.fields:
            if name != place.name:
                interpreter.store(HostFieldPlace(place.owner, name, Type("auto")), None)


def _into_elements(
    interpreter: HostInterpreter,
    buffer: Storage,
    first: int,
    data: bytes,
    element: tuple[Type, int],
    origin: Origin | None,
) -> None:
    kind, width = element
    count = len(data) // width
    code = None if kind.pointers else _FORMATS.get(kind.name)
    if count > _MOST_ELEMENTS or first + count > _MOST_ELEMENTS:
        drawn = None
        if code is not None and count:
            numbers = np.frombuffer(data, code, count).astype(float).tolist()
            drawn = spaced(numbers, DRAWN)
        interpreter.fill_with(buffer, drawn)
        return
    if first == 0 or len(data) % width:
        interpreter.forget_contents(buffer)
    for at in range(count):
        part = data[at * width : (at + 1) * width]
        value = decoded(interpreter, part, kind, origin, f"{buffer.name}[{first + at}]")
        place = ElementPlace(buffer, first + at, kind)
        interpreter.store(place, value)


def decoded(
    interpreter: HostInterpreter,
    data: bytes,
    type: Type,
    origin: Origin | None,
    name: str,
    depth: int = 0,
) -> Value | None:
    """The value of a (resolved) type that bytes hold; None where they do not tell."""
    if type.pointers or depth > _MOST_DEPTH:
        return None
    if type.dims:
        return _decoded_array(interpreter, data, type, origin, name)
    code = _FORMATS.get(type.name)
    if code is not None:
        kind = np.dtype(code)
        if len(data) < kind.itemsize:
            return None
        return integer(np.frombuffer(data, kind, 1)[0].item(), type.name, origin)
    layout = interpreter.types.layout(type)
    if layout is None:
        return None
    made = Aggregate(type, origin=origin)
    for member, field in layout.fields.items():
        part = data[field.offset_bytes : field.offset_bytes + field.size_bytes]
        if field.bits is not None or len(part) < field.size_bytes:
            continue
        label = f"{name}.{member}"
        value = decoded(interpreter, part, field.type, origin, label, depth + 1)
        if value is not None:
            made.fields[member] = value
    return made


def _decoded_array(
    interpreter: HostInterpreter, data: bytes, type: Type, origin: Origin | None, name: str
) -> Value | None:
    element = Type(type.name, type.args)
    size = sizeof(interpreter, element)
    width = size.constant if size is not None else None
    if not width or len(data) > _MOST_ELEMENTS * width:
        return None
    made = Storage(name, BufferSpace.HOST, sizeof(interpreter, type), element, origin)
    if element.name in _BYTE_TYPES:
        made.text = text_of_bytes(data)
        return made
    for at in range(len(data) // int(width)):
        part = data[at * int(width) : (at + 1) * int(width)]
        value = decoded(interpreter, part, element, origin, f"{name}[{at}]", 1)
        if value is not None:
            made.elements[at] = value
    return made
