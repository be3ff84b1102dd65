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
    """The known integers behind a kernel's pointer arguments, by argument name."""
    found: dict[str, Contents] = {}
    for formal, value in zip(function.params, args, strict=False):
        if not isinstance(value, Pointer) or not isinstance(value.buffer, Storage):
            continue
        storage, start = value.buffer, value.offset_bytes.constant
        if len(storage.elements) > MAX_NUMBERS or not isinstance(start, int):
            continue
        held = dict(_numbers(interpreter, storage, 0))
        if held and len(held) <= MAX_NUMBERS:
            found[formal.name] = {at - start: number for at, number in held.items()}
    return found


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
