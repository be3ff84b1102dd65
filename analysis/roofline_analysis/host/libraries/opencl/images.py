"""Sizes of OpenCL images."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.state.access import deref, load
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.values import Aggregate, Value
from roofline_analysis.language.opencl_headers import CHANNEL_TYPES, CHANNELS
from roofline_core.algebra.symbolic import Expr, constant

_PIXEL_BYTES: Final = 16
"""Of an image whose format is not known: four floats."""
_EXTENTS: Final = ("image_width", "image_height", "image_depth")


def image_bytes(args: Arguments) -> Expr | None:
    """The bytes of the image that a call of ``clCreateImage*`` makes; None if not known."""
    first = 1 if args.name.endswith("WithProperties") else 0
    size = constant(pixel_bytes(_pointed(args, first + 2)))
    if args.name in ("clCreateImage2D", "clCreateImage3D"):
        count = int(args.name[-2])
        extents = [
            args.interpreter.number(args.value(3 + i), "unsigned long") for i in range(count)
        ]
    else:
        descriptor = _pointed(args, first + 3)
        if not isinstance(descriptor, Aggregate):
            return None
        named = [args.interpreter.number(descriptor.fields.get(name)) for name in _EXTENTS]
        extents = [n for n in named if n is not None and n.value.constant != 0]
    for extent in extents:
        if extent is None:
            return None
        size = size * extent.value
    return size if extents else None


def _pointed(args: Arguments, position: int) -> Value:
    return load(args.interpreter, deref(args.interpreter, args.value(position)))


def pixel_bytes(format_: Value | None) -> int:
    """The bytes of a pixel of a ``cl_image_format`` or ``cl::ImageFormat``."""
    if not isinstance(format_, Aggregate):
        return _PIXEL_BYTES
    values = list(format_.fields.values())
    order = format_.fields.get("image_channel_order") or (values[0] if values else None)
    kind = format_.fields.get("image_channel_data_type") or (values[1] if values[1:] else None)
    channels = dict(CHANNELS.values()).get(_code(order))
    width = dict(CHANNEL_TYPES.values()).get(_code(kind))
    return channels * width if channels is not None and width is not None else _PIXEL_BYTES


def _code(value: Value | None) -> int:
    number = getattr(getattr(value, "value", None), "constant", None)
    return int(number) if isinstance(number, int | float) else -1
