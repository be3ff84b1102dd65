"""HIP's functions that tell a thread where it is: in the grid, the block and the wavefront."""

from __future__ import annotations

from typing import Final

from roofline_analysis.device.functions import mathematics as maths
from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.thread_groups import linear_thread
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    Value,
    number,
)
from roofline_analysis.regions.kernel_summary import Work
from roofline_core.algebra.symbolic import Expr, apply, from_atom
from roofline_core.program.expressions import Call


def index_value(expr: Expr) -> Handler:
    """A handler that gives an index, or a dimension, of the launch."""

    def handler(
        interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The index, whatever the arguments; reading it costs nothing."""
        return Value("unsigned int", expr, 0)

    return handler


def index_by_axis(name: str) -> Handler:
    """``__ockl_get_local_id(0)`` and its kin: the axis is the argument."""

    def handler(
        interpreter: DeviceInterpreter, called: str, args: list[DeviceValue], node: Call
    ) -> DeviceValue | None:
        """The index along axis 0, 1 or 2; None for an axis that is not constant."""
        axis = args[0].constant if args and isinstance(args[0], Value) else None
        if axis not in (0, 1, 2):
            return None
        return Value("unsigned long", OF_AXIS[name]["xyz"[int(axis)]], 0)

    return handler


def _of_axis(axis: str) -> dict[str, Expr]:
    thread, block = (from_atom(THREAD[f"{name}.{axis}"]) for name in ("threadIdx", "blockIdx"))
    size, blocks = (from_atom(LAUNCH[f"{name}.{axis}"]) for name in ("blockDim", "gridDim"))
    return {
        "local_id": thread,
        "group_id": block,
        "local_size": size,
        "num_groups": blocks,
        "global_id": block * size + thread,
        "global_size": blocks * size,
    }


_AXES: Final = {axis: _of_axis(axis) for axis in "xyz"}
OF_AXIS: Final = {
    name: {axis: values[name] for axis, values in _AXES.items()} for name in _AXES["x"]
}
"""The launch's indices and dimensions by HIP's name of each, and by axis."""
AMDGCN_INDICES: Final = {
    "workitem_id": "local_id",
    "workgroup_id": "group_id",
    "workgroup_size": "local_size",
    "grid_size": "global_size",
}
"""The names of ``__builtin_amdgcn_*`` and those that ``OF_AXIS`` has for them."""


def lane_index(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The thread's place in its wavefront."""
    interpreter.costs.charge(Work.INT, 1.0, 0)
    return Value("unsigned int", apply("mod", linear_thread(), interpreter.warp_size), 0)


def lanes_below(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """``mbcnt``: how many of a mask's lanes lie below; all of them, for a mask of ones."""
    mask = args[0] if args else None
    if isinstance(mask, Value) and mask.constant in (-1, 2**32 - 1, 2**64 - 1):
        return lane_index(interpreter, name, args, node)
    return maths.bit_function(interpreter, name, args, node)


def wavefront_size(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    """The threads of a wavefront on the GPU that was chosen."""
    return number(interpreter.warp_size, "int")
