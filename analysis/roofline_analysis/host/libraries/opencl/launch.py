"""Launches of OpenCL kernels: from an index range and set arguments to a ``LaunchContext``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.launches.contexts import forget_all_written, record
from roofline_analysis.host.launches.launch_forms import Extents, Shape
from roofline_analysis.host.libraries.opencl.handles import assigned_kernel, kernel_behind
from roofline_analysis.host.libraries.opencl.objects import KernelObject
from roofline_analysis.host.state.access import deref, load
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ONE, ZERO, Expr, apply, constant
from roofline_core.program import expressions as ex
from roofline_core.program.types import Type
from roofline_core.program.units import Function

"""The space of local memory that the host sizes as a kernel's argument."""
DEFAULT_WORK_GROUP: Final = 256
"""Work-items of a group where the host leaves the choice to the runtime.

The specification leaves it open (OpenCL API, ``clEnqueueNDRangeKernel``). Runtimes take a size that
divides the range evenly, along x first; 256 is what they prefer on the devices of today.
"""
_RANGE: Final = Type("cl::NDRange")
_MOST_DIMENSIONS: Final = 3
"""CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS of GPUs; another number may be any."""


def launch(
    interpreter: HostInterpreter,
    site: ex.Expression,
    kernel: Value,
    sizes: tuple[Sequence[Expr] | None, Sequence[Expr] | None],
    offset: Sequence[Expr] | None = None,
) -> None:
    """Record the launch of a kernel over ``sizes``: global and local (None: the runtime's)."""
    interpreter.count_launch()
    found = kernel_behind(interpreter, kernel)
    if found is None:
        function = assigned_kernel(interpreter, site)
        functions = (function,) if function is not None else ()
        found = KernelObject("", BufferSpace.HOST, functions=functions, by_name=True)
    function = found.functions[0] if found.functions else None
    if function is not None:
        interpreter.doubt += found.by_name
        try:
            for each in found.functions if found.by_name else (function,):
                _launch(interpreter, site, each, found, sizes, offset)
        finally:
            interpreter.doubt -= found.by_name
    if function is None:
        interpreter.reached.add(id(site))
        interpreter.problem(_missing(kernel, found), site.line)


def _launch(
    interpreter: HostInterpreter,
    site: ex.Expression,
    function: Function,
    kernel: KernelObject,
    sizes: tuple[Sequence[Expr] | None, Sequence[Expr] | None],
    offset: Sequence[Expr] | None,
) -> None:
    if offset is not None and any(part.constant != 0 for part in offset):
        interpreter.problem(
            f"'{function.name}' is launched at an offset; ids are counted from 0", site.line
        )
    global_size, local_size = sizes
    if global_size is None:
        interpreter.problem(f"the global size of '{function.name}' is not known", site.line)
    shape = _shape(interpreter, function, global_size, local_size)
    places, shared = _arguments(function, kernel)
    launch = record(interpreter, site, function, {}, Shape(*shape, shared), places)
    forget_all_written(interpreter, function, places, launch)


def _missing(kernel: Value, found: KernelObject | None) -> str:
    if found is not None and found.name:
        return f"kernel '{found.name}' is in none of the files of this program"
    if isinstance(kernel, OpaqueValue):
        return f"which kernel is launched was not found: {kernel.name}, {kernel.why}"
    return "which kernel is launched was not found"


def _shape(
    interpreter: HostInterpreter,
    function: Function,
    global_size: Sequence[Expr] | None,
    local_size: Sequence[Expr] | None,
) -> tuple[Extents | None, Extents | None]:
    demanded = _demanded(interpreter, function)
    if global_size is None:
        return None, _three(local_size or demanded) if local_size or demanded else None
    whole = _three(global_size)
    block = _three(local_size or demanded or _chosen(global_size))
    grid = [_groups(extent, group) for extent, group in zip(whole, block, strict=True)]
    return (grid[0], grid[1], grid[2]), block


def _three(extents: Sequence[Expr]) -> Extents:
    x, y, z = (*extents, ONE, ONE, ONE)[:3]
    return x, y, z


def _groups(extent: Expr, group: Expr) -> Expr:
    return extent if group == ONE else apply("div", extent + group - 1, group)


def _demanded(interpreter: HostInterpreter, function: Function) -> list[Expr]:
    """The kernel's ``reqd_work_group_size``; empty if it has none."""
    numbers = [interpreter.number(interpreter.eval(extent)) for extent in function.block_shape]
    return [number.value for number in numbers if number is not None]


def _chosen(global_size: Sequence[Expr]) -> list[Expr]:
    """The work-group of a runtime that may choose: see ``DEFAULT_WORK_GROUP``."""
    left = DEFAULT_WORK_GROUP
    chosen = []
    for extent in global_size:
        number = extent.constant
        if number is None:
            size = left
        else:
            most = max(1, min(left, int(number)))
            size = next(n for n in range(most, 0, -1) if int(number) % n == 0)
        chosen.append(constant(size))
        left //= size
    return chosen


def _arguments(function: Function, kernel: KernelObject) -> tuple[list[HostPlace], Expr | None]:
    """The arguments set, and the bytes of local memory among them."""
    shared: Expr | None = ZERO
    places: list[HostPlace] = []
    for position, formal in enumerate(function.params):
        value = kernel.arguments.elements.get(position)
        if value is None:
            name = formal.name or f"argument {position}"
            value = OpaqueValue(
                name, f"argument {position} is not set where the program is followed"
            )
        places.append(Cell("", AUTO, value))
        if isinstance(value, Pointer) and value.buffer is not None:
            if value.buffer.space is BufferSpace.LOCAL:
                size = value.buffer.size_bytes
                shared = shared + size if shared is not None and size is not None else None
    return places, shared


def sizes_at(
    interpreter: HostInterpreter, sizes: Value, dimensions: int | float | None
) -> list[Expr] | None:
    """The ``dimensions`` numbers that a pointer leads to; None for a null pointer."""
    if isinstance(sizes, Pointer) and sizes.buffer is None:
        return None
    if isinstance(sizes, Scalar):
        return None
    found = []
    for position in range(min(int(dimensions or 1), _MOST_DIMENSIONS)):
        number = interpreter.number(
            load(interpreter, deref(interpreter, sizes, integer(position))), "unsigned long"
        )
        if number is None:
            return None
        found.append(number.value)
    return found


def make_range(interpreter: HostInterpreter, args: Sequence[Value]) -> Value:
    """A ``cl::NDRange`` of these extents; without any it is the null range."""
    fields: dict[str, Value] = {}
    for axis, value in zip("xyz", args, strict=False):
        number = interpreter.number(value, "unsigned long")
        if number is not None:
            fields[axis] = Scalar(number.value, "unsigned long", number.origin)
    return Aggregate(_RANGE, fields)


def range_sizes(interpreter: HostInterpreter, value: Value | None) -> list[Expr] | None:
    """The extents of an ``NDRange`` or of a number that becomes one; None for the null range."""
    if isinstance(value, Aggregate) and "NDRange" in value.type.name:
        numbers = [
            interpreter.number(value.fields.get(axis)) for axis in "xyz" if axis in value.fields
        ]
        return [number.value for number in numbers if number is not None] or None
    if isinstance(value, Scalar):
        return [value.value]
    if isinstance(value, Aggregate):
        numbers = [interpreter.number(item, "unsigned long") for item in value.fields.values()]
        return [number.value for number in numbers if number is not None] or None
    return None


def is_range(value: Value | None) -> bool:
    """Whether a value is an ``NDRange`` or the name of the null one."""
    if isinstance(value, OpaqueValue):
        return value.name.endswith("NullRange")
    return isinstance(value, Scalar) or (
        isinstance(value, Aggregate) and ("NDRange" in value.type.name)
    )
