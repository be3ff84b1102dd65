"""Models of the mathematical functions of C and of ``<algorithm>``."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.state.arguments import Arguments, by_name
from roofline_analysis.host.state.operators import FLOATING, integer, merge_origin, to_scalar_type
from roofline_analysis.host.values import Scalar, Value
from roofline_analysis.language.mathematics import BINARY, UNARY, computed
from roofline_analysis.language.types import common_type
from roofline_core.algebra.symbolic import Expr, apply, constant

_SYMBOLIC: Final = ("ceil", "floor", "sqrt", "log2", "log", "exp", "sin", "cos", "trunc")
_UNARY: Final = (*_SYMBOLIC, *UNARY, "lround")


def _unary(args: Arguments) -> Value:
    name = args.name if args.name in _UNARY else args.name[:-1]
    operand = args.number(0, "double")
    kind = "float" if operand.type_name == "float" or args.name != name else "double"
    if name == "lround":
        name, kind = "round", "long"
    value = operand.value.constant
    if value is not None:
        try:
            known = apply(name, float(value)).constant if name in _SYMBOLIC else None
            result = computed(name, (value,)) if known is None else known
            if result is not None:
                return Scalar(constant(_real(result, kind)), kind, operand.origin)
        except (ArithmeticError, ValueError):
            pass
        return args.unknown("the result is undefined", kind)
    if name in _SYMBOLIC:
        return Scalar(apply(name, operand.value), kind, operand.origin)
    return args.unknown("its argument is not known", kind)


def _real(value: float, kind: str) -> int | float:
    return int(value) if kind not in FLOATING else float(value)


def _power(args: Arguments) -> Value:
    a, b = args.number(0, "double"), args.number(1, "double")
    kind = "float" if args.name == "powf" else "double"
    x, y = a.value.constant, b.value.constant
    if x is not None and y is not None:
        try:
            return Scalar(constant(float(x) ** float(y)), kind, merge_origin(a.origin, b.origin))
        except (ArithmeticError, TypeError, ValueError):
            return args.unknown("the result is undefined", kind)
    return Scalar(apply("pow", a.value, b.value), kind, merge_origin(a.origin, b.origin))


def _binary(args: Arguments) -> Value:
    name = args.name if args.name in BINARY else args.name[:-1]
    values = [args.value(position) for position in range(2)]
    x, y = (each.value.constant if isinstance(each, Scalar) else None for each in values)
    result = computed(name, (x, y)) if x is not None and y is not None else None
    if result is not None:
        return integer(result, "float" if args.name != name else "double")
    return args.unknown("its argument is not known", "double")


_EXTREMES: Final = ("min", "max", "fmin", "fmax", "fminf", "fmaxf")


def _extreme(args: Arguments) -> Value:
    operation = "min" if "min" in args.name.lower() else "max"
    if len(args) < 2:
        return args.opaque()
    a, b = args.number(0), args.number(1)
    kind = common_type(a.type_name, b.type_name)
    if args.name.startswith("f"):
        kind = "double" if args.name in ("fmin", "fmax") else "float"
    return Scalar(apply(operation, a.value, b.value), kind, merge_origin(a.origin, b.origin))


_QUOTIENTS_UP: Final = (
    "ceil_div ceildiv ceilDiv CeilDiv CEIL_DIV CEILDIV ATenCeilDiv cdiv div_ceil div_up divup divUp"
    " DivUp DIVUP DIV_UP iDivUp divideUp divide_up divRoundUp div_round_up DivRoundUp updiv UP_DIV"
)
"""What libraries call a quotient that is rounded up, where a header with its text is missing."""


def _quotient_up(args: Arguments) -> Value:
    if len(args) != 2:
        return args.opaque()
    a, b = args.number(0), args.number(1)
    rounded = apply("div", a.value + b.value - 1, b.value)
    return Scalar(rounded, common_type(a.type_name, b.type_name), merge_origin(a.origin, b.origin))


def _magnitude(args: Arguments) -> Value:
    operand = args.number(0)
    kind = "double" if args.name == "fabs" else operand.type_name
    return Scalar(apply("abs", operand.value), kind, operand.origin)


def _clamp(args: Arguments) -> Value:
    value, low, high = (args.number(i) for i in range(3))
    inner: Expr = apply("max", value.value, low.value)
    return Scalar(apply("min", inner, high.value), value.type_name, value.origin)


def _bits(args: Arguments) -> Value:
    value = args.constant(0)
    if not isinstance(value, int):
        return args.unknown("its argument is not known", "int")
    if "pop" in args.name:
        return integer(value.bit_count())
    if "ctz" in args.name:
        return integer((value & -value).bit_length() - 1 if value else 32)
    return to_scalar_type(integer(32 - value.bit_length()), "int")


MODELS: Final = by_name(
    {
        _unary: (*_UNARY, *(f"{name}f" for name in _UNARY)),
        _power: "pow powf powi".split(),
        _binary: (*BINARY, *(f"{name}f" for name in BINARY)),
        _extreme: (*_EXTREMES, "MIN", "MAX", "umin", "umax"),
        _quotient_up: _QUOTIENTS_UP.split(),
        _magnitude: "abs fabs fabsf labs llabs".split(),
        _clamp: ("clamp",),
        _bits: "__builtin_clz __builtin_ctz __builtin_popcount __popc __clz popcount".split(),
    }
)
