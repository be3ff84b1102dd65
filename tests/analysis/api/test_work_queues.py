"""Kernels that give away places or work by counting, launched by programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import LaunchReport
from roofline_core.settings import Settings

SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
PLACES = """
__global__ void k(float *x, int *count, int n) {
  int i = atomicAdd(count, 1);
  if (i < n) x[i] = x[i] * 2.f;
}
"""
QUEUE = """
__global__ void k(float *x, int *count, int n) {
  __shared__ int next;
  for (;;) {
    if (threadIdx.x == 0) next = atomicAdd(count, 1);
    __syncthreads();
    int t = next;
    __syncthreads();
    if (t >= n) break;
    x[t * blockDim.x + threadIdx.x] *= 2.f;
  }
}
"""


def launch(text: str) -> LaunchReport:
    report = analyze(text.encode(), Path("/p/main.cu"), SETTINGS, reader=lambda _: None)
    (found,) = (each for kernel in report.kernels for each in kernel.launches)
    return found


def program(kernel: str, n: int) -> str:
    return f"""{kernel}
    int main() {{
      float *x; int *count;
      cudaMalloc(&x, 25600000 * 4); cudaMalloc(&count, 4);
      k<<<68, 256>>>(x, count, {n});
    }}
    """


@pytest.mark.parametrize("tasks", [1_000, 100_000])
def test_all_blocks_together_do_the_work_of_a_queue(tasks: int) -> None:
    found = launch(program(QUEUE, tasks)).prediction
    assert found.sp_flops == pytest.approx(tasks * 256)
    assert found.dram_read_bytes == pytest.approx(tasks * 1024, rel=0.01)


def test_no_more_places_are_taken_than_there_are() -> None:
    assert launch(program(PLACES, 1000)).prediction.sp_flops == pytest.approx(1000)


def test_a_guessed_number_of_places_decides_nothing() -> None:
    text = f"""{PLACES}
    void filled(float *x, int *count, int n) {{ k<<<68, 256>>>(x, count, n); }}
    """
    assert launch(text).prediction.sp_flops == pytest.approx(68 * 256 / 2)
