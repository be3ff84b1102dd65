"""Where the values of launches come from."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import ArgumentUsed, LaunchReport
from roofline_core.settings import Settings

MAIN = Path("/p/main.cu")
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
    report = analyze(SOURCE.encode(), MAIN, settings, reader=lambda _: None)
    (found,) = report.kernels[0].launches
    return found


def test_a_number_is_told_with_the_line_that_it_came_from() -> None:
    n, iters, a, x, _ = launch("1000000").arguments
    assert n == ArgumentUsed("n", "1000000", "argv[1] at main.cu:9", used=1000000.0)
    assert (a.used, a.origin) == (0.5, "main.cu:18")
    assert (x.used, x.buffer_bytes, x.assumed) == (None, 4000000, ())
    assert x.origin == "cudaMalloc at main.cu:15"
    assert iters.value == "unknown"
    (unknown,) = iters.assumed
    assert (unknown.name, unknown.path, unknown.line) == ("iters", MAIN, 12)
    assert unknown.assumed == iters.used
    assert "sizes.txt" in unknown.why


def test_dimensions_are_told_with_where_they_came_from() -> None:
    found = launch("1000000")
    assert found.grid == (7813, 1, 1)
    assert (found.grid_origin, found.grid_assumed) == ("argv[1] at main.cu:9", ())
    assert (found.block_origin, found.block_assumed) == ("main.cu:13", ())


def test_what_rests_on_an_unknown_says_so() -> None:
    found = launch()
    n, _, _, x, _ = found.arguments
    assert found.grid == (None, 1, 1)
    (unknown,) = found.grid_assumed
    assert (unknown.name, unknown.assumed) == ("argv[1]", 1 << 20)
    assert found.block_assumed == ()
    assert (n.used, n.assumed) == (1 << 20, (unknown,))
    assert (x.buffer_bytes, x.assumed) == (1 << 22, (unknown,))


def test_dimensions_written_in_the_launch_come_from_its_line() -> None:
    source = SOURCE.replace("smooth<<<grid, block>>>", "smooth<<<{64, 2}, 256>>>")
    report = analyze(source.encode(), MAIN, Settings(args=("8",)), reader=lambda _: None)
    (found,) = report.kernels[0].launches
    assert (found.grid, found.grid_origin) == ((64, 2, 1), "main.cu:18")
    assert (found.block, found.block_origin) == ((256, 1, 1), "main.cu:18")


def test_an_unknown_that_another_makes_irrelevant_is_not_named() -> None:
    source = SOURCE.replace("atoi(argv[1])", "argc > 1 ? atoi(argv[1]) : 4096")
    report = analyze(source.encode(), MAIN, Settings(), reader=lambda _: None)
    (found,) = report.kernels[0].launches
    assert [unknown.name for unknown in found.grid_assumed] == ["argc"]
    assert [unknown.name for unknown in found.arguments[0].assumed] == ["argc"]
    assert found.arguments[0].used == 4096


def test_teams_of_a_target_region_come_from_its_trips_or_its_clause() -> None:
    source = """\
#include <cstdlib>
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float x[100];
  #pragma omp target teams distribute parallel for CLAUSES
  for (int i = 0; i < n; i++) x[i] = 1;
}
"""
    path = Path("/p/main.cpp")
    found = []
    for clauses in ("", "num_teams(8) thread_limit(64)"):
        text = source.replace("CLAUSES", clauses).encode()
        report = analyze(text, path, Settings(args=("1000",)), reader=lambda _: None)
        (launched,) = report.kernels[0].launches
        found.append((launched.grid_origin, launched.block_origin))
    assert found == [("argv[1] at main.cpp:3", None), ("main.cpp:5", "main.cpp:5")]
