"""Arrays of constants in a function: a table of all threads to clang, memory of each to nvcc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.device.costs.compilers import CLANG, NVCC, CompilerProfile
from roofline_analysis.regions.kernel_summary import Access, AccessMode, MemorySpace

Count = Callable[..., Any]


def space_of(count: Count, body: str, compiler: CompilerProfile = CLANG) -> set[MemorySpace]:
    """The spaces of what the kernel reads besides its arguments' arrays."""
    source = f"""__device__ void fill(int *to) {{ to[1] = 7; }}
    __global__ void f(const int *x, int *y, int n) {{ {body} }}"""
    counted = count(source, 4, 64, n=10, compiler=compiler)
    arrays = {a.array for r in counted.summary.root.walk() for a in r.accesses}
    return {array.space for array in arrays if array.name not in ("x", "y")}


TABLE = "a[4] = {3, 1, 4, 1};"


@pytest.mark.parametrize(
    "body",
    [
        f"const int {TABLE} y[threadIdx.x] = a[x[threadIdx.x] & 3];",
        f"int {TABLE} y[threadIdx.x] = a[x[threadIdx.x] & 3];",
        f"for (int i = threadIdx.x; i < n; i += 3) {{ const int {TABLE} y[i] = a[x[i] & 3]; }}",
        f"const int {TABLE} for (int i = 0; i < n; i++) y[i] = a[(x[i] + i) & 3];",
    ],
)
def test_constants_that_nothing_writes_are_a_table(count: Count, body: str) -> None:
    assert space_of(count, body) == {MemorySpace.CONSTANT}


@pytest.mark.parametrize(
    "body",
    [
        f"int {TABLE} a[x[0] & 3] = 5; y[threadIdx.x] = a[x[threadIdx.x] & 3];",
        f"int {TABLE} y[threadIdx.x] = a[x[threadIdx.x] & 3]; a[1] = 2; y[0] = a[x[1] & 3];",
        f"int {TABLE} fill(a); y[threadIdx.x] = a[x[threadIdx.x] & 3];",
        "int a[4] = {3, x[9], 4, 1}; y[threadIdx.x] = a[x[threadIdx.x] & 3];",
        "int a[4]; y[threadIdx.x] = a[x[threadIdx.x] & 3];",
    ],
)
def test_an_array_that_a_thread_writes_is_its_own(count: Count, body: str) -> None:
    assert space_of(count, body) == {MemorySpace.LOCAL}


STRING = 'const unsigned char a[] = "3.141";'


def writes_of(count: Count, body: str) -> list[Access]:
    """What each thread writes to memory of its own, as nvcc compiles it."""
    source = f"__global__ void f(const int *x, int *y) {{ {body} }}"
    regions = count(source, 4, 64, compiler=NVCC).summary.root.walk()
    accesses = (access for region in regions for access in region.accesses)
    return [
        access
        for access in accesses
        if access.array.space is MemorySpace.LOCAL and access.mode is AccessMode.WRITE
    ]


@pytest.mark.parametrize(
    ("declared", "size_bytes"),
    [(f"const int {TABLE}", 16), (f"int {TABLE}", 16), (f"constexpr int {TABLE}", 16), (STRING, 6)],
)
def test_threads_fill_tables_that_nvcc_compiles(
    count: Count, declared: str, size_bytes: int
) -> None:
    body = f"{declared} y[threadIdx.x] = a[x[threadIdx.x] & 3];"
    assert space_of(count, body, NVCC) == {MemorySpace.LOCAL}
    assert space_of(count, body, CLANG) == {MemorySpace.CONSTANT}
    (written,) = writes_of(count, body)
    assert written.size_bytes == size_bytes


def test_static_tables_and_those_at_constant_indices_are_not_filled(count: Count) -> None:
    static = f"static const int {TABLE} y[threadIdx.x] = a[x[threadIdx.x] & 3];"
    assert space_of(count, static, NVCC) == {MemorySpace.CONSTANT}
    assert space_of(count, f"const int {TABLE} y[threadIdx.x] = a[2];", NVCC) == set()
