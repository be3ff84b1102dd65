"""Reading and writing through pointers, subscripts and members."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.array_samples import draws_of
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.labels import told_by_texts
from roofline_analysis.host.state.memory import (
    AUTO,
    Cell,
    ElementPlace,
    HostFieldPlace,
    HostPlace,
    Storage,
)
from roofline_analysis.host.state.operators import FLOATING, copied
from roofline_analysis.host.state.types import field_type, resolve, sizeof
from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    OpaqueValue,
    Pointer,
    Scalar,
    Spread,
    Text,
    Value,
)
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.expressions import Literal
from roofline_core.program.types import Type

_CONTAINERS: Final = frozenset("vector deque list map unordered_map set unordered_set".split())
_FILLED: Final = "it is an element of an array of which samples are known"


def load(interpreter: HostInterpreter, place: HostPlace) -> Value:
    """The value of a place; one that was never set becomes an object or a named unknown."""
    value = place.get()
    if value is None:
        value = _initial(interpreter, place)
        place.put(value)
    elif isinstance(place, ElementPlace) and isinstance(value, Scalar):
        # Cleared memory (``calloc``) that is read as an object.
        if place.type.name not in SCALARS and is_class(
            interpreter, resolve(interpreter, place.type)
        ):
            value = Aggregate(resolve(interpreter, place.type))
            place.put(value)
    elif isinstance(place, ElementPlace) and isinstance(value, Aggregate):
        if place.index is not None and place.index not in place.storage.elements:
            value = copied(value) or value
            place.put(value)
    if isinstance(value, Aggregate):
        _link(interpreter, place, value)
    return value


def _link(interpreter: HostInterpreter, place: HostPlace, value: Aggregate) -> None:
    """Tell an element of an array, or a part of one, what its array says of it.

    Which array that is, it keeps where its members stand for those of other elements.
    """
    array: Buffer | None = None
    if isinstance(place, ElementPlace):
        array = place.storage
        anyone = place.index is None or interpreter.trials.stored is not None
        value.array = array if anyone else None
    elif isinstance(place, HostFieldPlace) and isinstance(place.owner.array, Storage):
        array = value.array = place.owner.array.member(place.name)
    if isinstance(array, Storage):
        _give_numbers(interpreter, value, array)


def _give_numbers(interpreter: HostInterpreter, value: Aggregate, array: Storage) -> None:
    """Give an object the numbers that a loop gave to all objects of its array."""
    for name, member in array.members.items():
        type = field_type(interpreter, value.type, name)
        if type is None:
            continue
        held = value.fields.get(name)
        found = _typical(interpreter, member, type) if held is None else None
        if found is not None:
            value.fields[name] = found
        elif member.members and (held is None or isinstance(held, Aggregate)):
            inner = held or Aggregate(resolve(interpreter, type))
            value.fields[name] = inner
            _give_numbers(interpreter, inner, member)


def _typical(interpreter: HostInterpreter, storage: Storage, type: Type) -> Scalar | None:
    """A number such as a loop stored to all elements of a buffer: the average; None if unknown."""
    kind = resolve(interpreter, type)
    if storage.average is None or not isinstance(storage.draws, tuple) or kind.pointers:
        return None
    if kind.name not in SCALARS:
        return None
    if min(storage.draws) == max(storage.draws):
        whole = kind.name not in FLOATING
        number = int(storage.average) if whole else storage.average
        return Scalar(constant(number), kind.name, storage.origin)
    why = "a loop fills it with random numbers, of which the average is taken"
    return interpreter.average(storage.name, why, kind.name, storage.average)


def rvalue(interpreter: HostInterpreter, place: HostPlace) -> Value:
    """The value of a place as an operand: arrays decay to pointers."""
    value = load(interpreter, place)
    if isinstance(value, Buffer):
        element = value.element
        type = place.type
        pointee = type.pointee() if type.dims else element
        return Pointer(value, ZERO, pointee, value.origin)
    return value


def _initial(interpreter: HostInterpreter, place: HostPlace) -> Value:
    type = resolve(interpreter, place.type)
    if type.dims and not points_to_rows(type):
        return array_storage(interpreter, place.name, type)
    if not type.pointers and type.name not in SCALARS and is_class(interpreter, type):
        return Aggregate(type)
    why = "it is never set where the program is followed"
    if isinstance(place, ElementPlace):
        if not type.pointers and not type.dims and _makes_itself(type):
            return interpreter.construct(type, (), place.name)
        sampled = _sampled(interpreter, place, type)
        if sampled is not None:
            return sampled
        typical = _typical(interpreter, place.storage, type)
        if typical is not None:
            return typical
        why = f"the contents of '{place.storage.name}' are not known"
        own = _own_unknown(interpreter, place, type, why)
        if own is not None:
            return own
    name = _label(place) or "a value"
    return OpaqueValue(name, why, None if type.name == "auto" else type)


def _makes_itself(type: Type) -> bool:
    """Whether elements of a type are made with their array: containers of C++."""
    return bool(type.args) and type.name.rpartition("::")[2] in _CONTAINERS


def _sampled(interpreter: HostInterpreter, place: ElementPlace, type: Type) -> Scalar | None:
    """An element of an array of which samples are known, in a loop that is tried out.

    It is the same number each time that the same element is read. None for others, and where all
    are one number that the loop leaves so.
    """
    trials, storage = interpreter.trials, place.storage
    if trials.stored is None or place.index is not None or type.name not in SCALARS:
        return None
    key = (storage, place.offset) if place.offset is not None else None
    known = trials.loaded.get(key) if key is not None else None
    if known is not None:
        return known
    drawn = draws_of(interpreter, storage)
    if type.pointers or not isinstance(drawn, tuple):
        return None
    if min(drawn) == max(drawn) and storage not in trials.changing:
        return None
    whole = type.name not in FLOATING
    spread = Spread(min(drawn), max(drawn) + whole, whole, drawn)
    made = interpreter.spread(place.name, _FILLED, type.name, spread)
    trials.sources |= dict.fromkeys(made.value.symbols(), storage)
    if key is not None:
        trials.loaded[key] = made
    return made


def _own_unknown(
    interpreter: HostInterpreter, place: ElementPlace, type: Type, why: str
) -> Scalar | None:
    """An element of which nothing is known, in a loop that is tried out: its own number.

    Elsewhere those of one name are one, ``x[...]``: the difference of two would be 0 here, too.
    """
    trials = interpreter.trials
    if trials.stored is None or place.index is not None or type.pointers:
        return None
    if type.name not in SCALARS:
        return None
    key = (place.storage, place.offset) if place.offset is not None else None
    known = trials.loaded.get(key) if key is not None else None
    if known is None:
        known = interpreter.unknown(place.name, why, type.name)
        if key is not None:
            trials.loaded[key] = known
    return known


def _label(place: HostPlace) -> str:
    """What a place that was never set is called.

    Members of one name are one number in all objects of a class, but not in ``dim<2>`` and
    ``dim<1>``.
    """
    if not isinstance(place, HostFieldPlace):
        return place.name
    owner = place.owner.type
    numbers = [str(each.value) for each in owner.args if isinstance(each, Literal)]
    if not numbers:
        return place.name
    return f"{owner.name.rpartition('::')[2]}<{', '.join(numbers)}>::{place.name}"


def is_class(interpreter: HostInterpreter, type: Type) -> bool:
    """Whether values of a type are objects with named fields."""
    if type.pointers:
        return False
    return (
        vector_parts(type.name) is not None
        or interpreter.symbols.find_struct(type.name) is not None
    )


def points_to_rows(type: Type) -> bool:
    """Whether a (resolved) type is a pointer to arrays, ``float (*rows)[n]``."""
    return len(type.dims) > 1 and type.dims[0] is None


def to_rows(value: Value, type: Type) -> Value:
    """A pointer as one of a (resolved) type that points to rows; other values as they are."""
    if not isinstance(value, Pointer):
        return value
    row, buffer = type.pointee(), value.buffer
    if isinstance(buffer, Storage) and buffer.place is None:
        if buffer.element is None or buffer.element.name == "void":
            buffer.element = Type(row.name, row.args, row.pointers)
    return Pointer(buffer, value.offset_bytes, row, value.origin)


def array_storage(
    interpreter: HostInterpreter, name: str, type: Type, space: BufferSpace = BufferSpace.HOST
) -> Storage:
    """The memory of an array variable of a (resolved) type with bounds."""
    element = Type(type.name, type.args, type.pointers)
    return Storage(name, space, sizeof(interpreter, type), element)


def place_storage(interpreter: HostInterpreter, place: HostPlace) -> Storage:
    """The memory of a variable, element or field, for ``&``: one for each place."""
    made = interpreter.addressed.get(place.key())
    if made is None:
        made = Storage(place.name, BufferSpace.HOST, None, place.type, place=place)
        interpreter.addressed[place.key()] = made
    return made


def address_of(interpreter: HostInterpreter, place: HostPlace) -> Pointer:
    """``&place``."""
    if isinstance(place, ElementPlace):
        storage = place.storage
        size = sizeof(interpreter, storage.element) if storage.element is not None else None
        if place.index is not None and size is not None:
            return Pointer(storage, size * place.index, place.type, storage.origin)
        return Pointer(storage, ZERO, place.type, storage.origin)
    held = place.get()
    if isinstance(held, Buffer):
        return Pointer(held, ZERO, held.element, held.origin)
    if place.type.dims and not points_to_rows(place.type):
        loaded = load(interpreter, place)
        if isinstance(loaded, Buffer):
            return Pointer(loaded, ZERO, loaded.element)
    return Pointer(place_storage(interpreter, place), ZERO, place.type)


def deref(interpreter: HostInterpreter, pointer: Value, index: Value | None = None) -> HostPlace:
    """The place ``*pointer`` or ``pointer[index]``."""
    if isinstance(pointer, Buffer):
        pointer = Pointer(pointer, ZERO, pointer.element)
    if isinstance(pointer, Text):
        return _character(interpreter, pointer, index)
    if not isinstance(pointer, Pointer) or pointer.buffer is None:
        name = pointer.name if isinstance(pointer, OpaqueValue) else "a null pointer"
        why = pointer.why if isinstance(pointer, OpaqueValue) else "a null pointer is followed"
        type = pointer.type.pointee() if isinstance(pointer, OpaqueValue) and pointer.type else None
        if isinstance(pointer, Aggregate):
            return Cell("", pointer.type, pointer)
        label = _element_label(interpreter, name, index)
        return Cell(label, type or AUTO, OpaqueValue(label, why, type))
    offset = pointer.offset_bytes
    pointee = pointer.pointee
    storage = pointer.buffer
    if pointee is None or (pointee.name == "void" and not pointee.pointers):
        pointee = storage.element or AUTO
    if index is not None:
        number = interpreter.number(index)
        size = sizeof(interpreter, pointee)
        if number is not None and size is not None:
            offset = offset + number.value * size
        elif isinstance(storage, Storage) and storage.place is None:
            position = number.value.constant if number is not None else None
            known = position is not None and offset == ZERO and size is None
            return ElementPlace(storage, int(position or 0) if known else None, pointee)
    if not isinstance(storage, Storage):
        return Cell(storage.name, pointee)
    return _at(interpreter, storage, offset, pointee)


def _element_label(interpreter: HostInterpreter, name: str, index: Value | None) -> str:
    """What an element that is not known is called: ``*p``, ``p[3]``, ``p['key']``, ``p[...]``."""
    if index is None:
        return f"*{name}"
    key = told_by_texts((index,))
    if key:
        return f"{name}[{key}]"
    number = interpreter.number(index)
    position = number.value.constant if number is not None else None
    return f"{name}[{position if position is not None else '...'}]"


def _at(interpreter: HostInterpreter, storage: Storage, offset: Expr, type: Type) -> HostPlace:
    number = offset.constant
    if storage.place is not None:
        if number == 0:
            return storage.place
        return Cell(storage.place.name, type)
    if type.dims:
        inner = Cell(storage.name, type)
        inner.value = _subarray(interpreter, storage, offset, type)
        return inner
    element = storage.element
    if element is None or (element.name in ("void", "auto") and not element.pointers):
        element = storage.element = type
    if number is None:
        return ElementPlace(storage, None, type, offset)
    size = sizeof(interpreter, element)
    width = size.constant if size is not None else None
    if not width:
        same = element == type or (type.name == "auto" and not type.pointers)
        return ElementPlace(storage, int(number) if same else None, type)
    if number % width:
        return ElementPlace(storage, None, type)
    return ElementPlace(storage, int(number // width), _element_type(interpreter, element, type))


def _element_type(interpreter: HostInterpreter, element: Type, type: Type) -> Type:
    if type.name == "auto":
        return element
    return type


def _subarray(interpreter: HostInterpreter, storage: Storage, offset: Expr, type: Type) -> Pointer:
    return Pointer(storage, offset, type.pointee(), storage.origin)


def _character(interpreter: HostInterpreter, text: Text, index: Value | None) -> HostPlace:
    position = 0
    if index is not None:
        number = interpreter.number(index)
        found = number.value.constant if number is not None else None
        if found is None:
            return Cell("a character", Type("char"), OpaqueValue("a character", "of a string"))
        position = int(found)
    inside = 0 <= position < len(text.value)
    code = ord(text.value[position]) & 0xFF if inside else 0
    return Cell("", Type("char"), Scalar(constant(code), "char", text.origin))


def field_place(interpreter: HostInterpreter, value: Value, name: str) -> HostPlace:
    """The place of a member of an object."""
    if isinstance(value, Aggregate):
        type = field_type(interpreter, value.type, name)
        return HostFieldPlace(value, name, type or AUTO)
    if isinstance(value, OpaqueValue):
        label = f"{value.name}.{name}"
        kind = None if value.type is None else field_type(interpreter, value.type, name)
        return Cell(label, kind or AUTO, OpaqueValue(label, value.why, kind, value.origin))
    return Cell(name, AUTO, OpaqueValue(name, "a member of something that is not an object"))


def pointed_object(interpreter: HostInterpreter, value: Value) -> Value:
    """The object that ``->`` reaches: through a pointer, or the value itself."""
    if isinstance(value, (Pointer, Buffer)):
        place = deref(interpreter, value)
        return load(interpreter, place)
    return value
