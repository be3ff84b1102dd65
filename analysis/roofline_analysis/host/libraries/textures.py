"""Texture and surface objects and references, and the arrays that they are bound to.

A texture object, and a texture reference that is bound, is a pointer to the memory that it reads.
"""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.launches.bound_textures import is_reference
from roofline_analysis.host.state.access import deref, load
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, Models, by_name
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.types import sizeof
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Value
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.operations import truncated
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.expressions import Member, Unary
from roofline_core.program.types import Type

_CHANNELS: Final = ("x", "y", "z", "w")


def _both(*names: str) -> list[str]:
    return [prefix + name for name in names for prefix in ("cuda", "hip")]


# -- arrays


def _channel_format(args: Arguments) -> Value:
    """``cudaCreateChannelDesc<T>()``, or with the bits of each channel."""
    first = args.template_args[0] if args.template_args else None
    fields: dict[str, Value] = {}
    if isinstance(first, Type):
        lanes = vector_parts(first.name)
        element, count = (Type(lanes[0]), lanes[1]) if lanes is not None else (first, 1)
        width = sizeof(args.interpreter, element)
        bits = width * 8 if width is not None else None
        for position, name in enumerate(_CHANNELS):
            if bits is not None:
                fields[name] = Scalar(bits if position < count else ZERO, "int")
    else:
        fields = {name: args.number(position) for position, name in enumerate(_CHANNELS)}
    return Aggregate(Type("cudaChannelFormatDesc"), fields)


def _texel_bytes(args: Arguments) -> Expr | None:
    """The bytes of a texel by the format that the second argument points to; None if unknown."""
    interpreter = args.interpreter
    written = args.site.args[1] if args.site is not None and len(args.site.args) > 1 else None
    if isinstance(written, Unary) and isinstance(written.operand, Member):
        # ``&texture.channelDesc`` is the format of the reference's type.
        holder = interpreter.place(written.operand.base).type
        element = holder.args[0] if is_reference(holder) and holder.args else None
        if isinstance(element, Type):
            return sizeof(interpreter, element)
    format_ = args.value(1)
    if isinstance(format_, Pointer):
        format_ = load(interpreter, deref(interpreter, format_))
    if not isinstance(format_, Aggregate):
        return None
    bits = ZERO
    for name in _CHANNELS:
        held = format_.fields.get(name)
        found = held.value.constant if isinstance(held, Scalar) else 0 if held is None else None
        known = truncated(found)
        if known is None:
            return None
        bits = bits + known
    number = bits.constant
    return constant(int(number) // 8) if isinstance(number, int) and number else None


def _allocate_array(args: Arguments) -> Value:
    """``cudaMallocArray(&array, &format, width, height)``."""
    height = args.number(3, "unsigned long").value if len(args) > 3 else constant(1)
    return _array(args, args.expr(2), height, constant(1))


def _allocate_solid(args: Arguments) -> Value:
    """``cudaMalloc3DArray(&array, &format, extent)``; layers count as depth."""
    extent = args.value(2)
    held = extent.fields if isinstance(extent, Aggregate) else {}
    numbers = [
        args.interpreter.number(held[name], "unsigned long") if name in held else None
        for name in ("width", "height", "depth")
    ]
    width, height, depth = (each.value if each is not None else None for each in numbers)
    return _array(args, width, height, depth)


def _array(args: Arguments, width: Expr | None, height: Expr | None, depth: Expr | None) -> Value:
    interpreter = args.interpreter
    place = args.target(0)
    texel = _texel_bytes(args)
    pitch = width * texel if width is not None and texel is not None else None
    rows = _at_least_one(height)
    size = None
    if pitch is not None and rows is not None and depth is not None:
        size = pitch * rows * (_at_least_one(depth) or 1)
    origin = interpreter.origin(args.name, args.line)
    storage = Storage(place.name, BufferSpace.DEVICE, size, None, origin)
    storage.pitch_bytes, storage.rows = pitch, rows
    interpreter.store(place, Pointer(storage, ZERO, Type("void"), origin))
    return SUCCESS


def _at_least_one(extent: Expr | None) -> Expr | None:
    """An extent of 0 means that the array has one dimension less."""
    return constant(1) if extent is not None and extent.constant == 0 else extent


# -- textures


def _create(args: Arguments) -> Value:
    """``cudaCreateTextureObject(&texture, &resource, ...)`` and its twin for surfaces."""
    memory = _memory_of(args.interpreter, args.value(1))
    if memory is not None:
        args.interpreter.store(args.target(0), memory)
    return SUCCESS


def _memory_of(interpreter: HostInterpreter, resource: Value) -> Pointer | None:
    """The memory that a resource descriptor names; None if it is not known."""
    if isinstance(resource, Pointer):
        resource = load(interpreter, deref(interpreter, resource))
    union = resource.fields.get("res") if isinstance(resource, Aggregate) else None
    for kind, name in (("array", "array"), ("linear", "devPtr"), ("pitch2D", "devPtr")):
        part = union.fields.get(kind) if isinstance(union, Aggregate) else None
        memory = part.fields.get(name) if isinstance(part, Aggregate) else None
        if not isinstance(memory, Pointer) or memory.buffer is None:
            continue
        if kind == "pitch2D" and isinstance(part, Aggregate):
            pitch, rows = (
                interpreter.number(part.fields[field], "unsigned long")
                if field in part.fields
                else None
                for field in ("pitchInBytes", "height")
            )
            return _view(memory, pitch.value if pitch else None, rows.value if rows else None)
        return memory
    return None


def _view(memory: Pointer, pitch: Expr | None, rows: Expr | None) -> Pointer:
    """Linear memory as rows of so many bytes."""
    held = memory.buffer
    assert held is not None
    storage = Storage(held.name, held.space, held.size_bytes, held.element, held.origin)
    storage.pitch_bytes, storage.rows = pitch, rows
    return Pointer(storage, memory.offset_bytes, memory.pointee, memory.origin)


def _reference(args: Arguments, position: int) -> HostPlace | None:
    """The texture reference that an argument is, or points to."""
    if position >= len(args):
        return None
    value = args.places[position].get()
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage) and value.buffer.place:
        return value.buffer.place
    return args.places[position]


def _bind(args: Arguments) -> Value:
    """``cudaBindTexture(&offset, texture, memory, ...)``."""
    target, memory = _reference(args, 1), args.value(2)
    if target is not None and isinstance(memory, Pointer):
        args.interpreter.store(target, memory)
    return SUCCESS


def _bind_rows(args: Arguments) -> Value:
    """``cudaBindTexture2D(&offset, texture, memory[, format], width, height, pitch)``."""
    target, memory = _reference(args, 1), args.value(2)
    if target is not None and isinstance(memory, Pointer) and memory.buffer is not None:
        view = _view(memory, args.expr(-1), args.expr(-2))
        args.interpreter.store(target, view)
    return SUCCESS


def _bind_array(args: Arguments) -> Value:
    """``cudaBindTextureToArray(texture, array, ...)`` and its twin for surfaces."""
    target, memory = _reference(args, 0), args.value(1)
    if target is not None and isinstance(memory, Pointer):
        args.interpreter.store(target, memory)
    return SUCCESS


MODELS: Final[Models] = by_name(
    {
        _channel_format: _both("CreateChannelDesc"),
        _allocate_array: _both("MallocArray"),
        _allocate_solid: _both("Malloc3DArray"),
        _create: _both("CreateTextureObject", "CreateSurfaceObject"),
        _bind: _both("BindTexture"),
        _bind_rows: _both("BindTexture2D"),
        _bind_array: _both("BindTextureToArray", "BindSurfaceToArray"),
    }
)
