"""What is said of kernels whose sizes nothing fixes: the class for other sizes, but no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings
from roofline_lsp.formats.what_if import sizes_text

KERNEL = """
__global__ void poly(const float *a, float *b, int n, int order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0;
    for (int k = 0; k < order; ++k) s = s * a[i] + k;
    b[i] = s;
  }
}
"""


def report(source: str, args: tuple[str, ...] | None = None) -> KernelReport:
    settings = Settings(gpu="A100", args=args)
    found = analyze((KERNEL + source).encode(), Path("/src/k.cu"), settings, reader=lambda _: None)
    return found.kernels[0]


def sizes(found: KernelReport) -> str | None:
    return sizes_text(found.size_ranges, found.prediction.verdict)


LIBRARY = """void run(const float *a, float *b, int n, int order) {
  poly<<<(n + 255) / 256, 256>>>(a, b, n, %s);
}"""
MAIN = """int main(int argc, char **argv) {
  int n = %s; float *a; cudaMalloc(&a, n * 4);
  poly<<<n / 256, 256>>>(a, a, n, 3);
}"""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("", {"n", "order"}),
        (LIBRARY % "order", {"n", "order"}),
        (LIBRARY % "2", {"n"}),
        (MAIN % "atoi(argv[1])", {"argv[1]"}),
        # The program's own default, and numbers in the source, are no guesses.
        (MAIN % "argc > 1 ? atoi(argv[1]) : 1 << 20", set()),
        (MAIN % "1 << 20", set()),
    ],
)
def test_a_time_says_which_assumed_sizes_it_rests_on(source: str, names: set[str]) -> None:
    prediction = report(source).prediction
    assert set(prediction.time_depends_on) == names
    assert prediction.time_ns is not None
    assert (prediction.known_time_ns is None) == bool(names)


def test_a_command_line_makes_the_time_known() -> None:
    assert report(MAIN % "atoi(argv[1])", ("4096",)).prediction.time_depends_on == ()


def test_the_class_is_told_for_other_sizes() -> None:
    assert sizes(report(LIBRARY % "2")) == "BB for any n (256 to 67108864)"
    found = sizes(report(LIBRARY % "order"))
    assert found is not None
    assert found.startswith("CB from order >= ")


def test_a_kernel_without_a_launch_grows_with_its_grid() -> None:
    source = """__global__ void copy(const float *a, float *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) b[i] = a[i];
    }"""
    found = analyze(source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    assert sizes(found.kernels[0]) == "BB for any n (256 to 67108864)"


def test_a_known_launch_is_not_tried_with_other_sizes() -> None:
    assert report(MAIN % "1 << 20").size_ranges == ()


def test_assumed_sizes_are_such_that_the_launch_ends_soon() -> None:
    source = """__global__ void all(const double *a, double *b, int n, int m) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      double s = 0;
      for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
          for (int l = 0; l < m; ++l) s += a[((i * m + j) * m + k) * m + l];
      if (i < n) b[i] = s;
    }"""
    found = analyze(source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    prediction = found.kernels[0].prediction
    assert prediction.time_ns is not None
    assert prediction.dram_bytes is not None
    assert prediction.time_ns < 1e9
    assert prediction.dram_bytes < 40 * 2**30
    assert {u.name: u.assumed for u in prediction.unknowns}["m"] in (16, 64)


def test_the_gain_of_a_finding_is_no_time_where_sizes_are_assumed() -> None:
    source = """
    __global__ void rows(const float *a, float *b, int n, int c) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) for (int j = 0; j < c; ++j) b[i] += a[j * n + i];
    }"""
    found = analyze(source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    messages = [each.message for each in found.kernels[0].findings]
    assert any("as fast at the sizes assumed" in message for message in messages)
    assert not any(" -> " in message for message in messages)


def test_products_of_assumed_sizes_fit_the_gpu() -> None:
    source = """__global__ void scale(float *a, int rows, int cols) {
      for (long r = blockIdx.y; r < rows; r += gridDim.y)
        for (long c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x)
          a[r * cols + c] *= 2;
    }
    void run(float *a, int rows, int cols) {
      scale<<<dim3(cols / 4096, rows / 4096), 256>>>(a, rows, cols); }"""
    found = analyze(source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    prediction = found.kernels[0].prediction
    numbers = {u.name: u.assumed for u in prediction.unknowns}
    rows, cols = numbers["rows"], numbers["cols"]
    assert rows is not None
    assert cols is not None
    assert rows == cols
    assert rows > 1024
    assert prediction.dram_bytes is not None
    assert prediction.dram_bytes == pytest.approx(2 * 4 * rows * cols, rel=0.01)
    assert prediction.dram_bytes < 40 * 2**30
