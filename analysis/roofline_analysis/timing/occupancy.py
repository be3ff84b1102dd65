"""The number of blocks of a kernel resident on one SM at a time."""

from __future__ import annotations

from enum import Enum

from roofline_core.program.records import record
from roofline_hardware_db import Gpu


class OccupancyLimit(Enum):
    """The resource that limits the blocks resident on an SM; the values are what reports write."""

    WARPS = "warps"
    BLOCKS = "blocks"
    REGISTERS = "registers"
    SHARED_MEMORY = "shared memory"


@record(frozen=True, slots=True)
class Occupancy:
    """Resident blocks and warps of one SM."""

    blocks_per_sm: int
    warps_per_sm: int
    share: float
    """Resident warps over the most an SM can hold."""
    limiter: OccupancyLimit


def occupancy(
    gpu: Gpu, block_threads: int, registers_per_thread: int, shared_bytes: int
) -> Occupancy:
    """The occupancy by the limits of the GPU's architecture."""
    limits = gpu.architecture.occupancy
    warps = max(1, -(-block_threads // gpu.architecture.warp_size))
    bounds = {OccupancyLimit.WARPS: limits.warps_per_sm // warps}
    if limits.blocks_per_sm is not None:
        bounds[OccupancyLimit.BLOCKS] = limits.blocks_per_sm
    registers = registers_per_thread * gpu.architecture.warp_size
    per_warp = _round_up(registers, limits.register_alloc_unit)
    parts = limits.subpartitions_per_sm
    resident_warps = limits.registers_per_sm // parts // max(1, per_warp) * parts
    bounds[OccupancyLimit.REGISTERS] = resident_warps // warps
    asked = shared_bytes + limits.shared_reserved_bytes_per_block
    if asked:
        each = _round_up(asked, limits.shared_alloc_unit_bytes)
        bounds[OccupancyLimit.SHARED_MEMORY] = limits.shared_bytes_per_sm // each
    limiter = min(bounds, key=lambda limit: bounds[limit])
    blocks = max(1, bounds[limiter])
    return Occupancy(
        blocks, blocks * warps, min(1.0, blocks * warps / limits.warps_per_sm), limiter
    )


def _round_up(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit
