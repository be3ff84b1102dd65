"""The GPU that is emulated, as the hardware database has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_hardware_db.model import Gpu
from roofline_profiling.errors import ProfilerError

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_UNIFIED_KIB: Final[Mapping[str, int]] = {
    "sm_70": 128, "sm_72": 128, "sm_75": 96, "sm_80": 192, "sm_86": 128, "sm_87": 192,
    "sm_89": 128, "sm_90": 256, "sm_100": 256, "sm_103": 256, "sm_110": 256, "sm_120": 128,
    "sm_121": 128,
}  # fmt: skip
"""KiB of L1 and shared memory of an SM together: CUDA C++ Programming Guide 13.0, sections on the
compute capabilities."""
_BLOCKS_PER_SM: Final = 16
"""Assumed where the database does not have it."""
_PIN_GBITS: Final[Mapping[str, float]] = {
    "GDDR5": 8.0, "GDDR5X": 11.0, "GDDR6": 14.0, "GDDR6X": 19.0, "GDDR7": 28.0,
    "HBM2": 2.0, "HBM2e": 2.4, "HBM3": 5.2, "HBM3e": 8.0, "LPDDR4": 3.2, "LPDDR4X": 4.266,
    "LPDDR5": 6.4, "LPDDR5X": 8.5,
}  # fmt: skip
"""Assumed: typical transfer rates of a pin, from which the width of the bus is told. Programs print
it, and no count depends on it."""
_USUAL_PIN_GBITS: Final = 14.0


@dataclass(frozen=True, slots=True)
class Machine:
    """What the executor is told of the GPU; the names are those of its configuration file."""

    device_name: str
    major: int
    """The compute capability's first number."""
    minor: int
    multiprocessors: int
    memory_bytes: int
    l1_bytes: int
    """L1 and shared memory of an SM together."""
    l2_bytes: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    registers_per_multiprocessor: int
    shared_per_multiprocessor: int
    shared_per_block: int
    clock_khz: int
    memory_clock_khz: int
    """Half the transfer rate of a pin, as CUDA tells it: times the bus it is the bandwidth."""
    memory_bus_bits: int


def machine_of(gpu: Gpu) -> Machine:
    """The GPU's numbers. Raises ProfilerError for a GPU whose machine code is not executed."""
    capability = gpu.architecture.compute_capability
    unified = _UNIFIED_KIB.get(gpu.architecture.name)
    if capability is None or unified is None:
        raise ProfilerError(
            f"{gpu.name}: only NVIDIA GPUs of compute capability 7.0 and later are emulated;"
            " name another with --gpu"
        )
    if gpu.l2_bytes is None or gpu.memory_gb is None:
        raise ProfilerError(f"{gpu.name}: the sizes of its L2 and memory are not known")
    major, minor = map(int, capability.split("."))
    limits = gpu.architecture.occupancy
    bus_bits = _bus_bits(gpu)
    return Machine(
        device_name=_device_name(gpu),
        major=major,
        minor=minor,
        multiprocessors=gpu.sm_count,
        memory_bytes=int(gpu.memory_gb * 1024 * _MIB),
        l1_bytes=unified * _KIB,
        l2_bytes=int(gpu.l2_bytes),
        threads_per_multiprocessor=limits.threads_per_sm,
        blocks_per_multiprocessor=limits.blocks_per_sm or _BLOCKS_PER_SM,
        registers_per_multiprocessor=limits.registers_per_sm,
        shared_per_multiprocessor=limits.shared_bytes_per_sm,
        shared_per_block=limits.shared_bytes_per_block,
        clock_khz=int(gpu.boost_clock_mhz * 1000),
        memory_clock_khz=round(gpu.memory_bandwidth_gbs * 8e6 / bus_bits / 2),
        memory_bus_bits=bus_bits,
    )


def _bus_bits(gpu: Gpu) -> int:
    kind = gpu.memory_type or ""
    rate_gbits = _PIN_GBITS.get(kind, _USUAL_PIN_GBITS)
    step = 1024 if kind.startswith("HBM") else 64
    return step * max(1, round(gpu.memory_bandwidth_gbs * 8 / rate_gbits / step))


def _device_name(gpu: Gpu) -> str:
    """The name that tools report, where the database has it."""
    return next((each for each in gpu.aliases if each.startswith(gpu.vendor)), gpu.name)
