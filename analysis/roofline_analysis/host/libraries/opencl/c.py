"""Models of OpenCL's C interface (``cl.h`` of OpenCL 1.0 to 3.0)."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.opencl.handles import kernel_behind
from roofline_analysis.host.libraries.opencl.images import image_bytes
from roofline_analysis.host.libraries.opencl.launch import launch, sizes_at
from roofline_analysis.host.libraries.opencl.objects import (
    ProgramObject,
    all_kernels,
    handle,
    make_kernel,
    new_object,
    program_of,
    set_argument,
    source_hints,
)
from roofline_analysis.host.state.access import deref, load, rvalue
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name, text_of
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.memory import AUTO, Cell, ElementPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.types import sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ONE, ZERO, Expr
from roofline_core.program.types import Type

_UNKNOWN_OPTIONS: Final = (
    "the kernels are built with options that are put together when the program runs; macros that "
    "only these define are missing"
)


def succeed(args: Arguments, position: int) -> None:
    """Store ``CL_SUCCESS`` through the pointer at a position, if one is passed there."""
    value = args.value(position) if -len(args) <= position < len(args) else None
    if isinstance(value, Pointer) and value.buffer is not None:
        args.interpreter.store(args.target(position), integer(0))


def put(args: Arguments, position: int, value: Value) -> None:
    """Store through the pointer at a position, if one is passed there."""
    held = args.value(position) if position < len(args) else None
    if isinstance(held, Pointer) and held.buffer is not None:
        args.interpreter.store(args.target(position), value)


def is_null(value: Value) -> bool:
    """Whether a value is a null pointer, or the number 0 in the place of one."""
    if isinstance(value, Scalar):
        return value.value.constant == 0
    return isinstance(value, Pointer) and value.buffer is None


# ---- Programs and kernels


def _create_program(args: Arguments) -> Value:
    made = ProgramObject("a program", BufferSpace.HOST, None, Type("_cl_program"), kind="program")
    if args.name == "clCreateProgramWithSource":
        count = args.constant(1)
        made.hints = source_hints(
            args.interpreter, args.value(2), int(count) if count is not None else None
        )
    succeed(args, -1)
    return handle(made)


def _build(args: Arguments) -> Value:
    program = program_of(args.value(0))
    if program is not None and len(args) > 3:
        program.options = args.value(3)
        if not is_null(program.options) and text_of(program.options) is None:
            args.interpreter.problem(_UNKNOWN_OPTIONS, args.line)
    return SUCCESS


def _create_kernel(args: Arguments) -> Value:
    succeed(args, 2)
    return make_kernel(args.interpreter, args.value(0), args.value(1), args.line)


def _clone(args: Arguments) -> Value:
    succeed(args, 1)
    return args.value(0)


def _create_kernels(args: Arguments) -> Value:
    made = all_kernels(args.interpreter, args.value(0), args.line)
    target = args.value(2)
    if isinstance(target, Pointer) and target.buffer is not None:
        for position, kernel in enumerate(made):
            args.interpreter.store(deref(args.interpreter, target, integer(position)), kernel)
    put(args, 3, integer(len(made), "unsigned int"))
    return SUCCESS


def _set_kernel_argument(args: Arguments) -> Value:
    position = args.constant(1)
    kernel = kernel_behind(args.interpreter, args.value(0))
    if kernel is not None and position is not None:
        value = argument_value(args, args.value(3), args.expr(2))
        set_argument(args.interpreter, kernel, int(position), value)
    return SUCCESS


def _set_pointer_argument(args: Arguments) -> Value:
    position = args.constant(1)
    kernel = kernel_behind(args.interpreter, args.value(0))
    if kernel is not None and position is not None:
        set_argument(args.interpreter, kernel, int(position), args.value(2))
    return SUCCESS


def argument_value(args: Arguments, pointer: Value, size: Expr) -> Value:
    """What an argument of ``size`` bytes at ``pointer`` is; local memory for a null pointer."""
    interpreter = args.interpreter
    if is_null(pointer):
        origin = interpreter.origin("local memory", args.line)
        return Pointer(
            Storage("local memory", BufferSpace.LOCAL, size, None, origin), ZERO, None, origin
        )
    place = deref(interpreter, pointer)
    if isinstance(place, ElementPlace) and place.index is not None:
        vector = _vector_in(args, place, size)
        if vector is not None:
            return vector
    return rvalue(interpreter, place)


def _vector_in(args: Arguments, place: ElementPlace, size: Expr) -> Value | None:
    """Several elements of an array that are passed as one vector."""
    element = sizeof(args.interpreter, place.type)
    width = element.constant if element is not None else None
    bytes_ = size.constant
    if width is None or bytes_ is None or not width < bytes_ <= 4 * width:
        return None
    start = place.index or 0
    fields: dict[str, Value] = {}
    for number, axis in enumerate("xyzw"[: int(bytes_ // width)]):
        value = load(args.interpreter, ElementPlace(place.storage, start + number, place.type))
        fields[axis] = value
    return Aggregate(Type(f"{place.type.name}{int(bytes_ // width)}"), fields)


# ---- Launches


def _enqueue(args: Arguments) -> Value:
    interpreter = args.interpreter
    dimensions = args.constant(2)
    sizes = [sizes_at(interpreter, args.value(position), dimensions) for position in (3, 4, 5)]
    if args.site is not None:
        launch(interpreter, args.site, args.value(1), (sizes[1], sizes[2]), sizes[0])
    return SUCCESS


def _enqueue_task(args: Arguments) -> Value:
    if args.site is not None:
        launch(args.interpreter, args.site, args.value(1), ([ONE], [ONE]))
    return SUCCESS


# ---- Memory


def new_buffer(args: Arguments, size: Expr | None, host: Value | None = None) -> Value:
    """A buffer in the device's memory, holding what is known of a host array copied to it."""
    origin = args.interpreter.origin(args.name, args.line)
    storage = Storage("", BufferSpace.DEVICE, size, None, origin)
    if isinstance(host, Pointer) and isinstance(host.buffer, Storage):
        if host.buffer.place is None:
            storage.element = host.buffer.element
    return Pointer(storage, ZERO, Type("void"), origin)


def _create_buffer(args: Arguments) -> Value:
    succeed(args, -1)
    first = len(args) - 5
    return new_buffer(args, args.expr(first + 2), args.value(first + 3))


def _create_sub_buffer(args: Arguments) -> Value:
    succeed(args, 4)
    whole, region = args.value(0), load(args.interpreter, deref(args.interpreter, args.value(3)))
    if isinstance(region, Aggregate) and isinstance(whole, Pointer):
        start, size = (args.interpreter.number(region.fields.get(f)) for f in ("origin", "size"))
        values = list(region.fields.values())
        if start is None and len(values) == 2:
            start, size = (args.interpreter.number(value) for value in values)
        if start is not None and size is not None:
            name = whole.buffer.name if whole.buffer is not None else ""
            storage = Storage(name, BufferSpace.DEVICE, size.value, None, whole.origin)
            return Pointer(storage, ZERO, whole.pointee, whole.origin)
    return whole


def _create_image(args: Arguments) -> Value:
    succeed(args, -1)
    return new_buffer(args, image_bytes(args))


def _shared_memory(args: Arguments) -> Value:
    position = 2 if args.name == "clSVMAlloc" else 3 if "Shared" in args.name else 2
    return new_buffer(args, args.expr(position))


def _map(args: Arguments) -> Value:
    succeed(args, -1)
    origin = args.interpreter.origin(args.name, args.line)
    size = args.expr(5) if args.name.endswith("Buffer") else None
    return Pointer(Storage("", BufferSpace.HOST, size, None, origin), ZERO, Type("void"), origin)


_READS: Final = {
    "clEnqueueReadBuffer": 5, "clEnqueueReadImage": 7, "clEnqueueReadBufferRect": 11,
    "clEnqueueSVMMemcpy": 2,
}  # fmt: skip


def _read(args: Arguments) -> Value:
    forget_target(args, args.value(_READS[args.name]))
    return SUCCESS


def forget_target(args: Arguments, value: Value) -> None:
    """Forget what lies in host memory that the device's results are read to."""
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        if value.buffer.place is not None:
            forget_value(args.interpreter, value.buffer.place, "it is read back from the device")
        else:
            args.interpreter.forget_contents(value.buffer)


# ---- Everything else


def opencl_call(args: Arguments) -> Value | None:
    """The result of an OpenCL function without a model of its own; None for other functions."""
    name = args.name
    if not (name.startswith("cl") and name[2:3].isupper()):
        return None
    if name.startswith("clCreate"):
        succeed(args, -1)
        return new_object(name.removeprefix("clCreate"), args.interpreter.origin(name, args.line))
    if name.startswith("clGet"):
        for place in args.places[2:]:
            _make_unknown(args, place.get())
        return SUCCESS
    if name.startswith("clEnqueue"):
        event = args.value(-1) if args.places else None
        if isinstance(event, Pointer) and event.buffer is not None:
            args.interpreter.store(deref(args.interpreter, event), new_object("event"))
    return SUCCESS


def _make_unknown(args: Arguments, value: Value | None) -> None:
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        target = value.buffer.place
        if target is None:
            args.interpreter.forget_contents(value.buffer)
        elif isinstance(target.get(), Scalar) or target.get() is None:
            name = f"result of {args.name}()"
            kind = target.type.name if not target.type.pointers else "unsigned long"
            why = "it depends on the device or the run"
            if isinstance(target, Cell) and target.type == AUTO:
                kind = "int"
            args.interpreter.store(target, args.interpreter.unknown(name, why, kind, assumed=1))
        else:
            args.interpreter.store(
                target, OpaqueValue(target.name, f"{args.name}() gives it", target.type)
            )


MODELS: Final = by_name(
    {
        _create_program: (
            "clCreateProgramWithSource clCreateProgramWithBinary clCreateProgramWithIL "
            "clCreateProgramWithBuiltInKernels clLinkProgram"
        ).split(),
        _build: "clBuildProgram clCompileProgram".split(),
        _create_kernel: ("clCreateKernel",),
        _clone: ("clCloneKernel",),
        _create_kernels: ("clCreateKernelsInProgram",),
        _set_kernel_argument: ("clSetKernelArg",),
        _set_pointer_argument: "clSetKernelArgSVMPointer clSetKernelArgMemPointerINTEL".split(),
        _enqueue: ("clEnqueueNDRangeKernel",),
        _enqueue_task: ("clEnqueueTask",),
        _create_buffer: "clCreateBuffer clCreateBufferWithProperties".split(),
        _create_sub_buffer: ("clCreateSubBuffer",),
        _create_image: (
            "clCreateImage clCreateImage2D clCreateImage3D clCreateImageWithProperties"
        ).split(),
        _shared_memory: (
            "clSVMAlloc clHostMemAllocINTEL clDeviceMemAllocINTEL clSharedMemAllocINTEL"
        ).split(),
        _map: "clEnqueueMapBuffer clEnqueueMapImage".split(),
        _read: _READS,
    }
)
