"""Lambdas that are passed to kernels: what they capture and what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.api.entry import program_of
from roofline_analysis.api.kernel_lookup import best_launch
from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

N = 1 << 20
KERNEL = """
template <class F> __global__ void each(int n, F f)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
"""


def the_kernel(source: str) -> KernelReport:
    path = Path("/src/kernel.cu")
    text = f"#define N {N}\n{KERNEL}{source}"
    report = analyze(text.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    (kernel,) = report.kernels
    return kernel


def check(kernel: KernelReport, *, flops: float, read: float, written: float) -> None:
    prediction = kernel.prediction
    assert prediction.sp_flops == pytest.approx(flops, rel=1e-3)
    assert prediction.dram_read_bytes == pytest.approx(read, rel=0.01, abs=1e4)
    assert prediction.dram_write_bytes == pytest.approx(written, rel=0.02, abs=1e4)
    assert prediction.unknowns == ()


def test_pointers_are_captured_with_their_allocations() -> None:
    kernel = the_kernel("""int main() { float *a, *b; int n = 32 * N;
      cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
      each<<<n / 256, 256>>>(n, [=] __device__ (int i) { b[i] = 2.f * a[i]; }); }""")
    check(kernel, flops=32 * N, read=128 * N, written=128 * N)
    assert kernel.launches[0].template_args == ("lambda at kernel.cu:7",)


def test_a_captured_number_bounds_a_loop() -> None:
    kernel = the_kernel("""int main() { float *b; int n = 32 * N; cudaMalloc(&b, n * 4);
      int m = 24; const int k = 2;
      auto f = [=] __device__ (int i) { float s = b[i];
        for (int j = 0; j < m; ++j) for (int l = 0; l < k; ++l) s *= s; b[i] = s; };
      each<<<n / 256, 256>>>(n, f); }""")
    check(kernel, flops=48 * 32 * N, read=128 * N, written=128 * N)


def test_the_helper_around_the_launch_passes_it_on() -> None:
    kernel = the_kernel("""
      template <class F> void par(int n, F f) { each<<<(n + 255) / 256, 256>>>(n, f); }
      struct P { float *data; float scale; };
      template <class T> void fill(int n, P p)
      { par(n, [=] __device__ (int i) { p.data[i] = T(p.data[i]) * p.scale; }); }
      int main() { int n = 32 * N; P p; p.scale = 2.f; cudaMalloc(&p.data, n * 4);
        fill<float>(n, p); }""")
    check(kernel, flops=32 * N, read=128 * N, written=128 * N)


def test_two_lambdas_of_one_line_are_two() -> None:
    kernel = the_kernel("""int main() { float *a; int n = 32 * N; cudaMalloc(&a, n * 4);
      auto f = [=] __device__ (int i) { a[i] = 1; }; auto g = [=] __device__ (int i) { a[i] *= 3; };
      each<<<n / 256, 256>>>(n, f); each<<<n / 256, 256>>>(n, g); }""")
    flops = sorted(launch.prediction.sp_flops or 0 for launch in kernel.launches)
    assert flops == pytest.approx([0, 32 * N])


def test_members_that_a_lambda_names_are_captured() -> None:
    kernel = the_kernel("""struct Solver { float *x; int n;
        void run() { each<<<n / 256, 256>>>(n, [*this] __device__ (int i) { x[i] *= 2.f; }); } };
      int main() { Solver s; s.n = 32 * N; cudaMalloc(&s.x, s.n * 4); s.run(); }""")
    check(kernel, flops=32 * N, read=128 * N, written=128 * N)


CAPTURING = """
int main() { float *a, *b; int n = 32 * N;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  auto f = [=] __device__ (int i) { b[i] = 2.f * a[i]; };
  launch(n, f); }
"""
LAUNCHES = {
    "its type is an argument": """
      template <class F> void launch(int n, F f) { each<F><<<n / 256, 256>>>(n, f); }""",
    "its type by decltype": """
      template <class F> void launch(int n, const F &f)
      { each<decltype(f)><<<n / 256, 256>>>(n, f); }""",
    "a field": """
      template <class F> struct Some { F f; int to; __device__ void operator()(int i)
      { if (i < to) f(i); } };
      template <class F> void launch(int n, const F &f)
      { each<Some<F>><<<n / 256, 256>>>(n, Some<F>{f, n}); }""",
    "a field of a field": """
      template <class F> struct Twice { F f; __device__ void operator()(int i) { f(i); } };
      template <class F> void launch(int n, const F &f)
      { Twice<Twice<F>> w; w.f.f = f; each<<<n / 256, 256>>>(n, w); }""",
    "captured": """
      template <class F> void launch(int n, const F &f)
      { auto g = [=] __device__ (int i) { f(i); };
        each<decltype(g)><<<n / 256, 256>>>(n, g); }""",
}


@pytest.mark.parametrize("how", LAUNCHES)
def test_a_lambda_is_followed_whatever_it_is_passed_in(how: str) -> None:
    kernel = the_kernel(LAUNCHES[how] + CAPTURING)
    check(kernel, flops=32 * N, read=128 * N, written=128 * N)
    sight = kernel.prediction.sight
    assert sight is not None
    assert sight.share == 1.0


def test_two_lambdas_of_one_launch_keep_their_types() -> None:
    kernel = the_kernel("""
      template <class F, class G> struct Both { F f; G g; __device__ void operator()(int i)
      { g(i, f(i)); } };
      template <class F, class G> void launch(int n, const F &f, const G &g)
      { each<Both<F, G>><<<n / 256, 256>>>(n, Both<F, G>{f, g}); }
      int main() { float *a, *b; int n = 32 * N;
      cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
      launch(n, [=] __device__ (int i) { return 2.f * a[i]; },
             [=] __device__ (int i, float x) { b[i] = x + 1.f; }); }""")
    check(kernel, flops=2 * 32 * N, read=128 * N, written=128 * N)


def test_what_lies_behind_a_captured_pointer_is_known() -> None:
    """A number that was copied there ends a loop, also where an object's field points to it."""
    source = """
      struct Sizes { const int *runs; };
      int main() { float *a; int n = 32 * N, *d; const int runs = 7;
      cudaMalloc(&a, n * 4); cudaMalloc(&d, 4);
      cudaMemcpy(d, &runs, 4, cudaMemcpyHostToDevice);
      %s
      each<<<n / 256, 256>>>(n, [=] __device__ (int i)
      { float x = a[i]; for (int j = 0; j < *%s; j++) x *= x; a[i] = x; }); }"""
    for before, pointer in (("", "d"), ("Sizes s; s.runs = d;", "s.runs")):
        kernel = the_kernel(source % (before, pointer))
        check(kernel, flops=7 * 32 * N, read=128 * N, written=128 * N)


def test_a_profiler_s_name_does_not_replace_the_lambda() -> None:
    """Names in a profile have tools' own words for a lambda: the launch says which one it is."""
    path = Path("/src/kernel.cu")
    text = f"#define N {N}\n{KERNEL}{LAUNCHES['its type is an argument']}{CAPTURING}"
    analysis = program_of(text.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    assert analysis is not None
    wanted = parse_profiled_name("void each<main::[lambda(int) (instance 1)]>(int, T1)")
    chosen = best_launch(analysis.functions, wanted, analysis.host.launches)
    assert chosen is not None
    assert chosen.bindings == {}
    assert chosen.context is not None
