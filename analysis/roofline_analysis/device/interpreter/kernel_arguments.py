"""The initial values of a kernel's parameters."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.functions.opencl.images import image_parameter, is_image
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.parameters import parameter
from roofline_analysis.device.values import DeviceValue
from roofline_analysis.regions.kernel_summary import Array, MemorySpace
from roofline_core.program.statements import Variable

_SPACES: Final = {"__shared__": MemorySpace.SHARED, "__constant__": MemorySpace.CONSTANT}
"""The memory of a pointer with this qualifier; global memory without one."""


def required_block(interpreter: DeviceInterpreter) -> tuple[int, int, int] | None:
    """The block of ``reqd_work_group_size``; None without it, and where an extent is not known."""
    shape = [
        interpreter.parts.constant_of(interpreter, extent)
        for extent in interpreter.kernel.block_shape
    ]
    known = [extent for extent in shape if extent is not None and extent > 0]
    if not 1 <= len(known) == len(shape) <= 3:
        return None
    x, y, z = (*known, 1, 1)[:3]
    return x, y, z


def kernel_argument(interpreter: DeviceInterpreter, variable: Variable) -> DeviceValue:
    """A parameter's value: numbers as symbols, pointers as arrays of the memory they point to.

    OpenCL's ``__local`` pointers are shared memory, its ``__constant`` ones memory that no store
    can change.
    """
    type_ = interpreter.types.resolve(variable.type)
    if interpreter.opencl and is_image(type_):
        return image_parameter(interpreter, variable.name)
    if interpreter.opencl and (type_.pointers or type_.dims):
        space = next(
            (space for word, space in _SPACES.items() if word in variable.qualifiers),
            MemorySpace.GLOBAL,
        )
        pointee = type_.pointee()
        read_only = space is MemorySpace.CONSTANT or (type_.const and type_.restrict)
        interpreter.arrays[variable.name] = Array(
            variable.name, space, pointee, read_only, restrict=type_.restrict
        )
    return parameter(interpreter, variable.name, variable.type)
