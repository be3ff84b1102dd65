"""Arrays of constants in a function are tables of all threads, not memory of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import MemorySpace

Count = Callable[..., Any]


def space_of(count: Count, body: str) -> set[MemorySpace]:
    """The spaces of what the kernel reads besides its arguments' arrays."""
    source = f"""__device__ void fill(int *to) {{ to[1] = 7; }}
    __global__ void f(const int *x, int *y, int n) {{ {body} }}"""
    counted = count(source, 4, 64, n=10)
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
