"""What a prediction was computed from."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from roofline_lsp.api.details import KernelDetails
from roofline_lsp.api.program import ProgramAnalysis
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.settings import Settings

SOURCE = """\
#include <cstdio>
#include <cstdlib>
__global__ void smooth(int n, int iters, const int *at, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0.0f;
    for (int k = 0; k < iters; k++) s = s * 0.5f + x[i];
    y[i] = s + x[at[i]];
  }
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int iters;
  FILE *f = fopen("sizes.txt", "r");
  fscanf(f, "%d", &iters);
  float *x, *y;
  int *at;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  smooth<<<(n + 255) / 256, 256>>>(n, iters, at, x, y);
  smooth<<<1, 64>>>(64, 1, at, x, y);
}
"""
MAIN = Path("/p/main.cu")
NAME = "smooth(int, int, const int *, const float *, float *)"


def details(name: str = NAME, **given: tuple[int, int, int]) -> KernelDetails | None:
    program = ProgramAnalysis.load(
        [MAIN],
        Settings(),
        argv=("1000000",),
        reader=lambda p: SOURCE.encode() if p == MAIN else None,
    )
    return program.details(name, **given)


def test_values_stand_with_their_origins() -> None:
    found = details()
    assert found is not None
    assert (found.path, found.line, found.launch, found.launches) == (MAIN, 3, (MAIN, 21), 2)
    assert found.grid == ("3907", "1", "1")
    n, iters = found.values[:2]
    assert (n.name, n.number, n.origin, n.assumed) == ("n", 1e6, "argv[1] at main.cu:12", ())
    assert [unknown.name for unknown in iters.assumed] == ["iters"]
    assert found.sizes == {"at": 4e6, "x": 4e6, "y": 4e6}


def test_the_launch_with_the_profiled_dimensions_is_taken_apart() -> None:
    found = details(grid=(1, 1, 1), block=(64, 1, 1))
    assert found is not None
    assert found.launch == (MAIN, 22)
    assert {value.name: value.number for value in found.values} == {"n": 64, "iters": 1}


def test_regions_are_told_with_their_own_operations() -> None:
    found = details()
    assert found is not None
    kernel, guard, loop = found.regions
    assert [region.depth for region in found.regions] == [0, 1, 2]
    assert (kernel.kind, kernel.runs) == ("kernel", 3907 * 256)
    assert (guard.kind, guard.line, guard.assumed) == ("guard", 5, False)
    assert guard.runs == pytest.approx(1e6)
    assert guard.text == "lt(blockIdx.x*blockDim.x + threadIdx.x - 1*n)"
    assert (loop.kind, loop.line, loop.text) == ("loop", 7, "max(iters, 0)")
    assert loop.operations[Precision.SP] == 2 * loop.runs
    assert loop.runs == pytest.approx(1e6 * loop.trips)


def test_arrays_are_told_with_what_is_read_again_and_written_back() -> None:
    found = details()
    assert found is not None
    arrays = {array.name: array for array in found.arrays}
    x, y = arrays["x"], arrays["y"]
    assert (x.size_bytes, x.first_read_bytes, x.written_bytes) == (4e6, 4e6, 0)
    assert sorted(access.pattern == "data-dependent" for access in x.accesses) == [False, True]
    assert (y.read_bytes, y.written_bytes) == (0, 4e6)
    assert 0 < y.write_bytes < y.written_bytes
    (write,) = y.accesses
    assert (write.kind, write.line, write.size_bytes) == ("write", 8, 4)
    assert write.executions == pytest.approx(1e6)


def test_details_travel_between_processes() -> None:
    found = details()
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_kernel_that_is_not_there_has_none() -> None:
    assert details("other(int)") is None
