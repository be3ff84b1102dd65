"""Contents of device memory behind a kernel's pointers at a launch: parameters in a struct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.types import sizeof
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.units import Function

MAX_NUMBERS: Final = 256
"""The most numbers of one array that count as parameters; a longer array is data."""
_MAX_DEPTH: Final = 3
"""The deepest nesting of objects whose numbers are read. A limit on the work."""

Contents = Mapping[int, Expr]
"""Integers by byte offset from the pointer."""


def contents_of(
    interpreter: HostInterpreter, function: Function, args: Sequence[Value]
) -> dict[str, Contents]:
    """The known integers behind the pointers that a kernel is given, as kernels name their arrays.

    An array is named after its argument, one that an argument's field points to ``argument.field``.
    """
    found: dict[str, Contents] = {}
    for formal, argument in zip(function.params, args, strict=False):
        for name, value in _pointers(formal.name, argument, 0):
            storage, start = value.buffer, value.offset_bytes.constant
            if not isinstance(storage, Storage) or not isinstance(start, int):
                continue
            found[name] = {at - start: number for at, number in numbers_of(interpreter, storage)}
    return {name: held for name, held in found.items() if held}


def numbers_of(interpreter: HostInterpreter, storage: Storage) -> list[tuple[int, Expr]]:
    """The known integers in memory, by bytes from its start; none of what is data by its length."""
    if len(storage.elements) > MAX_NUMBERS:
        return []
    held = list(_numbers(interpreter, storage, 0))
    return held if len(held) <= MAX_NUMBERS else []


def _pointers(name: str, value: Value, depth: int) -> Iterator[tuple[str, Pointer]]:
    if isinstance(value, Pointer):
        yield name, value
    elif isinstance(value, Aggregate) and depth < _MAX_DEPTH:
        for field, held in value.fields.items():
            yield from _pointers(f"{name}.{field}", held, depth + 1)


def _numbers(
    interpreter: HostInterpreter, storage: Storage, depth: int
) -> Iterator[tuple[int, Expr]]:
    if storage.place is not None:
        yield from _parts(interpreter, storage.place.get(), 0, depth)
        return
    element = storage.element
    size = sizeof(interpreter, element) if element is not None else None
    width = size.constant if size is not None else None
    if not isinstance(width, int):
        return
    for index, value in storage.elements.items():
        yield from _parts(interpreter, value, index * width, depth)


def _parts(
    interpreter: HostInterpreter, value: Value | None, at: int, depth: int
) -> Iterator[tuple[int, Expr]]:
    """The numbers of a value that lies ``at`` bytes from the start."""
    if isinstance(value, Scalar):
        if value.type_name not in ("float", "double"):
            yield at, value.value
    elif depth >= _MAX_DEPTH:
        return
    elif isinstance(value, Storage):
        for inside, number in _numbers(interpreter, value, depth + 1):
            yield at + inside, number
    elif isinstance(value, Aggregate):
        layout = interpreter.types.layout(value.type)
        if layout is None or layout.overlaps:
            return
        for name, member in layout.fields.items():
            if name in value.fields and member.bits is None:
                held = value.fields[name]
                yield from _parts(interpreter, held, at + member.offset_bytes, depth + 1)
