"""Launches of one place that repeat each other are one in the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

SOURCE = """
__global__ void fill(float *x) {{ x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }}
void start(int blocks, float *x) {{ fill<<<blocks, 64>>>(x); }}
int main(int argc, char **argv) {{
  float *x;
  cudaMalloc(&x, 1 << 28);
  int n = atoi(argv[1]), m = atoi(argv[2]), k = atoi(argv[3]);
  start({first}, x);
  start({second}, x);
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("n + m", "m + n", 1),
        ("n * m", "m * n", 1),
        ("(n + m) / 32", "(m + n) / 32", 1),
        ("max(n + m, k) / 32", "max(m + n, k) / 32", 1),
        ("n + m", "n + k", 2),
        ("(n + m) / 32", "(n + m) / 64", 2),
        ("n + m", "n - m", 2),
    ],
)
def test_equal_sizes_are_one_launch(first: str, second: str, count: int) -> None:
    source = SOURCE.format(first=first, second=second).encode()
    report = analyze(source, Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None)
    assert len(report.kernels[0].launches) == count
