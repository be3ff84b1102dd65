"""Indices that a kernel takes apart, block and thread each by its own divisor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import AccessMode
from roofline_analysis.traffic.access_footprints import footprints_of
from roofline_analysis.traffic.array_footprints import touched_bytes
from roofline_analysis.traffic.coalescing import WarpAddresses

Count = Callable[..., Any]


def read_bytes(count: Count, source: str, grid: int, block: int, **numbers: int) -> float:
    counted = count(source, grid, block, **numbers)
    items = footprints_of(
        counted.summary, counted.execution, 864, WarpAddresses(counted.execution, 32)
    )
    reads = [each for each in items if each.access.mode is AccessMode.READ]
    found: float = touched_bytes(reads, None, counted.execution.threads)
    return found


@pytest.mark.parametrize("lanes", [8, 32, 64])
@pytest.mark.parametrize(("rows", "columns"), [(4096, 256), (65536, 1024)])
def test_columns_of_a_matrix_by_block_and_thread(
    count: Count, lanes: int, rows: int, columns: int
) -> None:
    source = f"""__global__ void f(const float *a, float *o, int w, int n, int along) {{
        int x = blockIdx.x % along, y = blockIdx.x / along;
        int c = threadIdx.x % {lanes} + y * {lanes};
        float s = 0;
        for (int i = threadIdx.x / {lanes} + x * (256 / {lanes}); i < n; i += along * 256 / {lanes})
          s += a[i * w + c];
        o[blockIdx.x * blockDim.x + threadIdx.x] = s; }}"""
    along = rows // (256 // lanes) // 4
    grid = along * columns // lanes
    found = read_bytes(count, source, grid, 256, w=columns, n=rows, along=along)
    assert found == pytest.approx(4 * rows * columns, rel=0.01)


@pytest.mark.parametrize("width", [4, 16, 64])
def test_a_tile_whose_rows_are_padded(count: Count, width: int) -> None:
    source = f"""__global__ void f(const float *a, float *o) {{
        int x = threadIdx.x & {width - 1}, y = threadIdx.x / {width};
        o[blockIdx.x * blockDim.x + threadIdx.x] = a[y * 1024 + x]; }}"""
    rows, each = 256 // width, max(32, 4 * width)
    assert read_bytes(count, source, 10, 256) == rows * each


def test_blocks_that_share_a_row_read_it_once(count: Count) -> None:
    source = """__global__ void f(const float *a, float *o, int h) {
        o[blockIdx.x * blockDim.x + threadIdx.x] = a[(blockIdx.x / h) * blockDim.x + threadIdx.x];
        }"""
    assert read_bytes(count, source, 30_000, 128, h=100) == 300 * 128 * 4
