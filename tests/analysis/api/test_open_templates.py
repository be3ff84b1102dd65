"""Kernels and launches of templates that nothing in the program instantiates, or only by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

TRAITS = """
template <typename T_, typename C_, int COLS_, int THREADS_> struct Base {
  using T = T_; using C = C_;
  enum { COLS = COLS_, THREADS = THREADS_ };
};
template <typename T_, typename C_, int COLS_, int WARPS_, int BYTES_,
          typename B = Base<T_, C_, COLS_, WARPS_ * 32>>
struct Traits : public B {
  using C = typename B::C; using T = typename B::T;
  enum { NUM = BYTES_ / sizeof(T), ROUNDS = COLS_ / (NUM * WARPS_ * 32) };
};
template <typename K> __global__ void scale(const float *x, float *y, int rows) {
  using C = typename K::C;
  enum { ROUNDS = K::ROUNDS };
  enum { NUM = K::NUM };
  for (int l = 0; l < ROUNDS; l++)
    for (int j = 0; j < NUM; j++) {
      int i = blockIdx.x * K::COLS + (l * K::THREADS + threadIdx.x) * NUM + j;
      y[i] = C(x[i]) * C(2.f);
    }
}
"""
RUN = """
template <typename T, typename C, int HIDDEN_SIZE, int WARPS, int BYTES>
void run(const float *x, float *y, int rows) {
  using Kt = Traits<T, C, HIDDEN_SIZE, WARPS, BYTES>;
  scale<Kt><<<rows, Kt::THREADS>>>(x, y, rows);
}
"""


def the_kernel(source: str) -> KernelReport:
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert not [problem for problem in report.problems if "internal error" in problem.message]
    (kernel,) = report.kernels
    return kernel


def seen(kernel: KernelReport) -> float:
    assert kernel.prediction.sight is not None
    return kernel.prediction.sight.share


def assumed(kernel: KernelReport) -> dict[str, float | None]:
    return {unknown.name: unknown.assumed for unknown in kernel.prediction.unknowns}


def test_a_class_is_made_of_numbers_that_are_taken_by_their_names() -> None:
    kernel = the_kernel(TRAITS + RUN)
    (launch,) = kernel.launches
    assert launch.block == (128, 1, 1)
    assert {n: assumed(kernel)[n] for n in ("HIDDEN_SIZE", "WARPS", "BYTES")} == {
        "HIDDEN_SIZE": 1024, "WARPS": 4, "BYTES": 16,
    }  # fmt: skip
    assert seen(kernel) == 1
    rows = assumed(kernel)["rows"]
    assert rows is not None
    assert kernel.prediction.sp_flops == 1024 * rows  # 2 rounds of 4 for each of 128 threads


def test_what_a_table_of_functions_names_is_instantiated() -> None:
    table = """
      using Fn = void (*)(const float *, float *, int);
      static Fn table[] = {run<float, float, 2048, 2, 8>};"""
    kernel = the_kernel(TRAITS + RUN + table)
    (launch,) = kernel.launches
    assert launch.block == (64, 1, 1)
    assert not {"HIDDEN_SIZE", "WARPS", "BYTES"} & assumed(kernel).keys()


@pytest.mark.parametrize("value", ["make(scale<float, 4>)", "{1, &scale<float, 4>}"])
def test_a_kernel_that_only_a_variable_names_has_that_instance(value: str) -> None:
    kernel = the_kernel(f"""
      template <typename T, int N> __global__ void scale(T *x) {{
        for (int i = 0; i < N; i++) x[(blockIdx.x * blockDim.x + threadIdx.x) * N + i] *= 2.f; }}
      static auto registered = {value};""")
    assert not {"N", "T", "sizeof(T)"} & assumed(kernel).keys()


def test_member_types_of_an_open_parameter_are_taken_for_float() -> None:
    kernel = the_kernel("""
      template <typename T, int N> struct vec;
      template <> struct vec<float, 4> { float4 data;
        __device__ void load(const float *p) { data = *(float4 *)p; }
        __device__ void store(float *p) { *(float4 *)p = data; } };
      template <typename In, int N> __global__ void copy(const In *in, In *out, int n) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
        if (i < n) { vec<In, N> v; v.load(in + i); v.store(out + i); } }
      template <typename Params> void run(Params params, typename Params::DType *out, int n) {
        using DType = typename Params::DType;
        copy<DType, 4><<<n / 1024, 256>>>(params.in, out, n); }""")
    assert seen(kernel) == 1
    n = assumed(kernel)["n"]
    assert n is not None
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * n, rel=0.01)
    assert kernel.prediction.dram_write_bytes == pytest.approx(4 * n, rel=0.01)


COPY = """
  template <typename D, int E> __device__ void copy(D *dst, const D *src);
  template <> __device__ void copy<short, 1>(short *dst, const short *src) { *dst = *src; }
  template <> __device__ void copy<short, 4>(short *dst, const short *src) {
    *(float2 *)dst = *(float2 *)src; }
"""


@pytest.mark.parametrize("elements", [1, 4])
def test_a_specialisation_for_another_type_stands_for_that_of_an_open_one(elements: int) -> None:
    kernel = the_kernel(f"""{COPY}
      template <typename T> __global__ void k(T *dst, const T *src, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) copy<T, {elements}>(dst + {elements} * i, src + {elements} * i); }}""")
    assert seen(kernel) == 1
    n = assumed(kernel)["n"]
    assert n is not None
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * elements * n, rel=0.01)


def test_a_kernels_own_numbers_are_constants_once_they_are_taken() -> None:
    kernel = the_kernel("""
      template <int LOG2_N> __global__ void k(float *x) {
        constexpr int V = (1 << LOG2_N) < 128 ? 1 : 4;
        float *p = x + (blockIdx.x * blockDim.x + threadIdx.x) * V;
        for (int i = 0; i < V; i++) p[i] = p[i] * 2.f; }""")
    assert assumed(kernel)["LOG2_N"] == 8
    blocks = kernel.prediction.utilisation
    assert blocks is not None
    assert kernel.prediction.sp_flops == 4 * 256 * blocks.blocks
    assert "LOG2_N" in (kernel.prediction.time_depends_on or ())


def test_a_bound_that_no_size_meets_stays_as_it_is_assumed() -> None:
    """A guard that a remainder decides grows with no size, and only ends the search by chance."""
    kernel = the_kernel("""
      __global__ void k(const char *x, char *y, int m, int k) {
        int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
        if (4 * (row * (m / 4) + col) % m < m && row < k) y[row * m + col] = x[row * m + col]; }
      void run(const char *x, char *y, int rows, int cols) {
        int k = (rows + 31) / 32; dim3 block(32, 32);
        k<<<dim3((k + 31) / 32, (cols + 31) / 32), block>>>(x, y, cols, k); }""")
    assert all((number or 0) < 1 << 31 for number in assumed(kernel).values())


def test_methods_of_a_host_class_know_its_enumerators_by_their_plain_names() -> None:
    """Own ones, inherited ones, those of the class around; in the class and outside of it."""
    kernel = the_kernel("""
      __global__ void k(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1.f; }
      struct Base { enum { THREADS = 128 }; };
      struct Runner : Base {
        enum { N = 1 << 20, BLOCKS = N / THREADS };
        float *x;
        void run();
        struct Inner { void go(float *x) { k<<<BLOCKS, THREADS>>>(x, N); } };
      };
      void Runner::run() {
        enum { COUNT = N / 2 };
        cudaMalloc(&x, 4 * N); k<<<BLOCKS / 2, THREADS>>>(x, COUNT); Inner i; i.go(x); }
      int main() { Runner r; r.run(); }""")
    shapes = {(launch.grid, launch.block) for launch in kernel.launches}
    assert shapes == {((4096, 1, 1), (128, 1, 1)), ((8192, 1, 1), (128, 1, 1))}
    assert not assumed(kernel)


def test_an_enumeration_of_a_block_hides_that_of_another_block() -> None:
    kernel = the_kernel("""
      __global__ void k(float *x) {
        { enum { N = 4 }; for (int i = 0; i < N; i++) x[i * 32 + threadIdx.x] *= 2.f; }
        { enum { N = 8 }; for (int i = 0; i < N; i++) x[i * 32 + threadIdx.x] += 1.f; } }
      int main() { float *x; cudaMalloc(&x, 4096); k<<<1, 32>>>(x); }""")
    assert kernel.prediction.sp_flops == 32 * (4 + 8)
