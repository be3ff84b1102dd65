"""Models of the CUDA and HIP runtimes' host functions."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.c import copy_contents, copy_members
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name
from roofline_analysis.host.state.array_samples import draws_of
from roofline_analysis.host.state.constants import DEVICE_ATTRIBUTES
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import (
    Aggregate,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_core.algebra.symbolic import ZERO, Expr, apply
from roofline_core.program.types import Type

_ALLOCATORS = {
    BufferSpace.DEVICE: "Malloc MallocAsync MallocFromPoolAsync ExtMallocWithFlags MemAlloc",
    BufferSpace.PINNED: "MallocHost HostAlloc HostMalloc MemAllocHost MemHostAlloc",
    BufferSpace.MANAGED: "MallocManaged MemAllocManaged",
}
_SPACES = {name: space for space, names in _ALLOCATORS.items() for name in names.split()}


def _both(*names: str) -> list[str]:
    return [prefix + name for name in names for prefix in ("cuda", "hip")]


def _drivers(*names: str) -> list[str]:
    """Functions of CUDA's driver and of HIP, which has no other."""
    return [
        prefix + name + version
        for name in names
        for prefix, version in (("cu", ""), ("cu", "_v2"), ("hip", ""))
    ]


def _allocate(args: Arguments) -> Value:
    bare = re.sub(r"^(?:cuda|cu|hip)|_v2$", "", args.name)
    space = _SPACES.get(bare, BufferSpace.DEVICE)
    _give(args, 0, args.expr(1), space)
    return SUCCESS


def _give(args: Arguments, position: int, size: Expr, space: BufferSpace) -> None:
    """Store the address of a new buffer through a pointer argument."""
    interpreter = args.interpreter
    place = args.target(position)
    known = place.type.pointers or place.type.dims
    pointee = place.type.pointee() if known else Type("void")
    origin = interpreter.origin(args.name, args.line)
    # An array of rows is one of what these have.
    element = Type(pointee.name, pointee.args, pointee.pointers) if pointee.dims else pointee
    storage = Storage(place.name, space, size, element, origin)
    interpreter.store(place, Pointer(storage, ZERO, pointee, origin))


def _allocate_pitched(args: Arguments) -> Value:
    # Rows start at multiples of 512 bytes on the devices of today.
    pitch = apply("div", args.expr(2) + 511, 512) * 512
    _give(args, 0, pitch * args.expr(3), BufferSpace.DEVICE)
    args.interpreter.store(args.target(1), Scalar(pitch, "unsigned long"))
    return SUCCESS


def _register(args: Arguments) -> Value:
    """``cudaHostRegister(memory, ...)``: memory of the host is page-locked from here on."""
    storage = args.storage(0)
    if storage is not None and storage.space is BufferSpace.HOST:
        storage.space = BufferSpace.PINNED
    return SUCCESS


def _device_pointer(args: Arguments) -> Value:
    place = args.target(0)
    args.interpreter.store(place, args.value(1))
    return SUCCESS


def _symbol_address(args: Arguments) -> Value:
    args.interpreter.store(args.target(0), args.value(1))
    return SUCCESS


def _copy(args: Arguments) -> Value:
    copy_contents(args, 0, 1)
    return SUCCESS


def _copy_to_symbol(args: Arguments) -> Value:
    target = args.places[0] if args.places else None
    if isinstance(target, HostPlace) and target.name:
        args.interpreter.copied_symbols |= {target.name}
        held = target.get()
        source = args.storage(1)
        if isinstance(held, Storage) and source is not None and source.place is None:
            args.interpreter.forget_contents(held)
            held.elements.update(source.elements)
            held.fill, held.draws = source.fill, draws_of(args.interpreter, source)
            copy_members(args.interpreter, held, source)
        elif isinstance(held, Storage):
            args.interpreter.forget_contents(held)
        elif source is not None:
            value = args.target(1).get()
            args.interpreter.store(target, value)
        else:
            why = "it is copied from memory of which nothing is known"
            args.interpreter.store(target, OpaqueValue(target.name, why, target.type))
    return SUCCESS


def _copy_unknown(args: Arguments) -> Value:
    storage = args.storage(0)
    if storage is not None:
        if storage.place is not None and isinstance(storage.place.get(), Scalar):
            why = "it is copied from the device"
            args.interpreter.store(storage.place, args.unknown(why, "int"))
        else:
            args.interpreter.forget_contents(storage)
    return SUCCESS


def _set(args: Arguments) -> Value:
    storage = args.storage(0)
    if storage is not None and storage.place is None:
        args.interpreter.forget_contents(storage)
        if args.name.endswith(("Memset", "MemsetAsync")) and args.constant(1) == 0:
            storage.fill = integer(0)
    return SUCCESS


def _set_elements(args: Arguments) -> Value:
    storage = args.storage(0)
    if storage is not None and storage.place is None:
        args.interpreter.forget_contents(storage)
        value = args.constant(1)
        if value == 0 or ("D32" in args.name and value is not None):
            storage.fill = integer(int(value))
    return SUCCESS


def _properties(args: Arguments) -> Value:
    interpreter = args.interpreter
    fields: dict[str, Value] = {}
    for name, number in interpreter.options.device_properties.items():
        fields[name] = integer(
            number, "int", interpreter.origin(f"device property {name}", args.line)
        )
    fields["name"] = fields["gcnArchName"] = Text("GPU")
    for name, extents in (
        ("maxGridSize", (2**31 - 1, 65535, 65535)),
        ("maxThreadsDim", (1024, 1024, 64)),
    ):
        limits = Storage(name, BufferSpace.HOST, None, Type("int"))
        limits.elements.update({i: integer(extent) for i, extent in enumerate(extents)})
        fields[name] = limits
    interpreter.store(args.target(0), Aggregate(Type("cudaDeviceProp"), fields))
    return SUCCESS


def _device_count(args: Arguments) -> Value:
    args.interpreter.store(args.target(0), integer(args.interpreter.options.device_count))
    return SUCCESS


def _device(args: Arguments) -> Value:
    args.interpreter.store(args.target(0), integer(0 if args.name.endswith("GetDevice") else 12000))
    return SUCCESS


def _no_other_device(args: Arguments) -> Value:
    args.interpreter.store(args.target(0), integer(0))
    return SUCCESS


def _total_memory(args: Arguments) -> Value:
    total = args.interpreter.options.device_properties.get("totalGlobalMem", 8 << 30)
    args.interpreter.store(args.target(0), integer(total, "unsigned long"))
    return SUCCESS


def _memory_info(args: Arguments) -> Value:
    total = args.interpreter.options.device_properties.get("totalGlobalMem", 8 << 30)
    for position in (0, 1):
        args.interpreter.store(args.target(position), integer(total, "unsigned long"))
    return SUCCESS


def _attribute(args: Arguments) -> Value:
    code = args.constant(1)
    name = DEVICE_ATTRIBUTES.get(int(code)) if code is not None else None
    found = args.interpreter.options.device_properties.get(name) if name is not None else None
    if found is not None:
        args.interpreter.store(args.target(0), integer(found))
    else:
        args.interpreter.store(args.target(0), args.unknown("a device attribute", "int", 1))
    return SUCCESS


def _active_blocks(args: Arguments) -> Value:
    properties = args.interpreter.options.device_properties
    threads = args.constant(2)
    fits = properties.get("maxThreadsPerMultiProcessor", 1536) // max(int(threads or 256), 1)
    blocks = max(1, min(fits, properties.get("maxBlocksPerMultiProcessor", 16)))
    # Registers may allow fewer; how many a kernel takes is not known here.
    origin = args.interpreter.origin("active blocks per multiprocessor", args.line)
    args.interpreter.store(args.target(0), integer(blocks, "int", origin))
    return SUCCESS


def _potential_block(args: Arguments) -> Value:
    properties = args.interpreter.options.device_properties
    limit = args.constant(4) or 0
    per_sm = properties.get("maxThreadsPerMultiProcessor", 1536)
    block = min(properties.get("maxThreadsPerBlock", 1024), int(limit) or 1 << 20)
    warp = properties.get("warpSize", 32)
    while block > warp and per_sm % block:
        block -= warp
    origin = args.interpreter.origin("occupancy of the device", args.line)
    blocks = properties.get("multiProcessorCount", 1) * max(1, per_sm // block)
    args.interpreter.store(args.target(0), integer(blocks, "int", origin))
    args.interpreter.store(args.target(1), integer(block, "int", origin))
    return SUCCESS


def _elapsed(args: Arguments) -> Value:
    args.interpreter.store(
        args.target(0), args.unknown("it depends on the time of the run", "float", 1.0)
    )
    return SUCCESS


def _error_text(args: Arguments) -> Value:
    return Text("no error")


def _extent(args: Arguments) -> Value:
    names = ("width", "height", "depth", "ysize")
    return Aggregate(
        Type("cudaExtent"), {n: args.value(i) for i, n in enumerate(names) if i < len(args)}
    )


def runtime_call(args: Arguments) -> Value | None:
    """The result of a runtime function without a model of its own; None for other functions."""
    name = args.name
    if not name.startswith(("cuda", "hip", "cu", "nvtx")):
        return None
    for prefix in ("cuda", "hip"):
        if name.startswith(prefix) and name[len(prefix) : len(prefix) + 1].isupper():
            for place in args.places:
                held = place.get()
                if isinstance(held, Pointer) and isinstance(held.buffer, Storage):
                    _touch(args, held.buffer)
            return SUCCESS
    if name.startswith(("cufft", "cublas", "curand", "cusparse", "cusolver", "cudnn", "nvtx")):
        for place in args.places:
            held = place.get()
            if isinstance(held, Pointer) and isinstance(held.buffer, Storage):
                args.interpreter.forget_contents(held.buffer)
        return SUCCESS
    return None


def _touch(args: Arguments, storage: Storage) -> None:
    if storage.place is None or not args.name.endswith(("Create", "CreateWithFlags")):
        return
    if storage.place.get() is None:
        handle = Storage(storage.place.name, BufferSpace.HOST, None, Type("void"))
        args.interpreter.store(storage.place, Pointer(handle, ZERO, Type("void")))


MODELS: Final = by_name(
    {
        _allocate: (
            *_both(*_SPACES),
            *_drivers(*(name for name in _SPACES if name.startswith("Mem"))),
        ),
        _allocate_pitched: (*_both("MallocPitch"), *_drivers("MemAllocPitch")),
        _register: (*_both("HostRegister"), *_drivers("MemHostRegister")),
        _device_pointer: (*_both("HostGetDevicePointer"), *_drivers("MemHostGetDevicePointer")),
        _symbol_address: _both("GetSymbolAddress"),
        _copy: (
            *_both("Memcpy", "MemcpyAsync"),
            "hipMemcpyWithStream",
            *_drivers("MemcpyHtoD", "MemcpyHtoDAsync", "MemcpyDtoH", "MemcpyDtoHAsync"),
            *_drivers("MemcpyDtoD", "MemcpyDtoDAsync", "Memcpy", "MemcpyAsync"),
        ),
        _copy_to_symbol: _both("MemcpyToSymbol", "MemcpyToSymbolAsync"),
        _copy_unknown: _both(
            "MemcpyFromSymbol", "Memcpy2D", "Memcpy2DAsync", "Memcpy3D", "MemcpyPeer"
        ),
        _set: _both("Memset", "MemsetAsync", "Memset2D"),
        _set_elements: (
            *_drivers("MemsetD8", "MemsetD8Async", "MemsetD16", "MemsetD16Async"),
            *_drivers("MemsetD32", "MemsetD32Async"),
        ),
        _properties: (
            *_both("GetDeviceProperties", "GetDeviceProperties_v2"),
            "hipGetDevicePropertiesR0600",
        ),
        _device_count: (*_both("GetDeviceCount"), "cuDeviceGetCount"),
        _device: _both("GetDevice", "RuntimeGetVersion", "DriverGetVersion"),
        _no_other_device: ("hipDeviceGet", "cuDeviceGet", *_both("DeviceCanAccessPeer")),
        _total_memory: "hipDeviceTotalMem cuDeviceTotalMem cuDeviceTotalMem_v2".split(),
        _memory_info: (*_both("MemGetInfo"), "cuMemGetInfo", "cuMemGetInfo_v2"),
        _attribute: (*_both("DeviceGetAttribute"), "cuDeviceGetAttribute"),
        _active_blocks: (
            *_both("OccupancyMaxActiveBlocksPerMultiprocessor"),
            *_both("OccupancyMaxActiveBlocksPerMultiprocessorWithFlags"),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
            "hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        ),
        _potential_block: (
            *_both("OccupancyMaxPotentialBlockSize", "OccupancyMaxPotentialBlockSizeVariableSMem"),
            "hipModuleOccupancyMaxPotentialBlockSize",
            "cuOccupancyMaxPotentialBlockSize",
            "hipModuleOccupancyMaxPotentialBlockSizeWithFlags",
        ),
        _elapsed: _both("EventElapsedTime"),
        _error_text: _both("GetErrorString", "GetErrorName"),
        _extent: (f"make_{name}" for name in _both("Extent", "PitchedPtr", "Pos")),
    }
)
