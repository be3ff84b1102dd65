"""OpenCL's integer, relational and conversion functions, on numbers and on vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.costs.integer_costs import is_wide
from roofline_analysis.device.functions.mathematics import Handler, variation
from roofline_analysis.device.functions.opencl.math import fused
from roofline_analysis.device.state.arithmetic import binary, convert, truth
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.selection import select
from roofline_analysis.device.state.vectors import (
    build,
    elementwise,
    map_elements,
    select_each,
    shape_of,
)
from roofline_analysis.device.values import DeviceValue, StructValue, Value, number
from roofline_analysis.language.opencl_types import ELEMENTS, WIDTHS, vector_type
from roofline_analysis.language.types import is_integer
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

_COSTS: Final[Mapping[str, tuple[float, float]]] = {
    "abs": (1, 3),
    "abs_diff": (2, 5),
    "add_sat": (3, 6),
    "sub_sat": (3, 6),
    "hadd": (3, 6),
    "rhadd": (3, 6),
    "clz": (2, 4),
    "ctz": (3, 9),
    "mul_hi": (1, 6),
    "mad_hi": (2, 8),
    "mad_sat": (4, 9),
    "popcount": (1, 3),
    "bitselect": (1, 2),
    "upsample": (1, 1),
    "ilogb": (3, 3),
    "signbit": (1, 1),
}
"""Instructions of a function of 32 and of 64 bits.

Where CUDA has the function, it is its figure; otherwise the operations that the specification's
definition takes.
"""
_ROTATE: Final[Mapping[bool, tuple[float, float]]] = {True: (1, 2), False: (2, 5)}
"""By an amount that is a constant (one funnel shift) and by any other."""
_UNSIGNED: Final = {element: f"unsigned {element}" for element in ("char", "short", "int", "long")}


def _computed(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """A function whose result is not followed, by the table of costs."""

    def one(operands: list[DeviceValue]) -> DeviceValue:
        """The result for one element of each argument, charged once for equal operands."""
        first = operands[0]
        type_ = first.type if isinstance(first, Value) else "int"
        narrow, wide = _costs(name, operands)
        varies = variation(operands)
        key = ("call", name, tuple(o.key() for o in operands if isinstance(o, Value)))
        home = interpreter.costs.home(varies)
        found = interpreter.costs.find(key, home)
        if isinstance(found, Value):
            return found
        for operand in operands:
            need_value(interpreter, operand)
        interpreter.costs.charge(Work.INT, wide if is_wide(type_) else narrow, varies)
        result_type = _result(name, type_)
        expr = interpreter.fresh(name, SymbolScope.DATA) if is_integer(result_type) else None
        result = home.available[key] = Value(result_type, expr, varies)
        return result

    return map_elements(args, one) if args else None


def _costs(name: str, operands: list[DeviceValue]) -> tuple[float, float]:
    if name != "rotate":
        return _COSTS[name]
    amount = operands[1] if len(operands) > 1 else None
    return _ROTATE[isinstance(amount, Value) and amount.constant is not None]


def _result(name: str, type_: str) -> str:
    if name in ("abs", "abs_diff"):
        return _UNSIGNED.get(type_, type_)
    return "int" if name in ("ilogb", "signbit") else type_


def _product(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``mul24``, which today is an ordinary product."""
    if len(args) != 2:
        return None
    left, right = args
    if isinstance(left, Value) and isinstance(right, Value):
        return binary(interpreter, "*", left, right)
    return elementwise(interpreter, "*", left, right)


# -- relational functions


def _compared(op: str) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The comparison, of vectors element by element; None unless there are two operands."""
        if len(args) != 2:
            return None
        left, right = args
        if isinstance(left, Value) and isinstance(right, Value):
            return binary(interpreter, op, left, right)
        return elementwise(interpreter, op, left, right)

    return handler


def _tested(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``isnan`` and its kin: nothing is known of the outcome."""
    return map_elements(args, lambda operands: Value("bool", None, variation(operands)))


def _of_all(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``any`` and ``all`` of a vector."""
    result: Value | None = None
    value = args[0] if args else None
    parts = list(value.fields.values()) if isinstance(value, StructValue) else args[:1]
    for part in parts:
        if isinstance(part, Value):
            test = truth(interpreter, part)
            op = "||" if name == "any" else "&&"
            result = test if result is None else binary(interpreter, op, result, test)
    return result


def _select(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``select(a, b, c)`` is ``c ? b : a``, for vectors by the elements' highest bits."""
    if len(args) != 3:
        return None
    otherwise, then, condition = args
    if isinstance(condition, Value):
        return select(interpreter, truth(interpreter, condition), then, otherwise)
    return select_each(interpreter, condition, then, otherwise)


# -- conversions


def _convert_to(element: str, width: int) -> Handler:
    """``convert_int4_sat_rte`` and its kin; rounding and saturation come with the conversion."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The argument converted, of a vector each element; None where it is neither."""
        value = args[0] if args else None
        if isinstance(value, Value):
            return convert(interpreter, value, element)
        if value is None or shape_of(value) is None:
            return None
        return build(interpreter, vector_type(element, width), args[:1])

    return handler


def _same_bits(element: str, width: int) -> Handler:
    """``as_float4`` and its kin: the same bits as another type."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The argument as another type: element by element if it has as many, else unknown."""
        value = args[0] if args else None
        if value is None:
            return None
        type_ = vector_type(element, width)
        elements: list[DeviceValue] = [value]
        if isinstance(value, StructValue):
            elements = list(value.fields.values())
        if len(elements) == width:
            made = [_reinterpreted(interpreter, item, element) for item in elements]
            return made[0] if width == 1 else build(interpreter, type_, made)
        need_value(interpreter, value)
        return interpreter.opaque(type_, variation(elements), name, SymbolScope.DATA)

    return handler


def _reinterpreted(interpreter: DeviceInterpreter, value: DeviceValue, element: str) -> DeviceValue:
    if not isinstance(value, Value) or value.type == element:
        return value
    if is_integer(value.type) and is_integer(element):
        return Value(element, value.expr, value.varies, value.node)
    interpreter.costs.need(value)
    expr = interpreter.fresh("bits", SymbolScope.DATA) if is_integer(element) else None
    return Value(element, expr, value.varies)


def _vector_step(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    shape = shape_of(args[0]) if args else None
    return number(shape[1] + (shape[1] == 3) if shape else 1, "int")


def _shuffled(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``shuffle(v, mask)``: elements of one or two vectors in another order."""
    shape, mask = (shape_of(args[0]) if args else None), (args[-1] if args else None)
    if shape is None or not isinstance(mask, StructValue):
        return None
    pool = [v for arg in args[:-1] if isinstance(arg, StructValue) for v in arg.fields.values()]
    picked: list[DeviceValue] = []
    for index in mask.fields.values():
        known = index.whole if isinstance(index, Value) else None
        if known is not None:
            picked.append(pool[known % len(pool)])
            continue
        need_value(interpreter, index)
        interpreter.costs.charge(Work.INT, float(len(pool) - 1), variation([index]))
        picked.append(
            interpreter.opaque(Type(shape[0]), variation([index, *pool]), name, SymbolScope.DATA)
        )
    return build(interpreter, vector_type(shape[0], len(picked)), picked)


def _entries() -> Iterator[tuple[str, Handler]]:
    suffixes = [f"{s}{r}" for s in ("", "_sat") for r in ("", "_rte", "_rtz", "_rtp", "_rtn")]
    for spelled, element in ELEMENTS.items():
        for width in (1, *WIDTHS):
            name = spelled if width == 1 else f"{spelled}{width}"
            yield f"as_{name}", _same_bits(element, width)
            converted = _convert_to(element, width)
            yield from ((f"convert_{name}{suffix}", converted) for suffix in suffixes)
    comparisons = {
        "isequal": "==",
        "isnotequal": "!=",
        "isgreater": ">",
        "isgreaterequal": ">=",
        "isless": "<",
        "islessequal": "<=",
        "islessgreater": "!=",
    }
    yield from ((name, _compared(op)) for name, op in comparisons.items())


INTEGERS: Final[Mapping[str, Handler]] = {
    **dict.fromkeys((*_COSTS, "rotate"), _computed),
    "mul24": _product,
    "mad24": fused,
    **dict(_entries()),
    **dict.fromkeys(
        ("isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered"), _tested
    ),
    "any": _of_all,
    "all": _of_all,
    "select": _select,
    "shuffle": _shuffled,
    "shuffle2": _shuffled,
    "vec_step": _vector_step,
}
"""OpenCL C 3.0, sections 6.4, 6.15.3, 6.15.6 and 6.15.13."""
