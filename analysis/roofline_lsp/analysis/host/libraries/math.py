"""Models of the mathematical functions of C and of ``<algorithm>``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from roofline_lsp.analysis.host.operators import (
    FLOATING,
    common_type,
    integer,
    merge_origin,
    to_scalar_type,
)
from roofline_lsp.analysis.host.registry import Arguments, models
from roofline_lsp.analysis.host.values import Scalar, Value
from roofline_lsp.kernel.symbolic import Expr, apply, constant

_UNARY: Final[dict[str, tuple[str, Callable[[float], float] | None]]] = {
    "ceil": ("ceil", None), "floor": ("floor", None), "sqrt": ("sqrt", None),
    "log2": ("log2", None), "log": ("log", None), "exp": ("exp", None), "trunc": ("trunc", None),
    "round": ("", lambda x: math.copysign(math.floor(abs(x) + 0.5), x)),
    "lround": ("", lambda x: math.copysign(math.floor(abs(x) + 0.5), x)),
    "rint": ("", round), "log10": ("", math.log10), "sin": ("", math.sin), "cos": ("", math.cos),
    "tan": ("", math.tan), "cbrt": ("", math.cbrt), "exp2": ("", math.exp2),
    "atan": ("", math.atan), "tanh": ("", math.tanh),
}  # fmt: skip


@models(*_UNARY, *(f"{name}f" for name in _UNARY))
def _unary(args: Arguments) -> Value:
    name = args.name
    if name not in _UNARY:
        name = name[:-1]
    operation, compute = _UNARY[name]
    operand = args.number(0, "double")
    kind = "float" if operand.type_name == "float" or args.name != name else "double"
    if name == "lround":
        kind = "long"
    value = operand.value.constant
    if value is not None:
        try:
            result = compute(value) if compute is not None else None
            if result is not None:
                return Scalar(constant(_real(result, kind)), kind, operand.origin)
            folded = apply(operation, float(value)).constant
            if folded is not None:
                return Scalar(constant(_real(folded, kind)), kind, operand.origin)
        except (ArithmeticError, ValueError):
            pass
        return args.unknown("the result is undefined", kind)
    if operation:
        return Scalar(apply(operation, operand.value), kind, operand.origin)
    return args.unknown("its argument is not known", kind)


def _real(value: float, kind: str) -> int | float:
    return int(value) if kind not in FLOATING else float(value)


@models("pow", "powf", "powi")
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


@models("fmod", "fmodf")
def _remainder(args: Arguments) -> Value:
    x, y = args.constant(0), args.constant(1)
    if x is not None and y:
        return integer(math.fmod(x, y), "double")
    return args.unknown("its argument is not known", "double")


_EXTREMES: Final = ("min", "max", "fmin", "fmax", "fminf", "fmaxf")


@models(*_EXTREMES, "MIN", "MAX", "umin", "umax")
def _extreme(args: Arguments) -> Value:
    operation = "min" if "min" in args.name.lower() else "max"
    if len(args) < 2:
        return args.opaque()
    a, b = args.number(0), args.number(1)
    kind = common_type(a.type_name, b.type_name)
    if args.name.startswith("f"):
        kind = "double" if args.name in ("fmin", "fmax") else "float"
    return Scalar(apply(operation, a.value, b.value), kind, merge_origin(a.origin, b.origin))


@models("abs", "fabs", "fabsf", "labs", "llabs")
def _magnitude(args: Arguments) -> Value:
    operand = args.number(0)
    kind = "double" if args.name == "fabs" else operand.type_name
    return Scalar(apply("abs", operand.value), kind, operand.origin)


@models("clamp")
def _clamp(args: Arguments) -> Value:
    value, low, high = (args.number(i) for i in range(3))
    inner: Expr = apply("max", value.value, low.value)
    return Scalar(apply("min", inner, high.value), value.type_name, value.origin)


@models("__builtin_clz", "__builtin_ctz", "__builtin_popcount", "__popc", "__clz", "popcount")
def _bits(args: Arguments) -> Value:
    value = args.constant(0)
    if not isinstance(value, int):
        return args.unknown("its argument is not known", "int")
    if "pop" in args.name:
        return integer(value.bit_count())
    if "ctz" in args.name:
        return integer((value & -value).bit_length() - 1 if value else 32)
    return to_scalar_type(integer(32 - value.bit_length()), "int")
