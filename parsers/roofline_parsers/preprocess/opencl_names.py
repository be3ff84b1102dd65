"""Macros that OpenCL C itself defines, and names of its constants.

The numbers of flags and enumerations are those that ``opencl-c-base.h`` of LLVM gives them. A
kernel that is compiled for a device without a feature would not find its macro; here all are
there, as on current GPUs, but for the ones that only some vendors have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_VERSIONS: Final = """\
__OPENCL_VERSION__ 300
__OPENCL_C_VERSION__ 300
CL_VERSION_1_0 100
CL_VERSION_1_1 110
CL_VERSION_1_2 120
CL_VERSION_2_0 200
CL_VERSION_2_1 210
CL_VERSION_2_2 220
CL_VERSION_3_0 300
__ENDIAN_LITTLE__ 1
__IMAGE_SUPPORT__ 1
__kernel_exec(X,T) __kernel __attribute__((work_group_size_hint(X,1,1)))
kernel_exec(X,T) __kernel __attribute__((work_group_size_hint(X,1,1)))
ATOMIC_VAR_INIT(x) (x)
ATOMIC_FLAG_INIT 0
"""
"""OpenCL C 3.0, section 6.12.10."""

_EXTENSIONS: Final = (
    "cl_khr_fp64 cl_khr_fp16 cl_khr_byte_addressable_store cl_khr_3d_image_writes"
    " cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics"
    " cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics"
    " cl_khr_int64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_subgroups"
)
_FEATURES: Final = (
    "3d_image_writes atomic_order_acq_rel atomic_order_seq_cst atomic_scope_device"
    " device_enqueue fp64 generic_address_space images int64 program_scope_global_variables"
    " read_write_images subgroups work_group_collective_functions"
)

_FLAGS: Final = """\
CLK_LOCAL_MEM_FENCE 1
CLK_GLOBAL_MEM_FENCE 2
CLK_IMAGE_MEM_FENCE 4
CLK_ADDRESS_NONE 0
CLK_ADDRESS_CLAMP_TO_EDGE 2
CLK_ADDRESS_CLAMP 4
CLK_ADDRESS_REPEAT 6
CLK_ADDRESS_MIRRORED_REPEAT 8
CLK_NORMALIZED_COORDS_FALSE 0
CLK_NORMALIZED_COORDS_TRUE 1
CLK_FILTER_NEAREST 0x10
CLK_FILTER_LINEAR 0x20
memory_order_relaxed 0
memory_order_acquire 2
memory_order_release 3
memory_order_acq_rel 4
memory_order_seq_cst 5
memory_scope_work_item 0
memory_scope_work_group 1
memory_scope_device 2
memory_scope_all_svm_devices 3
memory_scope_sub_group 4
"""
_IMAGE_ORDERS: Final = "R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH"
_IMAGE_TYPES: Final = (
    "SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555"
    " UNORM_INT_101010 SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16"
    " UNSIGNED_INT32 HALF_FLOAT FLOAT UNORM_INT24"
)

_LIMITS: Final = """\
MAXFLOAT 3.402823466e+38f
INFINITY 1e+999f
HUGE_VALF 1e+999f
HUGE_VAL 1e+999
NAN __builtin_nanf("")
FP_ILOGB0 (-2147483647 - 1)
FP_ILOGBNAN 2147483647
FLT_MANT_DIG 24
FLT_MAX_10_EXP 38
FLT_MAX_EXP 128
FLT_MIN_10_EXP (-37)
FLT_MIN_EXP (-125)
DBL_MAX_10_EXP 308
DBL_MAX_EXP 1024
DBL_MIN_10_EXP (-307)
DBL_MIN_EXP (-1021)
HALF_DIG 3
HALF_MANT_DIG 11
HALF_MAX_10_EXP 4
HALF_MAX_EXP 16
HALF_MIN_10_EXP (-4)
HALF_MIN_EXP (-13)
HALF_RADIX 2
HALF_MAX 65504.0h
HALF_MIN 6.103515625e-05h
HALF_EPSILON 9.765625e-04h
"""
_CONSTANTS: Final = {
    "E": "2.7182818284590452354",
    "LOG2E": "1.4426950408889634074",
    "LOG10E": "0.43429448190325182765",
    "LN2": "0.69314718055994530942",
    "LN10": "2.30258509299404568402",
    "PI": "3.14159265358979323846",
    "PI_2": "1.57079632679489661923",
    "PI_4": "0.78539816339744830962",
    "1_PI": "0.31830988618379067154",
    "2_PI": "0.63661977236758134308",
    "2_SQRTPI": "1.12837916709551257390",
    "SQRT2": "1.41421356237309504880",
    "SQRT1_2": "0.70710678118654752440",
}
"""OpenCL C 3.0, section 6.15.2.2; the double ones are those of ``math.h``."""


def _lines() -> Iterator[str]:
    for table in (_VERSIONS, _FLAGS, _LIMITS):
        yield from table.splitlines()
    yield from (f"{name} 1" for name in _EXTENSIONS.split())
    yield from (f"__opencl_c_{name} 1" for name in _FEATURES.split())
    yield from (f"CLK_{name} {0x10B0 + i:#x}" for i, name in enumerate(_IMAGE_ORDERS.split()))
    yield from (f"CLK_{name} {0x10D0 + i:#x}" for i, name in enumerate(_IMAGE_TYPES.split()))
    for name, digits in _CONSTANTS.items():
        yield f"M_{name}_F {digits}f"
        yield f"M_{name}_H {digits}h"


OPENCL: Final = "\n".join(_lines())
"""OpenCL C 3.0; no host macros are in force."""
