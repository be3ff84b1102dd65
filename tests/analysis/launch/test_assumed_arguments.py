"""What is assumed for kernel arguments and template parameters that no launch fixes."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.launch.binding import bind
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program

PATH = Path("/src/kernel.cu")


def assumed(source: str) -> dict[str, float | None]:
    """The assumptions for a kernel that nothing launches, by name."""
    program = load_program([PATH], {PATH: source.encode()}.get)
    summary = summarise(program.units[0].functions[0], TypeSystem(Symbols(program)))
    return {unknown.name: unknown.assumed for unknown in bind(summary, None).unknowns}


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Flags.
        (("template <bool Fast> __global__ void k(float *a) {"
         f"{INDEX} if (Fast) a[i] = 0; else a[2 * i] = 0; }}"), {"Fast": 1}),
        (f"__global__ void k(float *a, bool add) {{ {INDEX} if (add) a[i] = 0; }}", {"add": 1}),
        (("template <bool Fast = false> __global__ void k(float *a) {"
         f"{INDEX} if (Fast) a[i] = 0; else a[2 * i] = 0; }}"), {"Fast": 0}),
        # Numbers that the code is compiled for.
        (("template <int D> __global__ void k(float *a) {"
         f"{INDEX} for (int d = 0; d < D; ++d) a[i * D + d] = 0; }}"), {"D": 8}),
        (("template <int D = 3> __global__ void k(float *a) {"
         f"{INDEX} for (int d = 0; d < D; ++d) a[i * D + d] = 0; }}"), {"D": 3}),
        # Numbers that are counted in parts: none of them would be less than a part.
        (("template <int Bytes> __global__ void k(int4 *a) {"
         f"{INDEX} for (int d = 0; d < Bytes / 16; ++d) a[i + d * 64].x = 0; }}"), {"Bytes": 128}),
        (("template <int Width> __global__ void k(int *a) {"
         f"{INDEX} for (int d = 0; d < Width / 4; ++d) a[i + d * 64] = 0; }}"), {"Width": 8}),
        (("template <int Width = 4> __global__ void k(int4 *a) {"
         f"{INDEX} for (int d = 0; d < Width / 16; ++d) a[i + d].x = 0; }}"), {"Width": 4}),
        # The block.
        (("template <int T> __global__ void k(float *a, int n) {"
         "int i = blockIdx.x * T + threadIdx.x; if (i < n) a[i] = 0; }"),
         {"T": 256, "n": 1 << 20}),
        (("__global__ void k(float *a, int t, int n) {"
         "int y = blockIdx.y * t + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;"
         "if (y < n) a[y * n + x] = 0; }"), {"t": 16, "n": 1024}),
        # Macros of a build that nobody sees.
        (("__global__ void k(float *a, int n) {"
         "int i = blockIdx.x * THREADS_PER_BLOCK + threadIdx.x; if (i < n) a[i] = 0; }"),
         {"THREADS_PER_BLOCK": 256, "n": 1 << 20}),
        ((f"__global__ void k(float *a) {{ {INDEX}"
         "for (int d = 0; d < TILE_M; ++d) a[i * TILE_M + d] = 0; }"), {"TILE_M": 64}),
        # Bits that count.
        (("__global__ void k(float *a, const unsigned char *kind, unsigned char wanted) {"
         f"{INDEX} if ((kind[i] & wanted) != 0) a[i] = 0; }}"), {"wanted": 1}),
        (("__global__ void k(float *a, unsigned lanes, int n) {"
         f"{INDEX} if (i < n && (threadIdx.x & lanes) == 0) a[i / 32] = 0; }}"),
         {"lanes": 31, "n": 1 << 20}),
        # Margins.
        (("__global__ void k(const float *a, float *b, int n, int r) {"
         f"{INDEX} if (i >= r && i < n - r) b[i] = a[i - r] + a[i + r]; }}"), {"r": 2}),
        (f"__global__ void k(float *a, int n, int from) {{ {INDEX} if (i >= from) a[i] = n; }}",
         {"from": 2}),
        # Iterations: their trips walk along no array.
        ((f"__global__ void k(float *a, int tries) {{ {INDEX} float x = a[i];"
         " for (int t = 0; t < tries; ++t) x -= (x * x - 2) / (2 * x); a[i] = x; }"),
         {"tries": 16}),
        ((f"__global__ void k(const int *next, int *a, int steps) {{ {INDEX} int at = i;"
         " for (int t = 0; t < steps; ++t) at = next[at]; a[i] = at; }"), {"steps": 1024}),
        ((f"__global__ void k(float *a, int n) {{ {INDEX} float x = 0;"
         " if (i < n) { for (int t = 0; t < n; ++t) x += sqrtf(t); a[i] = x; } }"),
         {"n": 1 << 20}),
        # Choices: a value that the kernel asks for.
        ((f"__global__ void k(float *a, const float *b, int mode) {{ {INDEX}"
         " if (mode == 3) a[i] = b[i]; else if (mode == 7) a[i] = 1; }"), {"mode": 3}),
        ((f"__global__ void k(float *a, const float *b, int add) {{ {INDEX}"
         " if (add) a[i] += b[i]; else a[i] = b[i]; }"), {"add": 1}),
        ((f"__global__ void k(float *a, int mode) {{ {INDEX}"
         " switch (mode) { case 0: a[i] = 0; break; case 1: a[i] = 1; break;"
         " case 2: a[2 * i] = 2; } }"), {"mode": 1}),
        ((f"__global__ void k(float *a, int w) {{ {INDEX} if (w == 7) a[i * w] = 1; }}"),
         {"w": 1024}),
        # How far a number is shifted.
        ((f"__global__ void k(float *a, int w, int level) {{ {INDEX} if (i < max(w >> level, 1))"
         " a[i] = 0; }"), {"level": 1}),
        ((f"__global__ void k(float *a, int n) {{ {INDEX} for (int j = 0; j < 1 << n; ++j)"
         " a[i + j] = 0; }"), {"n": 10}),
        ((f"__global__ void k(float *a, int n, int w) {{ {INDEX}"
         " if (i < n) a[1 << (i / w)] = 0; }"), {"w": 1024}),
        # Where loops begin.
        ((f"__global__ void k(float *a, int n, int from) {{ {INDEX} float s = 0;"
         " for (int j = from; j < n; ++j) s += a[j * n + i]; a[from * n + i] = s; }"),
         {"from": 0, "n": 1024}),
        ((f"__global__ void k(float *a, int n, int from) {{ {INDEX} float s = 0; if (i < from)"
         " for (int j = from; j < n; ++j) s += a[j * n + i]; a[from * n + i] = s; }"),
         {"from": 1 << 20}),
        # Names that say it.
        ((f"__global__ void k(const float *a, float *b, int n, int kernel_w, int m) {{ {INDEX}"
         " if (i < n) { float x = 0; for (int j = 0; j < kernel_w; ++j)"
         " for (int l = 0; l < m; ++l) x += a[i * m + j + l]; b[i] = x; } }"),
         {"kernel_w": 3, "m": 1024, "n": 1 << 20}),
        # Extents.
        ((f"__global__ void k(float *a, int c) {{ {INDEX} for (int j = 0; j < c; ++j)"
         " a[i * c + j] = 0; }"), {"c": 1024}),
    ],
)  # fmt: skip
def test_an_argument_is_assumed_by_its_role(source: str, expected: dict[str, float]) -> None:
    found = assumed(source)
    assert {name: found[name] for name in expected} == expected


def test_a_bound_is_no_margin_where_an_index_may_be_beyond_it() -> None:
    source = f"""__global__ void k(float *a, int n) {{
      {INDEX}
      if (i < n) a[i] = 0; else a[i - n] = 1;
    }}"""
    assert assumed(source)["n"] == 1 << 20


def test_a_leading_dimension_of_the_host_is_no_less_than_a_row() -> None:
    source = """__global__ void k(const float *a, float *b, int n, int m, int lda, int ldb) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n * m) b[(i % n * ldb + i / n) / 2] = a[(i / n * lda + i % n) / 2];
    }
    void run(const float *a, float *b, int n, int m, int lda, int ldb) {
      k<<<n * m / 256, 256>>>(a, b, n, m, lda, ldb);
    }"""
    report = analyze(source.encode(), PATH, Settings(gpu="A100"), reader=lambda _: None)
    (launch,) = report.kernels[0].launches
    used = {argument.name: argument.used for argument in launch.arguments}
    assert used["n"] == used["m"] == 1024
    assert used["lda"] == used["ldb"] == 1024
    wide = source.replace("n * m / 256, 256", "n / 256, 256").replace("i < n * m", "i < n")
    report = analyze(wide.encode(), PATH, Settings(gpu="A100"), reader=lambda _: None)
    (launch,) = report.kernels[0].launches
    used = {argument.name: argument.used for argument in launch.arguments}
    assert used["n"] == used["lda"] == used["ldb"] == (1 << 20) + 255


def test_an_open_number_of_the_host_at_which_loops_begin_is_the_first() -> None:
    source = b"""
    __global__ void column(float *a, int k, int rows, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= rows) return; float s = 0;
      for (int j = k; j < n; ++j) s += a[j * rows + i];
      a[k * rows + i] = s; }
    void run(float *a, int k, int rows, int n) {
      column<<<(rows + 255) / 256, 256>>>(a, k, rows, n); }"""
    (kernel,) = analyze(source, PATH, Settings(gpu="A100"), reader=lambda _: None).kernels
    numbers = {each.name: each for each in kernel.prediction.unknowns}
    assert numbers["k"].assumed == 0
    assert numbers["k"].why.endswith("taken to be the first, as loops begin at it")
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * 1024 * (1 << 20), rel=0.02)


def test_a_shift_of_the_host_is_small() -> None:
    source = b"""
    __global__ void k(float *a, int w, int level) {
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < w >> level) a[i] = 0; }
    void run(float *a, int w, int l) { k<<<(w + 255) / 256, 256>>>(a, w, l); }"""
    (kernel,) = analyze(source, PATH, Settings(gpu="A100"), reader=lambda _: None).kernels
    numbers = {each.name: each.assumed for each in kernel.prediction.unknowns}
    assert numbers == {"w": 1 << 21, "l": 1}
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 << 20, rel=0.02)
