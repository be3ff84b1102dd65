"""OpenCL's work-item functions in terms of a launch's indices and dimensions.

A work-group is a block, a work-item a thread, a sub-group a warp. Global offsets are taken as zero,
and every work-group as full; that the machine code adds the offsets all the same is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.values import LAUNCH, THREAD, DeviceValue, Value, number
from roofline_core.algebra.symbolic import Expr, apply, from_atom
from roofline_core.program.expressions import Call
from roofline_core.program.types import Type

_SIZE_T: Final = "unsigned long"
_UINT: Final = "unsigned int"
_Part = Callable[[DeviceInterpreter, int], Value]
"""An index or an extent in a dimension."""


def _local_id(interpreter: DeviceInterpreter, axis: int) -> Value:
    return Value(_UINT, from_atom(THREAD[f"threadIdx.{'xyz'[axis]}"]))


def _block(interpreter: DeviceInterpreter, axis: int) -> Value:
    return Value(_UINT, from_atom(THREAD[f"blockIdx.{'xyz'[axis]}"]))


def _group_id(interpreter: DeviceInterpreter, axis: int) -> Value:
    block = _block(interpreter, axis)
    return Value(block.type, block.expr, 0, ("offset", (block,)))


def _groups(interpreter: DeviceInterpreter, axis: int) -> Value:
    return Value(_UINT, from_atom(LAUNCH[f"gridDim.{'xyz'[axis]}"]))


def _local_size(interpreter: DeviceInterpreter, axis: int) -> Value:
    """The block's extent: a constant where the kernel demands one."""
    shape = interpreter.kernel.block_shape
    if axis < len(shape):
        demanded = interpreter.parts.constant_of(interpreter, shape[axis])
        if demanded is not None:
            return number(demanded, _UINT)
    return Value(_UINT, from_atom(LAUNCH[f"blockDim.{'xyz'[axis]}"]))


def _number(value: Value) -> Expr:
    assert value.expr is not None
    return value.expr


def _global_id(interpreter: DeviceInterpreter, axis: int) -> Value:
    local, group, size = (f(interpreter, axis) for f in (_local_id, _block, _local_size))
    expr = _number(group) * _number(size) + _number(local)
    return Value(_UINT, expr, 0, ("offset id", (group, size, local)))


def _global_size(interpreter: DeviceInterpreter, axis: int) -> Value:
    groups, size = _groups(interpreter, axis), _local_size(interpreter, axis)
    return Value(_UINT, _number(groups) * _number(size), 0, ("global id", (groups, size)))


_BY_DIMENSION: Final[Mapping[str, tuple[_Part, int]]] = {
    "get_global_id": (_global_id, 0),
    "get_local_id": (_local_id, 0),
    "get_group_id": (_group_id, 0),
    "get_global_size": (_global_size, 1),
    "get_local_size": (_local_size, 1),
    "get_enqueued_local_size": (_local_size, 1),
    "get_num_groups": (_groups, 1),
    "get_global_offset": (lambda _interpreter, _axis: number(0, _UINT), 0),
}
"""Of each function its value in a dimension, and what it gives beyond the third."""


def _by_dimension(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    value, beyond = _BY_DIMENSION[name]
    known = args[0].constant if args and isinstance(args[0], Value) else None
    if known is None:
        return interpreter.opaque(Type(_SIZE_T), interpreter.costs.loop_bits(), name)
    if not 0 <= known <= 2:
        return number(beyond, _SIZE_T)
    found = value(interpreter, int(known))
    return Value(_SIZE_T, found.expr, 0, found.node)


# -- one number for all dimensions


def _linear(interpreter: DeviceInterpreter, index: _Part, extent: _Part) -> Expr:
    """Indices of three dimensions as one number, x running fastest."""
    result = _number(index(interpreter, 2))
    for axis in (1, 0):
        result = result * _number(extent(interpreter, axis)) + _number(index(interpreter, axis))
    return result


def local_linear_id(interpreter: DeviceInterpreter) -> Expr:
    """The work-item's number within its work-group."""
    return _linear(interpreter, _local_id, _local_size)


def work_group_size(interpreter: DeviceInterpreter) -> Expr:
    """Work-items of a work-group."""
    x, y, z = (_number(_local_size(interpreter, axis)) for axis in range(3))
    return x * y * z


def _sub_groups(interpreter: DeviceInterpreter) -> Expr:
    return apply(
        "div", work_group_size(interpreter) + (interpreter.warp_size - 1), interpreter.warp_size
    )


_WHOLE: Final[Mapping[str, tuple[str, Callable[[DeviceInterpreter], Expr], int]]] = {
    "get_global_linear_id": (
        _SIZE_T,
        lambda interpreter: _linear(interpreter, _global_id, _global_size),
        3,
    ),
    "get_local_linear_id": (_SIZE_T, local_linear_id, 2),
    "get_sub_group_local_id": (
        _UINT,
        lambda interpreter: apply("mod", local_linear_id(interpreter), interpreter.warp_size),
        1,
    ),
    "get_sub_group_id": (
        _UINT,
        lambda interpreter: apply("div", local_linear_id(interpreter), interpreter.warp_size),
        1,
    ),
    "get_num_sub_groups": (_UINT, _sub_groups, 1),
    "get_enqueued_num_sub_groups": (_UINT, _sub_groups, 1),
}
"""Of each function its type, its number and the integer operations it takes."""


def _whole(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    type_, number_of, operations = _WHOLE[name]
    parts = tuple(_local_id(interpreter, axis) for axis in range(operations))
    return Value(type_, number_of(interpreter), 0, ("global id", parts))


def _sub_group_size(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    return number(interpreter.warp_size, _UINT)


def _work_dim(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    return interpreter.opaque(Type(_UINT), 0, name)


INDICES: Final[Mapping[str, Handler]] = {
    **dict.fromkeys(_BY_DIMENSION, _by_dimension),
    **dict.fromkeys(_WHOLE, _whole),
    "get_sub_group_size": _sub_group_size,
    "get_max_sub_group_size": _sub_group_size,
    "get_work_dim": _work_dim,
}
"""OpenCL C 3.0, section 6.15.1."""
