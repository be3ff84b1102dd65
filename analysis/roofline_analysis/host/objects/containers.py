"""Models of ``std::vector``, ``std::array``, ``thrust`` vectors, smart pointers and strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.objects.maps import is_map, map_element
from roofline_analysis.host.state.access import deref, rvalue
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import (
    AUTO,
    DATA,
    SIZE,
    Cell,
    HostFieldPlace,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.operators import binary, convert, copied, integer
from roofline_analysis.host.state.templates import template_argument
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.expressions import Expression, Literal
from roofline_core.program.types import Type

_SEQUENCES: Final[dict[str, BufferSpace]] = {
    **dict.fromkeys(
        "vector array deque list valarray host_vector span initializer_list".split(),
        BufferSpace.HOST,
    ),
    "device_vector": BufferSpace.DEVICE,
    "universal_vector": BufferSpace.MANAGED,
}


def _short(name: str) -> str:
    for prefix in ("std::", "thrust::", "cuda::std::"):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def is_container(type: Type) -> bool:
    """Whether a type is one of the sequences modelled here."""
    return not type.pointers and bool(type.args) and _short(type.name) in _SEQUENCES


def smart_pointer(type: Type) -> bool:
    """Whether a type owns one pointer, which then stands for it."""
    return _short(type.name) in ("unique_ptr", "shared_ptr", "device_ptr", "optional")


def make_container(
    interpreter: HostInterpreter,
    type: Type,
    args: Sequence[HostPlace],
    name: str,
    listed: bool = False,
) -> Value:
    """A sequence made from constructor arguments or, if ``listed``, from elements."""
    first = type.args[0] if type.args else None
    element = resolve(interpreter, first) if isinstance(first, Type) else AUTO
    storage = Storage(name, _SEQUENCES[_short(type.name)], None, element)
    size: Expr = ZERO
    values = [rvalue(interpreter, argument) for argument in args]
    if _short(type.name) == "array":
        size = _extent(interpreter, type)
        listed = listed or len(values) > 1
        if values or listed:
            storage.fill = zero_of(element)
    if len(values) == 1 and isinstance(values[0], Aggregate):
        source = values[0]
        if DATA in source.fields:
            return _copy(source, type, storage)
        if source.type.name == "initializer_list":
            values, listed = list(source.fields.values()), True
    if listed or len(values) > 2:
        for position, value in enumerate(values):
            storage.elements[position] = convert(interpreter, value, element)
        size = size if size.terms else constant(len(values))
    elif len(values) == 2 and _short(type.name) == "span" and _on_device(values[0]):
        count = interpreter.number(values[1], "unsigned long")
        view = Aggregate(type, {DATA: values[0]})
        if count is not None:
            set_size(interpreter, view, count.value)
        return view
    elif values and isinstance(values[0], Pointer):
        size = _from_range(interpreter, storage, values)
    elif values and size == ZERO:
        size = _counted(interpreter, storage, element, values)
    result = Aggregate(type, {DATA: storage})
    set_size(interpreter, result, size)
    return result


def _on_device(value: Value) -> bool:
    """Whether a value points to memory that only kernels read and write."""
    buffer = value.buffer if isinstance(value, Pointer) else None
    return buffer is not None and buffer.space is BufferSpace.DEVICE


def _counted(
    interpreter: HostInterpreter, storage: Storage, element: Type, values: Sequence[Value]
) -> Expr:
    """Fill the memory for ``(count)`` or ``(count, value)``; the count."""
    if len(values) > 1:
        storage.fill = convert(interpreter, values[1], element)
    elif element.name in SCALARS and not element.pointers:
        storage.fill = zero_of(element)
    number = interpreter.number(values[0], "unsigned long")
    return number.value if number is not None else ZERO


def zero_of(element: Type) -> Value | None:
    """The value of an element that was cleared; None for an object."""
    if element.pointers:
        return Pointer(None, ZERO, element.pointee())
    return integer(0, element.name) if element.name in SCALARS else None


def _extent(interpreter: HostInterpreter, type: Type) -> Expr:
    extent: Type | Expression | None = type.args[1] if len(type.args) > 1 else None
    if isinstance(extent, Type):
        extent_value = interpreter.frame.bindings.get(extent.name)
        if isinstance(extent_value, Expr):
            return extent_value
        found = template_argument(interpreter, extent)
        return found if isinstance(found, Expr) else ZERO
    if isinstance(extent, Literal) and isinstance(extent.value, int):
        return constant(extent.value)
    number = interpreter.number(interpreter.eval(extent)) if extent is not None else None
    return number.value if number is not None else ZERO


def _copy(source: Aggregate, type: Type, storage: Storage) -> Value:
    made = copied(source)
    assert isinstance(made, Aggregate)
    made.type = type
    data = made.fields[DATA]
    if isinstance(data, Storage):
        data.name, data.space = storage.name, storage.space
    return made


def _from_range(interpreter: HostInterpreter, storage: Storage, values: Sequence[Value]) -> Expr:
    begin = values[0]
    if len(values) < 2 or not isinstance(begin, Pointer):
        return ZERO
    distance = binary(interpreter, "-", values[1], begin)
    number = interpreter.number(distance, "long")
    if number is None:
        return ZERO
    count = number.value.constant
    if count is not None and 0 <= count <= 256:
        for position in range(int(count)):
            place = deref(interpreter, begin, integer(position))
            value = place.get()
            if value is not None:
                storage.elements[position] = value
    return number.value


def set_size(interpreter: HostInterpreter, container: Aggregate, size: Expr) -> None:
    """Give a container a new number of elements, its memory the bytes that takes."""
    place = HostFieldPlace(container, SIZE, Type("unsigned long"))
    interpreter.store(place, Scalar(size, "unsigned long"))
    data = container.fields.get(DATA)
    if isinstance(data, Storage) and data.element is not None:
        width = sizeof(interpreter, data.element)
        data.size_bytes = size * width if width is not None else None


def size_of(container: Aggregate) -> Expr:
    """The number of elements."""
    size = container.fields.get(SIZE)
    return size.value if isinstance(size, Scalar) else ZERO


def storage_of(container: Aggregate) -> Storage | None:
    """The memory of a container's elements; None for other objects."""
    data = container.fields.get(DATA)
    return data if isinstance(data, Storage) else None


def subscript(interpreter: HostInterpreter, base: Aggregate, index: Value) -> HostPlace | None:
    """The element of a container or initialiser list; None for other objects."""
    storage = storage_of(base)
    if storage is not None:
        return deref(interpreter, Pointer(storage, ZERO, storage.element), index)
    if is_map(base.type):
        return map_element(interpreter, base, index)
    if base.type.name == "initializer_list":
        number = interpreter.number(index)
        position = truncated(number.value.constant) if number is not None else None
        if position is not None:
            return HostFieldPlace(base, str(position), AUTO)
    if interpreter.symbols.find_struct(base.type.name) is None:
        label = f"an element of '{base.type.name}'"
        return Cell("", AUTO, OpaqueValue(label, "this container is not modelled"))
    return None
