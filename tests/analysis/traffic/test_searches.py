"""Searches by halving: their first places stay in L2, their last ones are in one sector."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.traffic.gathers import halves, missed_in_searches, searched_bytes
from roofline_core.settings import Settings

MIB = 2.0**20


def test_only_as_many_trips_as_an_array_can_be_halved_are_a_search() -> None:
    assert halves(23, 2**23)
    assert halves(24, 2**23)
    assert not halves(20, 2**23)
    assert not halves(100, 2**23)
    assert not halves(3, 8)  # too few to tell
    assert not halves(0, 0)


def test_a_search_misses_in_the_levels_between() -> None:
    # 2**20 sectors, of which L2 holds 2**17.3: all of the first levels, few of the last ones.
    missed = missed_in_searches(1.0, 32 * MIB, 32, 5 * MIB) / 32
    assert missed == pytest.approx(4.8, abs=0.1)
    assert missed_in_searches(1e6, 32 * MIB, 32, 5 * MIB) == pytest.approx(1e6 * 32 * missed)
    # Each level more is one miss more, and makes the cache smaller beside the array.
    assert missed + 1 < missed_in_searches(1.0, 64 * MIB, 32, 5 * MIB) / 32 < missed + 1.5


def test_an_array_that_fits_is_fetched_once() -> None:
    assert missed_in_searches(1e9, MIB, 32, 5 * MIB) == pytest.approx(MIB, rel=0.001)
    assert missed_in_searches(1.0, MIB, 32, 5 * MIB) == pytest.approx(16 * 32, rel=0.1)


@given(st.floats(1, 1e6), st.floats(64, 2.0**36), st.floats(1024, 2.0**28))
def test_misses_are_between_none_and_all(searches: float, size: float, l2_bytes: float) -> None:
    reads = math.log2(max(2.0, size / 32)) + 1.5
    found = missed_in_searches(searches, size, 32, l2_bytes)
    assert 0 <= found <= searches * reads * 32
    assert searched_bytes(searches, size, 32) <= min(searches * reads, 2 * size / 32 + 2) * 32


SEARCH = """
__global__ void search(const float *keys, const float *sought, int *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float z = sought[i];
  int low = 0, high = n;
  while (high - low > 1) {
    int mid = (low + high) / 2;
    if (z < keys[mid]) high = mid; else low = mid;
  }
  found[i] = low;
}
int main() {
  const int n = N, m = 1 << 22;
  float *keys, *sought; int *found;
  cudaMalloc(&keys, n * 4); cudaMalloc(&sought, m * 4); cudaMalloc(&found, m * 4);
  search<<<m / 256, 256>>>(keys, sought, found, n);
}
"""


def dram_bytes(tmp_path: Path, count: int, gpu: str) -> float:
    path = tmp_path / "s.cu"
    path.write_text(SEARCH.replace("N,", f"{count},"))
    prediction = ProgramAnalysis.load([path], Settings(gpu=gpu), argv=()).predict("search")
    assert prediction is not None
    assert prediction.dram_read_bytes is not None
    return prediction.dram_read_bytes


def test_the_reads_of_a_kernel_that_searches(tmp_path: Path) -> None:
    queries, count = 1 << 22, 1 << 23
    each = (dram_bytes(tmp_path, count, "RTX 3080") - 4 * queries) / queries
    # Not all 23 sectors, and not only those that do not stay in L2: each wave reads the array.
    assert 32 * 4.5 <= each <= 32 * 10
    # Keys that fit in L2 are fetched once.
    assert dram_bytes(tmp_path, 1 << 19, "RTX 3080") < 4 * queries + 4 * (1 << 19) * 1.5


def test_what_is_read_under_a_guard_is_searched_as_often(tmp_path: Path) -> None:
    plain = dram_bytes(tmp_path, 1 << 23, "RTX 3080")
    path = tmp_path / "s.cu"
    body = "if (sought[mid % 5] < 1 && z < keys[mid]) high = mid; else low = mid;"
    source = path.read_text().replace("if (z < keys[mid]) high = mid; else low = mid;", body)
    path.write_text(source)
    prediction = ProgramAnalysis.load([path], Settings(gpu="RTX 3080"), argv=()).predict("search")
    assert prediction is not None
    assert (prediction.dram_read_bytes or 0.0) > 0.6 * plain
