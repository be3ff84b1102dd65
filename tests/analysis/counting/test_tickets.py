"""What runs once in a grid because an atomic counts: the last block, the head of a queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import RegionForm

Count = Callable[..., Any]

LAST_BLOCK = """
__device__ unsigned int done;
__global__ void k(float *x, unsigned int *count) {{
  __shared__ bool last;
  if (threadIdx.x == 0) {{
    unsigned int ticket = {draw};
    last = {test};
  }}
  __syncthreads();
  if ({reads}) {{ x[threadIdx.x] = 1.f; }}
}}
"""


def stores(counted: Any) -> float:
    """How often the guarded store runs."""
    found: float = counted.accesses["x", "write", 4]
    return found


@pytest.mark.parametrize(
    "draw",
    [
        "atomicAdd(count, 1)",
        "atomicInc(count, gridDim.x)",
        "atomicAdd(&done, 1u)",
        "atomicInc(&done, gridDim.x)",
    ],
)
def test_the_last_block_is_one(count: Count, draw: str) -> None:
    source = LAST_BLOCK.format(draw=draw, test="ticket == gridDim.x - 1", reads="last")
    assert stores(count(source, grid=4096, block=256)) == pytest.approx(256)


def test_an_early_exit_leaves_the_last_block(count: Count) -> None:
    source = LAST_BLOCK.format(
        draw="atomicAdd(count, 1)", test="ticket != gridDim.x - 1", reads="!last"
    )
    assert stores(count(source, grid=1000, block=128)) == pytest.approx(128)


def test_each_counter_has_its_own_last_block(count: Count) -> None:
    source = LAST_BLOCK.format(
        draw="atomicAdd(&count[blockIdx.y], 1)", test="ticket == gridDim.x - 1", reads="last"
    )
    counted = count(source, grid=(64, 8), block=256)
    assert stores(counted) == pytest.approx(8 * 256)


def test_the_last_block_rests_on_no_assumption(count: Count) -> None:
    source = LAST_BLOCK.format(
        draw="atomicAdd(count, 1)", test="ticket == gridDim.x - 1", reads="last"
    )
    assert not count(source, grid=4096, block=256).execution.assumed_conditions


def test_the_longest_warp_is_one_of_the_last_block(count: Count) -> None:
    source = LAST_BLOCK.format(
        draw="atomicAdd(count, 1)", test="ticket == gridDim.x - 1", reads="last"
    )
    counted = count(source, grid=4096, block=256)
    guard = counted.summary.root.children[-1]
    assert guard.form is RegionForm.GUARD
    assert counted.execution.regions[guard].longest == pytest.approx(1)


def test_a_number_of_each_block_counts_its_threads(count: Count) -> None:
    counted = count(
        """
        __global__ void k(float *x) {
          __shared__ int arrived;
          if (threadIdx.x == 0) arrived = 0;
          __syncthreads();
          if (atomicAdd(&arrived, 1) == 0) x[blockIdx.x] = 1.f;
        }
        """,
        grid=50,
        block=64,
    )
    assert stores(counted) == pytest.approx(50)


@pytest.mark.parametrize(
    "test",
    [
        "atomicAdd(&count[threadIdx.x], 1) == 0",  # Another number for each thread.
        "atomicAdd(count, 1) < 7",
        "atomicMax(count, 3) == 0",  # Many threads get the same.
        "atomicAdd(count, 1) * atomicAdd(count, 1) == 4",
    ],
)
def test_other_conditions_are_assumed(count: Count, test: str) -> None:
    counted = count(
        f"__global__ void k(float *x, int *count) {{ if ({test}) x[threadIdx.x] = 1.f; }}",
        grid=10,
        block=64,
    )
    assert stores(counted) == pytest.approx(320)
    assert counted.execution.assumed_conditions
