"""Constants of system and CUDA headers that host programs use without including their text."""

from __future__ import annotations

from typing import Final

from roofline_analysis.language.constants import HEADER_CONSTANTS
from roofline_analysis.language.opencl_headers import OPENCL_CONSTANTS

BUILTIN_CONSTANTS: Final[dict[str, tuple[int | float, str]]] = {
    **HEADER_CONSTANTS,
    "NULL": (0, "int"),
    "EXIT_SUCCESS": (0, "int"),
    "EXIT_FAILURE": (1, "int"),
    "npos": (2**64 - 1, "unsigned long"),
    "PATH_MAX": (4096, "int"),
    "BUFSIZ": (8192, "int"),
    "EOF": (-1, "int"),
    "CLOCKS_PER_SEC": (1000000, "long"),
    "SEEK_SET": (0, "int"),
    "SEEK_CUR": (1, "int"),
    "SEEK_END": (2, "int"),
    "no_argument": (0, "int"),
    "required_argument": (1, "int"),
    "optional_argument": (2, "int"),
    "cudaSuccess": (0, "int"),
    "hipSuccess": (0, "int"),
    "cudaErrorNotReady": (600, "int"),
    "cudaMemcpyHostToHost": (0, "int"),
    "cudaMemcpyHostToDevice": (1, "int"),
    "cudaMemcpyDeviceToHost": (2, "int"),
    "cudaMemcpyDeviceToDevice": (3, "int"),
    "cudaMemcpyDefault": (4, "int"),
    "cudaHostAllocDefault": (0, "int"),
    "cudaHostAllocMapped": (2, "int"),
    "cudaDevAttrMaxThreadsPerBlock": (1, "int"),
    "cudaDevAttrMaxSharedMemoryPerBlock": (8, "int"),
    "cudaDevAttrWarpSize": (10, "int"),
    "cudaDevAttrMaxRegistersPerBlock": (12, "int"),
    "cudaDevAttrClockRate": (13, "int"),
    "cudaDevAttrMultiProcessorCount": (16, "int"),
    "cudaDevAttrL2CacheSize": (38, "int"),
    "cudaDevAttrMaxThreadsPerMultiProcessor": (39, "int"),
    "cudaDevAttrMaxSharedMemoryPerMultiprocessor": (81, "int"),
    "cudaDevAttrMaxRegistersPerMultiprocessor": (82, "int"),
    "cudaDevAttrCooperativeLaunch": (95, "int"),
    "cudaDevAttrMaxSharedMemoryPerBlockOptin": (97, "int"),
    "cudaDevAttrComputeCapabilityMajor": (75, "int"),
    "cudaDevAttrComputeCapabilityMinor": (76, "int"),
    "CUFFT_SUCCESS": (0, "int"),
    "CUBLAS_STATUS_SUCCESS": (0, "int"),
    **OPENCL_CONSTANTS,
    **{
        f"{owner}::{name}": (bits, "int")
        for owner in ("ios", "ios_base", "fstream", "ifstream", "ofstream")
        for name, bits in (
            ("app", 1),
            ("ate", 2),
            ("binary", 4),
            ("in", 8),
            ("out", 16),
            ("trunc", 32),
            ("beg", 0),
            ("cur", 1),
            ("end", 2),
        )
    },
}
"""Value and type by name (C11, POSIX, libstdc++, CUDA 12 ``driver_types.h``, OpenCL)."""


def _hip_name(name: str) -> str:
    attribute = name.replace("cudaDevAttr", "hipDeviceAttribute")
    return attribute.replace("cuda", "hip").replace("MultiProcessorCount", "MultiprocessorCount")


BUILTIN_CONSTANTS.update(
    {_hip_name(n): v for n, v in BUILTIN_CONSTANTS.items() if n.startswith("cuda")}
)
# HIP's attributes have CUDA's numbers here: programs only hand them back to the runtime.

DEVICE_ATTRIBUTES: Final[dict[int, str]] = {
    1: "maxThreadsPerBlock",
    8: "sharedMemPerBlock",
    10: "warpSize",
    12: "regsPerBlock",
    13: "clockRate",
    16: "multiProcessorCount",
    38: "l2CacheSize",
    39: "maxThreadsPerMultiProcessor",
    75: "major",
    76: "minor",
    81: "sharedMemPerMultiprocessor",
    82: "regsPerMultiprocessor",
    95: "cooperativeLaunch",
    97: "sharedMemPerBlockOptin",
}
"""Field of ``cudaDeviceProp`` by ``cudaDeviceAttr`` value."""
