"""Tensors of PyTorch as hosts hand them to kernels: accessors, which have sizes and strides."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.access import array_storage
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.types import class_of, field_type, resolve, sizeof
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar
from roofline_analysis.language.scope import as_number
from roofline_analysis.language.symbols import last_component
from roofline_core.algebra.symbolic import ONE, ZERO, Expr
from roofline_core.program.expressions import Member
from roofline_core.program.types import Type

_ACCESSORS: Final = {
    "packed_accessor": "at::PackedTensorAccessor",
    "packed_accessor32": "at::PackedTensorAccessor32",
    "packed_accessor64": "at::PackedTensorAccessor64",
    "generic_packed_accessor": "at::GenericPackedTensorAccessor",
}
"""The class that each method of a tensor returns an object of."""
_INTEGERS: Final = ("int", "long", "long long", "unsigned int", "unsigned long")
_MOST_DIMENSIONS: Final = 25
"""The most dimensions of a tensor of PyTorch (``MAX_TENSORINFO_DIMS``)."""


def packed_accessor(
    interpreter: HostInterpreter, tensor: OpaqueValue, callee: Member
) -> Aggregate | None:
    """``tensor.packed_accessor64<float, 3>()`` of a tensor of which nothing is known.

    Its sizes are what ``tensor.size(i)`` stands for elsewhere in the host, and its elements lie
    side by side, as those of a tensor do that was not transposed or cut out. What the host does not
    ask for stays open. None for any other method.
    """
    made_as = _ACCESSORS.get(last_component(callee.name))
    if made_as is None or not callee.template_args:
        return None
    type_ = resolve(interpreter, Type(made_as, callee.template_args))
    kinds = [field_type(interpreter, type_, name) for name in ("data_", "sizes_", "strides_")]
    data, sizes, strides = kinds
    if class_of(interpreter, type_) is None or data is None or sizes is None or strides is None:
        return None
    element = data.pointee()
    dimensions = as_number(type_.args[1]) if len(type_.args) > 1 else None
    size_bytes = sizeof(interpreter, element)
    if dimensions is None or not 1 <= dimensions <= _MOST_DIMENSIONS or size_bytes is None:
        return None
    lengths = array_storage(interpreter, "sizes_", sizes)
    steps = array_storage(interpreter, "strides_", strides)
    stride: Expr | None = ONE
    for axis in reversed(range(int(dimensions))):
        size = _size(interpreter, tensor, axis)
        if stride is not None:
            steps.elements[axis] = Scalar(stride, strides.name)
        if size is not None:
            lengths.elements[axis] = Scalar(size.value, sizes.name, size.origin)
        stride = stride * size.value if stride is not None and size is not None else None
    bytes_held = stride * size_bytes if stride is not None else None
    memory = Storage(tensor.name, BufferSpace.DEVICE, bytes_held, element)
    pointer = Pointer(memory, ZERO, element)
    return Aggregate(type_, {"data_": pointer, "sizes_": lengths, "strides_": steps})


def _size(interpreter: HostInterpreter, tensor: OpaqueValue, axis: int) -> Scalar | None:
    """What the host calls the size of an axis; None where it does not ask for it."""
    asked = (interpreter.named.get((f"{tensor.name}.size({axis})", kind)) for kind in _INTEGERS)
    return next((known for known in asked if known is not None), None)
