"""Arithmetic, comparison and conversion of host values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter, held_constant
from roofline_analysis.host.state.memory import MAX_TEXT, Storage
from roofline_analysis.host.state.open_file import file_of
from roofline_analysis.host.state.types import resolve, sizeof
from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    FunctionValue,
    OpaqueValue,
    Origin,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.arithmetic import (
    COMPARISONS,
    INTEGER_OPERATIONS,
    fold,
    operation_type,
)
from roofline_analysis.language.types import wrapped
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbolic import ONE, ZERO, Expr, apply, constant
from roofline_core.program.types import Type

FLOATING: Final = frozenset(("float", "double", "long double"))
TRUE: Final = Scalar(ONE, "bool")
FALSE: Final = Scalar(ZERO, "bool")


def integer(value: Number, type_name: str = "int", origin: Origin | None = None) -> Scalar:
    """A known number of a type."""
    return Scalar(constant(value), type_name, origin)


def boolean(value: bool) -> Scalar:
    """``true`` or ``false``."""
    return TRUE if value else FALSE


def to_scalar_type(value: Scalar, type_name: str) -> Scalar:
    """A number converted to another arithmetic type, its origin kept."""
    if value.type_name == type_name:
        return value
    expr = value.value
    number = expr.constant
    if number is not None:
        held = wrapped(number, type_name)
        if held != number or type(held) is not type(number):
            expr = constant(held)
    elif type_name == "bool":
        expr = apply("ne", expr) if not _is_condition(value) else expr
    elif value.type_name in FLOATING and type_name not in FLOATING:
        expr = apply("trunc", expr)
    return Scalar(expr, type_name, value.origin)


def _is_condition(value: Scalar) -> bool:
    return value.type_name == "bool"


def stream_state(stream: Aggregate) -> bool | None:
    """Whether a stream object is good: its last operation did not fail; None if not known."""
    opened = file_of(stream)
    failed: Value | bool | None
    if opened is not None:
        failed = opened.failed
        return None if failed is None else not failed
    failed = stream.fields.get("failed")
    if isinstance(failed, Scalar):
        return None if failed.value.constant is None else not failed.value.constant
    return True


_LITERAL: Final = "literal"
_MAX_ORIGINS: Final = 4
"""Origins that one value keeps."""


def truth(interpreter: HostInterpreter, value: Value | None) -> bool | None:
    """Whether a value is true as a condition; None where that is not decided."""
    if isinstance(value, Scalar):
        number = value.value.constant
        return None if number is None else bool(number)
    if isinstance(value, Pointer):
        return value.buffer is not None
    if isinstance(value, (Text, FunctionValue, Buffer)):
        return True
    if isinstance(value, Aggregate) and "stream" in value.type.name:
        return stream_state(value)
    return None


def merge_origin(a: Origin | None, b: Origin | None) -> Origin | None:
    """The origins of a value computed from two, the left one first; literals give way."""
    if a is None or b is None or a is b:
        return b if a is None else a
    if b.text.startswith(_LITERAL):
        return a
    if a.text.startswith(_LITERAL):
        return b
    if a.text == b.text and a.line == b.line and not b.also:
        return a
    known = {(o.text, o.path, o.line): o for o in (a, *a.also)}
    for origin in (b, *b.also):
        known.setdefault((origin.text, origin.path, origin.line), origin)
    others = tuple(known.values())[1:_MAX_ORIGINS]
    if len(others) == len(a.also):
        return a
    return replace(a, also=tuple(replace(o, also=()) if o.also else o for o in others))


def binary(interpreter: HostInterpreter, op: str, left: Value, right: Value) -> Value:
    """The value of ``left op right`` for any values but ``&&``, ``||`` and the comma."""
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return _arithmetic(interpreter, op, left, right)
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        found = _pointers(interpreter, op, left, right)
        if found is not None:
            return found
    if isinstance(left, Text) or isinstance(right, Text):
        found = _texts(interpreter, op, left, right)
        if found is not None:
            return found
    if isinstance(left, FunctionValue) and isinstance(right, FunctionValue) and op in COMPARISONS:
        same = bool(set(left.functions) & set(right.functions))
        return boolean(same if op == "==" else not same)
    if isinstance(left, OpaqueValue) and isinstance(right, (OpaqueValue, Scalar)):
        if right is not left and _numeric_hint(right, left):
            return _lift(interpreter, op, left, right)
        return left
    if isinstance(right, OpaqueValue):
        return _lift(interpreter, op, left, right) if isinstance(left, Scalar) else right
    name = left.type.name if isinstance(left, Aggregate) else type(left).__name__
    return OpaqueValue(f"{name} {op} ...", "an operation on objects is not modelled")


def _numeric_hint(value: Value, other: OpaqueValue) -> bool:
    return isinstance(value, Scalar) or (
        isinstance(value, OpaqueValue) and any(_scalar_type(v) for v in (value, other))
    )


def _scalar_type(value: OpaqueValue) -> bool:
    return value.type is not None and not value.type.pointers and value.type.name in SCALARS


def _lift(interpreter: HostInterpreter, op: str, left: Value, right: Value) -> Value:
    hint = next((v.type_name for v in (left, right) if isinstance(v, Scalar)), "int")
    a, b = interpreter.number(left, hint), interpreter.number(right, hint)
    if a is None or b is None:
        return OpaqueValue("...", "an operation on a value that is not known")
    return _arithmetic(interpreter, op, a, b)


def _arithmetic(interpreter: HostInterpreter, op: str, left: Scalar, right: Scalar) -> Scalar:
    origin = merge_origin(left.origin, right.origin)
    kind = operation_type(op, left.type_name, right.type_name)
    a, b = left.value.constant, right.value.constant
    if a is not None and b is not None:
        folded = fold(op, a, b, kind)
        if folded is not None:
            result_type = "bool" if op in COMPARISONS else kind
            return Scalar(constant(folded), result_type, origin)
        return interpreter.unknown(f"{a} {op} {b}", "the result is undefined", kind)
    if op in COMPARISONS:
        return Scalar(interpreter.bounded(_compare(op, left.value, right.value)), "bool", origin)
    return Scalar(interpreter.bounded(_symbolic(op, left.value, right.value, kind)), kind, origin)


def _compare(op: str, a: Expr, b: Expr) -> Expr:
    if op == "<":
        return apply("lt", a - b)
    if op == ">":
        return apply("lt", b - a)
    if op == "<=":
        return apply("le", a - b)
    if op == ">=":
        return apply("le", b - a)
    return apply("eq" if op == "==" else "ne", a - b)


def _symbolic(op: str, a: Expr, b: Expr, kind: str) -> Expr:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/" and kind in FLOATING:
        return apply("fdiv", a, b)
    return apply(INTEGER_OPERATIONS.get(op, "mul"), a, b)


def _pointers(interpreter: HostInterpreter, op: str, left: Value, right: Value) -> Value | None:
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        if op == "-" and left.buffer is right.buffer:
            size = sizeof(interpreter, left.pointee) if left.pointee is not None else None
            return Scalar(apply("div", left.offset_bytes - right.offset_bytes, size or 1), "long")
        if op in COMPARISONS:
            if left.buffer is not right.buffer:
                return boolean(op == "!=") if op in ("==", "!=") else None
            return Scalar(_compare(op, left.offset_bytes, right.offset_bytes), "bool")
        return None
    pointer, other = (left, right) if isinstance(left, Pointer) else (right, left)
    if not isinstance(pointer, Pointer):
        return None
    if op in ("==", "!="):
        if isinstance(other, Scalar) and other.value.constant == 0:
            return boolean((pointer.buffer is None) == (op == "=="))
        if isinstance(other, (Text, FunctionValue)):
            return boolean(op == "!=")
        return None
    if op in ("+", "-") and isinstance(other, (Scalar, OpaqueValue)):
        return advance(interpreter, pointer, other, -1 if op == "-" else 1)
    return None


def advance(interpreter: HostInterpreter, pointer: Pointer, by: Value, sign: int = 1) -> Pointer:
    """A pointer moved by a number of elements."""
    count = interpreter.number(by)
    size = sizeof(interpreter, pointer.pointee) if pointer.pointee is not None else ONE
    if count is None or size is None:
        return pointer
    offset = pointer.offset_bytes + count.value * size * sign
    return Pointer(pointer.buffer, offset, pointer.pointee, pointer.origin)


def _texts(interpreter: HostInterpreter, op: str, left: Value, right: Value) -> Value | None:
    if isinstance(left, Text) and isinstance(right, Text):
        if op == "+":
            return joined_text(left, right.value)
        if op in COMPARISONS:
            order = (left.value > right.value) - (left.value < right.value)
            return boolean(COMPARISONS[op](order, 0))
    if isinstance(left, Text) and isinstance(right, Scalar):
        number = right.value.constant
        if op in ("==", "!="):
            return boolean(op == "!=")
        if op == "+" and isinstance(number, int):
            if right.type_name == "char":
                return Text(left.value + chr(number & 0xFF), left.origin)
            return Text(left.value[number:], left.origin)
    if op in COMPARISONS:
        return Scalar(
            interpreter.unknown("a string", "a string is not known", "bool").value, "bool"
        )
    if isinstance(left, OpaqueValue) or isinstance(right, OpaqueValue):
        return left if isinstance(left, OpaqueValue) else right
    return None


def joined_text(text: Text, more: str) -> Value:
    """A string with characters added; unknown where it grows too long to be kept."""
    if len(text.value) + len(more) > MAX_TEXT:
        return OpaqueValue("a string", "it is too long to be kept", Type("std::string"))
    return Text(text.value + more, text.origin)


def convert(interpreter: HostInterpreter, value: Value, type: Type) -> Value:
    """A value as an initialiser or assignment to ``type`` (resolved) converts it."""
    if type.pointers and not type.dims:
        return _to_pointer(interpreter, value, type)
    if type.name in SCALARS:
        if isinstance(value, Scalar):
            return _to_scalar(interpreter, value, type.name)
        if isinstance(value, Pointer) and type.name == "bool":
            return boolean(value.buffer is not None)
        if isinstance(value, OpaqueValue):
            if value.type is None:
                return OpaqueValue(value.name, value.why, Type(type.name), value.origin)
            return held_constant(value) or value
        return value
    if type.name in ("std::string", "string") and isinstance(value, Scalar):
        return OpaqueValue("a string", "made from a number")
    return value


def _to_scalar(interpreter: HostInterpreter, value: Scalar, type_name: str) -> Scalar:
    """A number of another type; a fresh unknown where no integer holds it, as an infinity."""
    number = value.value.constant
    if type_name in FLOATING or type_name == "bool" or number is None or math.isfinite(number):
        return to_scalar_type(value, type_name)
    held = "NaN" if math.isnan(number) else "an infinity"
    return interpreter.unknown(f"{held} as {type_name}", "no integer holds it", type_name)


def _to_pointer(interpreter: HostInterpreter, value: Value, type: Type) -> Value:
    pointee = type.pointee()
    if isinstance(value, Pointer):
        if value.pointee == pointee or (pointee.name == "void" and not pointee.pointers):
            return value
        buffer = value.buffer
        if isinstance(buffer, Storage) and buffer.place is None and not pointee.dims:
            known = buffer.element
            if known is None or (known.name == "void" and not known.pointers):
                buffer.element = resolve(interpreter, pointee)
        return Pointer(buffer, value.offset_bytes, pointee, value.origin)
    if isinstance(value, Buffer):
        return Pointer(value, ZERO, pointee, value.origin)
    if isinstance(value, Scalar) and value.value.constant == 0:
        return Pointer(None, ZERO, pointee, value.origin)
    if isinstance(value, OpaqueValue) and (value.type is None or _is_any_pointer(value.type)):
        return OpaqueValue(value.name, value.why, type, value.origin)
    return value


def _is_any_pointer(type: Type) -> bool:
    """Whether a type is ``void *``."""
    return type.name == "void" and type.pointers == 1 and not type.dims


def copied(value: Value | None) -> Value | None:
    """A value as a copy of it would be: objects and the arrays in them are duplicated."""
    if isinstance(value, Aggregate):
        fields = {name: copied(field) for name, field in value.fields.items()}
        kept = {name: field for name, field in fields.items() if field is not None}
        return Aggregate(value.type, kept, value.origin)
    if isinstance(value, Storage):
        duplicate = Storage(value.name, value.space, value.size_bytes, value.element, value.origin)
        for index, element in value.elements.items():
            held = copied(element)
            if held is not None:
                duplicate.elements[index] = held
        duplicate.fill = copied(value.fill)
        duplicate.held = (
            duplicate.fill,
            value.text,
            value.draws,
            None,
            value.average,
            value.overwritten,
        )
        return duplicate
    return value
