"""The numbers that all objects of an array have: their names, and what becomes of them.

What loops and kernels store to a member of many objects is held by the member, as if it were an
array of its own (``Storage.members``); what was stored to single objects is held by these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, HostFieldPlace, Storage
from roofline_analysis.host.state.types import field_type
from roofline_analysis.host.values import Aggregate, Scalar, Value
from roofline_core.program.types import Type

MemberPath = tuple[str, ...]
"""The names that lead to a member of an object: ``("pos", "x")``."""

_DEEPEST: Final = 3
"""The deepest nesting of objects that is looked into. A limit on the work."""
MOST_NUMBERS: Final = 32
"""The most numbers of one object that are told apart. A limit on the work."""


def numbers_in(interpreter: HostInterpreter, type: Type) -> tuple[MemberPath, ...]:
    """The numbers that an object of a class has; none where it has anything else, or too many."""
    found = list(_numbers_in(interpreter, type, 0))
    known = [each for each in found if each is not None]
    return tuple(known) if len(known) == len(found) <= MOST_NUMBERS else ()


def _numbers_in(
    interpreter: HostInterpreter, type: Type, depth: int
) -> Iterator[MemberPath | None]:
    """As ``numbers_in``, with None for each member that is neither number nor object of numbers."""
    layout = None if depth > _DEEPEST or type.pointers else interpreter.types.layout(type)
    if layout is None:
        yield None
        return
    for name, field in layout.fields.items():
        if field.type.pointers or field.type.dims:
            yield None
        elif field.type.name in SCALARS:
            yield (name,)
        else:
            for inner in _numbers_in(interpreter, field.type, depth + 1):
                yield None if inner is None else (name, *inner)


def member_at(interpreter: HostInterpreter, array: Storage, path: Sequence[str]) -> Type | None:
    """The type of a member of an array's objects; None where that is not known."""
    type = array.element
    for name in path:
        type = None if type is None else field_type(interpreter, type, name)
    return type


def note_member(interpreter: HostInterpreter, place: HostFieldPlace, value: Value) -> None:
    """A member is assigned of an object that may be any element of an array."""
    array = place.owner.array
    if not isinstance(array, Storage):
        return
    interpreter.note_element(array.member(place.name), value)
    path = [place.name]
    while array.within is not None:
        names = (name for name, each in array.within.members.items() if each is array)
        path.insert(0, next(names))
        array = array.within
    forget_member(interpreter, array, path)


def forget_member(interpreter: HostInterpreter, array: Storage, path: Sequence[str]) -> None:
    """Forget a member that each object of an array has: any of them may have changed."""
    member: Storage | None = array
    for name in path:
        member = None if member is None else member.members.get(name)
    if member is not None:
        interpreter.forget_contents(member)
    for held in array.elements.values():
        owner: Value | None = held
        for name in path[:-1]:
            owner = owner.fields.get(name) if isinstance(owner, Aggregate) else None
        if isinstance(owner, Aggregate):
            _forget_numbers(interpreter, owner, path[-1])


def _forget_numbers(interpreter: HostInterpreter, owner: Aggregate, name: str) -> None:
    held = owner.fields.get(name)
    if isinstance(held, Scalar):
        interpreter.store(HostFieldPlace(owner, name, AUTO), None)
    elif isinstance(held, Aggregate):
        for inner in list(held.fields):
            _forget_numbers(interpreter, held, inner)
