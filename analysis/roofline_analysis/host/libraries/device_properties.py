"""The device that a host program would find: a GPU as ``cudaGetDeviceProperties`` shows it."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.options import DEFAULT_DEVICE_PROPERTIES, AskedProperties
from roofline_hardware_db import Gpu

_CUDA_SHARED_BYTES: Final = 49152
"""Shared memory of a block on NVIDIA GPUs, unless a kernel asks for more (CUDA C++ Programming
Guide)."""
_NAME: Final = re.compile(r"(?:sm_(\d+)(\d)|gfx(\d+)(\w)\w)[af]?")


def device_properties(gpu: Gpu) -> AskedProperties:
    """Fields of ``cudaDeviceProp`` and ``hipDeviceProp_t`` by name.

    What the database does not say stays as it is for a usual device.
    """
    limits = gpu.architecture.occupancy
    properties = {
        **DEFAULT_DEVICE_PROPERTIES,
        "multiProcessorCount": gpu.sm_count,
        "warpSize": gpu.architecture.warp_size,
        "maxThreadsPerBlock": limits.threads_per_block,
        "maxThreadsPerMultiProcessor": limits.threads_per_sm,
        "sharedMemPerBlock": limits.shared_bytes_per_block,
        "sharedMemPerBlockOptin": limits.shared_bytes_per_block,
        "sharedMemPerMultiprocessor": limits.shared_bytes_per_sm,
        "maxSharedMemoryPerMultiProcessor": limits.shared_bytes_per_sm,
        "regsPerBlock": limits.registers_per_block or limits.registers_per_sm,
        "regsPerMultiprocessor": limits.registers_per_sm,
        "clockRate": round(gpu.boost_clock_mhz * 1000),
    }
    if gpu.vendor == "NVIDIA":
        properties["sharedMemPerBlock"] = _CUDA_SHARED_BYTES
    blocks = limits.blocks_per_sm or limits.warps_per_sm
    properties["maxBlocksPerMultiProcessor"] = blocks
    if gpu.memory_gb is not None:
        properties["totalGlobalMem"] = round(gpu.memory_gb * 2**30)
    if gpu.l2_bytes is not None:
        properties["l2CacheSize"] = round(gpu.l2_bytes)
    version = compute_capability(gpu.architecture.name)
    if version is not None:
        properties["major"], properties["minor"] = version
    return AskedProperties(properties)


def compute_capability(architecture: str) -> tuple[int, int] | None:
    """``sm_86`` gives (8, 6), ``gfx90a`` (9, 0), ``gfx1100`` (11, 0); None for other names."""
    found = _NAME.fullmatch(architecture)
    if found is None:
        return None
    major, minor = (found[1], found[2]) if found[1] else (found[3], found[4])
    return int(major), int(minor, 16)
