"""OpenCL's geometric functions: products and lengths of vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.opencl.math import function_like, operate
from roofline_analysis.device.state.arithmetic import binary
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.vectors import build, element, shape_of
from roofline_analysis.device.values import DeviceValue, StructValue, Value, number
from roofline_core.program.expressions import Call


def _dot(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    return _sum_of_products(interpreter, args[0], args[1]) if len(args) == 2 else None


def _sum_of_products(
    interpreter: DeviceInterpreter, left: DeviceValue, right: DeviceValue
) -> Value | None:
    shape = shape_of(left)
    total: Value | None = None
    for position in range(shape[1] if shape else 1):
        a, b = element(left, position), element(right, position)
        if not isinstance(a, Value) or not isinstance(b, Value):
            return None
        product = binary(interpreter, "*", a, b)
        total = product if total is None else binary(interpreter, "+", total, product)
    return total


def _length(root: str) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The length of a vector, or of the difference of two.

        None without an argument and for what is no vector.
        """
        if not args:
            return None
        vector = args[0] if len(args) == 1 else operate(interpreter, "-", args[0], args[1])
        square = _sum_of_products(interpreter, vector, vector)
        return None if square is None else function_like(root)(interpreter, name, [square], node)

    return handler


def _normalize(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """Each element by the reciprocal of the length."""
    if not args:
        return None
    square = _sum_of_products(interpreter, args[0], args[0])
    scale = None if square is None else function_like("rsqrt")(interpreter, name, [square], node)
    return None if scale is None else operate(interpreter, "*", args[0], scale)


def _cross(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    if len(args) != 2 or not isinstance(args[0], StructValue):
        return None
    results: list[DeviceValue] = []
    for first, second in ((1, 2), (2, 0), (0, 1)):
        sides = []
        for i, j in ((first, second), (second, first)):
            a, b = element(args[0], i), element(args[1], j)
            if not isinstance(a, Value) or not isinstance(b, Value):
                return None
            sides.append(binary(interpreter, "*", a, b))
        results.append(binary(interpreter, "-", *sides))
    results += [number(0.0, "float")] * (len(args[0].fields) - 3)
    return build(interpreter, args[0].type, results)


GEOMETRY: Final[Mapping[str, Handler]] = {
    "dot": _dot,
    "cross": _cross,
    "length": _length("sqrt"),
    "distance": _length("sqrt"),
    "fast_length": _length("rsqrtf"),
    "fast_distance": _length("rsqrtf"),
    "normalize": _normalize,
    "fast_normalize": _normalize,
}
"""OpenCL C 3.0, section 6.15.5."""
