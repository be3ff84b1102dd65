"""Numbers that one thread stores in shared memory and its block loads after a barrier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Count = Callable[..., Any]

HANDED = """
__global__ void k(float *x, int n, const int *ends) {{
  __shared__ int s, t;
  {before}
  __syncthreads();
  for (int i = threadIdx.x; i < s; i += blockDim.x) x[i] += 1.f;
}}
"""


def adds(counted: Any) -> float:
    """Additions over the launch."""
    found: float = counted.flops["sp"]
    return found


@pytest.mark.parametrize(
    ("before", "trips"),
    [
        ("if (threadIdx.x == 0) s = n;", 50.0),
        ("s = n / 2;", 25.0),
        ("if (threadIdx.x == 0) s = 30; __syncthreads(); if (threadIdx.x == 1) s = n;", 50.0),
        ("if (threadIdx.x == 0) { s = n; t = 3; }", 50.0),
    ],
)
def test_the_number_is_the_one_that_was_stored(count: Count, before: str, trips: float) -> None:
    counted = count(HANDED.format(before=before), grid=10, block=32, n=50)
    assert adds(counted) == pytest.approx(10 * trips)
    assert not counted.execution.assumed_trips


def test_each_block_has_its_own(count: Count) -> None:
    source = HANDED.format(before="if (threadIdx.x == 0) s = n * (int)blockIdx.x;")
    counted = count(source, grid=4, block=32, n=50)
    assert adds(counted) == pytest.approx(50 * (0 + 1 + 2 + 3))


@pytest.mark.parametrize(
    "before",
    [
        "s = threadIdx.x;",  # Nobody knows whose number stays.
        "if (threadIdx.x == 0) s = ends[blockIdx.x];",
        "if (ends[blockIdx.x]) s = n;",  # Data decides if anything is stored.
        "if (threadIdx.x == 0) s = n; if (threadIdx.x == 1) s = 2 * n;",
        "if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, n);",
    ],
)
def test_what_is_not_sure_stays_unknown(count: Count, before: str) -> None:
    assert count(HANDED.format(before=before), grid=10, block=32, n=50).execution.assumed_trips


IN_LOOP = """
__global__ void k(float *x, int n) {{
  __shared__ int s;
  if (threadIdx.x == 0) s = n;
  __syncthreads();
  for (int run = 0; run < n; run++) {{
    for (int i = 0; i < s; i++) x[i] += 1.f;
    __syncthreads();
    {after}
  }}
}}
"""


def test_a_number_of_the_last_run_of_a_loop_stays_unknown(count: Count) -> None:
    source = IN_LOOP.format(after="if (threadIdx.x == 0) s = s / 2; __syncthreads();")
    assert count(source, block=32, n=50).execution.assumed_trips


def test_a_number_that_the_loop_leaves_alone_is_known_in_it(count: Count) -> None:
    counted = count(IN_LOOP.format(after=""), block=32, n=50)
    assert adds(counted) == pytest.approx(32 * 50 * 50)


def test_compilers_do_not_see_it(count: Count) -> None:
    """No loop is unrolled for a constant that comes out of shared memory."""
    handed = count(HANDED.format(before="s = 64;"), block=32, n=50)
    given = count(HANDED.format(before="s = n;"), block=32, n=64)
    assert adds(handed) == adds(given)
    assert handed.integers == given.integers
