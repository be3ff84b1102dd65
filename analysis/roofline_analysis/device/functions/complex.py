"""The complex arithmetic of ``cuComplex.h`` and ``hip_complex.h``.

The functions' own definitions, written out: a product is four multiplications and two additions,
of which two fuse; a quotient and a magnitude scale their operands first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler, absolute, math_call
from roofline_analysis.device.state.arithmetic import binary
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import DeviceValue, StructValue, Value, number
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

Parts = tuple[Value, Value]


def _parts(value: DeviceValue, element: str) -> Parts | None:
    """Real and imaginary part, both unknown for an unknown object; None for other values."""
    if not isinstance(value, StructValue):
        return None
    found = [value.fields.get(axis) or Value(element, None) for axis in "xy"]
    real, imaginary = found
    if isinstance(real, Value) and isinstance(imaginary, Value):
        return real, imaginary
    return None


def _sum(op: str) -> Callable[[DeviceInterpreter, Parts, Parts], Parts]:
    def compute(interpreter: DeviceInterpreter, a: Parts, b: Parts) -> Parts:
        """The real and the imaginary part, each by ``op``."""
        return binary(interpreter, op, a[0], b[0]), binary(interpreter, op, a[1], b[1])

    return compute


def _product(interpreter: DeviceInterpreter, a: Parts, b: Parts) -> Parts:
    def times(left: Value, right: Value) -> Value:
        """The real product, charged as one multiplication."""
        return binary(interpreter, "*", left, right)

    real = binary(interpreter, "-", times(a[0], b[0]), times(a[1], b[1]))
    return real, binary(interpreter, "+", times(a[0], b[1]), times(a[1], b[0]))


def _magnitude_of(interpreter: DeviceInterpreter, a: Parts, node: Call) -> Value:
    """The larger part times the root of one plus the square of their ratio."""
    ratio = binary(interpreter, "/", a[1], a[0])
    squared = binary(
        interpreter, "+", binary(interpreter, "*", ratio, ratio), number(1.0, a[0].type)
    )
    name = "sqrtf" if a[0].type == "float" else "sqrt"
    root = math_call(interpreter, name, [squared], node)
    assert isinstance(root, Value)
    return binary(interpreter, "*", a[0], root)


def _quotient(interpreter: DeviceInterpreter, a: Parts, b: Parts) -> Parts:
    """Both operands are scaled by the divisor's larger part, against overflow."""
    scale = binary(interpreter, "/", number(1.0, a[0].type), binary(interpreter, "+", b[0], b[1]))
    left = binary(interpreter, "*", a[0], scale), binary(interpreter, "*", a[1], scale)
    right = binary(interpreter, "*", b[0], scale), binary(interpreter, "*", b[1], scale)
    norm = binary(
        interpreter,
        "+",
        binary(interpreter, "*", right[0], right[0]),
        binary(interpreter, "*", right[1], right[1]),
    )
    inverse = binary(interpreter, "/", number(1.0, a[0].type), norm)
    real, imaginary = _product(interpreter, left, (right[0], right[1]))
    return binary(interpreter, "*", real, inverse), binary(interpreter, "*", imaginary, inverse)


def _of_two(element: str, compute: Callable[[DeviceInterpreter, Parts, Parts], Parts]) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The complex result; a third argument, as of ``cuCfma``, is added to it.

        None where an operand is no complex number.
        """
        operands = [_parts(arg, element) for arg in args[:2]]
        if len(operands) < 2 or operands[0] is None or operands[1] is None:
            return None
        real, imaginary = compute(interpreter, operands[0], operands[1])
        if len(args) > 2 and (added := _parts(args[2], element)) is not None:
            real = binary(interpreter, "+", real, added[0])
            imaginary = binary(interpreter, "+", imaginary, added[1])
        return StructValue(Type(f"{element}2"), {"x": real, "y": imaginary})

    return handler


def _of_one(element: str, kind: str) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The conjugate, the magnitude or a part; None where the argument is not complex."""
        operand = _parts(args[0], element) if args else None
        if operand is None:
            return None
        if kind == "Conj":
            minus = Value(element, None, operand[1].varies)
            return StructValue(Type(f"{element}2"), {"x": operand[0], "y": minus})
        if kind == "Cabs":
            return absolute(interpreter, name, [_magnitude_of(interpreter, operand, node)], node)
        return operand[0] if kind == "Creal" else operand[1]

    return handler


_TWO: Final = {
    "Cadd": _sum("+"),
    "Csub": _sum("-"),
    "Cmul": _product,
    "Cfma": _product,
    "Cdiv": _quotient,
}


def _entries() -> Iterator[tuple[str, Handler]]:
    for prefix in ("cu", "hip"):
        for element, suffix in (("float", "f"), ("double", "")):
            for name, compute in _TWO.items():
                yield f"{prefix}{name}{suffix}", _of_two(element, compute)
            for name in ("Creal", "Cimag", "Conj", "Cabs"):
                yield f"{prefix}{name}{suffix}", _of_one(element, name)


COMPLEX_FUNCTIONS: Final[Mapping[str, Handler]] = dict(_entries())
"""Functions on ``cuFloatComplex`` and its kin by name."""
