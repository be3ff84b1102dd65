"""Built-in vector types: operators element by element, elements picked out, vectors made.

OpenCL C has all of this in the language. CUDA's and HIP's ``float4`` come here where the program
has no overloaded operator of its own for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from roofline_analysis.device.state.arithmetic import COMPARISONS, binary, convert, negate, truth
from roofline_analysis.device.state.dead_code import keep
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.selection import select
from roofline_analysis.device.values import DeviceValue, Place, StructValue, SwizzlePlace, Value
from roofline_analysis.language.opencl_types import VECTORS, components, field_names, vector_type
from roofline_analysis.language.types import SCALARS, is_integer, vector_parts
from roofline_core.algebra.symbolic import ONE, apply
from roofline_core.program.types import Type

_TRUTHS: Final = {1: "char", 2: "short", 4: "int", 8: "long"}
"""The elements of a comparison's result in OpenCL, by the size of those compared."""
_LOGICAL: Final = COMPARISONS | {"&&", "||", "!"}


def is_vector(value: DeviceValue) -> bool:
    """Whether this is a value of a built-in vector type."""
    return shape_of(value) is not None


def shape_of(value: DeviceValue) -> tuple[str, int] | None:
    """The element type and the number of elements of a vector; None for any other value."""
    if not isinstance(value, StructValue) or value.type.dims or value.type.pointers:
        return None
    return vector_parts(value.type.name)


def element(value: DeviceValue, position: int) -> DeviceValue:
    """An element of a vector; any other value as it is."""
    if shape_of(value) is None or not isinstance(value, StructValue):
        return value
    found = list(value.fields.values())
    return found[position] if position < len(found) else Value("int", None, 0)


def make(values: Iterable[DeviceValue], element_type: str) -> StructValue:
    """An OpenCL vector of these elements."""
    listed = list(values)
    type_ = vector_type(element_type, len(listed))
    return StructValue(type_, dict(zip(field_names(len(listed)), listed, strict=True)))


def build(interpreter: DeviceInterpreter, type_: Type, args: Iterable[DeviceValue]) -> DeviceValue:
    """``(float4)(a, b)``: elements and vectors one after another, or one for all."""
    parts = vector_parts(type_.name)
    assert parts is not None
    element_type, width = parts
    values: list[DeviceValue] = []
    for arg in args:
        values.extend(arg.fields.values() if isinstance(arg, StructValue) else (arg,))
    if len(values) == 1:
        values *= width
    blank = interpreter.opaque(type_, 0, type_.name)
    fields = dict(blank.fields) if isinstance(blank, StructValue) else {}
    for name, value in zip(list(fields), values, strict=False):
        fields[name] = (
            convert(interpreter, value, element_type) if isinstance(value, Value) else value
        )
    return StructValue(type_, fields)


# -- operators


def elementwise(
    interpreter: DeviceInterpreter, op: str, left: DeviceValue, right: DeviceValue
) -> DeviceValue:
    """``left op right`` of which one is a vector; a scalar takes the elements' type first."""
    shape = left if isinstance(left, StructValue) else right
    if not isinstance(shape, StructValue):
        keep(interpreter, left, right)
        return interpreter.opaque(Type("int"), interpreter.costs.loop_bits(), "value")
    parts = shape_of(shape)
    fields: dict[str, DeviceValue] = {}
    for name in shape.fields:
        a = left.fields.get(name) if isinstance(left, StructValue) else left
        b = right.fields.get(name) if isinstance(right, StructValue) else right
        if isinstance(a, Value) and isinstance(b, Value):
            fields[name] = _element_operation(interpreter, op, a, b, parts[0] if parts else None)
        else:
            keep(interpreter, a, b)
    return StructValue(_result_type(shape.type, op, parts), fields)


def _element_operation(
    interpreter: DeviceInterpreter, op: str, left: Value, right: Value, element_type: str | None
) -> Value:
    if element_type is None:
        return binary(interpreter, op, left, right)
    if op not in ("<<", ">>"):
        right = convert(interpreter, right, element_type)
    result = binary(interpreter, op, convert(interpreter, left, element_type), right)
    return result if op in _LOGICAL else convert(interpreter, result, element_type)


def _result_type(type_: Type, op: str, parts: tuple[str, int] | None) -> Type:
    if parts is None or op not in _LOGICAL or type_.name not in VECTORS:
        return type_
    return vector_type(_TRUTHS[SCALARS[parts[0]]], parts[1])


def unary(interpreter: DeviceInterpreter, op: str, operand: DeviceValue) -> DeviceValue:
    """``op operand`` for any operand."""
    if isinstance(operand, Value):
        return scalar_unary(interpreter, op, operand)
    parts = shape_of(operand)
    if parts is None or not isinstance(operand, StructValue):
        return operand
    fields: dict[str, DeviceValue] = {}
    for name, value in operand.fields.items():
        result = scalar_unary(interpreter, op, value) if isinstance(value, Value) else value
        if op not in _LOGICAL and isinstance(result, Value):
            result = convert(interpreter, result, parts[0])
        fields[name] = result
    return StructValue(_result_type(operand.type, op, parts), fields)


def scalar_unary(interpreter: DeviceInterpreter, op: str, operand: Value) -> Value:
    """``op operand`` for a number."""
    if op == "-":
        return negate(interpreter, operand)
    if op == "!":
        condition = truth(interpreter, operand)
        expr = apply("eq", condition.expr) if condition.expr is not None else None
        return Value("bool", expr, operand.varies, ("not", (condition,)))
    if op == "~" and operand.expr is not None and is_integer(operand.type):
        return Value(operand.type, -operand.expr - ONE, operand.varies, ("~", (operand,)))
    return operand


def select_each(
    interpreter: DeviceInterpreter,
    condition: DeviceValue,
    then: DeviceValue,
    otherwise: DeviceValue,
) -> DeviceValue:
    """``condition ? then : otherwise`` with a vector for a condition."""
    shape = next((v for v in (then, otherwise) if isinstance(v, StructValue)), None)
    if shape is None:
        keep(interpreter, otherwise)
        return then
    fields: dict[str, DeviceValue] = {}
    for position, name in enumerate(shape.fields):
        decides = element(condition, position)
        if isinstance(decides, Value):
            fields[name] = select(
                interpreter,
                truth(interpreter, decides),
                element(then, position),
                element(otherwise, position),
            )
    return StructValue(shape.type, fields)


# -- functions


def map_elements(
    args: list[DeviceValue], function: Callable[[list[DeviceValue]], DeviceValue | None]
) -> DeviceValue | None:
    """A function of scalars applied element by element; scalar arguments go to every element.

    None if it has no result for an element.
    """
    width = max((parts[1] for arg in args if (parts := shape_of(arg)) is not None), default=None)
    if width is None:
        return function(args)
    results: list[DeviceValue] = []
    for position in range(width):
        result = function([element(arg, position) for arg in args])
        if result is None:
            return None
        results.append(result)
    first = results[0]
    element_type = first.type if isinstance(first, Value) else "int"
    return make(results, "int" if element_type == "bool" else element_type)


# -- elements by name


def component_place(interpreter: DeviceInterpreter, owner: Place, name: str) -> Place | None:
    """Where ``owner.name`` is stored if that picks elements of an OpenCL vector.

    None for anything else, and for an element by its own name, which is a field like any other.
    """
    type_ = interpreter.types.resolve(interpreter.place_type(owner))
    parts = VECTORS.get(type_.name)
    if parts is None or type_.pointers or type_.dims:
        return None
    names = components(name, parts[1])
    if names is None or names == (name,):
        return None
    if isinstance(owner, SwizzlePlace):
        position = field_names(parts[1]).index
        names = tuple(owner.names[position(inner)] for inner in names)
        owner = owner.owner
    if len(names) == 1:
        return interpreter.field_place(owner, names[0])
    return SwizzlePlace(owner, names, vector_type(parts[0], len(names)))


def pick(held: DeviceValue, name: str) -> DeviceValue | None:
    """``held.name`` of a vector that is stored nowhere; None if that picks no elements."""
    parts = shape_of(held)
    names = components(name, parts[1]) if parts is not None else None
    if names is None or parts is None or not isinstance(held, StructValue):
        return None
    if any(inner not in held.fields for inner in names):
        return None
    if len(names) == 1:
        return held.fields[names[0]]
    return make((held.fields[inner] for inner in names), parts[0])
