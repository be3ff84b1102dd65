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
        "atomicAdd(count, 1) < x[0]",
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


@pytest.mark.parametrize(
    ("test", "passing"),
    [
        ("atomicAdd(count, 1) < 7", 7),
        ("atomicAdd(count, 1) <= 7", 8),
        ("atomicAdd(count, 1) >= 7", 633),
        ("7 < atomicAdd(count, 1)", 632),
        ("atomicAdd(count, 1) < 1000", 640),  # There are more places than threads.
        ("atomicAdd(count, 2) < 7", 4),  # 0, 2, 4 and 6.
        ("atomicAdd(count, 2) <= 8", 5),
        ("atomicAdd(count, 1) < gridDim.x", 10),
        ("atomicAdd(&count[blockIdx.x], 1) < 7", 70),
        ("atomicAdd(count, 1) + 3 < 7", 4),
    ],
)
def test_as_many_places_are_taken_as_there_are(count: Count, test: str, passing: int) -> None:
    counted = count(
        f"__global__ void k(float *x, unsigned *count) {{ if ({test}) x[threadIdx.x] = 1.f; }}",
        grid=10,
        block=64,
    )
    assert stores(counted) == pytest.approx(passing)


def test_where_the_count_starts_is_told_as_an_assumption(count: Count) -> None:
    counted = count(
        "__global__ void k(float *x, int *c) { if (atomicAdd(c, 1) < 7) x[threadIdx.x] = 1.f; }",
        grid=10,
        block=64,
    )
    (guard,) = counted.execution.assumed_conditions
    assert "taken to start at 0" in counted.execution.regions[guard].why


QUEUES = {
    "handed to the block": """
      __shared__ int next;
      for (;;) {
        if (threadIdx.x == 0) next = atomicAdd(count, 1);
        __syncthreads();
        int t = next;
        __syncthreads();
        if (t >= n) break;
        x[t * blockDim.x + threadIdx.x] = 2.f;
      }""",
    "drawn again": """
      for (int t = atomicAdd(count, 1); t < n * 64; t = atomicAdd(count, 1)) x[t] = 2.f;""",
    "drawn in the condition": """
      int t;
      while ((t = atomicAdd(count, 1)) < n * 64) x[t] = 2.f;""",
    "several at a time": """
      int t;
      while ((t = atomicAdd(count, 4)) < n * 64)
        for (int i = 0; i < 4; i++) x[t + i] = 2.f;""",
    "handed to the warp": """
      int lane = threadIdx.x % 32;
      for (;;) {
        int t;
        if (lane == 0) t = atomicAdd(count, 1);
        t = __shfl_sync(0xffffffff, t, 0);
        if (t >= n * 2) return;
        x[t * 32 + lane] = 2.f;
      }""",
    "handed to the warp and drawn again": """
      int lane = threadIdx.x & 31, t = 0;
      if (lane == 0) t = atomicAdd(count, 1);
      t = __shfl_sync(0xffffffff, t, 0);
      while (t < n * 2) {
        x[t * 32 + lane] = 2.f;
        if (lane == 0) t = atomicAdd(count, 1);
        t = __shfl_sync(0xffffffff, t, 0);
      }""",
    "handed and drawn again": """
      __shared__ int next;
      if (threadIdx.x == 0) next = atomicAdd(count, 1);
      __syncthreads();
      int t = next;
      while (t < n) {
        x[t * blockDim.x + threadIdx.x] = 2.f;
        __syncthreads();
        if (threadIdx.x == 0) next = atomicAdd(count, 1);
        __syncthreads();
        t = next;
      }""",
}


@pytest.mark.parametrize("queue", QUEUES.values(), ids=QUEUES.keys())
@pytest.mark.parametrize("tasks", [5, 10_000])
def test_all_work_in_a_queue_is_done_once(count: Count, queue: str, tasks: int) -> None:
    source = f"__global__ void k(float *x, int *count, int n) {{ {queue} }}"
    counted = count(source, grid=20, block=64, n=tasks)
    assert stores(counted) == pytest.approx(tasks * 64)
    (loop,) = counted.execution.assumed_trips
    assert "taken to start at 0" in counted.execution.regions[loop].why


def test_each_block_has_a_queue_of_its_own(count: Count) -> None:
    source = """
    __global__ void k(float *x, int n) {
      __shared__ int taken;
      if (threadIdx.x == 0) taken = 0;
      __syncthreads();
      int t;
      while ((t = atomicAdd(&taken, 1)) < n) x[blockIdx.x * n + t] = 2.f;
    }
    """
    assert stores(count(source, grid=20, block=64, n=1000)) == pytest.approx(20 * 1000)


def test_a_queue_of_unknown_length_stays_assumed(count: Count) -> None:
    source = """
    __global__ void k(float *x, int *count, int *n) {
      int t;
      while ((t = atomicAdd(count, 1)) < *n) x[t] = 2.f;
    }
    """
    counted = count(source, grid=20, block=64)
    (loop,) = counted.execution.assumed_trips
    assert "start at 0" not in counted.execution.regions[loop].why


@pytest.mark.parametrize("shuffle", ["__shfl_down_sync(0xffffffff, t, 1)", "__popc(t)"])
def test_what_each_lane_gets_otherwise_is_no_ticket(count: Count, shuffle: str) -> None:
    source = f"""
    __global__ void k(float *x, int *count, int n) {{
      for (;;) {{
        int t = 0;
        if (threadIdx.x % 32 == 0) t = atomicAdd(count, 1);
        t = {shuffle};
        if (t >= n) return;
        x[t] = 2.f;
      }}
    }}
    """
    counted = count(source, grid=20, block=64, n=10_000)
    (loop,) = counted.execution.assumed_trips
    assert "start at 0" not in counted.execution.regions[loop].why
