"""Host code that nests deeply is followed as far wherever the analysis is called from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from roofline_analysis.api import analyze
from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings

SOURCE = b"""
__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
int nested(int n) {
  if (n > 0) {
    for (int i = 0; i < 1; i++) {
      if (n < 100) {
        do { { { { { { { { { { return nested(n - 1) + 1; } } } } } } } } } } while (0);
      }
    }
  }
  return 4;
}
int main() {
  float *x;
  cudaMalloc(&x, 1 << 20);
  fill<<<nested(3), 256>>>(x, 1 << 18);
  fill<<<nested(10), 128>>>(x, 1 << 18);
  fill<<<64, 64>>>(x, 1 << 18);
}
"""


def judged() -> FileReport:
    return analyze(SOURCE, Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None)


def within(calls: int, work: Callable[[], FileReport]) -> FileReport:
    return work() if calls == 0 else within(calls - 1, work)


def test_what_nests_too_deeply_is_unknown_and_the_rest_known() -> None:
    first, second, third = judged().kernels[0].launches
    assert first.grid == (7, 1, 1)
    assert second.grid == (None, 1, 1)
    assert third.grid == (64, 1, 1)


def test_it_does_not_depend_on_the_caller() -> None:
    assert within(200, judged) == judged()
