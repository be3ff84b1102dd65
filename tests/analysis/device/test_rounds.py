"""Integer instructions of loops that nvcc copies in rounds, as machine code for sm_86 has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC, CompilerProfile
from roofline_analysis.regions.kernel_summary import RegionForm

Count = Callable[..., Any]
KERNEL = """\
__global__ void k(int n, int m, float *o, const float *a, const float *b) {{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float s = {start};
    for (int i = 0; i < n; i++) s += {term};
    o[j] = s;
}}
"""


def of_16_runs(
    count: Count, term: str, compiler: CompilerProfile = NVCC, start: str = "0"
) -> float:
    source = KERNEL.format(term=term, start=start)
    few, many = (count(source, 1, 64, n=n, m=128, compiler=compiler).integers for n in (640, 6400))
    return float((many - few) / 360)


@pytest.mark.parametrize(
    ("term", "instructions"),
    [
        ("a[j + i]", 4),  # a step and a test, and IADD3 and IADD3.X for the address
        ("a[j - i]", 4),
        ("a[j * 128 + i]", 4),
        ("a[i * 2 + j]", 5),  # and IADD3 of the variable
        ("a[(long)i * 128 + j]", 5),
        ("a[i * 128 + j] * b[i]", 7),
        ("a[i * m + j]", 19),  # IMAD.WIDE in each run
        ("a[i * m + j] * b[j * m + i]", 21),
    ],
)
def test_what_is_multiplied_is_counted_besides(
    term: str, instructions: float, count: Count
) -> None:
    assert of_16_runs(count, term) == pytest.approx(instructions)


@pytest.mark.parametrize(
    ("term", "instructions"),
    [
        ("a[i * 3 + j]", 4 * 6),  # 5 for the index and the test, IMAD.WIDE
        ("a[i * 128 + j]", 4 * 6),
        ("a[i * 128 + j] + a[i * 128 + j + 1]", 4 * 6),  # the same address
        ("a[i * 128 + j] * b[i * 128 + j]", 4 * 7),
        ("a[i * 128 + j] * b[i * m + j]", 4 * 10),  # IMAD.WIDE of ``b`` in each run
    ],
)
def test_an_index_that_grows_by_a_constant_keeps_the_assembler_from_copying(
    term: str, instructions: float, count: Count
) -> None:
    assert of_16_runs(count, term) == pytest.approx(instructions)


def test_an_address_that_is_there_before_the_loop_moves_itself(count: Count) -> None:
    assert of_16_runs(count, "a[i * 128 + j]", start="a[j]") == pytest.approx(5)


@pytest.mark.parametrize(
    ("term", "instructions"),
    [
        ("a[i]", 3),
        ("a[i * 2 + j]", 1 + 4 * 7),  # an index and two addresses for each of 8 copies
        ("a[i * 128 + j]", 1 + 4 * 7),
        ("a[i * m + j]", 1 + 32 * 2),
        ("a[i] * b[i]", 5),
    ],
)
def test_clang_groups_eight_copies(term: str, instructions: float, count: Count) -> None:
    """Counted in the machine code of clang 18 and ptxas 12: rounds of 32 runs, whose counter is in
    a register of the warp."""
    assert 2 * of_16_runs(count, term, CLANG) == pytest.approx(instructions)


def adds(loads: int) -> str:
    return " + ".join(f"a[j + i + {100 * each}]" for each in range(loads))


def products(steps: int) -> str:
    term = "a[j + i]"
    for _ in range(steps):
        term = f"({term} * b[0] + b[1])"
    return term


@pytest.mark.parametrize(
    ("term", "copies"),
    [
        (adds(3), 16),
        (adds(4), 4),
        (products(6), 16),
        (products(10), 4),
        (products(18), 4),
        (products(24), 2),
        (products(30), 2),
    ],
)
def test_the_larger_a_body_the_fewer_are_its_copies(term: str, copies: int, count: Count) -> None:
    """A step and a test, and two additions for the address: 4 instructions in each round."""
    assert of_16_runs(count, term) == pytest.approx(4 * 16 / copies)


@pytest.mark.parametrize(
    ("statement", "whole", "not_whole"),
    [
        ("s += a[j + i];", 128, 192),
        ("o[j] += a[j + i];", 96, 128),
        ("s += a[j + i] * b[i];", 64, 80),
        ("o[j] += a[i * 64 + j] * b[j * 64 + i];", 64, 80),
        ("s += a[j * 64 + i] * b[j * 128 + i] + b[j * 64 + i] * a[j * 128 + i];", 32, 40),
        ("s += expf(a[j + i]);", 32, 40),
        ("s = s * c + d;", 256, 512),
    ],
)
def test_loops_that_nvcc_unrolls_whole(
    statement: str, whole: int, not_whole: int, count: Count
) -> None:
    def rolled(trips: int) -> bool:
        source = (
            "__global__ void k(float *o, const float *a, const float *b, float c, float d) {"
            " int j = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;"
            f" for (int i = 0; i < {trips}; i++) {{ {statement} }} o[j] += s; }}"
        )
        regions = count(source, 1, 64).summary.root.walk()
        return any(each.form is RegionForm.LOOP and not each.unrolled for each in regions)

    assert not rolled(whole)
    assert rolled(not_whole)


@pytest.mark.parametrize(
    ("head", "copies"),
    [
        ("int i = 0; i < n; i++", 32),
        ("int i = threadIdx.x; i < n; i++", 32),
        ("int i = from[t]; i < n; i++", 32),
        ("int i = t; i < n; i++", 4),  # the index of all threads is a sum: the assembler copies
        ("int i = from[t]; i < from[t] + m; i++", 4),  # it ends where it starts and more
        ("int i = threadIdx.x; i < n; i += 256", 4),
        ("int i = 0; i < n; i += 2", 8),
        ("long i = 0; i < n; i++", 8),
        ("long i = threadIdx.x; i < n; i += 256", 4),
        ("int i = threadIdx.x; i < n; i += m", 1),
    ],
)
def test_loops_that_clang_copies(head: str, copies: int, count: Count) -> None:
    """Read off the machine code of clang 18 and ptxas 12."""
    source = f"""__global__ void k(int n, int m, float *o, const float *a, const int *from) {{
      int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
      for ({head}) s += a[i];
      o[t] = s;
    }}"""
    regions = count(source, 2, 64, n=640, m=128, compiler=CLANG).summary.root.walk()
    assert [each.copies for each in regions if each.form is RegionForm.LOOP] == [copies]


@pytest.mark.parametrize(
    ("term", "copies"),
    [
        ("a[i]", 32),
        ("a[i] * b[i]", 32),
        ("a[j * m + i] * b[i]", 16),
        ("a[j + i] + a[j + i + 100] + a[j + i + 200]", 16),
        ("a[j + i] + a[j + i + 100] + a[j + i + 200] + a[j + i + 300]", 4),
        ("expf(a[i])", 16),
    ],
)
def test_the_larger_a_body_the_fewer_copies_clang_makes(
    term: str, copies: int, count: Count
) -> None:
    source = KERNEL.format(term=term, start="0")
    regions = count(source, 1, 64, n=640, m=128, compiler=CLANG).summary.root.walk()
    assert [each.copies for each in regions if each.form is RegionForm.LOOP] == [copies]


@pytest.mark.parametrize(
    ("trips", "compiler", "whole"),
    [
        (4, NVCC, True),
        (6, NVCC, False),
        (12, CLANG, True),
        (16, CLANG, False),
    ],
)
def test_a_loop_around_one_that_its_variable_ends(
    trips: int, compiler: CompilerProfile, whole: bool, count: Count
) -> None:
    """Neither compiler knows how often the inner loop runs before the outer one is unrolled."""
    source = f"""__global__ void k(float *a) {{
      __shared__ float t[4096]; int x = threadIdx.x;
      for (int i = 1; i < {trips}; i++)
        for (int j = 0; j < i; j++)
          t[i * {trips} + x] -= t[i * {trips} + j] * t[j * {trips} + x];
      a[x] = t[x];
    }}"""
    regions = count(source, 1, 64, compiler=compiler).summary.root.walk()
    rolled = [each for each in regions if each.form is RegionForm.LOOP and not each.unrolled]
    assert (not rolled) == whole


@pytest.mark.parametrize(
    ("head", "bound"),
    [
        ("constexpr int T = 16; ", "T"),
        ("enum { T = 16 }; ", "T"),
        ("struct C { static constexpr int T = 16; }; ", "C::T"),
        ("constexpr long T = 15; ", "(int)T + 1"),
        ("", "16"),
    ],
)
def test_a_loop_around_one_of_constant_trips_is_unrolled(
    head: str, bound: str, count: Count
) -> None:
    source = f"""{head}__global__ void k(float *a) {{
      __shared__ float t[256]; int x = threadIdx.x;
      for (int i = 0; i < 8; i++) for (int j = 0; j < {bound}; j++) t[x] += t[i + j];
      a[x] = t[x];
    }}"""
    regions = count(source, 1, 64).summary.root.walk()
    assert [each for each in regions if each.form is RegionForm.LOOP] == []
