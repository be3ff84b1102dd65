"""Objects of the runtime by their fields: those of launches, and descriptors of textures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.host.values import Aggregate, Scalar, Value
from roofline_core.program.types import Type

_CONFIG: Final = ("gridDim", "blockDim", "dynamicSmemBytes", "stream", "attrs", "numAttrs")
_CUDA_NODE: Final = ("func", "gridDim", "blockDim", "sharedMemBytes", "kernelParams", "extra")
_HIP_NODE: Final = ("blockDim", "extra", "func", "gridDim", "kernelParams", "sharedMemBytes")
_CHANNELS: Final = ("x", "y", "z", "w", "f")
_RESOURCE: Final = ("resType", "res")
_AXES: Final = tuple(f"{what}Dim{axis}" for what in ("grid", "block") for axis in "XYZ")

LAYOUTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cudaLaunchConfig_t": _CONFIG,
    "cudaLaunchConfig_st": _CONFIG,
    "hipLaunchConfig_t": _CONFIG,
    "CUlaunchConfig": (*_AXES, "sharedMemBytes", "hStream", "attrs", "numAttrs"),
    "cudaKernelNodeParams": _CUDA_NODE,
    "cudaKernelNodeParamsV2": _CUDA_NODE,
    "hipKernelNodeParams": _HIP_NODE,
    "CUDA_KERNEL_NODE_PARAMS": ("func", *_AXES, "sharedMemBytes", "kernelParams", "extra"),
    "CUDA_KERNEL_NODE_PARAMS_v1": ("func", *_AXES, "sharedMemBytes", "kernelParams", "extra"),
    "cudaGraphNodeParams": ("type",),
    "hipGraphNodeParams": ("type",),
    "cudaChannelFormatDesc": _CHANNELS,
    "hipChannelFormatDesc": _CHANNELS,
    "cudaResourceDesc": _RESOURCE,
    "hipResourceDesc": _RESOURCE,
}
"""Fields in order, from the headers driver_types.h, cuda.h and hip_runtime_api.h."""
_NESTED: Final = frozenset(("cudaGraphNodeParams", "hipGraphNodeParams"))
_RESOURCES: Final = ("array", "mipmap", "linear", "pitch2D")
"""What memory a resource can be: the members of its union ``res``."""


def launch_object(type: Type, values: Sequence[Value]) -> Aggregate | None:
    """Such an object made from values in order; None for any other type.

    A zero for a field that holds an object clears it, as ``= {0}`` does.
    """
    names = LAYOUTS.get(type.name)
    if names is None or type.pointers:
        return None
    made = Aggregate(type)
    for name, value in zip(names, values, strict=False):
        if not (name.endswith("Dim") and isinstance(value, Scalar) and value.value.constant == 0):
            made.fields[name] = value
    if type.name in _NESTED:
        made.fields["kernel"] = Aggregate(Type("cudaKernelNodeParamsV2"))
    if names == _RESOURCE:
        made.fields["res"] = _resource()
    return made


def _resource() -> Aggregate:
    """The union ``res`` of a resource descriptor, whose members are kept apart."""
    parts: dict[str, Value] = {
        name: Aggregate(Type(name), {"desc": Aggregate(Type("cudaChannelFormatDesc"))})
        for name in _RESOURCES
    }
    return Aggregate(Type("res"), parts)
