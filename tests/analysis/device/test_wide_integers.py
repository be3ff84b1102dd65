"""64-bit integers and indices, as many integer operations as machine code for sm_86 has.

Counted in straight-line code that nvcc 13.0 and clang 18 with ptxas 12.2 make, without register
moves; most of what threads of a block share is in instructions of the uniform datapath.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC

Count = Callable[..., Any]

BLOCK = "(long long)blockIdx.x"
INDICES = {
    "product": f"{BLOCK} * n",
    "product and sum": f"{BLOCK} * n + k",
    "two products": f"({BLOCK} * n + k) * q",
    "arguments": "n * k",
    "two indices": f"({BLOCK} * gridDim.y + blockIdx.y) * n",
}
"""What the threads of a block share."""
USES = {
    "with the thread": "a[threadIdx.x] = b[{u} + threadIdx.x];",
    "alone": "const float *p = b + {u}; a[threadIdx.x] = p[0];",
    "a value": "((long long *)a)[threadIdx.x] = {u} + threadIdx.x;",
    "with a row": "a[threadIdx.x] = b[{u} + threadIdx.x * k];",
}
MACHINE_CODE = {
    # what is shared, its use: nvcc, clang
    ("product", "with the thread"): (5, 2),
    ("product", "alone"): (1, 1),
    ("product", "a value"): (3, 3),
    ("product", "with a row"): (5, 5),
    ("product and sum", "with the thread"): (7, 2),
    ("product and sum", "alone"): (1, 1),
    ("product and sum", "a value"): (5, 5),
    ("product and sum", "with a row"): (5, 5),
    ("two products", "with the thread"): (9, 2),
    ("two products", "alone"): (1, 1),
    ("two products", "a value"): (7, 7),
    ("two products", "with a row"): (None, 5),
    ("arguments", "with the thread"): (7, 2),
    ("arguments", "alone"): (None, None),
    ("arguments", "a value"): (5, 5),
    ("arguments", "with a row"): (None, None),
    ("two indices", "with the thread"): (8, 2),
    ("two indices", "alone"): (1, 1),
    ("two indices", "a value"): (6, 6),
    ("two indices", "with a row"): (None, 5),
}


@pytest.mark.parametrize(
    ("shared", "use", "compiler", "counted"),
    [
        (*key, compiler, counted)
        for key, both in MACHINE_CODE.items()
        for compiler, counted in zip((NVCC, CLANG), both, strict=True)
        if counted is not None
    ],
)
def test_what_the_threads_of_a_block_share(
    shared: str, use: str, compiler: object, counted: int, count: Count
) -> None:
    body = USES[use].replace("{u}", f"({INDICES[shared]})")
    source = f"""
    __global__ void k(float *__restrict__ a, const float *__restrict__ b, long long n, long long k,
                      long long q) {{ {body} }}
    """
    found = count(source, grid=64, block=256, n=100, k=3, q=5, compiler=compiler)
    assert found.integers == counted


@pytest.mark.parametrize("compiler", [NVCC, CLANG])
@pytest.mark.parametrize(
    ("expression", "counted"),
    [
        ("x[t] * y[t]", 4),
        ("x[t] * y[t] + z[t]", 4),
        ("x[t] * 6364136223846793005ULL + 1442695040888963407ULL", 4),
        ("x[t] * 1000ULL", 3),
        ("x[t] * (unsigned)w[t]", 3),
        ("x[t] * (unsigned)w[t] + y[t]", 3),
        ("x[t] * (unsigned long long)(long long)w[t]", 5),
        ("(unsigned long long)(unsigned)w[t] * (unsigned)v[t]", 1),
        ("(unsigned long long)((long long)w[t] * v[t])", 1),
        ("x[t] + y[t]", 2),
        ("x[t] + y[t] + z[t]", 2),
        ("(x[t] * y[t] + z[t]) * x[t] + y[t]", 8),
        ("x[t] * y[t] - z[t]", 6),
        ("x[t] * n", 4),
        ("x[t] + n", 2),
    ],
)
def test_arithmetic_of_64_bits(
    expression: str, counted: int, compiler: object, count: Count
) -> None:
    arrays = "xyzwv"
    of = ", ".join(
        f"const {'int' if name in 'wv' else 'unsigned long long'} *__restrict__ {name}"
        for name in arrays
    )
    source = f"""
    __global__ void k(unsigned long long *__restrict__ a, {of}, unsigned long long n) {{
        int t = threadIdx.x;
        a[t] = {expression};
    }}
    """
    addresses = 1 + sum(f"{name}[t]" in expression for name in arrays)
    found = count(source, grid=64, block=256, n=100, compiler=compiler)
    assert found.integers - addresses == counted


THREADS = {
    "widened first": "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;",
    "widened last": "size_t i = blockIdx.x * blockDim.x + threadIdx.x;",
    "signed": "long i = blockIdx.x * (long)blockDim.x + threadIdx.x;",
}
ACCESSES = {
    1: "a[i] = 1.0f;",
    2: "a[i] = b[i];",
    3: "a[i] = b[i] + c[i];",
}


@pytest.mark.parametrize(
    ("index", "arrays", "compared", "by_nvcc", "by_clang"),
    [
        ("widened first", 1, True, 5, 5),
        ("widened first", 2, True, 9, 9),  # a shift of two registers, and two sums
        ("widened first", 3, True, 11, 11),
        ("widened first", 1, False, 3, None),
        ("widened first", 2, False, 7, 7),
        ("widened first", 3, False, 9, 9),
        ("widened last", 1, True, 5, 4),
        ("widened last", 2, True, 9, 5),  # nvcc takes what it has compared, clang widens anew
        ("widened last", 3, True, 11, 6),
        ("widened last", 1, False, 2, 2),
        ("widened last", 2, False, 3, 3),
        ("widened last", 3, False, 4, 4),
        ("signed", 2, True, 9, 9),
        ("signed", 3, False, 9, 9),
    ],
)
def test_arrays_with_one_index_of_64_bits(
    index: str, arrays: int, compared: bool, by_nvcc: int, by_clang: int | None, count: Count
) -> None:
    test = "if (i >= n) return;" if compared else ""
    source = f"""
    __global__ void k(float *__restrict__ a, const float *__restrict__ b,
                      const float *__restrict__ c, size_t n) {{
        {THREADS[index]} {test} {ACCESSES[arrays]}
    }}
    """
    for compiler, counted in ((NVCC, by_nvcc), (CLANG, by_clang)):
        if counted is not None:
            assert count(source, grid=4, block=256, n=1024, compiler=compiler).integers == counted
