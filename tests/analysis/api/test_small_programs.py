"""Small whole programs of many kinds, with exact counts: work, DRAM bytes, launches, class."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import FileReport, KernelReport, Verdict
from roofline_core.settings import Settings

N = 1 << 21
OVERHEAD = 20e3
"""Bytes of a kernel's code and arguments, at most; small unions of sectors are within it too."""
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"  # noqa: E741
LAUNCH = "<<<N / 256, 256>>>"
MEMORY = f"const int N = {N}; float *a, *b; cudaMalloc(&a, 4 * N); cudaMalloc(&b, 4 * N);"


def report_on(source: str, *args: str, gpu: str = "A100") -> FileReport:
    settings = Settings(gpu=gpu, args=args)
    return analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)


def judged(source: str, *args: str, gpu: str = "A100") -> dict[str, KernelReport]:
    report = report_on(source, *args, gpu=gpu)
    assert not [problem for problem in report.problems if "internal error" in problem.message]
    return {kernel.base_name: kernel for kernel in report.kernels}


def moved(kernel: KernelReport, read: float, written: float) -> None:
    """Assert the bytes that must be moved, written ones whether L2 keeps them or not."""
    prediction = kernel.prediction
    assert prediction.dram_read_bytes == pytest.approx(read, rel=0.002, abs=OVERHEAD)
    assert prediction.dram_write_bytes == pytest.approx(written, rel=0.002, abs=100)


def sizes_of(kernel: KernelReport) -> dict[str, float]:
    """What was assumed for numbers that nothing fixes, by name."""
    unknowns = kernel.prediction.unknowns
    return {each.name: each.assumed for each in unknowns if each.assumed is not None}


VIEWS = """
template <class T> struct View { T *p; long step;
  __device__ T &operator[](long i) { return p[i]; }
  __device__ T &at(int i) { return p[i]; }
  __device__ T &operator()(int y, int x) { return p[y * step + x]; } };
"""


@pytest.mark.parametrize(
    "statement",
    [
        "v[i] = 3 * u[i];",
        "v.at(i) = 3 * u.at(i);",
        "v(i / 1024, i % 1024) = 3 * u(i / 1024, i % 1024);",
        "v.p[i] = 3 * u.p[i];",
    ],
)
def test_accessors_that_return_references(statement: str) -> None:
    kernel = judged(f"""{VIEWS}
        __global__ void k(View<float> u, View<float> v, int n) {{ {I}
          if (i < n) {{ {statement} }} }}
        int main() {{ {MEMORY} View<float> u{{a, 1024}}, v{{b, 1024}}; k{LAUNCH}(u, v, N); }}""")[
        "k"
    ]
    assert kernel.prediction.sp_flops == pytest.approx(N)
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    moved(kernel, 4 * N, 4 * N)


@pytest.mark.parametrize(
    ("before", "passed"),
    [
        ("", "[=] __device__ (int i) { b[i] = a[i] + 7.f; }"),
        (
            """struct Add { const float *from; float *to;
              __device__ void operator()(int i) const { to[i] = from[i] + 7.f; } };""",
            "Add{a, b}",
        ),
    ],
)
def test_what_a_kernel_is_told_to_do(before: str, passed: str) -> None:
    kernel = judged(f"""{before}
        template <class F> __global__ void each(int n, F f) {{ {I} if (i < n) f(i); }}
        int main() {{ {MEMORY} each{LAUNCH}(N, {passed}); }}""")["each"]
    assert kernel.prediction.sp_flops == pytest.approx(N)
    moved(kernel, 4 * N, 4 * N)


def test_a_class_of_a_header_that_is_not_there() -> None:
    kernel = judged("""#include "opencv2/core/cuda_types.hpp"
        using namespace cv::cuda;
        __global__ void k(PtrStepSz<short> s, PtrStep<short> d) {
          int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
          if (x < s.cols && y < s.rows) d(y, x) = s(y, x) * 2; }
        void run(PtrStepSz<short> s, PtrStepSz<short> d) {
          k<<<dim3((s.cols + 63) / 64, (s.rows + 3) / 4), dim3(64, 4)>>>(s, d); }""")["k"]
    assumed = sizes_of(kernel)
    pixels = 2 * assumed["cols"] * assumed["rows"]
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    moved(kernel, pixels, pixels)


def test_constants_of_traits_make_blocks_and_trips() -> None:
    source = f"""
        template <class T> struct Pack {{ static constexpr int size = 32 / sizeof(T); }};
        template <int W> struct Base {{ static constexpr int threads = 32 * W; }};
        template <int W> struct Traits : Base<W> {{ static constexpr int all = Base<W>::threads; }};
        template <class T> __global__ void copy(const float *a, float *b, int n) {{
          int i = blockIdx.x * T::all + threadIdx.x; if (i < n) b[i] = a[i]; }}
        __global__ void sums(const float *a, float *b) {{ {I} float s = 0;
          for (int k = 0; k < Pack<double>::size; k++) s += a[4 * i + k]; b[i] = s; }}
        template <class T> void go(const float *a, float *b, int n) {{
          copy<T><<<(n + T::all - 1) / T::all, T::threads>>>(a, b, n); }}
        int main() {{ {MEMORY} go<Traits<3>>(a, b, N); go<Traits<16>>(a, b, N);
          sums<<<N / 1024, 256>>>(a, b); }}"""
    found = judged(source)
    assert [launch.block for launch in found["copy"].launches] == [(96, 1, 1), (512, 1, 1)]
    moved(found["copy"], 4 * N, 4 * N)
    moved(found["sums"], 4 * N, N)
    assert found["sums"].prediction.sp_flops == pytest.approx(N)


@pytest.mark.parametrize("body", ["\n#error which one?\n", "away::body(a, b, n);"])
def test_a_body_that_is_not_known(body: str) -> None:
    kernel = judged(f"""namespace away {{ __device__ void body(const float *, float *, int); }}
        __global__ void k(const float *a, float *b, int n) {{ {body} }}
        int main() {{ {MEMORY} k{LAUNCH}(a, b, N); }}""")["k"]
    assert kernel.prediction.verdict is None


def test_a_launch_for_each_type_of_a_dispatch() -> None:
    kernel = judged("""#include <torch/extension.h>
        template <class scalar_t> __global__ void k(const scalar_t *x, scalar_t *y, int64_t n) {
          int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }
        torch::Tensor f(torch::Tensor x) { auto y = torch::empty_like(x); int64_t n = x.numel();
          AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", ([&] { k<scalar_t>
            <<<(n + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n); }));
          return y; }""")["k"]
    size = sizes_of(kernel)["x.numel()"]
    for launch, width in zip(kernel.launches, (4, 8), strict=True):
        assert launch.prediction is not None
        assert launch.prediction.dram_read_bytes == pytest.approx(width * size, rel=0.01)
        assert launch.prediction.dram_write_bytes == pytest.approx(width * size, rel=0.01)


def test_sizes_of_one_shape_are_positive_and_agree() -> None:
    kernel = judged("""struct Field { int nx, ny; double *from, *to; };
        __global__ void k(int w, int h, int d, const double *s, double *t) {
          int g = blockIdx.x * blockDim.x + threadIdx.x; if (g >= w * h) return;
          int at = d * (w + 2 * d + 1) + g / w * (w + 2 * d) + g % w; t[at] = s[at]; }
        void run(Field *f, int depth) { int w = f->nx - 2 * depth, h = f->ny - 2 * depth;
          k<<<(w * h + 127) / 128, 128>>>(w, h, depth, f->from, f->to); }""")["k"]
    assumed = sizes_of(kernel)
    assert min(assumed.values()) > 0
    width, height = assumed["nx"] - 2 * assumed["depth"], assumed["ny"] - 2 * assumed["depth"]
    assert min(width, height) > 64
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert kernel.prediction.dram_write_bytes == pytest.approx(8 * width * height, rel=0.01)


def test_a_block_that_a_caller_gives_is_possible() -> None:
    kernel = judged(f"""__global__ void k(float *x, int n) {{ {I} if (i < n) x[i] *= 3; }}
        void run(float *x, int n, int size) {{ k<<<(n + size - 1) / size, size>>>(x, n); }}""")["k"]
    assert 32 <= sizes_of(kernel)["size"] <= 1024
    assert sizes_of(kernel)["size"] % 32 == 0


@pytest.mark.parametrize("read", ["tex1Dfetch(t, {})", "__ldg(a + {})"])
def test_a_fetch_reads_what_a_load_reads(read: str) -> None:
    each = read.format("i + j * n")
    kernel = judged(f"""texture<float> t;
        __global__ void k(const float *a, float *b, int n, int m) {{ {I}
          float s = 0; for (int j = 0; j < m; j++) s += {each}; b[i] = s; }}
        int main() {{ int n = 1 << 16; float *a, *b; cudaMalloc(&a, 48L * 4 * n);
          cudaMalloc(&b, 4 * n); cudaBindTexture(0, t, a, 48L * 4 * n);
          k<<<n / 128, 128>>>(a, b, n, 48); }}""")["k"]
    moved(kernel, 48 * 4 * 65536, 4 * 65536)


def test_mapped_memory_is_read_through_the_bus() -> None:
    kernel = judged(f"""__global__ void k(const float *x, float *y) {{ {I} y[i] = 2 * x[i]; }}
        int main() {{ const int N = {N}; float *h, *x, *y;
          cudaHostAlloc(&h, 4 * N, cudaHostAllocMapped); cudaHostGetDevicePointer(&x, h, 0);
          cudaMalloc(&y, 4 * N); k{LAUNCH}(x, y); }}""")["k"]
    assert kernel.prediction.bus is not None
    assert (kernel.prediction.bus.read_bytes, kernel.prediction.bus.write_bytes) == (4 * N, 0)
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_a_barrier_around_what_is_not_known_stays() -> None:
    kernel = judged("""template <class S> constexpr int room = S::value;
        template <class A, class B> __device__ void stage(A const &, B const &);
        template <class S> __global__ void k(const float *g, float *o, int n, S) {
          __shared__ float tile[room<S>]; float sum = 0;
          for (int t = 0; t < n; t++) { stage(g, tile); __syncthreads(); stage(tile, sum); }
          o[blockIdx.x * blockDim.x + threadIdx.x] = sum; }
        struct Shape {}; int main() { float *g, *o; cudaMalloc(&g, 4096); cudaMalloc(&o, 1 << 22);
          k<<<4096, 256>>>(g, o, 64, Shape{}); }""")["k"]
    assert kernel.findings == ()
    assert kernel.prediction.verdict is None


def test_divisions_before_a_loop_are_made_once_by_each_thread() -> None:
    source = """__global__ void k(const float *x, float *y, int w, int m) {
          int t = blockIdx.x * blockDim.x + threadIdx.x; %s float s = 0;
          for (int j = 0; j < m; j++) s += x[c + r * w + j * 1024]; y[t] = s; }
        int main() { float *x, *y; cudaMalloc(&x, 1 << 26); cudaMalloc(&y, 1 << 22);
          k<<<2048, 512>>>(x, y, 1000, 900); }"""
    divided = judged(source % "int c = t % w, r = t / w;")["k"].prediction
    plain = judged(source % "int c = t & 1023, r = t >> 10;")["k"].prediction
    assert divided.int_ops is not None
    assert plain.int_ops is not None
    # An expansion has a few dozen operations; a division in the loop would have 900 of them.
    assert 10 < (divided.int_ops - plain.int_ops) / (2048 * 512) < 80


@pytest.mark.parametrize(("element", "lanes"), [("double", 2), ("float", 4), ("char", 16)])
def test_a_pack_has_as_many_elements_as_fit(element: str, lanes: int) -> None:
    kernel = judged(f"""
        template <class T> struct Pack {{ static constexpr int size = sizeof(int4) / sizeof(T);
          T v[size]; __device__ T &operator[](int k) {{ return v[k]; }} }};
        __global__ void k(const Pack<{element}> *a, Pack<{element}> *b) {{ {I}
          Pack<{element}> x = a[i], y; for (int k = 0; k < x.size; k++) y[k] = x[k] * 3;
          b[i] = y; }}
        int main() {{ const int N = {N}; Pack<{element}> *a, *b; cudaMalloc(&a, 16L * N);
          cudaMalloc(&b, 16L * N); k{LAUNCH}(a, b); }}""")["k"]
    moved(kernel, 16 * N, 16 * N)
    assert sizes_of(kernel) == {}
    if element != "char":
        flops = kernel.prediction.dp_flops if lanes == 2 else kernel.prediction.sp_flops
        assert flops == pytest.approx(lanes * N)


def test_two_pointers_that_walk_towards_each_other() -> None:
    kernel = judged("""__global__ void k(int *x, int n) { int *l = x, *r = x + n; int p = x[n / 3];
          while (l < r) { while (*l < p) ++l; while (*r > p) --r;
            if (l < r) { int t = *l; *l++ = *r; *r-- = t; } } }
        int main() { int *x; cudaMalloc(&x, 8192); k<<<1, 1>>>(x, 2047); }""")["k"]
    assert kernel.prediction.verdict is None


def test_a_small_array_that_is_cleared() -> None:
    kernel = judged(f"""__global__ void k(double *x, int n) {{ {I} if (i < n) x[i] = 0; }}
        int main() {{ double *x; cudaMalloc(&x, 1 << 20); k<<<512, 256>>>(x, 1 << 17); }}""")["k"]
    moved(kernel, 0, 1 << 20)
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert kernel.prediction.study_verdict is Verdict.COMPUTE_BOUND


@pytest.mark.parametrize("last", [3, 1_048_573, 1_048_574, 1_048_575])
def test_a_loop_that_an_exit_ends_as_late_as_is_looked(last: int) -> None:
    """The search doubles the trip up to 2**20, and met no exit between its last two steps."""
    kernel = judged(
        "__global__ void k(float *x, float a) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
        f" float s = x[i]; for (int j = 0;; j++) {{ if (j >= {last}) break; s += a; }} x[i] = s; }}"
        "int main() { float *x; cudaMalloc(&x, 4096); k<<<8, 128>>>(x, 2.f); }"
    )["k"]
    assert kernel.prediction.sp_flops == pytest.approx(1024 * last, rel=2e-6)


@pytest.mark.parametrize("clear", ["cudaMemset(count, 0, 4);", ""])
def test_the_last_block_sums_alone_whatever_the_counter_was_set_to(clear: str) -> None:
    (kernel,) = judged(
        f"""
        __global__ void total(const float *a, float *partial, unsigned *count) {{
          __shared__ bool last;
          partial[blockIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
          if (threadIdx.x == 0) {{
            __threadfence();
            last = atomicInc(count, gridDim.x) == gridDim.x - 1;
          }}
          __syncthreads();
          if (last) {{
            float sum = 0;
            for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
            partial[threadIdx.x] = sum;
          }}
        }}
        int main() {{ {MEMORY} unsigned *count; cudaMalloc(&count, 4); {clear}
          total<<<N / 256, 256>>>(a, b, count); }}"""
    ).values()
    assert kernel.prediction.sp_flops == pytest.approx(N / 256)
    assert kernel.prediction.unknowns == ()
