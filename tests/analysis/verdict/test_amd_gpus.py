"""Kernels judged on AMD GPUs, beside what a calculation by hand gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.timing.limiter import Limiter
from roofline_analysis.timing.occupancy import occupancy
from roofline_analysis.traffic.dram import write_back_share
from roofline_analysis.verdict.prediction import Prediction, Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_hardware_db import find_gpu

PATH = Path("/p/main.hip")
N = 1 << 26
CLOCK_GHZ = {"MI210": 1.7, "MI300X": 2.1}
UNITS = {"MI210": 104, "MI300X": 304}
BANDWIDTH_GBS = {"MI210": 1638.4, "MI300X": 5300.0}
LAST_CACHE_BYTES = {"MI210": 8 << 20, "MI300X": 256 << 20}
"""L2, and the Infinity Cache."""
GPUS = tuple(CLOCK_GHZ)


def judged(kernel: str, args: str, gpu: str, arrays: str = "float *x, *y;") -> Prediction:
    """One launch over N threads, with arrays of N words behind x and y."""
    source = f"""
      #include <hip/hip_runtime.h>
      {kernel}
      int main() {{
        {arrays} hipMalloc(&x, {4 * N}UL); hipMalloc(&y, {4 * N}UL);
        hipLaunchKernelGGL(k, dim3({N // 256}), dim3(256), 0, 0, {args});
      }}"""
    report = analyze(source.encode(), PATH, Settings(gpu=gpu), reader=lambda path: None)
    (found,) = report.kernels
    return found.launches[0].prediction


@pytest.mark.parametrize("gpu", GPUS)
def test_saxpy_is_bound_by_bandwidth(gpu: str) -> None:
    kernel = """__global__ void k(int n, float a, const float *x, float *y) {
      int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
      if (i < n) y[i] = a * x[i] + y[i];
    }"""
    found = judged(kernel, f"{N}, 2.0f, x, y", gpu)
    assert found.verdict is Verdict.BANDWIDTH_BOUND
    assert found.limiting is Limiter.BANDWIDTH
    assert found.sp_flops == pytest.approx(2 * N)
    assert found.dram_read_bytes == pytest.approx(8 * N, rel=1e-4)
    crossing = write_back_share(4 * N, LAST_CACHE_BYTES[gpu])
    assert found.dram_write_bytes == pytest.approx(4 * N, rel=1e-4)
    assert found.kept_bytes == pytest.approx(4 * N * (1 - crossing), rel=1e-4)
    moved = found.dram_bytes
    streamed_ns = (moved - found.kept_bytes) / BANDWIDTH_GBS[gpu] if moved else None
    assert found.time_ns is not None
    assert streamed_ns is not None
    assert 1.0 < found.time_ns / streamed_ns < 1.25
    assert found.unknowns == ()


@pytest.mark.parametrize("gpu", GPUS)
def test_a_loop_of_multiply_adds_is_bound_by_computing(gpu: str) -> None:
    kernel = """__global__ void k(float *y, float a, float b) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float v = y[i];
      for (int j = 0; j < 4096; j++) v = v * a + b;
      y[i] = v;
    }"""
    found = judged(kernel, "y, 1.5f, 0.5f", gpu)
    assert (found.verdict, found.limiting) == (Verdict.COMPUTE_BOUND, Limiter.SP)
    assert found.sp_flops == pytest.approx(2 * 4096 * N)
    per_clock = {"MI210": 64, "MI300X": 128}[gpu]
    busy_ns = 4096 * N / (per_clock * UNITS[gpu] * CLOCK_GHZ[gpu])
    # Waiting for one's own result does not hide behind the others' work entirely.
    assert found.time_ns is not None
    assert 1.0 < found.time_ns / busy_ns < 1.2


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(
    ("rounds", "verdict"), [(8, Verdict.BANDWIDTH_BOUND), (64, Verdict.COMPUTE_BOUND)]
)
def test_an_integer_hash_by_its_rounds(gpu: str, rounds: int, verdict: Verdict) -> None:
    kernel = """__global__ void k(unsigned *x, int rounds) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      unsigned h = x[i];
      for (int j = 0; j < rounds; j++) {
        h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u;
      }
      x[i] = h;
    }"""
    found = judged(kernel, f"x, {rounds}", gpu, "unsigned *x, *y;")
    # Six instructions a round and a sixteenth for the loop, 21 before and behind it, the runs left
    # over among them; the ridges are at 13.8 and 15.4.
    each = 6.0625 * rounds + 21
    assert found.int_ops == pytest.approx(each * N, rel=0.02)
    assert found.intensity(Precision.INT) == pytest.approx(each / 8, rel=0.16)
    assert found.verdict is verdict


@pytest.mark.parametrize(("gpu", "sector"), [("RTX 3080", 32), ("MI210", 64), ("MI300X", 128)])
def test_a_gather_fetches_whole_sectors_of_the_gpu(gpu: str, sector: int) -> None:
    kernel = """__global__ void k(const int *x, float *y, const float *table) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = table[x[i]];
    }"""
    arrays = f"int *x; float *y, *table; hipMalloc(&table, {1 << 40}UL);"
    found = judged(kernel, "x, y, table", gpu, arrays)
    # A table so large that hardly two threads meet in one sector.
    assert found.dram_read_bytes == pytest.approx((4 + sector) * N, rel=0.01)


def test_a_column_of_a_matrix_costs_a_sector_an_element() -> None:
    kernel = """__global__ void k(const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < 65536) y[i] = x[i * 1024];
    }"""
    read = {gpu: judged(kernel, "x, y", gpu).dram_read_bytes for gpu in ("RTX 3080", *GPUS)}
    expected = {"RTX 3080": 32, "MI210": 64, "MI300X": 128}
    assert read == {gpu: pytest.approx(65536 * b, rel=0.01) for gpu, b in expected.items()}


@pytest.mark.parametrize(
    ("registers", "shared", "blocks", "limiter"),
    [
        (32, 0, 8, "warps"),  # 8 wavefronts a SIMD: 32, of 4 a block
        (128, 0, 4, "registers"),  # 512 a lane: 4 wavefronts a SIMD
        (256, 0, 2, "registers"),
        (32, 20_000, 3, "shared memory"),  # 64 KiB in units of 512 bytes
        (32, 16_384, 4, "shared memory"),
    ],
)
def test_occupancy_of_cdna(registers: int, shared: int, blocks: int, limiter: str) -> None:
    found = occupancy(find_gpu("MI210"), 256, registers, shared)
    assert (found.blocks_per_sm, found.limiter.value) == (blocks, limiter)
    assert found.warps_per_sm == 4 * blocks
    assert found.share == blocks / 8


def test_a_block_of_one_and_a_half_wavefronts_holds_two() -> None:
    assert occupancy(find_gpu("MI210"), 96, 32, 0).blocks_per_sm == 16
    assert occupancy(find_gpu("RTX 3080"), 96, 32, 0).blocks_per_sm == 16
