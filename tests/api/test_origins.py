"""Where the values of launches come from."""

from __future__ import annotations

from pathlib import Path

from roofline_lsp.api.entry import analyze
from roofline_lsp.api.report import LaunchReport
from roofline_lsp.settings import Settings

SOURCE = """\
#include <cstdio>
#include <cstdlib>
__global__ void smooth(int n, int iters, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < iters; k++) y[i] += a * x[i];
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int iters;
  FILE *f = fopen("sizes.txt", "r");
  fscanf(f, "%d", &iters);
  int block = 128;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  dim3 grid((n + block - 1) / block);
  smooth<<<grid, block>>>(n, iters, 0.5f, x, y);
}
"""


def launch(*args: str) -> LaunchReport:
    settings = Settings(args=args or None)
    report = analyze(SOURCE.encode(), Path("/p/main.cu"), settings, reader=lambda _: None)
    (found,) = report.kernels[0].launches
    return found


def test_a_number_is_shown_with_the_line_that_it_came_from() -> None:
    found = launch("1000000")
    n, iters, a, x, _ = found.arguments
    assert (n.value, n.used, n.origin, n.assumed) == (
        "1000000",
        1000000,
        "argv[1] at main.cu:9",
        None,
    )
    assert (a.used, a.origin) == (0.5, "main.cu:18")
    assert (x.used, x.assumed) == (None, None)
    assert x.origin == "cudaMalloc at main.cu:15"
    assert iters.value == "unknown"
    assert iters.used is not None
    assert iters.assumed is not None
    assert iters.assumed.startswith("iters: ")
    assert "sizes.txt" in iters.assumed
    assert iters.assumed.endswith("(main.cu:12)")


def test_dimensions_are_shown_with_where_they_came_from() -> None:
    found = launch("1000000")
    assert (found.grid, found.grid_origin, found.grid_assumed) == (
        (7813, 1, 1),
        "argv[1] at main.cu:9",
        None,
    )
    assert (found.block, found.block_origin, found.block_assumed) == (
        (128, 1, 1),
        "main.cu:13",
        None,
    )


def test_what_rests_on_an_unknown_says_so() -> None:
    found = launch()
    assert found.grid == (None, 1, 1)
    assert found.grid_assumed is not None
    assert found.grid_assumed.startswith("argv[1]: ")
    assert found.block_assumed is None
    n = found.arguments[0]
    assert n.used == 1024
    assert n.assumed == found.grid_assumed
