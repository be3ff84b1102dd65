"""Methods of the classes of OpenCL's C++ bindings, and calls of kernel functors."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.opencl.c import argument_value, forget_target, put
from roofline_analysis.host.libraries.opencl.cpp import list_of
from roofline_analysis.host.libraries.opencl.info import device_number, device_text, kernel_number
from roofline_analysis.host.libraries.opencl.launch import is_range, launch, range_sizes
from roofline_analysis.host.libraries.opencl.objects import (
    KernelObject,
    all_kernels,
    kernel_of,
    new_object,
    object_of,
    set_argument,
)
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace, Storage
from roofline_analysis.host.state.names import template_arguments
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Aggregate, Pointer, Text, Value
from roofline_analysis.language.opencl_headers import PLATFORM_TEXTS
from roofline_core.algebra.symbolic import ONE, ZERO, Expr
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type


def opencl_method(
    interpreter: HostInterpreter,
    base: Value,
    callee: ex.Member,
    places: Sequence[HostPlace],
    node: ex.Call,
) -> HostPlace | None:
    """A method call on an OpenCL object; None where it is none."""
    args = Arguments(interpreter, callee.name, places, node.line, callee.template_args)
    args.site = node
    name = callee.name
    if name == "enqueueNDRangeKernel" and len(args) > 2:
        sizes = [
            range_sizes(interpreter, args.value(i)) if len(args) > i else None for i in (1, 2, 3)
        ]
        launch(interpreter, node, args.value(0), (sizes[1], sizes[2]), sizes[0])
    elif name == "enqueueTask" and len(args):
        launch(interpreter, node, args.value(0), ([ONE], [ONE]))
    else:
        made = object_of(base)
        if made is None:
            return None
        if isinstance(made, KernelObject):
            return Cell("", AUTO, _kernel_method(args, made, base))
        return Cell("", AUTO, _METHODS.get(made.kind, _other_method)(args, base))
    return Cell("", AUTO, integer(0))


def _kernel_method(args: Arguments, kernel: KernelObject, base: Value) -> Value:
    interpreter, name = args.interpreter, args.name
    if name == "setArg" and len(args) > 1:
        position = args.constant(0)
        if position is not None:
            last = len(args) == 3
            value = argument_value(args, args.value(2), args.expr(1)) if last else args.value(1)
            set_argument(interpreter, kernel, int(position), value)
        return integer(0)
    if name == "setArgs":
        for position in range(len(args)):
            set_argument(interpreter, kernel, position, args.value(position))
        return integer(0)
    if name == "getWorkGroupInfo":
        found = kernel_number(interpreter, _query(args))
        return found if found is not None else args.unknown("a property of the device", "int", 1)
    if name in ("get", "clone"):
        return base
    if name == "bind":
        ranges = [args.value(i) for i in range(len(args)) if is_range(args.value(i))]
        fields = dict(zip(("global", "local"), ranges[-2:], strict=False))
        return Aggregate(Type("cl::EnqueueArgs"), {"kernel": base, **fields})
    return integer(0) if name.startswith("set") else args.opaque()


def _query(args: Arguments) -> int:
    """The code that ``getInfo<CODE>()`` or ``getInfo(CODE, &value)`` asks for; -1 if unknown."""
    given = template_arguments(args.interpreter, args.template_args)
    code: object = None
    if given and isinstance(given[0], Expr):
        code = given[0].constant
    elif len(args) > 1:
        code = args.constant(0)
    return int(code) if isinstance(code, int | float) else -1


def _answered(args: Arguments, found: Value | None) -> Value:
    if found is None:
        found = args.opaque("a property of the device")
    if not args.template_args and len(args) > 1:
        put(args, 1, found)
        return integer(0)
    return found


def _device_method(args: Arguments, base: Value) -> Value:
    if args.name != "getInfo":
        return _other_method(args, base)
    code = _query(args)
    if code == 0x1005:
        extents = [integer(extent, "unsigned long") for extent in (1024, 1024, 64)]
        return _answered(args, list_of(args.interpreter, "unsigned long", extents))
    return _answered(args, device_number(args.interpreter, code) or device_text(code))


def _platform_method(args: Arguments, base: Value) -> Value:
    if args.name == "getDevices":
        put(args, 1, list_of(args.interpreter, "cl::Device", [new_object("device_id")]))
        return integer(0)
    if args.name == "getInfo":
        text = PLATFORM_TEXTS.get(_query(args))
        return _answered(args, Text(text) if text is not None else None)
    return _other_method(args, base)


def _context_method(args: Arguments, base: Value) -> Value:
    if args.name == "getInfo" and _query(args) in (0x1081, 0x1163):
        return _answered(args, list_of(args.interpreter, "cl::Device", [new_object("device_id")]))
    return _other_method(args, base)


def _program_method(args: Arguments, base: Value) -> Value:
    if args.name == "createKernels":
        put(
            args,
            0,
            list_of(args.interpreter, "cl::Kernel", all_kernels(args.interpreter, base, args.line)),
        )
        return integer(0)
    if args.name in ("getBuildInfo", "getInfo"):
        return _context_method(args, base) if args.name == "getInfo" else args.opaque()
    return integer(0)


def _queue_method(args: Arguments, base: Value) -> Value:
    name = args.name
    if name in ("enqueueReadBuffer", "enqueueReadImage"):
        forget_target(args, args.value(4 if name.endswith("Buffer") else 6))
    elif name in ("enqueueMapBuffer", "enqueueMapImage"):
        size = args.expr(4) if name.endswith("Buffer") else None
        origin = args.interpreter.origin(name, args.line)
        return Pointer(
            Storage("", BufferSpace.HOST, size, None, origin), ZERO, Type("void"), origin
        )
    elif name == "getInfo":
        return new_object("device_id" if _query(args) == 0x1091 else "context")
    return integer(0)


def _other_method(args: Arguments, base: Value) -> Value:
    if args.name == "get":
        return base
    return args.opaque("it depends on the run") if args.name.startswith("get") else integer(0)


_METHODS = {
    "device_id": _device_method,
    "platform_id": _platform_method,
    "context": _context_method,
    "program": _program_method,
    "command_queue": _queue_method,
}


def opencl_functor(
    interpreter: HostInterpreter, value: Value, args: Sequence[HostPlace], node: ex.Call | None
) -> HostPlace | None:
    """A call of an OpenCL object: a kernel functor's launch, or ``object()``; None for others."""
    if isinstance(value, Aggregate) and value.type.name == "cl::EnqueueArgs":
        return _launched(interpreter, value.fields.get("kernel"), value, args, node)
    made = object_of(value)
    if made is None:
        is_memory = isinstance(value, Pointer) and value.buffer is not None and not args
        return Cell("", AUTO, value) if is_memory else None
    kernel = kernel_of(interpreter, value)
    if kernel is None or not args:
        return Cell("", AUTO, value)
    return _launched(interpreter, value, rvalue(interpreter, args[0]), args[1:], node)


def _launched(
    interpreter: HostInterpreter,
    kernel: Value | None,
    enqueued: Value,
    args: Sequence[HostPlace],
    node: ex.Expression | None,
) -> HostPlace:
    found = kernel_of(interpreter, kernel)
    if found is not None and kernel is not None and isinstance(enqueued, Aggregate):
        for position, place in enumerate(args):
            set_argument(interpreter, found, position, rvalue(interpreter, place))
        held = interpreter.parsed_options.get(f"site {id(enqueued)}")
        site = held[1] if held is not None and held[0] is enqueued else node
        sizes = [
            range_sizes(interpreter, enqueued.fields.get(n)) for n in ("offset", "global", "local")
        ]
        if site is not None:
            launch(interpreter, site, kernel, (sizes[1], sizes[2]), sizes[0])
    return Cell("", AUTO, new_object("event"))
