"""What is said of kernels whose sizes nothing fixes: the class for other sizes, but no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.what_if import class_by_size
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.report.report import KernelReport
from roofline_analysis.verdict import crossover
from roofline_analysis.verdict.analyse import Counted, count_launch
from roofline_core.settings import Settings
from roofline_hardware_db import Gpu
from roofline_lsp.formats.sight import undecided
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
    __global__ void sum(const float *a, float *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(b, a[i]);
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


def assumed(source: str, type_: str) -> tuple[dict[str, float | None], KernelReport]:
    text = f"#include <cstdint>\n{source.replace('INDEX', type_)}".encode()
    found = analyze(text, Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    (kernel,) = found.kernels
    return {each.name: each.assumed for each in kernel.prediction.unknowns}, kernel


INDEX_TYPES = pytest.mark.parametrize("type_", ["int", "unsigned", "size_t", "int64_t"])


@INDEX_TYPES
def test_a_leading_dimension_is_not_less_than_what_it_leads(type_: str) -> None:
    source = """
    __global__ void turn(float *a, const float *b, INDEX m, INDEX n, INDEX lda, INDEX ldb) {
      INDEX i = blockIdx.x * (INDEX)blockDim.x + threadIdx.x;
      if (i < m) for (INDEX j = 0; j < n; ++j) a[i + j * lda] = b[i * ldb + j]; }
    void run(float *a, const float *b, INDEX m, INDEX n, INDEX lda, INDEX ldb) {
      turn<<<(m + 127) / 128, 128>>>(a, b, m, n, lda, ldb); }"""
    numbers, kernel = assumed(source, type_)
    assert numbers == {"m": 1 << 20, "n": 1024, "lda": 1 << 20, "ldb": 1024}
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 * 2**30, rel=0.01)


@INDEX_TYPES
def test_a_halo_that_the_host_passes_on_is_small(type_: str) -> None:
    source = """
    __global__ void blur(const float *a, float *b, INDEX n, INDEX r) {
      INDEX i = blockIdx.x * (INDEX)blockDim.x + threadIdx.x;
      if (i < r || i >= n - r) return;
      float s = 0; for (INDEX d = 0; d <= 2 * r; ++d) s += a[i + d - r];
      b[i] = s; }
    void run(const float *a, float *b, INDEX n, INDEX radius) {
      blur<<<(n + 255) / 256, 256>>>(a, b, n, radius); }"""
    numbers, kernel = assumed(source, type_)
    assert numbers == {"n": 1 << 20, "radius": 2}
    assert kernel.prediction.sp_flops == pytest.approx(5 * 2**20, rel=0.01)


@pytest.mark.parametrize(
    ("parameter", "argument", "assumed"),
    [
        ("batch_size", "b", {"n": 1 << 20, "b": 8}),
        ("order", "b", {"n": 1 << 20, "b": 1024}),
        ("batch_size", "b - 1", {"n": 1 << 20, "b": 9}),
        # A number that also makes the grid is an extent: x has n * n elements.
        ("kernel_size", "n", {"n": 1 << 16}),
    ],
)
def test_the_name_of_a_parameter_says_what_a_size_of_the_host_is(
    parameter: str, argument: str, assumed: dict[str, int]
) -> None:
    source = f"""
    __global__ void f(float *x, int n, int {parameter}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) for (int k = 0; k < {parameter}; k++) x[i + k * n] = 0;
    }}
    void run(float *x, int n, int b) {{ f<<<(n + 255) / 256, 256>>>(x, n, {argument}); }}"""
    (kernel,) = analyze(
        source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None
    ).kernels
    found = {each.name: each.assumed for each in kernel.prediction.unknowns}
    assert {name: found[name] for name in assumed} == assumed


def test_a_number_that_also_sizes_the_grid_is_no_stride() -> None:
    source = """
    __global__ void rows(float *a, INDEX n, INDEX ld) {
      INDEX j = blockIdx.x * blockDim.x + threadIdx.x; if (j < n) a[blockIdx.y * ld + j] = 1; }
    void run(float *a, INDEX n) { rows<<<dim3((n + 255) / 256, 4), 256>>>(a, n, n); }"""
    numbers, kernel = assumed(source, "int")
    assert numbers == {"n": 1 << 18}
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 << 20, rel=0.01)


@INDEX_TYPES
def test_a_block_has_as_many_dimensions_as_its_threads_use(type_: str) -> None:
    source = """
    __global__ void rows(float *a, INDEX m, INDEX n, INDEX ld) {
      INDEX j = blockIdx.x * (INDEX)blockDim.x + threadIdx.x, i = blockIdx.y;
      if (j < n && i < m) a[i * ld + j] *= 2; }"""
    numbers, kernel = assumed(source, type_)
    assert {n: numbers[n] for n in ("m", "n", "ld")} == {"m": 1024, "n": 1024, "ld": 1024}
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 << 20, rel=0.01)
    assert numbers["block size"] == 256


@pytest.mark.parametrize(
    ("index", "blocks"),
    [
        ("threadIdx.x", 1),
        ("blockIdx.x * blockDim.x + threadIdx.x", 4096),
        ("next[threadIdx.x]", 4096),
    ],
)
def test_a_kernel_whose_blocks_are_alike_has_one(index: str, blocks: int) -> None:
    source = f"""
    __global__ void last(float *a, const int *next, int n) {{
      int i = {index}; if (i < n) a[i] = 1; }}"""
    numbers, _ = assumed(source, "int")
    assert numbers["grid size"] == blocks


def test_allocations_of_assumed_sizes_fit_the_gpu() -> None:
    source = """
    #include <cstdio>
    __global__ void fill(float *a, int rows) {
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows) a[i] = 1; }
    int main() {
      int h[4]; fread(h, 4, 4, stdin);
      float *a; cudaMalloc(&a, (size_t)h[0] * h[1] * h[2] * h[3] * 4);
      fill<<<(h[0] + 255) / 256, 256>>>(a, h[0]); }"""
    numbers, kernel = assumed(source, "int")
    (launch,) = kernel.launches
    assert launch.arguments[0].buffer_bytes is not None
    assert launch.arguments[0].buffer_bytes <= 40 * 2**30
    assert all(number is not None and number >= 16 for number in numbers.values())


def test_a_grid_has_the_dimensions_of_its_blocks_though_threads_have_more() -> None:
    source = """__global__ void t(const float *a, float *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) b[i + threadIdx.y * n] = a[i * blockDim.y + threadIdx.y];
    }"""
    found = analyze(source.encode(), Path("/src/k.cu"), Settings(gpu="A100"), reader=lambda _: None)
    prediction = found.kernels[0].prediction
    assert prediction.grid is not None
    assert prediction.block is not None
    assert prediction.grid[1:] == (1, 1)
    assert prediction.block[1] > 1
    moved = 4 * prediction.grid[0] * prediction.block[0] * prediction.block[1]
    assert prediction.dram_write_bytes == pytest.approx(moved, rel=0.01)


@pytest.mark.sources
@pytest.mark.parametrize("source", [LIBRARY % "order", MAIN % "atoi(argv[1])"])
def test_a_launch_that_is_counted_is_not_counted_again(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path("/src/k.cu")
    text = (KERNEL + source).encode()
    analysis = ProgramAnalysis.load([path], Settings(gpu="A100"), reader={path: text}.get)
    (kernel,) = analysis.functions
    launch = analysis.judge_launch(kernel, analysis.launches_of(kernel)[0])
    counted: list[Binding] = []

    def counting(summary: KernelSummary, bound: Binding, gpu: Gpu) -> Counted:
        counted.append(bound)
        return count_launch(summary, bound, gpu)

    monkeypatch.setattr(crossover, "count_launch", counting)
    found = list(class_by_size(analysis, kernel, launch))
    assert found
    assert launch.bound.values not in [each.values for each in counted]
    numbers = [(each.grid, each.block, each.values, each.sizes) for each in counted]
    assert all(each not in numbers[:place] for place, each in enumerate(numbers))
    counted_now = len(counted)
    made = launch.judged
    assert launch.prediction.verdict is not None
    anew = crossover.size_ranges(
        made.summary, launch.context, launch.bound, analysis.target, launch.prediction.verdict
    )
    assert list(anew) == found
    assert len(counted) == 2 * counted_now + 1


def test_the_lesser_of_two_open_sizes_is_covered_by_a_written_grid() -> None:
    source = """
      __global__ void k(const int *in, int *out, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
          out[i] = in[i]; }
      void run(const int *in, int *out, int count, int most) {
        k<<<1024, 1024>>>(in, out, count < most ? count : most); }"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    taken = {unknown.name: unknown.assumed for unknown in kernel.prediction.unknowns}
    assert taken == {"count": 1 << 20, "most": 1 << 20}
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 << 20, rel=0.01)


def test_an_unsigned_argument_wraps_around_as_the_host_computes_it() -> None:
    """A random seed's factor is beyond 64 bits; the argument has 32."""
    source = """
    __global__ void k(float *a, unsigned seed) { a[blockIdx.x * 256 + threadIdx.x] += seed; }
    unsigned next(unsigned long long *state) {
      *state ^= *state >> 12; *state ^= *state << 25; *state ^= *state >> 27;
      return (*state * 0x2545F4914F6CDD1Dull) >> 32;
    }
    int main(int argc, char **argv) {
      unsigned long long state = strtoull(argv[1], 0, 10);
      float *a; cudaMalloc(&a, 4 << 20);
      k<<<4096, 256>>>(a, next(&state));
    }"""
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    used = {argument.name: argument.used for argument in kernel.launches[0].arguments}["seed"]
    assert used is not None
    assert 0 <= used < 2**32


def test_a_launch_of_guessed_sizes_that_takes_minutes_is_not_judged() -> None:
    source = """
    __global__ void k(float *x, long columns, long rows) {
      for (long r = blockIdx.x; r < rows; r += gridDim.x)
        for (long c = threadIdx.x; c < columns; c += blockDim.x) x[r * columns + c] *= 2.f;
    }
    void run(float *x, long columns, long rows) {
      if (columns == 1 << 30 && rows == 1 << 20) k<<<108, 256>>>(x, columns, rows);
    }"""
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    sight = kernel.prediction.sight
    assert sight is not None
    assert sight.share == 1
    assert sight.too_long_ns is not None
    assert sight.too_long_ns > 1000e9
    assert (kernel.verdict, kernel.prediction.time_ns) == (None, None)
    assert undecided(sight).startswith(
        "sizes that had to be assumed do not go together, as the launch would take "
    )
