"""Types, constants and device queries of the OpenCL headers, which are never read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_CODES: Final = {
    "CL_SUCCESS": 0, "CL_DEVICE_NOT_FOUND": -1, "CL_BUILD_PROGRAM_FAILURE": -11,
    "CL_OUT_OF_RESOURCES": -5, "CL_INVALID_VALUE": -30, "CL_INVALID_WORK_GROUP_SIZE": -54,
    "CL_FALSE": 0, "CL_TRUE": 1, "CL_BLOCKING": 1, "CL_NON_BLOCKING": 0,
    "CL_DEVICE_TYPE_DEFAULT": 1, "CL_DEVICE_TYPE_CPU": 2, "CL_DEVICE_TYPE_GPU": 4,
    "CL_DEVICE_TYPE_ACCELERATOR": 8, "CL_DEVICE_TYPE_ALL": 0xFFFFFFFF,
    "CL_MEM_READ_WRITE": 1, "CL_MEM_WRITE_ONLY": 2, "CL_MEM_READ_ONLY": 4,
    "CL_MEM_USE_HOST_PTR": 8, "CL_MEM_ALLOC_HOST_PTR": 16, "CL_MEM_COPY_HOST_PTR": 32,
    "CL_BUFFER_CREATE_TYPE_REGION": 0x1220,
    "CL_MAP_READ": 1, "CL_MAP_WRITE": 2, "CL_MAP_WRITE_INVALIDATE_REGION": 4,
    "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE": 1, "CL_QUEUE_PROFILING_ENABLE": 2,
    "CL_QUEUE_PROPERTIES": 0x1093, "CL_CONTEXT_PLATFORM": 0x1084,
    "CL_CONTEXT_DEVICES": 0x1081, "CL_CONTEXT_NUM_DEVICES": 0x1083,
    "CL_QUEUE_CONTEXT": 0x1090, "CL_QUEUE_DEVICE": 0x1091,
    "CL_PLATFORM_PROFILE": 0x0900, "CL_PLATFORM_VERSION": 0x0901, "CL_PLATFORM_NAME": 0x0902,
    "CL_PLATFORM_VENDOR": 0x0903, "CL_PLATFORM_EXTENSIONS": 0x0904,
    "CL_PROGRAM_NUM_DEVICES": 0x1162, "CL_PROGRAM_DEVICES": 0x1163,
    "CL_PROGRAM_BUILD_STATUS": 0x1181, "CL_PROGRAM_BUILD_OPTIONS": 0x1182,
    "CL_PROGRAM_BUILD_LOG": 0x1183, "CL_BUILD_SUCCESS": 0,
    "CL_KERNEL_WORK_GROUP_SIZE": 0x11B0, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE": 0x11B1,
    "CL_KERNEL_LOCAL_MEM_SIZE": 0x11B2, "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE": 0x11B3,
    "CL_KERNEL_PRIVATE_MEM_SIZE": 0x11B4,
    "CL_PROFILING_COMMAND_QUEUED": 0x1280, "CL_PROFILING_COMMAND_SUBMIT": 0x1281,
    "CL_PROFILING_COMMAND_START": 0x1282, "CL_PROFILING_COMMAND_END": 0x1283,
    "CL_MEM_OBJECT_BUFFER": 0x10F0, "CL_MEM_OBJECT_IMAGE2D": 0x10F1,
    "CL_MEM_OBJECT_IMAGE3D": 0x10F2, "CL_MEM_OBJECT_IMAGE2D_ARRAY": 0x10F3,
    "CL_MEM_OBJECT_IMAGE1D": 0x10F4, "CL_MEM_OBJECT_IMAGE1D_ARRAY": 0x10F5,
    "CL_MEM_OBJECT_IMAGE1D_BUFFER": 0x10F6,
}  # fmt: skip

CHANNELS: Final = {
    "CL_R": (0x10B0, 1), "CL_A": (0x10B1, 1), "CL_RG": (0x10B2, 2), "CL_RA": (0x10B3, 2),
    "CL_RGB": (0x10B4, 3), "CL_RGBA": (0x10B5, 4), "CL_BGRA": (0x10B6, 4), "CL_ARGB": (0x10B7, 4),
    "CL_INTENSITY": (0x10B8, 1), "CL_LUMINANCE": (0x10B9, 1),
}  # fmt: skip
"""Code and number of channels of an image's channel order."""
CHANNEL_TYPES: Final = {
    "CL_SNORM_INT8": (0x10D0, 1), "CL_SNORM_INT16": (0x10D1, 2), "CL_UNORM_INT8": (0x10D2, 1),
    "CL_UNORM_INT16": (0x10D3, 2), "CL_SIGNED_INT8": (0x10D7, 1), "CL_SIGNED_INT16": (0x10D8, 2),
    "CL_SIGNED_INT32": (0x10D9, 4), "CL_UNSIGNED_INT8": (0x10DA, 1),
    "CL_UNSIGNED_INT16": (0x10DB, 2), "CL_UNSIGNED_INT32": (0x10DC, 4),
    "CL_HALF_FLOAT": (0x10DD, 2), "CL_FLOAT": (0x10DE, 4),
}  # fmt: skip
"""Code and bytes of an image's channel data type."""

DEVICE_NUMBERS: Final[Mapping[str, tuple[int, str | int, str]]] = {
    "CL_DEVICE_TYPE": (0x1000, 4, "unsigned long"),
    "CL_DEVICE_VENDOR_ID": (0x1001, 0x10DE, "unsigned int"),
    "CL_DEVICE_MAX_COMPUTE_UNITS": (0x1002, "multiProcessorCount", "unsigned int"),
    "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": (0x1003, 3, "unsigned int"),
    "CL_DEVICE_MAX_WORK_GROUP_SIZE": (0x1004, "maxThreadsPerBlock", "unsigned long"),
    "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT": (0x100A, 1, "unsigned int"),
    "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE": (0x100B, 1, "unsigned int"),
    "CL_DEVICE_MAX_CLOCK_FREQUENCY": (0x100C, 1710, "unsigned int"),
    "CL_DEVICE_ADDRESS_BITS": (0x100D, 64, "unsigned int"),
    "CL_DEVICE_MAX_MEM_ALLOC_SIZE": (0x1010, "totalGlobalMem", "unsigned long"),
    "CL_DEVICE_IMAGE2D_MAX_WIDTH": (0x1011, 32768, "unsigned long"),
    "CL_DEVICE_IMAGE2D_MAX_HEIGHT": (0x1012, 32768, "unsigned long"),
    "CL_DEVICE_IMAGE_SUPPORT": (0x1016, 1, "unsigned int"),
    "CL_DEVICE_DOUBLE_FP_CONFIG": (0x1032, 63, "unsigned long"),
    "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE": (0x101E, "l2CacheSize", "unsigned long"),
    "CL_DEVICE_GLOBAL_MEM_SIZE": (0x101F, "totalGlobalMem", "unsigned long"),
    "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE": (0x1020, "totalConstMem", "unsigned long"),
    "CL_DEVICE_LOCAL_MEM_TYPE": (0x1022, 1, "unsigned int"),
    "CL_DEVICE_LOCAL_MEM_SIZE": (0x1023, "sharedMemPerBlock", "unsigned long"),
    "CL_DEVICE_AVAILABLE": (0x1027, 1, "unsigned int"),
}
"""Code, value (a field of the device properties by name) and type of ``clGetDeviceInfo``."""
WORK_ITEM_SIZES: Final = ("CL_DEVICE_MAX_WORK_ITEM_SIZES", 0x1005, (1024, 1024, 64))
DEVICE_TEXTS: Final[Mapping[str, tuple[int, str]]] = {
    "CL_DEVICE_NAME": (0x102B, "GPU"),
    "CL_DEVICE_VENDOR": (0x102C, "NVIDIA Corporation"),
    "CL_DRIVER_VERSION": (0x102D, "550.54"),
    "CL_DEVICE_PROFILE": (0x102E, "FULL_PROFILE"),
    "CL_DEVICE_VERSION": (0x102F, "OpenCL 3.0 CUDA"),
    "CL_DEVICE_EXTENSIONS": (
        0x1030,
        "cl_khr_global_int32_base_atomics cl_khr_fp64 cl_khr_byte_addressable_store",
    ),
}
"""Code and answer of the queries that give text: those of a GPU of NVIDIA's."""
PLATFORM_TEXTS: Final[Mapping[int, str]] = {
    0x0900: "FULL_PROFILE", 0x0901: "OpenCL 3.0 CUDA", 0x0902: "NVIDIA CUDA",
    0x0903: "NVIDIA Corporation", 0x0904: "cl_khr_icd",
}  # fmt: skip

OPENCL_CONSTANTS: Final[Mapping[str, tuple[int | float, str]]] = {
    **{name: (value, "int") for name, value in _CODES.items()},
    **{name: (code, "int") for name, (code, _) in CHANNELS.items()},
    **{name: (code, "int") for name, (code, _) in CHANNEL_TYPES.items()},
    **{name: (code, "int") for name, (code, _, _) in DEVICE_NUMBERS.items()},
    **{name: (code, "int") for name, (code, _) in DEVICE_TEXTS.items()},
    WORK_ITEM_SIZES[0]: (WORK_ITEM_SIZES[1], "int"),
}
"""Value and type by name (``cl.h`` of OpenCL 3.0)."""

LAUNCH_CALLS: Final = frozenset(
    ("clEnqueueNDRangeKernel", "clEnqueueTask", "enqueueNDRangeKernel", "enqueueTask")
)
"""Functions and methods that start a kernel."""
READ_POINTERS: Final[Mapping[str, tuple[int, ...]]] = {
    "clEnqueueNDRangeKernel": (3, 4, 5), "clSetKernelArg": (3,), "clEnqueueWriteBuffer": (5,),
    "clCreateBuffer": (3,), "clWaitForEvents": (1,), "clCreateProgramWithSource": (2, 3),
    "clBuildProgram": (2,), "clReleaseMemObject": (0,), "setArg": (2,), "enqueueWriteBuffer": (4,),
}  # fmt: skip
"""Pointer arguments by position that are only read."""
ENQUEUE_ARGS: Final = "EnqueueArgs"
"""The class whose object makes a call of a kernel functor a launch."""
