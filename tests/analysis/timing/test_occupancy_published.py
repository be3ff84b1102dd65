"""Occupancy against what published calculators give for the same kernel.

``data/occupancy_published.csv`` holds results of cuda-calculator (xmartlabs, 2020), which has the
data and rules of NVIDIA's occupancy spreadsheet for compute capabilities 3.0 to 8.6. It does not
know the 1 KiB that 8.0 and later reserve for a block, so kernels with shared memory are left out
there. AMD's wavefronts per SIMD are those of LLVM's AMDGPU back end (total registers over the
registers of a wavefront, rounded up to their granularity, at most what a SIMD can hold).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import pytest

from roofline_analysis.timing.occupancy import occupancy
from roofline_hardware_db import Gpu, find_gpu

GPUS = {
    "3.0": "GTX 680",
    "3.5": "Tesla K40",
    "3.7": "Tesla K80",
    "5.0": "GTX 750 Ti",
    "5.2": "GTX 980",
    "5.3": "Jetson TX1",
    "6.0": "P100",
    "6.1": "GTX 1080",
    "6.2": "Jetson TX2",
    "7.0": "V100",
    "7.5": "T4",
    "8.0": "A100",
    "8.6": "RTX 3080",
}
"""A GPU of each compute capability that the calculator knows."""


class Published(NamedTuple):
    compute_capability: str
    block_threads: int
    registers_per_thread: int
    shared_bytes: int
    blocks_per_sm: int
    warps_per_sm: int


def _read() -> list[Published]:
    path = Path(__file__).parent / "data" / "occupancy_published.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return [Published(row[0], *map(int, row[1:])) for row in rows]


PUBLISHED = _read()


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: "-".join(map(str, row[:4])))
def test_occupancy_is_that_of_the_calculator(row: Published) -> None:
    gpu = find_gpu(GPUS[row.compute_capability])
    assert gpu.architecture.compute_capability == row.compute_capability
    found = occupancy(gpu, row.block_threads, row.registers_per_thread, row.shared_bytes)
    assert (found.blocks_per_sm, found.warps_per_sm) == (row.blocks_per_sm, row.warps_per_sm)


def test_every_compute_capability_of_the_calculator_is_compared() -> None:
    assert {row.compute_capability for row in PUBLISHED} == set(GPUS)
    assert len(PUBLISHED) >= 150


def _waves_per_simd(gpu: Gpu, registers: int) -> int:
    """Wavefronts of one SIMD of a kernel whose blocks are single wavefronts."""
    wave = gpu.architecture.warp_size
    limits = gpu.architecture.occupancy
    return occupancy(gpu, wave, registers, 0).warps_per_sm // limits.subpartitions_per_sm


@pytest.mark.parametrize(
    ("name", "waves"),
    [
        # 256 registers in fours, 10 wavefronts
        ("RX Vega 64", {24: 10, 25: 9, 28: 9, 32: 8, 36: 7, 40: 6, 64: 4, 84: 3, 128: 2, 256: 1}),
        ("MI50", {24: 10, 29: 8, 48: 5, 65: 3}),
        ("MI100", {24: 10, 84: 3, 129: 1}),
        # 512 registers in eights, 8 wavefronts
        ("MI210", {64: 8, 65: 7, 72: 7, 80: 6, 96: 5, 128: 4, 168: 3, 256: 2, 512: 1}),
        ("MI300X", {64: 8, 72: 7, 129: 3, 257: 1}),
        # 1024 registers in sixteens, 16 wavefronts
        ("RX 6900 XT", {64: 16, 65: 12, 80: 12, 96: 10, 128: 8, 256: 4}),
        ("RX 7600", {64: 16, 96: 10, 256: 4}),
        # 1536 registers in 24s, 16 wavefronts
        ("RX 7900 XTX", {96: 16, 97: 12, 120: 12, 144: 10, 192: 8, 256: 5}),
        ("RX 9070 XT", {96: 16, 168: 9, 240: 6}),
    ],
)
def test_wavefronts_of_a_simd_are_those_of_llvm(name: str, waves: dict[int, int]) -> None:
    gpu = find_gpu(name)
    assert {count: _waves_per_simd(gpu, count) for count in waves} == waves


@pytest.mark.parametrize(
    ("name", "threads", "shared_bytes", "blocks"),
    [
        # 8.x and later reserve 1 KiB for each block: 100 KiB hold 4 blocks of 24 KiB, not of 25.
        ("RTX 3080", 128, 24 * 1024, 4),
        ("RTX 3080", 128, 25 * 1024, 3),
        ("RTX 4090", 128, 99 * 1024, 1),
        ("A100", 256, 163 * 1024, 1),
        ("H100", 128, 27 * 1024, 8),
        ("RTX 5090", 64, 1024, 24),
        ("GB10", 64, 3 * 1024, 24),
        ("MI355X", 256, 32 * 1024, 4),  # 160 KiB in units of 1280 bytes
        ("Data Center GPU Max 1550", 256, 16 * 1024, 4),
    ],
)
def test_blocks_by_shared_memory(name: str, threads: int, shared_bytes: int, blocks: int) -> None:
    assert occupancy(find_gpu(name), threads, 16, shared_bytes).blocks_per_sm == blocks
