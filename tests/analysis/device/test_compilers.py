"""Integer operations of loops and addresses as two compilers make them.

The figures were counted by executing the machine code: that of nvcc 13.0, and that of clang 18 with
ptxas 12, both for sm_86 (``--profile --emulate``), per thread of a few blocks of 256.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import (
    CLANG,
    HIPCC,
    NVCC,
    OPENCL,
    OPENMP,
    compiler_of,
)
from roofline_core.program.float_math import FAST_MATH, FloatMath
from roofline_core.program.units import Dialect

Count = Callable[..., Any]

PARAMETERS = "float *o, const float *x, int n, int m"
START = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;"


def loop(head: str, body: str) -> str:
    return f"__global__ void k({PARAMETERS}) {{ {START} for ({head}) {body} o[t] = s; }}"


def sum_of(added: str) -> str:
    """A kernel whose threads each add ``n`` of an expression."""
    return f"""
    __global__ void k(float *o, const float *x, int n, float v) {{
      float s = 0.0f;
      for (int i = 0; i < n; i++) s += {added};
      o[threadIdx.x] = s;
    }}"""


COUNTED = "int i = 0; i < n; i++"
GRID_STRIDE = (
    "for ({} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
)


@pytest.mark.parametrize(
    ("source", "by_nvcc", "by_clang"),
    [
        (loop(COUNTED, "s += x[i];"), 266, None),
        (loop("int i = m; i < n; i++", "s += x[i];"), 142, None),
        (loop("int i = t; i < n; i++", "s += x[i];"), 215.5, 949),
        (loop("unsigned long i = 0; i < n; i++", "s += x[i];"), 1773, None),
        (loop("int i = 0; i < 1000; i++", "s += x[i];"), 62, 497),
        (loop(COUNTED, "s += x[i * m + t];"), 1201, 2046),
        (loop(COUNTED, "o[i * m + t] = x[i * m + t] * 2;"), 2202, 3132),
        (loop(COUNTED, "s += x[i * m + t] * x[i * m + t + 1] + x[i];"), 1327, 2204),
        (loop(COUNTED, "s += x[(int)x[i]];"), 1326, 1380),
        (loop(COUNTED, "s += expf(x[i]);"), 1263, 1204),
        (loop(COUNTED, "s += 1.0f / (x[i] + 1.f);"), 4016, 3765),
    ],
)
def test_a_loop_of_a_thousand_trips(
    source: str, by_nvcc: float | None, by_clang: float | None, count: Count
) -> None:
    for compiler, counted in ((NVCC, by_nvcc), (CLANG, by_clang)):
        if counted is not None:
            found = count(source, 2, 256, compiler=compiler, n=1000, m=500)
            assert found.integers == pytest.approx(counted, rel=0.2)


@pytest.mark.parametrize(
    ("type_", "element", "counted"),
    [
        ("int", "float", 66),
        ("unsigned", "float", 66),
        ("int", "unsigned char", 99),  # 1 byte: nothing to multiply by, two additions
        ("long", "float", 142),
    ],
)
def test_a_grid_stride_loop_computes_each_address_anew(
    type_: str, element: str, counted: float, count: Count
) -> None:
    source = f"""__global__ void k(float *o, const {element} *x, {type_} n) {{
      {GRID_STRIDE.format(type_)} o[i] = x[i]; }}"""
    for compiler in (NVCC, CLANG):
        found = count(source, 4, 256, compiler=compiler, n=16 * 1024)
        assert found.integers == pytest.approx(counted, rel=0.06)


def test_a_signed_step_that_is_known_at_run_time(count: Count) -> None:
    step = "int step = gridDim.x * blockDim.x; for (int i = t; i < n; i += step) s += x[i];"
    source = f"__global__ void k({PARAMETERS}) {{ {START} {step} o[t] = s; }}"
    for compiler, counted in ((NVCC, 100.6), (CLANG, 127.2)):
        found = count(source, 2, 256, compiler=compiler, n=20_000)
        assert found.integers == pytest.approx(counted, rel=0.15)


ROWS = "float *o, const double (*c)[64][64], const float *x, int n"
PLACE = "int y = threadIdx.y + blockIdx.y * blockDim.y, z = blockIdx.z * blockDim.z + threadIdx.z;"


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ("int y = blockIdx.x, z = blockIdx.y; o[threadIdx.x] = c[z][y][threadIdx.x];", 4),
        (f"{PLACE} o[threadIdx.x] = c[z][y][threadIdx.x];", 6),
        (f"{PLACE} o[threadIdx.x] = c[z][y][threadIdx.x] + c[z][y + 1][threadIdx.x];", 6),
        # Unsigned, so that the sum with 1 may wrap around: it cannot go into the offset field.
        (f"{START} o[t] = x[threadIdx.y * n + t] + x[threadIdx.y * n + t + 1];", 6),
        (f"{START} int j = threadIdx.y; o[t] = x[j * n + t] + x[j * n + t + 1];", 4),
    ],
)
def test_an_address_of_several_indices(body: str, counted: float, count: Count) -> None:
    """Each index that is not constant is added to the address of its row."""
    for compiler in (NVCC, CLANG):
        found = count(f"__global__ void k({ROWS}) {{ {body} }}", 1, 64, compiler=compiler, n=7)
        assert found.integers == counted


def test_loops_of_the_same_trip_count_share_the_test_whether_they_run(count: Count) -> None:
    once = "for (int i = 0; i < n; i++) s = s * s + 1.0f;"
    # The runs left over, of 0 to 3 each, and a share of a round.
    for n, more in ((0, 0), (1, 2 * (1.5 * (2 - 1 / 8) + 1 / 8))):
        one, three = (
            count(f"__global__ void k({PARAMETERS}) {{ {START} {each} o[t] = s; }}", 1, 32, n=n)
            for each in (once, once * 3)
        )
        assert three.integers - one.integers == more


@pytest.mark.parametrize(
    ("dialect", "compiler"),
    [
        (Dialect.CUDA, NVCC),
        (Dialect.OPENCL, OPENCL),
        (Dialect.HIP, NVCC),
        (Dialect.OPENMP, OPENMP),
    ],
)
def test_the_compiler_of_a_language(dialect: Dialect, compiler: object) -> None:
    assert compiler_of("auto", dialect) is compiler
    assert compiler_of("clang", dialect) is (OPENMP if dialect is Dialect.OPENMP else CLANG)
    assert compiler_of("nvcc", dialect) is (OPENCL if dialect is Dialect.OPENCL else NVCC)


def test_hipcc_is_the_compiler_of_the_gpus_maker() -> None:
    assert compiler_of("hipcc", Dialect.HIP) is NVCC
    for name in ("auto", "hipcc", "clang"):
        assert compiler_of(name, Dialect.HIP, amd=True) is HIPCC
    assert compiler_of("auto", Dialect.OPENMP, amd=True) is OPENMP


@pytest.mark.parametrize(
    ("loops", "counted"),
    [
        ("for (int i = 0; i < 64; i++)", 257),
        ("for (int i = 0; i < 128; i++)", 520),
        ("for (int i = 0; i < 256; i++)", 1034),
        ("for (int j = 0; j < 16; j++) for (int i = 0; i < 16; i++)", 1045),
        ("for (int j = 0; j < 32; j++) for (int i = 0; i < 32; i++)", 4133),
    ],
)
def test_what_clang_does_not_unroll_whole(loops: str, counted: float, count: Count) -> None:
    """What an inner loop makes when it is unrolled counts towards the limit of the outer one."""
    outer = "j" if "j" in loops else "0"
    width = 32 if "32" in loops else 16
    source = f"""
    __global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *o, int n,
                      int m) {{
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      a += t;
      float s = 0;
      {loops} s += a[({outer} * {width} + i) * m] * b[i * n + {outer}];
      o[t] = s;
    }}"""
    assert count(source, 1, 32, compiler=CLANG, n=32, m=64).integers == pytest.approx(
        counted, rel=0.1
    )


def test_nested_loops_that_are_unrolled_whole(count: Count) -> None:
    source = """
    __global__ void k(const float *__restrict__ a, float *o) {
      int t = threadIdx.x;
      float s = 0;
      for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s += a[t + 32 * (4 * i + j)];
      o[t] = s;
    }"""
    # Both addresses, and nothing else: every other offset is a constant.
    assert count(source, 1, 32, compiler=CLANG).integers == 2


@pytest.mark.parametrize(
    ("stored", "by_nvcc", "by_clang"),
    [
        ("-x", 1, 1),
        ("-(x * y)", 2, 1),
        ("-(x + y)", 2, 2),
        ("-(x * y + z)", 3, 3),
        ("x < 0 ? -x : x", 0, 0),
        ("-x * y", 1, 1),
        ("-(-x)", 0, 0),
        ("-x; o[t + 32] = -x", 1, 1),
        ("fabs(x)", 1, 1),
        ("fabs(x * y)", 2, 2),
        ("-fabs(x + y)", 2, 2),
        ("fabs(x) * y", 1, 1),
        ("fabs(-x)", 1, 1),
    ],
)
@pytest.mark.parametrize("type_", ["float", "double"])
def test_a_changed_sign_costs_where_it_is_stored(
    stored: str, by_nvcc: float, by_clang: float, type_: str, count: Count
) -> None:
    source = f"""
    __global__ void k(const {type_} *a, {type_} *o) {{
      int t = threadIdx.x;
      {type_} x = a[t], y = a[t + 1], z = a[t + 2];
      o[t] = {stored};
    }}"""
    for compiler, counted in ((NVCC, by_nvcc), (CLANG, by_clang)):
        kind = "sp" if type_ == "float" else "dp"
        expected = {kind: 32.0 * counted} if counted else {}
        assert count(source, 1, 32, compiler=compiler).flops == expected


@pytest.mark.parametrize(
    ("added", "by_nvcc", "by_clang"),
    [
        ("sqrtf(x[i])", 7, 1),
        ("sqrt(x[i])", 7, 1),
        ("1.0f / sqrtf(x[i])", 12, 6),
        ("v / sqrtf(x[i])", 17, 11),
        ("sqrtf(x[i]) * x[i + 1]", 8, 2),
        ("__fsqrt_rn(x[i])", 7, 7),
    ],
)
def test_roots_of_floats(added: str, by_nvcc: int, by_clang: int, count: Count) -> None:
    source = sum_of(added)
    for compiler, counted in ((NVCC, by_nvcc), (CLANG, by_clang)):
        found = count(source, 1, 32, compiler=compiler, n=100)
        assert found.flops == {"sp": 32.0 * 100 * counted}


@pytest.mark.parametrize(
    ("added", "flops"),
    [
        ("v / x[i]", 2),
        ("1.0f / x[i]", 2),
        ("x[i] / 3.0f", 2),
        ("x[i] / 4.0f", 2),
        ("sqrt(x[i])", 1),
        ("v / sqrt(x[i])", 2),
    ],
)
def test_opencl_rounds_neither_divisions_nor_roots(added: str, flops: int, count: Count) -> None:
    """Machine code of NVIDIA's compiler: a product with MUFU.RCP's result, or MUFU.SQRT alone."""
    source = f"""
    __kernel void k(__global float *o, __global const float *x, int n, float v) {{
      float s = 0.0f;
      for (int i = 0; i < n; i++) s += {added};
      o[get_local_id(0)] = s;
    }}"""
    found = count(source, 1, 32, compiler=OPENCL, n=100, suffix=".cl")
    assert found.flops == {"sp": 32.0 * 100 * flops}


FAST = compiler_of("nvcc", Dialect.CUDA, FAST_MATH)


@pytest.mark.parametrize(
    ("added", "exact", "fast"),
    [
        ("v / x[i]", 10, 1),
        ("1.0f / x[i]", 5, 0),
        ("x[i] / 3.0f", 10, 1),
        ("expf(x[i])", 10, 1),
        ("logf(x[i])", 24, 1),
        ("powf(x[i], v)", 61, 1),
        ("tanhf(x[i])", 14, 0),
        ("sqrtf(x[i])", 6, 0),
        ("sinf(x[i])", 18, 1),
        ("sinf(x[i]) * cosf(x[i])", 29, 1),  # the angle is made turns of once
        ("__sinf(x[i]) * __cosf(x[i])", 1, 1),
    ],
)
def test_fast_arithmetic(added: str, exact: int, fast: int, count: Count) -> None:
    """Beside the sum; machine code of nvcc 13.0 with and without ``-use_fast_math``."""
    source = sum_of(added)
    written = 2 if "*" in added else 1
    for compiler, flops in ((NVCC, exact), (FAST, fast)):
        found = count(source, 1, 32, compiler=compiler, n=100)
        assert found.flops == {"sp": 32.0 * 100 * (flops + written)}, compiler


def test_a_whole_kernel_of_fast_arithmetic(count: Count) -> None:
    """``cuobjdump -sass``: 5 FADD, 2 FFMA and 5 FMUL, one of them for the conversion."""
    source = """
    __global__ void k(float *o, const float *x, double *d) {
      int t = threadIdx.x; float v = x[t];
      o[t] = expf(v) / (1.0f + sinf(v)) + sqrtf(v) + powf(v, 2.5f) + sinf(v + 1.0f) * cosf(v + 1.0f)
          + tanhf(v) + 1.0f / v;
      d[t] = v;
    }"""
    assert count(source, 1, 32, compiler=FAST).flops == {"sp": 32.0 * 14}


def test_each_part_of_fast_arithmetic_by_itself(count: Count) -> None:
    source = """
    __global__ void k(float *o, const float *x, int n) {
      o[threadIdx.x] = sqrtf(x[threadIdx.x]) / x[n];
    }"""
    flops = {
        (division, root): count(
            source, 1, 1, n=1, compiler=compiler_of("nvcc", Dialect.CUDA, math)
        ).flops["sp"]
        for division in (None, False)
        for root in (None, False)
        for math in [FloatMath(rounds_divisions=division, rounds_roots=root)]
    }
    assert flops == {(None, None): 16, (False, None): 7, (None, False): 10, (False, False): 1}


@pytest.mark.parametrize("addresses", [6, 24])
def test_addresses_that_are_the_same_in_all_threads(addresses: int, count: Count) -> None:
    """Clang's are made by the uniform datapath. Of nvcc 13.0's machine code: 9 and 27 in all."""
    body = " + ".join(f"x[n * {3 + 2 * i} + m]" for i in range(addresses))
    source = f"__global__ void k({PARAMETERS}) {{ o[threadIdx.x] = {body}; }}"
    by_nvcc = count(source, 1, 64, compiler=NVCC, n=1000, m=500).integers
    by_clang = count(source, 1, 64, compiler=CLANG, n=1000, m=500).integers
    assert by_nvcc == pytest.approx(addresses + 3, abs=2)
    assert by_nvcc - by_clang == pytest.approx(0.6 * addresses)
    guarded = source.replace("o[", "if (threadIdx.x < m) o[")
    assert count(guarded, 1, 64, compiler=CLANG, n=1000, m=500).integers > addresses
