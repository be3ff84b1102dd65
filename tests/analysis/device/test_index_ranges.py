"""Integer instructions of indices that may wrap around, as two compilers make them.

The figures are those of machine code for sm_86: nvcc 13.0, and clang 18 with ptxas 12. NVIDIA's
compiler knows that an index of threads is small, Clang does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC, CompilerProfile

Count = Callable[..., Any]

NEIGHBOURS = "b[{0}] = a[{0} + 2] + a[{0}] + a[{0} + 1] + a[{0} + 3];"


def per_thread(count: Count, body: str, compiler: CompilerProfile, **numbers: int) -> float:
    source = f"__global__ void k(float *a, float *b, int n) {{ {body} }}"
    found = count(source, 1, 256, compiler=compiler, **numbers).integers
    assert isinstance(found, int | float)
    return found


@pytest.mark.parametrize(
    ("index", "by_nvcc", "by_clang"),
    [
        ("threadIdx.x", 2, 8),  # IADD3 and IMAD.WIDE for each of three more
        ("(int)threadIdx.x", 2, 2),  # a signed sum never wraps around
    ],
)
def test_a_constant_next_to_an_index_of_threads(
    index: str, by_nvcc: float, by_clang: float, count: Count
) -> None:
    body = NEIGHBOURS.format(index)
    assert per_thread(count, body, NVCC) == by_nvcc
    assert per_thread(count, body, CLANG) == by_clang


def test_a_constant_next_to_any_index_without_a_sign(count: Count) -> None:
    body = "unsigned x = blockIdx.x * blockDim.x + threadIdx.x; " + NEIGHBOURS.format("x")
    for compiler in (NVCC, CLANG):
        assert per_thread(count, body, compiler) == pytest.approx(9, abs=1)


def test_rows_and_columns_of_a_tile_of_shared_memory(count: Count) -> None:
    """A halo of one: by Clang, each row and each element has an address of its own."""
    body = """
      __shared__ float t[18][18];
      t[threadIdx.y + 1][threadIdx.x + 1] = a[0];
      __syncthreads();
      b[0] = t[threadIdx.y + 1][threadIdx.x + 2] + t[threadIdx.y + 2][threadIdx.x + 1]
           + t[threadIdx.y][threadIdx.x + 1] + t[threadIdx.y + 1][threadIdx.x];"""
    fixed = per_thread(count, "b[0] = a[0];", NVCC)
    assert per_thread(count, body, NVCC) - fixed == 1
    # 4 indices with a constant, 3 rows, 5 elements.
    assert per_thread(count, body, CLANG) - fixed == 4 + 3 + 5


def test_shared_arrays_lie_at_constants(count: Count) -> None:
    """One address serves all arrays that have the same index."""
    body = """
      __shared__ float s[768], t[768];
      int x = threadIdx.x * 3;
      s[x] = a[x]; t[x] = b[x];
      __syncthreads();
      a[x] = s[x + 1] * t[x + 2];"""
    assert per_thread(count, body, NVCC) == 4  # the index, its address here, two of pointers


def test_what_a_thread_picks_in_its_own_array_has_an_address(count: Count) -> None:
    """SHF, LOP3, LEA of the element, IADD3 of what it holds, and IMAD.WIDE of what is loaded."""
    body = """
      int held[16] = {0}; const int *from = (const int *)a;
      for (int i = threadIdx.x; i < n; i += blockDim.x) held[(from[i] >> 4) & 15]++;
      for (int d = 0; d < 16; d++) b[d] = held[d];"""
    few, many = (per_thread(count, body, NVCC, n=n) for n in (256 * 10, 256 * 20))
    assert (many - few) / 10 == 5 + 2


@pytest.mark.parametrize(
    ("loop", "statement", "instructions"),
    [
        # Rounds of 16: a step and a test, and for each 4 copies IADD3, and IMAD.WIDE of each array.
        ("unsigned i = 0; i < n; i++", "a[i] = 1;", (2 + 4 + 4) / 16),
        ("unsigned i = 0; i < n; i++", "b[i] = a[i];", (2 + 4 + 8) / 16),
        # Rounds of 4: each copy has an index and an address.
        ("unsigned i = 0; i < n; i += 2", "a[i] = 1;", (2 + 3 + 4) / 4),
        ("int i = 0; i < n; i += 2", "a[i] = 1;", (2 + 2) / 16),
    ],
)
def test_an_unsigned_counter_may_wrap_around(
    loop: str, statement: str, instructions: float, count: Count
) -> None:
    step = 2 if "+= 2" in loop else 1
    body = f"for ({loop}) {statement}"
    few, many = (per_thread(count, body, NVCC, n=n * step) for n in (640, 6400))
    assert (many - few) / 5760 == pytest.approx(instructions)


def test_what_a_loop_does_not_move_may_be_unsigned(count: Count) -> None:
    """A row of a structure of arrays: the loop's own variable has a sign, so the address moves."""
    source = """
      struct Columns { float values[1024]; };
      __global__ void k(const Columns *columns, float *sums, int n) {
        unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
        float sum = 0;
        for (int i = 0; i < n; i++) sum += columns[i].values[place];
        sums[place] = sum;
      }"""
    few, many = (count(source, 1, 256, n=n).integers for n in (64, 640))
    assert (many - few) / 576 == pytest.approx((2 + 2 + 1) / 16)  # and the variable


@pytest.mark.parametrize(
    ("index", "by_nvcc", "by_clang"),
    [
        ("x / 32", 3, 3),  # SHF of the sign, LEA.HI, SHF: an int that was an index of threads
        ("x % 32", 4, 4),
        ("threadIdx.x / 32", 1, 1),
        ("x / warpSize", 15, 3),  # 12 and 3 moves
    ],
)
def test_a_warp_of_an_int(index: str, by_nvcc: float, by_clang: float, count: Count) -> None:
    body = f"int x = threadIdx.x; b[x] = a[{index}];"
    for compiler, counted in ((NVCC, by_nvcc), (CLANG, by_clang)):
        found = per_thread(count, body, compiler) - 2  # the addresses
        assert found == pytest.approx(counted, rel=0.2)


@pytest.mark.parametrize("test", ["b", "!b", "b != nullptr", "b && n > 0", "0 == b"])
def test_whether_a_pointer_is_null_takes_two_comparisons(test: str, count: Count) -> None:
    asked = per_thread(count, f"if ({test}) a[0] = 1; else a[0] = 2; if ({test}) a[1] = 1;", NVCC)
    plain = per_thread(count, "a[0] = 1; a[1] = 1;", NVCC)
    assert 2 <= asked - plain <= 3  # what is more is the test of n


def test_an_element_has_no_null_test(count: Count) -> None:
    assert per_thread(count, "float x[4]; if (x) a[0] = 1;", NVCC) == 1
