"""The methods of containers and strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.objects.containers import (
    make_container,
    set_size,
    size_of,
    storage_of,
    zero_of,
)
from roofline_analysis.host.objects.maps import is_map, map_method
from roofline_analysis.host.state.access import deref, load, rvalue
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import (
    AUTO,
    DATA,
    SIZE,
    Cell,
    HostFieldPlace,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.operators import boolean, convert, copied, integer
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Text, Value
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbolic import ZERO, apply


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
            else zero_of(element)
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
    # The memory stays as large as it was.
    interpreter.store(HostFieldPlace(this, SIZE, AUTO), Scalar(ZERO, "unsigned long"))
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


_NOWHERE: Final = 2**64 - 1
"""``std::string::npos``."""
_OF_A_SET: Final = ("find_first_of", "find_last_of", "find_first_not_of", "find_last_not_of")


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


def _found(string: str, name: str, values: Sequence[Value]) -> int | None:
    """Where ``find`` and its kin find a text or a character; -1 for nowhere, None if unknown."""
    needle, *rest = values
    if isinstance(needle, Text):
        wanted = needle.value
    elif isinstance(needle, Scalar) and isinstance(code := needle.value.constant, int):
        wanted = chr(code & 0xFF)
    else:
        return None
    backward = name in ("rfind", "find_last_of", "find_last_not_of")
    start = len(string) if backward else 0
    if rest:
        known = rest[0].value.constant if isinstance(rest[0], Scalar) else None
        if not isinstance(known, int) or len(rest) > 1:
            return None
        start = min(known, len(string)) if backward else known
    if name == "find":
        return string.find(wanted, start)
    if name == "rfind":
        return string.rfind(wanted, 0, start + len(wanted))
    if name not in _OF_A_SET:
        return None
    among = name in ("find_first_of", "find_last_of")
    positions = (
        range(min(start, len(string) - 1), -1, -1) if backward else range(start, len(string))
    )
    return next((at for at in positions if (string[at] in wanted) is among), -1)


def text_method(
    interpreter: HostInterpreter, text: Text, name: str, args: Sequence[HostPlace]
) -> Value:
    """A method of ``std::string`` whose characters are known."""
    values = [rvalue(interpreter, argument) for argument in args]
    known = (truncated(v.value.constant) for v in values if isinstance(v, Scalar))
    numbers = [number for number in known if number is not None]
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
    if "find" in name and values:
        found = _found(string, name, values)
        if found is not None:
            return integer(found if found >= 0 else _NOWHERE, "unsigned long")
    if name in ("at", "front", "back", "operator[]") and string:
        position = numbers[0] if numbers else -1 if name == "back" else 0
        if position < len(string):
            return integer(ord(string[position]) & 0xFF, "char")
    return OpaqueValue(f"'{string}'.{name}()", "this string method is not modelled")
