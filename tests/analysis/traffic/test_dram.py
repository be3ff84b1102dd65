"""DRAM traffic of whole kernels: footprints, gathers, what L2 holds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.timing.demand import launch_demand
from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import ArrayTraffic, dram_traffic, write_back_share
from roofline_analysis.traffic.gathers import missed_bytes

Count = Callable[..., Any]

L2 = 5 * 2**20
RESIDENT = 68 * 4


def arrays(counted: Any, **sizes: float) -> dict[str, ArrayTraffic]:
    """Traffic by array of one launch on a GPU with 5 MB of L2."""
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, Caches(L2), sizes)
    return {item.array.name: item for item in traffic.arrays}


def test_collapsed_loops_over_a_picture_read_it_once(count: Count) -> None:
    found = arrays(
        count(
            """__global__ void f(const float* __restrict__ a, float* b, int w, int n) {
                 for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
                      i += blockDim.x * gridDim.x)
                   b[i] = a[(i / w) * (w + 2) + i % w] + a[(i / w) * (w + 2) + i % w + 2];
               }""",
            64,
            256,
            w=1000,
            n=4_000_000,
        ),
        a=1002 * 4000 * 4,
        b=16_000_000,
    )
    assert found["a"].read_bytes == pytest.approx(1002 * 4000 * 4, rel=0.02)
    assert found["b"].write_bytes == pytest.approx(16_000_000, rel=0.02)


@pytest.mark.parametrize(
    "guard", ["x >= 0 && x < n", "x == (x < 0 ? 0 : x) && x == (x > n - 1 ? n - 1 : x)"]
)
def test_a_grid_far_larger_than_its_data_reads_its_data(count: Count, guard: str) -> None:
    source = f"""__global__ void f(const float* a, float* b, int n) {{
                  int x = 240 * blockIdx.x - 5 + threadIdx.x;
                  if ({guard}) b[threadIdx.x] = a[x];
                }}"""
    found = arrays(count(source, 400_000, 250, n=100_000), a=400_000, b=1000)
    assert found["a"].read_bytes == pytest.approx(400_000, rel=0.01)


def test_threads_beyond_a_grid_stride_loops_data_hold_nothing(count: Count) -> None:
    """Each of 100 threads, of 65,536, reads a row: their sectors stay in L2 until they are read."""
    found = arrays(
        count(
            """__global__ void f(const float* __restrict__ x, float* r, int rows, int length) {
                 for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < rows;
                      i += blockDim.x * gridDim.x) {
                   float s = 0;
                   for (int n = 0; n < length; n++) s += x[i * length + n];
                   r[i] = s;
                 }
               }""",
            256,
            256,
            rows=100,
            length=500_000,
        ),
        x=4 * 100 * 500_000,
        r=400,
    )
    assert found["x"].read_bytes == pytest.approx(4 * 100 * 500_000, rel=0.01)


def test_a_grid_larger_than_a_grid_stride_loops_data(count: Count) -> None:
    n = 1 << 22
    found = arrays(
        count(
            """__global__ void f(const float* x, float* o, int n) {
                 for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
                      i += blockDim.x * gridDim.x) {
                   int r = i / 65536, y = i % 65536 / 256, c = i % 256;
                   o[r * 65536 + y * 256 + c] = x[r * 131072 + y * 512 + c];
                 }
               }""",
            29184,
            256,
            n=n,
        ),
        x=8 * n,
        o=4 * n,
    )
    assert found["x"].read_bytes == pytest.approx(4 * n, rel=0.01)
    assert found["o"].written_bytes == pytest.approx(4 * n, rel=0.01)


def test_check_bits_are_moved_with_the_data(count: Count) -> None:
    n = 16_000_000
    counted = count(
        """__global__ void f(const float* a, float* b) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             b[i] = a[i];
           }""",
        n // 256,
        256,
    )
    sizes = {"a": 4.0 * n, "b": 4.0 * n}
    plain, checked = (
        dram_traffic(
            counted.summary, counted.execution, RESIDENT, Caches(L2, check_bits_share=share), sizes
        )
        for share in (0.0, 0.125)
    )
    assert checked.read_bytes == pytest.approx(1.125 * plain.read_bytes)
    assert checked.write_bytes == pytest.approx(1.125 * plain.write_bytes)
    (site,) = plain.by_site
    assert checked.by_site[site] == pytest.approx([1.125 * each for each in plain.by_site[site]])
    assert checked.kept_bytes == pytest.approx(1.125 * plain.kept_bytes)


def test_neighbours_by_an_index_array_are_read_about_once(count: Count) -> None:
    n = 4_000_000
    found = arrays(
        count(
            """__global__ void f(const int* __restrict__ list, const double* __restrict__ x,
                                 double* y, int n) {
                 int i = blockIdx.x * blockDim.x + threadIdx.x;
                 if (i < n) { double s = 0;
                   for (int k = 0; k < 6; k++) s += x[list[k * n + i]];
                   y[i] = s; }
               }""",
            n // 256,
            256,
            n=n,
        ),
        list=24 * n,
        x=8 * n,
        y=8 * n,
    )
    assert found["x"].read_bytes == pytest.approx(8 * n, rel=0.01)
    assert found["list"].read_bytes == pytest.approx(24 * n, rel=0.01)


def test_a_masked_index_is_random_and_misses_what_l2_does_not_hold(count: Count) -> None:
    n, table = 1_000_000, 512 * 2**20
    source = """__global__ void f(const int* __restrict__ keys, unsigned long long* t, int n) {
                  int i = blockIdx.x * blockDim.x + threadIdx.x;
                  if (i < n) atomicAdd(&t[keys[i] & 0x3ffffff], 1ull); }"""
    found = arrays(count(source, n // 256 + 1, 256, n=n), keys=4 * n, t=table)
    assert found["t"].read_bytes == pytest.approx(32 * n, rel=0.02)
    assert found["t"].write_bytes == pytest.approx(32 * n, rel=0.02)


def test_a_sort_writes_a_sector_for_each_element(count: Count) -> None:
    n = 8_000_000
    source = """__global__ void f(const int* __restrict__ place, const float* __restrict__ a,
                                  float* b, int n) {
                  int i = blockIdx.x * blockDim.x + threadIdx.x;
                  if (i < n) b[place[i]] = a[i]; }"""
    found = arrays(count(source, n // 256, 256, n=n), place=4 * n, a=4 * n, b=4 * n)
    assert found["b"].write_bytes == pytest.approx(32 * n * (1 - L2 / (4 * n)), rel=0.02)


ROW_BY_THREAD = """__global__ void f(const int* __restrict__ id, const float* __restrict__ x,
                                     float* y, int row) {
                     int r = id[blockIdx.x * blockDim.x + threadIdx.x];
                     float s = 0;
                     for (int k = 0; k < row; k++) s += x[r * row + k];
                     y[blockIdx.x * blockDim.x + threadIdx.x] = s; }"""
ROW_BY_BLOCK = """__global__ void f(const int* __restrict__ id, const float* __restrict__ x,
                                    float* y, int row) {
                    int r = id[blockIdx.x];
                    float s = 0;
                    for (int k = threadIdx.x; k < row; k += blockDim.x) s += x[r * row + k];
                    y[blockIdx.x * blockDim.x + threadIdx.x] = s; }"""
THROUGH = """__global__ void f(const int* __restrict__ id, const int* __restrict__ at,
                               const float* __restrict__ x, float* y, int row) {
               int i = blockIdx.x * blockDim.x + threadIdx.x;
               float s = 0;
               for (int k = 0; k < row; k++) s += x[at[id[i]] * row + k];
               y[i] = s; }"""


@pytest.mark.parametrize("table", [2, 16, 64])
@pytest.mark.parametrize(
    ("source", "picks"),
    [(ROW_BY_THREAD, 2048 * 128), (ROW_BY_BLOCK, 2048), (THROUGH, 2048 * 128)],
)
def test_rows_that_loaded_numbers_pick_miss_what_l2_does_not_hold(
    count: Count, source: str, picks: int, table: int
) -> None:
    row, size = 256, table * 2**20
    found = arrays(count(source, 2048, 128, row=row), x=size, id=2**20, at=2**20)
    asked = 4 * row * picks
    expected = max(min(asked, size), asked * (1 - L2 / size))
    assert found["x"].read_bytes == pytest.approx(expected, rel=0.03)
    assert found["x"].first_read_bytes == pytest.approx(min(asked, size), rel=0.01)


def test_a_short_record_that_a_loaded_number_picks_is_a_neighbours(count: Count) -> None:
    size = 64 * 2**20
    found = arrays(count(ROW_BY_THREAD, 8192, 128, row=16), x=size)
    assert found["x"].read_bytes == pytest.approx(size, rel=0.01)


@pytest.mark.parametrize(("source", "lines"), [(ROW_BY_THREAD, 32), (ROW_BY_BLOCK, 1)])
def test_lanes_with_a_row_each_ask_for_a_line_each(count: Count, source: str, lines: int) -> None:
    found = count(source, 2048, 128, row=256)
    traffic = dram_traffic(found.summary, found.execution, RESIDENT, Caches(L2), {"x": 64 * 2**20})
    asked = launch_demand(found.summary, found.execution, traffic, 32, 32)
    (most,) = {
        request.wavefronts
        for region in asked.regions
        for request in region.requests
        if request.l2_share < 1 or lines == 1
    }
    assert most == lines


def test_what_is_gathered_from_an_array_of_unknown_size_is_bounded(count: Count) -> None:
    source = """__global__ void f(const int* __restrict__ list, const float* __restrict__ x,
                                  float* y, int m) {
                  int i = blockIdx.x * blockDim.x + threadIdx.x;
                  float s = 0;
                  for (int k = 0; k < m; k++) s += x[list[k]];
                  y[i] = s; }"""
    found = arrays(count(source, 8, 128, m=10_000))
    # Each thread one sector, not each run of the loop.
    assert found["x"].read_bytes <= 8 * 128 * 32


COLUMNS = """__global__ void f(const float* __restrict__ a, float* b, int n) {
               int row = blockIdx.x * blockDim.x + threadIdx.x;
               float s = 0;
               for (int k = 0; k < n; k++) s += a[row * n + k];
               b[row] = s; }"""


def test_a_thread_along_a_row_reads_a_sector_once_while_its_line_is_held(count: Count) -> None:
    # 16384 lines are 2 MB.
    n = 1024
    found = arrays(count(COLUMNS, 64, 256, n=n), a=16384 * n * 4)
    assert found["a"].read_bytes == pytest.approx(16384 * n * 4, rel=0.01)


def test_lines_that_l2_does_not_hold_are_fetched_for_each_element(count: Count) -> None:
    # 69632 threads at a time have a line each, of which L2 holds 40960: seven of eight elements of
    # a sector miss by as much.
    n, rows = 1024, 8 * 69632
    found = arrays(count(COLUMNS, rows // 256, 256, n=n), a=rows * n * 4)
    missed = 1 - 40960 / 69632
    expected = rows * n * 4 * (1 + 7 * missed)
    assert found["a"].read_bytes == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("step", "per_line"), [(1, 4), (32, 1)])
def test_what_stays_written_in_l2_is_counted_in_lines(
    count: Count, step: int, per_line: int
) -> None:
    # As many sectors either way: in 256 KB of lines, or in four times that.
    threads = 8192 * 8 // (1 if step == 1 else 8)
    source = """__global__ void f(float* a, int step) {
                  a[(blockIdx.x * blockDim.x + threadIdx.x) * step] = 1; }"""
    found = arrays(count(source, threads // 256, 256, step=step), a=8192 * 32 * 32)
    sectors = 8192
    expected = 32 * sectors * write_back_share(32 * sectors * 4 / per_line, L2)
    assert found["a"].write_bytes == pytest.approx(expected, rel=0.01)


def test_misses_of_random_picks_by_a_cache_with_random_replacement() -> None:
    rng = random.Random(2)
    sectors, held = 4000, 1000
    cache = list(range(held))
    where = {sector: place for place, sector in enumerate(cache)}
    missed = 0
    for _ in range(40_000):
        sector = rng.randrange(sectors)
        if sector not in where:
            missed += 1
            place = rng.randrange(held)
            del where[cache[place]]
            cache[place], where[sector] = sector, place
    expected = missed_bytes(32 * 40_000, 32 * sectors, math.nan, 32 * held)
    assert expected == pytest.approx(32 * missed, rel=0.02)


TWICE = """__global__ void k(float *x, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0;
  for (int j = 0; j < h; j++) { p = x[j * w + i] + 0.5f * p; x[j * w + i] = p; }
  SECOND
}"""
BACK = "for (int j = h - 1; j >= 0; j--) { p = x[j * w + i] - 0.5f * p; x[j * w + i] = p; }"
ONLY_READ = "for (int j = 0; j < h; j++) p += x[j * w + i]; x[i] = p;"
OTHERWISE = "if (p > 0) { for (int j = 0; j < h; j++) p += x[j * w + i]; x[i] = p; }"


@pytest.mark.parametrize(
    ("second", "height", "read", "written"),
    [
        ("", 2048, 1, 1),
        # Executing it behind simulated caches gives 1.85 times read, 1.96 times written.
        (BACK, 2048, 1.84, 1.84),
        (ONLY_READ, 2048, 1.84, 1),
        (BACK, 256, 1, 1),  # 4 MB, which L2 holds
        (OTHERWISE, 2048, 1, 1),  # not known to follow
    ],
)
def test_what_two_loops_go_over_is_fetched_twice_if_l2_is_smaller(
    second: str, height: int, read: float, written: float, count: Count
) -> None:
    size = 4096 * height * 4
    found = arrays(count(TWICE.replace("SECOND", second), 16, 256, w=4096, h=height), x=size)["x"]
    assert found.read_bytes == pytest.approx(read * size, rel=0.02)
    assert found.written_bytes == pytest.approx(written * size, rel=0.02)


@pytest.mark.parametrize("blocks", [16, 1024])
def test_a_grid_stride_gather_of_an_array_of_unknown_size(blocks: int, count: Count) -> None:
    """Fewer blocks that go round more often pick as many elements, which lie near one another."""
    n = 2**22
    source = """__global__ void f(const long* __restrict__ index, const float* x, float* y,
                                  long n) {
      for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[index[i]]; }"""
    found = arrays(count(source, blocks, 256, n=n), index=8 * n, y=4 * n)
    assert found["x"].first_read_bytes == pytest.approx(4 * n, rel=0.02)


@pytest.mark.parametrize(("l1_bytes", "again"), [(0.0, 0.72), (32 * 2**20, 0.0)])
def test_what_the_first_caches_hold_is_not_asked_of_l2_again(
    l1_bytes: float, again: float, count: Count
) -> None:
    """Two loops over rows of 68 kB; 272 blocks are resident, so that L2 does not hold them."""
    source = """__global__ void f(const float* __restrict__ x, float* y, int n) {
      float s = 0;
      for (int i = threadIdx.x; i < n; i += 256) s += x[blockIdx.x * n + i];
      for (int i = threadIdx.x; i < n; i += 256) s *= x[blockIdx.x * n + i];
      y[blockIdx.x * 256 + threadIdx.x] = s; }"""
    n, rows = 17_408, 2720
    counted = count(source, rows, 256, n=n)
    sizes = {"x": 4.0 * n * rows, "y": 1024.0 * rows}
    caches = Caches(L2, l1_bytes)
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, caches, sizes)
    (x,) = (each for each in traffic.arrays if each.array.name == "x")
    assert x.read_bytes / sizes["x"] == pytest.approx(1 + again, abs=0.03)


def test_an_l2_that_keeps_half_of_itself_writes_back_the_rest() -> None:
    """What an A100 and an H100 do with what only is written."""
    l2 = 40 * 2**20
    written = [share * l2 for share in (0.1, 0.5, 0.75, 1.0, 4.0)]
    crossing = [each * write_back_share(each, l2, 0.5) for each in written]
    assert crossing[:2] == pytest.approx([each * 0.02 for each in written[:2]])
    assert crossing[2:] == pytest.approx([each - 0.5 * l2 for each in written[2:]])


ROWS = """__global__ void f(const double* RESTRICT x, const double* RESTRICT y,
                    double* RESTRICT out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = 0;
  for (int j = 0; j < m; j++) { BODY }
  out[i] = s;
}"""
EIGHT = " ".join(f"s += y[j] * x[8 * i + {at}];" for at in range(8))


@pytest.mark.parametrize(
    ("body", "restrict", "held"),
    [
        (EIGHT, "__restrict__", True),
        (EIGHT, "", True),
        ("for (int k = 0; k < 8; k++) s += y[j] * x[8 * i + k];", "__restrict__", True),
        # Another store may change it, or a store of another thread behind a barrier.
        (f"{EIGHT} out[i + j] = s;", "", False),
        (f"{EIGHT} out[i + j] = s;", "__restrict__", True),
        (f"{EIGHT} __syncthreads();", "", False),
        # What a block or a thread has to itself is elsewhere.
        (f"__shared__ double t[256]; {EIGHT} t[threadIdx.x] = s;", "", True),
        # In some trips only, or in a loop that stays one.
        (f"if (y[j] > 0) {{ {EIGHT} }}", "__restrict__", False),
        ("for (int k = 0; k < n; k++) s += y[j] * x[8 * i + k];", "__restrict__", False),
        # More than the registers hold.
        ("for (int k = 0; k < 64; k++) s += y[j] * x[64 * i + k];", "__restrict__", False),
    ],
)
def test_reads_that_are_the_same_in_all_trips_are_read_once(
    count: Count, body: str, restrict: str, held: bool
) -> None:
    source = ROWS.replace("RESTRICT", restrict).replace("BODY", body)
    size = 256 * 10_000 * 64 * (8 if "64 * i" in body else 1)
    sizes = {"x": size, "y": 800, "out": 256 * 10_000 * 8}
    counted = count(source, 10_000, 256, n=8, m=100)
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, Caches(2**20), sizes)
    (x,) = (item for item in traffic.arrays if item.array.name == "x")
    assert (x.read_bytes < 1.05 * size) == held
    assert held or x.read_bytes > 10 * size


HALOES = """__global__ void f(const float* a, float* out, int n, int halo) {
  int x = (int)(blockIdx.x * (blockDim.x - 2 * halo)) - halo + (int)threadIdx.x;
  int first = x - (int)threadIdx.x < 0 ? -(x - (int)threadIdx.x) : 0;
  int last = x - (int)threadIdx.x + (int)blockDim.x > n
           ? (int)blockDim.x - 1 - (x - (int)threadIdx.x + (int)blockDim.x - n) : blockDim.x - 1;
  if (threadIdx.x >= first && threadIdx.x <= last) out[threadIdx.x] = a[x];
}"""


def test_no_more_is_read_than_the_warps_ask_for(count: Count) -> None:
    """Of 400,000 blocks, 420 have any of the 100,000 numbers that conditions leave to them."""
    counted = count(HALOES, 400_000, 250, n=100_000, halo=6)
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, Caches(L2), {})
    (a,) = (item for item in traffic.arrays if item.array.name == "a")
    assert 400_000 < a.read_bytes < 1.5 * 400_000


def test_one_thread_of_each_block_reads_a_sector(count: Count) -> None:
    source = """__global__ void f(const float* a, float* out) {
      if (threadIdx.x == 77) out[blockIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x]; }"""
    counted = count(source, 10_000, 256)
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, Caches(L2), {})
    (a,) = (item for item in traffic.arrays if item.array.name == "a")
    assert a.read_bytes == pytest.approx(10_000 * 32, rel=0.1)


@pytest.mark.parametrize(("l1_mib", "again"), [(0.0, 1.0), (2.2, 0.5), (6.0, 0.0)])
def test_what_the_first_caches_hold_in_a_loop_is_not_asked_again(
    count: Count, l1_mib: float, again: float
) -> None:
    """Of what a wave goes over in each of 100 trips, L2 has a fourth, the first caches a share."""
    source = ROWS.replace("RESTRICT", "__restrict__").replace(
        "BODY", "for (int k = 0; k < n; k++) s += y[j] * x[8 * i + k];"
    )
    size = 256 * 272 * 64
    counted = count(source, 272, 256, n=8, m=100)
    caches = Caches(size / 4, l1_mib * 2**20)
    sizes = {"x": size, "y": 800, "out": 256 * 272 * 8}
    traffic = dram_traffic(counted.summary, counted.execution, RESIDENT, caches, sizes)
    (x,) = (item for item in traffic.arrays if item.array.name == "x")
    assert x.read_bytes / size == pytest.approx(1 + 99 * 0.75 * again, rel=0.1)
