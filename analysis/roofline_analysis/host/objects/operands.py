"""The operands of library calls: ranges of memory that iterators and pointers stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.operators import binary
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import Buffer, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import Expr, apply
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.types import Type

_HALVES: Final = frozenset(("half", "__half", "__nv_bfloat16", "nv_bfloat16", "hip_bfloat16"))


@record(frozen=True, slots=True)
class Operand:
    """A sequence in memory that a call reads or writes one element after another."""

    element: Type | None
    bytes_each: int | None
    """DRAM bytes of an element; 0 for what an iterator makes up."""
    space: BufferSpace


def sequence_at(interpreter: HostInterpreter, value: Value) -> Operand | None:
    """The sequence that an iterator or pointer starts; None for any other value."""
    if isinstance(value, Buffer):
        return _sequence(interpreter, value.element, value)
    if isinstance(value, Pointer):
        if value.buffer is None:
            return None
        element = value.pointee
        if element is None or (element.name in ("void", "auto") and not element.pointers):
            element = value.buffer.element
        return _sequence(interpreter, element, value.buffer)
    if isinstance(value, OpaqueValue) and value.type is not None and value.type.pointers:
        return _sequence(interpreter, value.type.pointee(), None)
    return None


def _sequence(interpreter: HostInterpreter, element: Type | None, buffer: Buffer | None) -> Operand:
    space = buffer.space if buffer is not None else BufferSpace.DEVICE
    if element is not None:
        element = resolve(interpreter, element)
    size = sizeof(interpreter, element) if element is not None else None
    width = size.constant if size is not None else None
    if space is BufferSpace.GENERATED:
        return Operand(element, 0, space)
    return Operand(element, int(width) if width else None, space)


def distance(args: Arguments, first: int, last: int) -> Expr | None:
    """The elements between two iterators among the arguments; None where they are no pair."""
    begin, end = args.value(first), args.value(last)
    if isinstance(begin, Pointer) and isinstance(end, Pointer):
        found = binary(args.interpreter, "-", end, begin)
        if isinstance(found, Scalar):
            known = found.value.constant
            # A reversed range counts down.
            return -found.value if known is not None and known < 0 else found.value
    return None


def element_text(element: Type | None) -> str | None:
    """A type for people; None where it is not known."""
    if element is None or element.name in ("auto", "void"):
        return None
    if element.dims:
        return "tuple"
    return element.name + "*" * element.pointers


def precision_of(element: Type | None) -> Precision | None:
    """The precision that arithmetic on a type counts in; None for classes."""
    if element is None or element.dims:
        return None
    if element.pointers:
        return Precision.INT
    if element.name == "float":
        return Precision.SP
    if element.name == "double":
        return Precision.DP
    if element.name in _HALVES:
        return Precision.HP
    return Precision.INT if element.name in SCALARS else None


def is_arithmetic(element: Type | None) -> bool:
    """Whether keys of a type can be sorted by their digits."""
    return precision_of(element) is not None


def total(parts: Sequence[Expr | None]) -> Expr | None:
    """The sum, None where a part is not known."""
    result = Expr({})
    for part in parts:
        if part is None:
            return None
        result = result + part
    return result


def log2_up(count: Expr) -> Expr:
    """The number of halvings that leave one of so many."""
    return apply("ceil", apply("log2", apply("max", count, Expr({(): 2}))))
