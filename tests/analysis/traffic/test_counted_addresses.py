"""Addresses that atomics count up: what is appended lies side by side, in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_analysis.traffic.access_footprints import footprints_of
from roofline_analysis.traffic.coalescing import WarpAddresses
from roofline_core.settings import Settings

Count = Callable[..., Any]

N = 1 << 24
HALF = N / 2
"""A test of data is taken to hold for half of the threads."""


def kernel_of(body: str, params: str = "") -> KernelReport:
    text = f"""
    struct Edge {{ int a, b; float w; int c; }};
    __global__ void k(const int *src, int *dst, Edge *edges, unsigned *count, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {body}
    }}
    int main() {{
      int *src, *dst; Edge *edges; unsigned *count; const int n = {N};
      cudaMalloc(&src, 4ull * n); cudaMalloc(&dst, 12ull * n); cudaMalloc(&edges, 16ull * n);
      cudaMalloc(&count, 256);
      k<<<n / 256, 256>>>(src, dst, edges, count, n);
    }}"""
    settings = Settings(gpu="RTX 3080", args=(), rule="study")
    (kernel,) = analyze(text.encode(), Path("/p/m.cu"), settings, reader=lambda _: None).kernels
    return kernel


@pytest.mark.parametrize(
    ("body", "bytes_each"),
    [
        ("if (src[i] > 0) dst[atomicAdd(count, 1)] = i;", 4),
        ("if (src[i] > 0) { unsigned p = atomicInc(count, n); dst[p] = i; }", 4),
        ("if (src[i] > 0) { int p = atomicAdd(count, 2); dst[p] = i; dst[p + 1] = 3; }", 8),
        ("if (src[i] > 0) { int p = atomicAdd(count, 1); edges[p].a = i; edges[p].c = 3; }", 16),
        # Counted in the block first, then by the block for all its threads.
        (
            """__shared__ int own; int p, d = src[i];
            if (threadIdx.x == 0) own = 0;
            __syncthreads();
            if (d > 0) p = atomicAdd(&own, 1);
            __syncthreads();
            if (threadIdx.x == 0) own = atomicAdd(count, own);
            __syncthreads();
            if (d > 0) dst[p + own] = d;""",
            4,
        ),
    ],
)
def test_what_is_appended_is_dense(body: str, bytes_each: int) -> None:
    kernel = kernel_of(body)
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)
    # L2 holds the last of it.
    assert kernel.prediction.dram_write_bytes == pytest.approx(
        bytes_each * HALF, rel=0.01, abs=5.3e6
    )


def test_a_tile_that_a_block_draws_is_read_side_by_side() -> None:
    kernel = kernel_of(
        """__shared__ int tile;
        if (threadIdx.x == 0) tile = atomicAdd(count, 1);
        __syncthreads();
        dst[tile * 256 + threadIdx.x] = src[tile * 256 + threadIdx.x];"""
    )
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 * N, rel=0.01, abs=5.3e6)


@pytest.mark.parametrize(
    ("place", "random"),
    [
        ("atomicAdd(count, 1)", False),
        ("atomicAdd(count, 1) + n", False),
        ("atomicAdd(count, 1) % 64", True),  # a ring
        ("atomicMax(count, i)", True),
        ("atomicAdd(&count[src[i] & 63], 1)", True),  # a counter for each of 64 lists
        ("src[i] + atomicAdd(count, 1)", True),
    ],
)
def test_other_places_are_where_data_says(count: Count, place: str, random: bool) -> None:
    source = f"""__global__ void k(const int *src, int *dst, int *count, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      dst[{place}] = i; }}"""
    counted = count(source, 512, 256, n=9)
    warp = WarpAddresses(counted.execution, 32, counted.summary.tickets)
    items = footprints_of(counted.summary, counted.execution, 864, warp)
    (stored,) = (each for each in items if each.access.array.name == "dst")
    assert stored.random is random
    assert (stored.box is None) is random


@pytest.mark.parametrize(
    ("draw", "sectors"),
    [
        ("int t = atomicAdd(count, 1);", 4),  # 32 numbers side by side
        ("__shared__ int t; if (threadIdx.x == 0) t = atomicAdd(count, 1); __syncthreads();", 1),
        (
            "int t; if (threadIdx.x % 32 < 1) t = atomicAdd(count, 1); t = __shfl_sync(~0, t, 0);",
            1,
        ),
    ],
)
def test_what_one_lane_draws_is_one_place_for_all(count: Count, draw: str, sectors: float) -> None:
    source = (
        f"__global__ void k(const int *src, int *out, int *count) {{ {draw} out[0] = src[t]; }}"
    )
    counted = count(source, 512, 256)
    warp = WarpAddresses(counted.execution, 32, counted.summary.tickets)
    items = footprints_of(counted.summary, counted.execution, 864, warp)
    (loaded,) = (each for each in items if each.access.array.name == "src")
    assert warp.sectors_and_lines(loaded.access, 32, None)[0] == sectors
