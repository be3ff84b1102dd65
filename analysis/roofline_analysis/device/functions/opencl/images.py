"""OpenCL's images: reads, writes and sizes.

An image is an array of texels, row by row. Its width and height are numbers that only the host
knows, and so is its format: four channels of 32 bits are assumed, one where the kernel takes only
the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value
from roofline_analysis.device.state.vectors import make
from roofline_analysis.device.values import (
    DeviceValue,
    PointerValue,
    StructValue,
    Value,
    number,
    param_symbol,
)
from roofline_analysis.language.opencl_types import vector_type
from roofline_analysis.language.types import SCALARS, is_float
from roofline_analysis.regions.kernel_summary import AccessMode, Array, MemorySpace
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, apply
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

_CHANNELS: Final = {"f": "float", "i": "int", "ui": "unsigned int", "h": "half"}
_SIZES: Final = ("width", "height", "depth")


def is_image(type_: Type) -> bool:
    """Whether this is one of OpenCL's image types."""
    return type_.name.startswith("image") and type_.name.endswith("_t") and not type_.pointers


def image_parameter(interpreter: DeviceInterpreter, path: str) -> PointerValue:
    """An image that is a kernel's argument."""
    element = vector_type("float", 4)
    array = interpreter.arrays[path] = Array(path, MemorySpace.GLOBAL, element)
    return PointerValue(array, number(0, "long"), element)


def _size(image: PointerValue, axis: int) -> Expr:
    return param_symbol(f"{image.array.name}.{_SIZES[axis]}", nonnegative=True)


def _texel(interpreter: DeviceInterpreter, image: PointerValue, at: DeviceValue) -> Expr | None:
    """The number of the texel at some coordinates; None where they are not known."""
    parts = list(at.fields.values())[:3] if isinstance(at, StructValue) else [at]
    index: Expr | None = None
    for axis in range(len(parts) - 1, -1, -1):
        part = parts[axis]
        here = _coordinate(part) if isinstance(part, Value) else None
        if here is None:
            return None
        index = here if index is None else index * _size(image, axis) + here
    return index


def _coordinate(value: Value) -> Expr | None:
    """A coordinate in texels. One that is a quotient is a fraction of the image's size."""
    expr = value.expr
    if expr is None or not is_float(value.type):
        return expr
    if any(isinstance(atom, Apply) and atom.op == "fdiv" for atom in expr.atoms()):
        return None
    return apply("floor", expr)


def _touch(
    interpreter: DeviceInterpreter,
    image: PointerValue,
    at: DeviceValue,
    size_bytes: int,
    mode: AccessMode,
) -> None:
    need_value(interpreter, at)
    texel = _texel(interpreter, image, at)
    if texel is None:
        texel = interpreter.fresh("texel", SymbolScope.DATA)
    offset = Value("long", texel * size_bytes, interpreter.costs.loop_bits())
    interpreter.costs.touch(PointerValue(image.array, offset, image.pointee), size_bytes, mode)


def _read(channel: str) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """A pixel of unknown value: one channel is read if only the first is used, else four.

        None where the first argument is no image that is known.
        """
        if len(args) < 2 or not isinstance(args[0], PointerValue):
            return None
        at = args[2] if len(args) > 2 else args[1]
        channels = 1 if node in interpreter.first_channels else 4
        _touch(interpreter, args[0], at, SCALARS[channel] * channels, AccessMode.READ)
        return interpreter.opaque(
            vector_type(channel, 4),
            interpreter.costs.loop_bits(),
            args[0].array.name,
            SymbolScope.DATA,
        )

    return handler


def _write(channel: str) -> Handler:
    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """Write the four channels of a pixel; nothing to an image that is not known."""
        if len(args) >= 3 and isinstance(args[0], PointerValue):
            need_value(interpreter, args[-1])
            _touch(interpreter, args[0], args[1], SCALARS[channel] * 4, AccessMode.WRITE)
        return number(0, "int")

    return handler


def _extent(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``get_image_width`` and its kin."""
    image = args[0] if args else None
    if not isinstance(image, PointerValue):
        return None
    if name == "get_image_dim":
        return make((Value("int", _size(image, axis)) for axis in range(2)), "int")
    axis = _SIZES.index(name.removeprefix("get_image_"))
    return Value("int", _size(image, axis))


def _entries() -> Iterator[tuple[str, Handler]]:
    for suffix, channel in _CHANNELS.items():
        yield f"read_image{suffix}", _read(channel)
        yield f"write_image{suffix}", _write(channel)
    yield from ((f"get_image_{size}", _extent) for size in (*_SIZES, "dim"))


IMAGES: Final[Mapping[str, Handler]] = dict(_entries())
"""OpenCL C 3.0, section 6.15.15."""
