"""The table of types: spellings of every dialect, sizes, alignments, arithmetic conversions.

The target is LP64 as on x86-64 Linux, which GPUs agree with: CUDA, HIP and OpenCL hand structures
from host to device unchanged. Sizes come from the ABI and from the headers of CUDA 13, ROCm 6 and
OpenCL 3.0; ``tests/analysis/language`` holds them to what compilers say.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from roofline_analysis.language import opencl_types
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.types import MEMBER_POINTER, Type

# ---- Spellings

_SAME_EVERYWHERE: Final[Mapping[str, str]] = {
    "size_t": "unsigned long", "ssize_t": "long", "ptrdiff_t": "long", "intptr_t": "long",
    "uintptr_t": "unsigned long", "off_t": "long", "off64_t": "long", "time_t": "long",
    "clock_t": "long", "intmax_t": "long", "uintmax_t": "unsigned long", "pid_t": "int",
    "int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short",
    "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
    "int64_t": "long", "uint64_t": "unsigned long",
    "int_least8_t": "signed char", "uint_least8_t": "unsigned char", "int_least16_t": "short",
    "uint_least16_t": "unsigned short", "int_least32_t": "int", "uint_least32_t": "unsigned int",
    "int_least64_t": "long", "uint_least64_t": "unsigned long",
    "int_fast8_t": "signed char", "uint_fast8_t": "unsigned char", "int_fast16_t": "long",
    "uint_fast16_t": "unsigned long", "int_fast32_t": "long", "uint_fast32_t": "unsigned long",
    "int_fast64_t": "long", "uint_fast64_t": "unsigned long",
    "__int8_t": "signed char", "__uint8_t": "unsigned char", "__int16_t": "short",
    "__uint16_t": "unsigned short", "__int32_t": "int", "__uint32_t": "unsigned int",
    "__int64_t": "long", "__uint64_t": "unsigned long", "__int64": "long long",
    "u_int8_t": "unsigned char", "u_int16_t": "unsigned short", "u_int32_t": "unsigned int",
    "u_int64_t": "unsigned long", "u_char": "unsigned char", "u_short": "unsigned short",
    "u_int": "unsigned int", "u_long": "unsigned long", "uchar": "unsigned char",
    "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long",
    "ulonglong": "unsigned long long", "longlong": "long long", "unsigned": "unsigned int",
    "signed": "int", "wchar_t": "int", "char8_t": "unsigned char", "char16_t": "unsigned short",
    "char32_t": "unsigned int", "byte": "unsigned char", "__uint128_t": "unsigned __int128",
    "__int128_t": "__int128", "uint128_t": "unsigned __int128", "int128_t": "__int128",
    "nullptr_t": "nullptr", "float32_t": "float", "float64_t": "double", "_Bool": "bool",
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned int", "int64": "long", "uint64": "unsigned long",
}  # fmt: skip
"""Names of the C and C++ headers, and those that libraries give to the same types."""

_NARROW_FLOATS: Final[Mapping[str, str]] = {
    "__half": "half", "half_t": "half", "_Float16": "half", "float16_t": "half", "__fp16": "half",
    "__nv_bfloat16": "bfloat16", "nv_bfloat16": "bfloat16", "__hip_bfloat16": "bfloat16",
    "hip_bfloat16": "bfloat16", "bfloat16_t": "bfloat16", "__bf16": "bfloat16",
    "__nv_bfloat162": "bfloat162", "nv_bfloat162": "bfloat162", "__hip_bfloat162": "bfloat162",
    "__half2": "half2",
}  # fmt: skip

_ENUMS: Final = (
    "cudaError_t cudaError hipError_t cudaMemcpyKind hipMemcpyKind cufftResult cublasStatus_t "
    "cusparseStatus_t curandStatus_t cudaDeviceAttr hipDeviceAttribute_t cudaFuncAttribute "
    "CUresult hipblasStatus_t hipfftResult cufftType cublasOperation_t hipblasOperation_t "
    "cudaDataType cudaDataType_t cudnnStatus_t ncclResult_t cudaFuncCache hipFuncCache_t"
).split()
"""Enumerations of the libraries' C interfaces, which are ``int`` wide."""

_POINTERS: Final = (
    "cudaStream_t cudaEvent_t cudaArray_t cudaMipmappedArray_t cudaGraph_t cudaGraphNode_t "
    "cudaGraphExec_t cudaMemPool_t cublasHandle_t cusparseHandle_t cusparseMatDescr_t "
    "cusolverDnHandle_t cudnnHandle_t curandGenerator_t CUstream CUevent CUcontext CUmodule "
    "CUfunction CUarray hipStream_t hipEvent_t hipArray_t hipblasHandle_t hipsparseHandle_t "
    "hiprandGenerator_t rocblas_handle hipGraph_t hipGraphExec_t hipModule_t hipFunction_t "
    "ncclComm_t hipfftHandle"
).split()
"""Handles that are pointers."""

_LIBRARY_NUMBERS: Final[Mapping[str, str]] = {
    "cufftReal": "float", "cufftDoubleReal": "double", "hipfftReal": "float",
    "hipfftDoubleReal": "double", "cufftHandle": "int",
    "CUdevice": "int", "hipDevice_t": "int", "CUdeviceptr": "unsigned long long",
    "cudaTextureObject_t": "unsigned long long", "cudaSurfaceObject_t": "unsigned long long",
    "hipTextureObject_t": "unsigned long", "hipSurfaceObject_t": "unsigned long",
    **dict.fromkeys(_ENUMS, "int"),
}  # fmt: skip

_OPENCL_HOST: Final[Mapping[str, str]] = {
    "cl_char": "signed char", "cl_uchar": "unsigned char", "cl_short": "short",
    "cl_ushort": "unsigned short", "cl_int": "int", "cl_uint": "unsigned int", "cl_long": "long",
    "cl_ulong": "unsigned long", "cl_half": "unsigned short", "cl_float": "float",
    "cl_double": "double", "cl_context_properties": "long", "cl_device_partition_property": "long",
    **dict.fromkeys(
        (
            "cl_bool cl_channel_order cl_channel_type cl_device_info cl_platform_info "
            "cl_context_info cl_command_queue_info cl_mem_object_type cl_program_info "
            "cl_program_build_info cl_kernel_info cl_kernel_work_group_info cl_profiling_info "
            "cl_event_info cl_map_flags cl_build_status"
        ).split(),
        "unsigned int",
    ),
    **dict.fromkeys(
        (
            "cl_bitfield cl_device_type cl_mem_flags cl_svm_mem_flags cl_command_queue_properties "
            "cl_device_fp_config cl_properties cl_queue_properties"
        ).split(),
        "unsigned long",
    ),
    **{
        f"cl_{spelled}{width}": opencl_types.vector_name(element, width)
        for spelled, element in opencl_types.ELEMENTS.items()
        if element != "half"
        for width in opencl_types.WIDTHS
    },
}  # fmt: skip
"""What the types of ``cl_platform.h`` and ``cl.h`` stand for in host code."""

HANDLES: Final[Mapping[str, Type]] = {
    name: Type(f"_{name}", pointers=1)
    for name in (
        "cl_platform_id cl_device_id cl_context cl_command_queue cl_mem cl_program cl_kernel "
        "cl_event cl_sampler"
    ).split()
}
"""OpenCL's handles: pointers to types that are never defined."""

ALIASES: Final[Mapping[str, str]] = {
    **_SAME_EVERYWHERE,
    **_NARROW_FLOATS,
    **_LIBRARY_NUMBERS,
    **_OPENCL_HOST,
    "string": "std::string",
}
"""Names of scalars and library types, without ``std::``, and the canonical ones they stand for."""

# ---- Sizes


@record(frozen=True, slots=True)
class Extent:
    """The room that an object takes."""

    size_bytes: int
    align_bytes: int


def _scalar(size_bytes: int) -> Extent:
    return Extent(size_bytes, size_bytes)


TYPE_NOT_GIVEN: Final = Type("float")
"""What a type parameter is taken for that no launch and no instantiation fixes."""

SCALARS: Final[Mapping[str, int]] = {
    "bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "long": 8,
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "__int128": 16,
    "unsigned __int128": 16,
    "float": 4,
    "double": 8,
    "long double": 16,
    "half": 2,
    "bfloat16": 2,
    "half2": 4,
    "bfloat162": 4,
    "nullptr": 8,
}
"""Bytes of the scalars by canonical name; each is aligned to its size."""

NARROW_FLOATS: Final[Mapping[str, int]] = {
    **{f"__nv_fp8_{kind}": 1 for kind in ("e4m3", "e5m2", "e8m0")},
    **{f"__nv_fp8x{n}_{kind}": n for kind in ("e4m3", "e5m2", "e8m0") for n in (2, 4)},
    **{f"__nv_fp6_{kind}": 1 for kind in ("e2m3", "e3m2")},
    **{f"__nv_fp6x{n}_{kind}": n for kind in ("e2m3", "e3m2") for n in (2, 4)},
    "__nv_fp4_e2m1": 1,
    "__nv_fp4x2_e2m1": 1,
    "__nv_fp4x4_e2m1": 2,
    "__hip_fp8_e4m3": 1,
    "__hip_fp8_e5m2": 1,
    "__hip_fp8_e4m3_fnuz": 1,
    "__hip_fp8_e5m2_fnuz": 1,
}
"""Bytes of floating-point numbers below 16 bits, and of several in one; no arithmetic has them."""

EXTENTS: Final[Mapping[str, Extent]] = {
    "void": Extent(1, 1),
    **{name: _scalar(size) for name, size in SCALARS.items()},
    **dict.fromkeys(_POINTERS, _scalar(8)),
    **{name: _scalar(size) for name, size in NARROW_FLOATS.items()},
    "dim3": Extent(12, 4),
    "cudaExtent": Extent(24, 8),
    "hipExtent": Extent(24, 8),
    "cudaPos": Extent(24, 8),
    "hipPos": Extent(24, 8),
    "cudaPitchedPtr": Extent(32, 8),
    "hipPitchedPtr": Extent(32, 8),
    "curandStateMRG32k3a_t": Extent(48, 8),
    "curandStateMRG32k3a": Extent(48, 8),
    "curandStateMtgp32": Extent(4112, 8),
    "curandStateMtgp32_t": Extent(4112, 8),
    "curandStateSobol32_t": Extent(140, 4),
    "curandStateScrambledSobol32_t": Extent(140, 4),
    "curandStateSobol64_t": Extent(536, 8),
    "curandStateScrambledSobol64_t": Extent(536, 8),
    "timeval": Extent(16, 8),
    "timespec": Extent(16, 8),
    MEMBER_POINTER: Extent(8, 8),
}
"""Types that need no definition, by canonical name."""
METHOD_POINTER: Final = Extent(16, 8)
"""Of a pointer to a method: its address, or its place in a table, and what to add to ``this``.

https://itanium-cxx-abi.github.io/cxx-abi/abi.html#member-function-pointers
"""

_RANKS: Final[Mapping[str, int]] = {
    "bool": 0,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 3,
    "unsigned int": 4,
    "long": 5,
    "unsigned long": 6,
    "long long": 7,
    "unsigned long long": 8,
    "__int128": 9,
    "unsigned __int128": 10,
}
_FLOATS: Final[Mapping[str, int]] = {
    "half": 1,
    "bfloat16": 1,
    "float": 2,
    "double": 3,
    "long double": 4,
}

# ---- Vectors

_VECTOR: Final = re.compile(
    r"(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double|half)([1-4])"
    r"(?:_(16a|32a))?$"
)
_VECTOR_ELEMENTS: Final[Mapping[str, str]] = {
    "char": "signed char",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}
_COMPLEX: Final[Mapping[str, str]] = {
    "cuComplex": "float",
    "cuFloatComplex": "float",
    "cuDoubleComplex": "double",
    "cufftComplex": "float",
    "cufftDoubleComplex": "double",
    "hipComplex": "float",
    "hipFloatComplex": "float",
    "hipDoubleComplex": "double",
    "hipfftComplex": "float",
    "hipfftDoubleComplex": "double",
    "rocblas_float_complex": "float",
    "rocblas_double_complex": "double",
}


def without_std(name: str) -> str:
    """The name without a leading ``::``, ``std::`` or ``cuda::std::``."""
    return name.removeprefix("::").removeprefix("cuda::").removeprefix("std::")


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The scalar or library type that a well-known name stands for, else the name itself."""
    bare = name.removeprefix("::")
    found = ALIASES.get(bare)
    if found is not None:
        return found
    short = without_std(bare)
    if short != bare and (short in ALIASES or short in EXTENTS):
        return ALIASES.get(short, short)
    return bare


@lru_cache(maxsize=4096)
def vector_parts(name: str) -> tuple[str, int] | None:
    """``float4`` gives ``("float", 4)``, ``cuDoubleComplex`` ``("double", 2)``; else None."""
    if name in _COMPLEX:
        return _COMPLEX[name], 2
    if name in ("half2", "bfloat162"):
        return None
    if name == "dim3":
        return "unsigned int", 3
    found = _VECTOR.match(name)
    if not found:
        return opencl_types.VECTORS.get(name)
    element = found[1]
    return _VECTOR_ELEMENTS.get(element, element), int(found[2])


def vector_extent(name: str) -> Extent | None:
    """The room of a vector type; None for any other.

    CUDA aligns vectors of two and four to their size, up to 16 bytes, and those of three to an
    element. OpenCL aligns all to their size, three elements taking the room of four.
    """
    parts = vector_parts(name)
    if parts is None:
        return None
    element, width = parts
    each = SCALARS[element]
    if name in opencl_types.VECTORS:
        return _scalar(each * opencl_types.slots(width))
    size = each * width
    if width == 3:
        return Extent(size, each)
    return Extent(size, 32 if name.endswith("_32a") else min(16, size))


@lru_cache(maxsize=4096)
def builtin_extent(name: str) -> Extent | None:
    """The room of a type that needs no definition, by its canonical name; else None."""
    found = EXTENTS.get(name)
    return found if found is not None else vector_extent(name)


def packed_element(type_: Type, name: str) -> str | None:
    """The type of ``x`` or ``y`` of two halves in one register; None for anything else."""
    if type_.pointers or type_.dims or name not in ("x", "y"):
        return None
    return {"half2": "half", "bfloat162": "bfloat16"}.get(type_.name)


# ---- Arithmetic


def is_integer(name: str) -> bool:
    """Whether this canonical type is integral."""
    return name in _RANKS


def is_float(name: str) -> bool:
    """Whether this canonical type is a floating one."""
    return name in _FLOATS


def is_arithmetic(name: str) -> bool:
    """Whether this canonical type is a number, ``half`` and its like included."""
    return name in _RANKS or name in _FLOATS


def is_unsigned(name: str) -> bool:
    """Whether values of this canonical type are never negative."""
    return name.startswith("unsigned") or name == "bool"


@lru_cache(maxsize=4096)
def precision_of(name: str) -> Precision | None:
    """The precision in which arithmetic on this canonical type is done."""
    if name == "float":
        return Precision.SP
    if name in ("double", "long double"):
        return Precision.DP
    if name in ("half", "bfloat16", "half2", "bfloat162"):
        return Precision.HP
    return Precision.INT if name in _RANKS else None


@lru_cache(maxsize=4096)
def promoted(name: str) -> str:
    """The integral promotion: types below ``int`` become ``int``."""
    return "int" if name in _RANKS and _RANKS[name] < _RANKS["int"] else name


@lru_cache(maxsize=4096)
def common_type(left: str, right: str) -> str:
    """The usual arithmetic conversions of two canonical types."""
    if left in _FLOATS or right in _FLOATS:
        if left in _FLOATS and right in _FLOATS:
            return left if _FLOATS[left] >= _FLOATS[right] else right
        return left if left in _FLOATS else right
    left, right = promoted(left), promoted(right)
    if left in _RANKS and right in _RANKS:
        return left if _RANKS[left] >= _RANKS[right] else right
    return left if left in _RANKS else right


_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    name: (0, 2)
    if name == "bool"
    else (0, 1 << 8 * SCALARS[name])
    if is_unsigned(name)
    else (-(1 << 8 * SCALARS[name] - 1), 1 << 8 * SCALARS[name] - 1)
    for name in _RANKS
}
"""The least value of each integral type, and one above the largest."""


def value_range(name: str) -> tuple[int, int] | None:
    """The least value of a canonical integral type and its largest; None for other types."""
    found = _RANGES.get(name)
    return None if found is None else (found[0], found[1] - 1)


def wrapped(value: int | float, name: str) -> int | float:
    """A number converted to a canonical arithmetic type.

    It is cut off and wrapped if that is integral, rounded if it is ``float``. What no integer can
    hold (an infinity, not-a-number) becomes 0, as good as any other.
    """
    limits = _RANGES.get(name)
    if limits is None:
        return _single(value) if name == "float" else _double(value)
    if name == "bool":
        return int(bool(value))
    if not isinstance(value, int):
        if not math.isfinite(value):
            return 0
        value = int(value)
    low, end = limits
    return value if low <= value < end else (value - low) % (end - low) + low


_SINGLE: Final = struct.Struct("f")


_EXACT: Final = 1 << 53
"""Every integer up to this magnitude is a double."""


def _double(value: int | float) -> int | float:
    """The nearest number of double precision; whole numbers that it holds stay integers."""
    if not isinstance(value, int) or -_EXACT <= value <= _EXACT:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _single(value: int | float) -> float:
    """The nearest number of single precision."""
    try:
        rounded: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded
