"""What pointers in memory point to: as many objects as there are pointers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.counting.trip_estimates import ASSUMED_TRIPS
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import ArrayTraffic, dram_traffic

Count = Callable[..., Any]

N = 1 << 20
STRUCTS = """
struct Matrix { int rows; float *data; };
struct Pair { float *a, *b; };
"""


def objects(count: Count, parameters: str, body: str, grid: object = N // 256) -> ArrayTraffic:
    """The traffic of what the pointers of ``x`` point to."""
    counted = count(
        f"""{STRUCTS}
            __global__ void f({parameters}, float *out, int n) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                {body}
            }}""",
        grid,
        256,
        n=N,
    )
    traffic = dram_traffic(counted.summary, counted.execution, 272, Caches(5 * 2**20), {})
    (found,) = (item for item in traffic.arrays if item.array.indirect)
    return found


@pytest.mark.parametrize(
    ("parameters", "value", "arrays"),
    [
        ("float **x", "x[0][i]", 1),
        ("float **x", "x[0][i] + x[0][i]", 1),
        ("float **x", "x[0][i] + x[1][i]", 2),
        ("float **x", "x[2][i] + x[7][i] + x[9][i]", 3),
        ("const Matrix *x", "x->data[i] + x[1].data[i]", 2),
        ("float **x", "x[0][i] + x[0][i + 4]", 1),
    ],
)
def test_each_pointer_has_its_object(
    count: Count, parameters: str, value: str, arrays: int
) -> None:
    found = objects(count, parameters, f"out[i] = {value};")
    assert found.read_bytes == pytest.approx(4 * N * arrays, rel=0.001)


@pytest.mark.parametrize("trips", ["8", "n / (1 << 17)"])
def test_a_loop_goes_through_the_objects(count: Count, trips: str) -> None:
    loop = f"float v = 0; for (int k = 0; k < {trips}; k++) v += x[k][i]; out[i] = v;"
    assert objects(count, "float **x", loop).read_bytes == pytest.approx(32 * N, rel=0.001)


def test_blocks_share_out_the_objects(count: Count) -> None:
    found = objects(count, "float **x", "x[blockIdx.y][i] = 1;", (N // 256, 8, 1))
    assert found.written_bytes == pytest.approx(32 * N, rel=0.001)


def test_each_thread_with_an_object_of_its_own_has_sectors_of_its_own(count: Count) -> None:
    found = objects(count, "float **x", "out[i] = x[i][3];")
    assert found.read_bytes == pytest.approx(32 * N, rel=0.001)


def test_objects_that_data_picks_are_not_one(count: Count) -> None:
    picked = "int j = ix[i], k = ix[i + n]; out[i] = x[j][i] + x[k][i];"
    one = objects(count, "float **x, const int *ix", picked.replace(" + x[k][i]", ""))
    two = objects(count, "float **x, const int *ix", picked)
    assert len(one.footprints) == 1
    assert len(two.footprints) == 2


def test_a_loop_over_an_object_has_no_row_that_long(count: Count) -> None:
    """The distance to the next object is not the length of this one."""
    counted = count(
        """__global__ void f(float **x, const int *len, float *out) {
             float v = 0;
             for (int k = 0; k < len[blockIdx.x]; k++) v += x[blockIdx.x][k];
             out[blockIdx.x] = v;
           }""",
        4,
        1,
    )
    (loop,) = counted.execution.assumed_trips
    assert counted.execution.regions[loop].trips == ASSUMED_TRIPS


CHOSEN = """__global__ void k(const float *a, float *out, int n) {
  __shared__ float one[256], other[256]; __shared__ const float *from;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  one[threadIdx.x] = a[i]; other[threadIdx.x] = 0;
  if (n > 5) from = FIRST; else from = other;
  __syncthreads();
  out[i] = from[255 - threadIdx.x];
}"""


@pytest.mark.parametrize(("first", "read_from_dram"), [("one", False), ("a + 7", True)])
def test_pointers_to_a_blocks_own_memory(count: Count, first: str, read_from_dram: bool) -> None:
    counted = count(CHOSEN.replace("FIRST", first), 10_000, 256, n=9)
    traffic = dram_traffic(counted.summary, counted.execution, 272, Caches(5 * 2**20), {})
    read = {each.array.name: each.read_bytes for each in traffic.arrays if each.read_bytes}
    assert (len(read) > 1) == read_from_dram
    assert read["a"] == pytest.approx(10_000 * 1024, rel=0.05)
