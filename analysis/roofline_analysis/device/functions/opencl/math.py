"""OpenCL's mathematical and common functions, on numbers and on vectors.

Costs are those of CUDA's functions of the same kind. ``native_`` and ``half_`` functions are CUDA's
fast intrinsics, which NVIDIA's OpenCL compiler makes of them too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from roofline_analysis.device.functions import mathematics as maths
from roofline_analysis.device.functions.mathematics import Handler, variation
from roofline_analysis.device.state.arithmetic import binary, convert
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.recorded_operations import charge_cost
from roofline_analysis.device.state.selection import select
from roofline_analysis.device.state.vectors import elementwise, map_elements
from roofline_analysis.device.values import (
    DeviceValue,
    MemoryPlace,
    PlacePointer,
    PointerValue,
    Value,
    number,
)
from roofline_analysis.language.types import is_float
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.program.expressions import Call

_AS_CUDA: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp exp2"
    " exp10 expm1 fdim floor fmod hypot ldexp log log2 log10 log1p logb nextafter pow"
    " remainder rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma lgamma trunc"
).split()
_BY_ANOTHER: Final = {
    "acospi": "acos",
    "asinpi": "asin",
    "atanpi": "atan",
    "atan2pi": "atan2",
    "tanpi": "tan",
    "pown": "pow",
    "powr": "pow",
    "rootn": "pow",
    "lgamma_r": "lgamma",
    "remquo": "remainder",
    "frexp": "frexp",
    "modf": "modf",
    "sincos": "sincos",
}
"""Functions that CUDA's table has no figures of, and a like one that it has."""
_FAST: Final = {
    "cos": "__cosf",
    "divide": "__fdividef",
    "exp": "__expf",
    "exp2": "exp2f",
    "exp10": "__exp10f",
    "log": "__logf",
    "log2": "__log2f",
    "log10": "__log10f",
    "powr": "__powf",
    "recip": "rsqrtf",
    "rsqrt": "rsqrtf",
    "sin": "__sinf",
    "sqrt": "rsqrtf",
    "tan": "__tanf",
}
"""CUDA's function for ``native_`` and ``half_``; reciprocals and roots are one MUFU each."""


def function_like(called: str) -> Handler:
    """A function of numbers, by the name that CUDA's table of costs has for it."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The function of each element; what its pointers point to is unknown afterwards."""
        pointers = [arg for arg in args if isinstance(arg, (PlacePointer, PointerValue))]
        operands = [arg for arg in args if arg not in pointers]
        result = map_elements(operands, partial(_scalar, interpreter, called, node))
        for pointer in pointers:
            _write_unknown(interpreter, pointer)
        return result

    return handler


def _scalar(
    interpreter: DeviceInterpreter, called: str, node: Call, args: list[DeviceValue]
) -> DeviceValue | None:
    values = [arg for arg in args if isinstance(arg, Value)]
    if any(value.type == "half" for value in values):
        # Half precision is computed in single and rounded.
        wide = [convert(interpreter, value, "float") for value in values]
        result = maths.math_call(interpreter, called, list(wide), node)
        return convert(interpreter, result, "half") if isinstance(result, Value) else result
    if called.startswith("__") or called in maths.DOUBLE_MATH:
        return maths.math_call(interpreter, called, list(values), node)
    return _charged(interpreter, called, values) if values else None


def _charged(interpreter: DeviceInterpreter, called: str, values: list[Value]) -> Value:
    """A function that CUDA has a name of its own for in each precision."""
    type_ = values[0].type if is_float(values[0].type) else "double"
    varies = variation(list(values))
    key = ("call", called, tuple(value.key() for value in values))
    home = interpreter.costs.home(varies)
    found = interpreter.costs.find(key, home)
    if isinstance(found, Value):
        return found
    single = called.removesuffix("f") + "f"
    name = single if type_ == "float" else single.removesuffix("f")
    cost = interpreter.costs.compiler.function_cost(name)
    if cost is not None:
        charge_cost(interpreter, cost, varies)
    result = home.available[key] = Value(type_, None, varies)
    return result


def _write_unknown(interpreter: DeviceInterpreter, pointer: PlacePointer | PointerValue) -> None:
    """What ``sincos(x, &c)`` stores through its pointer."""
    bits = interpreter.costs.loop_bits()
    place = interpreter.dereference(pointer)
    if place is None and isinstance(pointer, PointerValue):
        place = MemoryPlace(pointer)
    if place is not None:
        interpreter.write(
            place,
            interpreter.opaque(interpreter.place_type(place), bits, "result", SymbolScope.DATA),
        )


def _of_numbers(handler: Handler) -> Handler:
    """A handler for numbers as one for vectors too."""

    def handler_of_all(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The handler's results for each element of the arguments."""
        return map_elements(args, lambda operands: handler(interpreter, name, operands, node))

    return handler_of_all


# -- common functions


def clamp(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``min(max(x, low), high)``."""
    if len(args) != 3:
        return None
    raised = maths.extreme(interpreter, "max", args[:2], node)
    return None if raised is None else maths.extreme(interpreter, "min", [raised, args[2]], node)


def _mix(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``x + (y - x) * a``."""
    values = [arg for arg in args if isinstance(arg, Value)]
    if len(values) != 3:
        return None
    x, y, a = values
    return binary(interpreter, "+", x, binary(interpreter, "*", binary(interpreter, "-", y, x), a))


def _step(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    values = [arg for arg in args if isinstance(arg, Value)]
    if len(values) != 2:
        return None
    edge, x = values
    below = binary(interpreter, "<", x, edge)
    return select(interpreter, below, number(0.0, x.type), number(1.0, x.type))


def _smoothstep(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``t * t * (3 - 2 * t)`` of where x stands between the edges."""
    values = [arg for arg in args if isinstance(arg, Value)]
    if len(values) != 3:
        return None
    low, high, x = values
    part = binary(
        interpreter, "/", binary(interpreter, "-", x, low), binary(interpreter, "-", high, low)
    )
    t = clamp(interpreter, name, [part, number(0.0, x.type), number(1.0, x.type)], node)
    if not isinstance(t, Value):
        return None
    slope = binary(interpreter, "*", number(2.0, x.type), t)
    rest = binary(interpreter, "-", number(3.0, x.type), slope)
    return binary(interpreter, "*", binary(interpreter, "*", t, t), rest)


def _scaled(factor: float) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The number times ``factor``; None for a vector."""
        value = args[0] if args else None
        if not isinstance(value, Value):
            return None
        return binary(interpreter, "*", value, number(factor, value.type))

    return handler


def _of_type(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """Comparisons and moves of floating-point numbers, which are no operations to count."""
    value = args[0] if args else None
    return Value(value.type, None, variation(args)) if isinstance(value, Value) else None


def _fract(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``min(x - floor(x), ...)``, the floor stored through the pointer."""
    whole = function_like("floor")(interpreter, "floor", args[:1], node)
    for pointer in args[1:]:
        place = interpreter.dereference(pointer)
        if place is not None and whole is not None:
            interpreter.write(place, whole)
    return None if whole is None else operate(interpreter, "-", args[0], whole)


def fused(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``a * b + c``."""
    if len(args) != 3:
        return None
    return operate(interpreter, "+", operate(interpreter, "*", args[0], args[1]), args[2])


def operate(
    interpreter: DeviceInterpreter, op: str, left: DeviceValue, right: DeviceValue
) -> DeviceValue:
    """``left op right`` of numbers and vectors."""
    if isinstance(left, Value) and isinstance(right, Value):
        return binary(interpreter, op, left, right)
    return elementwise(interpreter, op, left, right)


def _fast(name: str) -> Handler:
    """A fast function; the figures are single precision's, whatever the type."""
    return function_like(_FAST[name])


MATHEMATICS: Final[Mapping[str, Handler]] = {
    **{name: function_like(name) for name in _AS_CUDA},
    **{name: function_like(like) for name, like in _BY_ANOTHER.items()},
    **{f"{kind}_{name}": _fast(name) for kind in ("native", "half") for name in _FAST},
    **dict.fromkeys(("fma", "mad", "mad24"), fused),
    **dict.fromkeys(("fmin", "fmax", "min", "max", "minmag", "maxmag"), _of_numbers(maths.extreme)),
    "fabs": _of_numbers(maths.absolute),
    "fract": _fract,
    "clamp": _of_numbers(clamp),
    "mix": _of_numbers(_mix),
    "step": _of_numbers(_step),
    "smoothstep": _of_numbers(_smoothstep),
    "sign": _of_numbers(_of_type),
    **dict.fromkeys(("nan", "__builtin_nanf", "__builtin_nan"), _of_numbers(_of_type)),
    "degrees": _of_numbers(_scaled(57.29577951308232)),
    "radians": _of_numbers(_scaled(0.017453292519943295)),
}
"""OpenCL C 3.0, sections 6.15.2 and 6.15.4."""
