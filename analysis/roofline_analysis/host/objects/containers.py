"""Models of ``std::vector``, ``std::array``, ``thrust`` vectors, smart pointers and strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.objects.maps import is_map, map_element, map_method
from roofline_analysis.host.state.access import deref, load, rvalue
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostFieldPlace, HostPlace, Storage
from roofline_analysis.host.state.operators import binary, boolean, convert, copied, integer
from roofline_analysis.host.state.templates import template_argument
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Text, Value
from roofline_core.algebra.symbolic import ZERO, Expr, apply, constant
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
DATA: Final = "_data"
SIZE: Final = "_size"


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
            storage.fill = _zero_of(element)
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
        storage.fill = _zero_of(element)
    number = interpreter.number(values[0], "unsigned long")
    return number.value if number is not None else ZERO


def _zero_of(element: Type) -> Value | None:
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
        if number is not None and number.value.constant is not None:
            return HostFieldPlace(base, str(int(number.value.constant)), AUTO)
    if interpreter.symbols.find_struct(base.type.name) is None:
        label = f"an element of '{base.type.name}'"
        return Cell("", AUTO, OpaqueValue(label, "this container is not modelled"))
    return None


def _begin(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    assert storage is not None
    return Pointer(storage, ZERO, storage.element)


def _end(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    assert storage is not None
    return Pointer(storage, storage.size_bytes or ZERO, storage.element)


def _size(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    found = this.fields.get(SIZE)
    return found if found is not None else integer(0, "unsigned long")


def _empty(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    return Scalar(apply("eq", size_of(this)), "bool")


def _push(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    assert storage is not None
    size = size_of(this)
    place = deref(interpreter, Pointer(storage, ZERO, storage.element), Scalar(size, "long"))
    if args and interpreter.trials.stored is not None:
        interpreter.note_element(
            storage, convert(interpreter, rvalue(interpreter, args[0]), storage.element or AUTO)
        )
    if args and size.constant is not None:
        value = rvalue(interpreter, args[0])
        if len(args) == 1:
            interpreter.store(
                place, convert(interpreter, copied(value) or value, storage.element or AUTO)
            )
        elif storage.element is not None:
            interpreter.store(place, interpreter.construct(storage.element, args))
    set_size(interpreter, this, size + 1)
    return OpaqueValue("push_back", "returns nothing")


def _pop(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    set_size(interpreter, this, size_of(this) - 1)
    return OpaqueValue("pop_back", "returns nothing")


def _resize(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    number = interpreter.number(rvalue(interpreter, args[0]), "unsigned long") if args else None
    storage = storage_of(this)
    if number is not None:
        set_size(interpreter, this, number.value)
    if storage is not None and not storage.elements:
        element = storage.element or AUTO
        fill = (
            convert(interpreter, rvalue(interpreter, args[1]), element)
            if len(args) > 1
            else _zero_of(element)
        )
        storage.fill = fill
    return OpaqueValue("resize", "returns nothing")


def _assign(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    if storage is not None:
        interpreter.forget_contents(storage)
        made = make_container(interpreter, this.type, args, storage.name)
        if isinstance(made, Aggregate) and isinstance(made.fields.get(DATA), Storage):
            source = made.fields[DATA]
            assert isinstance(source, Storage)
            storage.elements.update(source.elements)
            storage.fill, storage.draws = source.fill, source.draws
            set_size(interpreter, this, size_of(made))
    return OpaqueValue("assign", "returns nothing")


def _clear(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    if storage is not None:
        interpreter.forget_contents(storage)
    set_size(interpreter, this, ZERO)
    return OpaqueValue("clear", "returns nothing")


def _fill(interpreter: HostInterpreter, this: Aggregate, args: Sequence[HostPlace]) -> Value:
    storage = storage_of(this)
    if storage is not None and args:
        interpreter.forget_contents(storage)
        storage.fill = rvalue(interpreter, args[0])
    return OpaqueValue("fill", "returns nothing")


_METHODS: Final[dict[str, Callable[[HostInterpreter, Aggregate, Sequence[HostPlace]], Value]]] = {
    "data": _begin, "begin": _begin, "cbegin": _begin, "end": _end, "cend": _end,
    "size": _size, "length": _size, "capacity": _size, "empty": _empty,
    "push_back": _push, "emplace_back": _push, "pop_back": _pop, "resize": _resize,
    "assign": _assign, "clear": _clear, "fill": _fill,
}  # fmt: skip


def container_method(
    interpreter: HostInterpreter, this: Aggregate, name: str, args: Sequence[HostPlace]
) -> HostPlace | None:
    """A method call on a container; None if it is not one or the method is not modelled."""
    if is_map(this.type):
        return map_method(interpreter, this, name, args)
    storage = storage_of(this)
    if storage is None:
        return None
    if name in ("at", "front", "back", "operator[]"):
        index: Value = integer(0)
        if name == "back":
            index = Scalar(size_of(this) - 1, "long")
        elif args and name != "front":
            index = rvalue(interpreter, args[0])
        return deref(interpreter, Pointer(storage, ZERO, storage.element), index)
    if name == "swap" and args:
        other = load(interpreter, args[0])
        if isinstance(other, Aggregate):
            for field in (DATA, SIZE):
                a, b = HostFieldPlace(this, field, AUTO), HostFieldPlace(other, field, AUTO)
                held_a, held_b = a.get(), b.get()
                interpreter.store(a, held_b)
                interpreter.store(b, held_a)
        return Cell("", AUTO, OpaqueValue("swap", "returns nothing"))
    method = _METHODS.get(name)
    return Cell("", AUTO, method(interpreter, this, args)) if method is not None else None


def text_method(
    interpreter: HostInterpreter, text: Text, name: str, args: Sequence[HostPlace]
) -> Value:
    """A method of ``std::string`` whose characters are known."""
    values = [rvalue(interpreter, argument) for argument in args]
    numbers = [
        int(v.value.constant)
        for v in values
        if isinstance(v, Scalar) and v.value.constant is not None
    ]
    string = text.value
    if name in ("c_str", "data", "str", "string"):
        return text
    if name in ("size", "length"):
        return integer(len(string), "unsigned long")
    if name == "empty":
        return boolean(not string)
    if name == "substr" and numbers and len(numbers) == len(values):
        stop = numbers[0] + numbers[1] if len(numbers) > 1 else len(string)
        return Text(string[numbers[0] : stop], text.origin)
    if name == "compare" and values and isinstance(values[0], Text):
        return integer((string > values[0].value) - (string < values[0].value))
    if name in ("find", "rfind", "find_last_of", "find_first_of") and values:
        needle = values[0]
        wanted = needle.value if isinstance(needle, Text) else chr(numbers[0]) if numbers else None
        if wanted is not None:
            found = (
                string.rfind(wanted) if name in ("rfind", "find_last_of") else string.find(wanted)
            )
            return integer(found if found >= 0 else 2**64 - 1, "unsigned long")
    if name in ("at", "front", "back", "operator[]") and string:
        position = numbers[0] if numbers else -1 if name == "back" else 0
        if position < len(string):
            return integer(ord(string[position]) & 0xFF, "char")
    return OpaqueValue(f"'{string}'.{name}()", "this string method is not modelled")
