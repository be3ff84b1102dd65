"""Models of OpenCL's C++ bindings (``cl.hpp``, ``cl2.hpp``, ``opencl.hpp``).

Objects of these classes share what they refer to when they are copied, so a handle stands for
each, as in the C interface; a buffer is a pointer to the device's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.opencl.c import new_buffer
from roofline_analysis.host.libraries.opencl.images import pixel_bytes
from roofline_analysis.host.libraries.opencl.launch import is_range, make_range
from roofline_analysis.host.libraries.opencl.objects import (
    ProgramObject,
    handle,
    kernel_of,
    make_kernel,
    new_object,
    object_of,
    source_hints,
)
from roofline_analysis.host.objects.construction import LIBRARY_CLASSES
from roofline_analysis.host.objects.containers import make_container
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import Arguments, by_name
from roofline_analysis.host.state.havoc import forget_unknown_call
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import binary
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_analysis.language.opencl_headers import ENQUEUE_ARGS
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.expressions import Name
from roofline_core.program.types import Type

Maker = Callable[[Arguments], "Value | None"]

_PLAIN: Final = {
    "Context": "context", "CommandQueue": "command_queue", "DeviceCommandQueue": "command_queue",
    "Platform": "platform_id", "Device": "device_id", "Event": "event", "UserEvent": "event",
    "Sampler": "sampler",
}  # fmt: skip


def _plain(args: Arguments) -> Value | None:
    origin = args.interpreter.origin(args.name, args.line or None)
    return new_object(_PLAIN[args.name], origin)


def _program(args: Arguments) -> Value | None:
    made = ProgramObject("a program", BufferSpace.HOST, None, Type("_cl_program"), kind="program")
    hints: list[str] = []
    for place in args.places:
        value = rvalue(args.interpreter, place)
        if not isinstance(value, Scalar) and object_of(value) is None:
            hints.extend(source_hints(args.interpreter, value, 1))
    made.hints = tuple(hints)
    return handle(made)


def _kernel(args: Arguments) -> Value | None:
    if not len(args):
        return None
    if len(args) == 1:
        return args.value(0) if kernel_of(args.interpreter, args.value(0)) is not None else None
    return make_kernel(args.interpreter, args.value(0), args.value(1), args.line)


def _buffer(args: Arguments) -> Value | None:
    if len(args) < 2:
        return args.value(0) if len(args) else None
    values = [args.value(position) for position in range(len(args))]
    first = 1 if object_of(values[0]) is not None else 0
    begin = values[first]
    if isinstance(begin, Pointer) and len(values) > first + 1:
        return new_buffer(args, _range_bytes(args.interpreter, begin, values[first + 1]))
    if len(values) <= first + 1:
        return None
    size = args.interpreter.number(values[first + 1], "unsigned long")
    host = values[first + 2] if len(values) > first + 2 else None
    return new_buffer(args, size.value if size is not None else None, host)


def _range_bytes(interpreter: HostInterpreter, begin: Pointer, end: Value) -> Expr | None:
    if isinstance(end, Pointer) and end.buffer is begin.buffer:
        return end.offset_bytes - begin.offset_bytes
    number = interpreter.number(binary(interpreter, "-", end, begin), "long")
    return number.value if number is not None else None


def _image(args: Arguments) -> Value | None:
    if len(args) < 3:
        return None
    count = int(args.name[5]) if args.name[5:6].isdigit() else 2
    size = constant(pixel_bytes(args.value(2)))
    for position in range(3, 3 + count):
        extent = args.interpreter.number(args.value(position), "unsigned long")
        if extent is None:
            return new_buffer(args, None)
        size = size * extent.value
    return new_buffer(args, size)


def _format(args: Arguments) -> Value | None:
    fields = {str(i): args.value(i) for i in range(len(args))}
    return Aggregate(Type("cl::ImageFormat"), fields)


def _range(args: Arguments) -> Value | None:
    return make_range(args.interpreter, [args.value(position) for position in range(len(args))])


def _enqueue_args(args: Arguments) -> Value | None:
    """Offset, global and local size are the ranges among the arguments, in this order."""
    values = [args.value(position) for position in range(len(args))]
    ranges: list[Value] = [value for value in values if is_range(value)]
    if len(values) == 4 and object_of(values[1]) is None:
        ranges = values[1:]
    if len(ranges) >= 3:
        names: tuple[str, ...] = ("offset", "global", "local")
    else:
        names = ("global", "local")
    found = Aggregate(Type("cl::EnqueueArgs"), dict(zip(names, ranges, strict=False)))
    if args.site is not None:
        args.interpreter.parsed_options[f"site {id(found)}"] = (found, args.site)
    return found


_MAKERS: Final[dict[str, Maker]] = {
    **dict.fromkeys(_PLAIN, _plain),
    "Program": _program,
    "Kernel": _kernel,
    "KernelFunctor": _kernel,
    "make_kernel": _kernel,
    **dict.fromkeys(("Buffer", "BufferGL", "Memory"), _buffer),
    **dict.fromkeys(("Image1D", "Image2D", "Image3D"), _image),
    "ImageFormat": _format,
    "NDRange": _range,
    ENQUEUE_ARGS: _enqueue_args,
}
_UNMISTAKABLE: Final = frozenset(("NDRange", ENQUEUE_ARGS, "KernelFunctor", "make_kernel"))


def _is_opencl(name: str, short: str, args: Sequence[HostPlace]) -> bool:
    """Whether a class name, perhaps used without ``cl::``, is meant as OpenCL's."""
    if name.startswith("cl::") or short in _UNMISTAKABLE:
        return True
    return any(object_of(place.get()) is not None for place in args)


def _made(
    interpreter: HostInterpreter, type: Type, args: Sequence[HostPlace], name: str
) -> Value | None:
    short = type.name.rpartition("::")[2]
    if not _is_opencl(type.name, short, args):
        return None
    made = _MAKERS[short](Arguments(interpreter, short, args, _line(interpreter)))
    if isinstance(made, Pointer) and made.buffer is not None and not made.buffer.name:
        made.buffer.name = name
    return made


def _line(interpreter: HostInterpreter) -> int:
    """A declaration does not say its line here; the function's is the nearest known."""
    function = interpreter.frame.function if interpreter.frames else None
    return function.span.line if function is not None else 0


for _name in _MAKERS:
    LIBRARY_CLASSES[_name] = _made


def called_name(args: Arguments) -> str:
    """The name that is called as written, qualified; empty for a call of anything else."""
    callee = args.site.callee if args.site is not None else None
    return callee.name if isinstance(callee, Name) else ""


def _construct(args: Arguments) -> Value:
    name = called_name(args) or args.name
    if _is_opencl(name, args.name, args.places):
        made = _MAKERS[args.name](args)
        if made is not None:
            return made
    forget_unknown_call(args.interpreter, args.name, args.places)
    return args.opaque(f"{args.name}() is not part of the program and not modelled")


def _local(args: Arguments) -> Value:
    origin = args.interpreter.origin("local memory", args.line)
    size = args.interpreter.number(args.value(0), "unsigned long") if len(args) == 1 else None
    if size is None:
        return args.opaque()
    return Pointer(Storage("local memory", BufferSpace.LOCAL, size.value, None, origin), ZERO)


def _default(args: Arguments) -> Value:
    name = called_name(args)
    kind = _PLAIN.get(name.rpartition("::")[0].rpartition("::")[2])
    return new_object(kind) if kind is not None else args.opaque()


def list_of(interpreter: HostInterpreter, class_name: str, values: Sequence[Value]) -> Value:
    """A ``std::vector`` of OpenCL objects."""
    places = [Cell("", AUTO, value) for value in values]
    return make_container(
        interpreter, Type("std::vector", (Type(class_name),)), places, class_name, listed=True
    )


def opencl_static(args: Arguments) -> Value | None:
    """``cl::Platform::get(&platforms)``; None for any other function."""
    name = called_name(args)
    if not name.endswith("Platform::get"):
        return None
    target = args.target(0) if len(args) else None
    if target is not None:
        platform = new_object("platform_id")
        is_list = "vector" in target.type.name or isinstance(target.get(), Aggregate)
        args.interpreter.store(
            target, list_of(args.interpreter, "cl::Platform", [platform]) if is_list else platform
        )
    return Scalar(ZERO, "int") if target is not None else OpaqueValue("platforms", "no target")


MODELS: Final = by_name(
    {
        _construct: _MAKERS,
        _local: "Local __local".split(),
        _default: ("getDefault",),
    }
)
