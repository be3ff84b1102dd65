"""What kernels are given from libraries whose headers are not there: iterators, numbers, views."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

N = 1 << 22
SQUARE = "struct Square { __host__ __device__ float operator()(float x) const { return x * x; } };"
TEMPLATE = "template <class It> __global__ void k(It it, float *o)"
PLAIN = "__global__ void k(const float *a, float *o)"


def kernel_of(header: str, kernel: str, body: str, args: str, threads: int = N) -> KernelReport:
    source = f"""#include <{header}>
      {SQUARE}
      {kernel} {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}
      int main() {{ float *p, *q, *o;
        cudaMalloc(&p, {4 * N}); cudaMalloc(&q, {4 * N}); cudaMalloc(&o, {4 * N});
        k<<<{threads // 256}, 256>>>({args}); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel_report,) = report.kernels
    return kernel_report


def check(kernel: KernelReport, sp: float, read: float, written: float) -> None:
    """``sp``, ``read`` and ``written``: operations and bytes, each for one of N."""
    made = kernel.prediction
    assert made.sight is not None
    assert made.sight.missing == ()
    assert made.unknowns == ()
    assert made.sp_flops == pytest.approx(sp * N)
    assert made.dram_read_bytes == pytest.approx(read * N, rel=0.01, abs=20_000)
    assert made.dram_write_bytes == pytest.approx(written * N, rel=0.01)


@pytest.mark.parametrize(
    ("header", "made", "sp", "read"),
    [
        ("thrust/iterator/counting_iterator.h", "thrust::counting_iterator<int>(5)", 0, 0),
        ("thrust/iterator/counting_iterator.h", "thrust::make_counting_iterator(5)", 0, 0),
        ("thrust/iterator/constant_iterator.h", "thrust::make_constant_iterator(3.f)", 0, 0),
        (
            "thrust/iterator/transform_iterator.h",
            "thrust::make_transform_iterator(p, Square())",
            1,
            4,
        ),
        (
            "thrust/iterator/transform_iterator.h",
            "thrust::make_transform_iterator(thrust::make_counting_iterator(1), Square())",
            1,
            0,
        ),
        ("cub/iterator/counting_input_iterator.cuh", "cub::CountingInputIterator<int>(3)", 0, 0),
        (
            "cub/cub.cuh",
            "cub::TransformInputIterator<float, Square, const float *>(p, Square())",
            1,
            4,
        ),
        ("thrust/iterator/permutation_iterator.h", "thrust::make_permutation_iterator(p, q)", 0, 8),
    ],
)
@pytest.mark.parametrize("element", ["it[i]", "*(it + i)"])
def test_iterators(header: str, made: str, sp: float, read: float, element: str) -> None:
    if "permutation" in made:
        made = "thrust::make_permutation_iterator(p, thrust::make_counting_iterator(0))"
        read = 4
    check(kernel_of(header, TEMPLATE, f"o[i] = {element};", f"{made}, o"), sp, read, 4)


def test_a_zip_iterator() -> None:
    body = "auto t = it[i]; o[i] = thrust::get<0>(t) + thrust::get<1>(t);"
    header = "thrust/iterator/zip_iterator.h"
    check(
        kernel_of(
            header, TEMPLATE, body, "thrust::zip_iterator<thrust::tuple<float *, float *>>(p, q), o"
        ),
        1,
        8,
        4,
    )


COMPLEX = "__global__ void k(const {0}::complex<float> *a, {0}::complex<float> *o)"
COMPLEX_ARGS = "({0}::complex<float> *)p, ({0}::complex<float> *)o"


@pytest.mark.parametrize(
    ("header", "space"), [("thrust/complex.h", "thrust"), ("cuda/std/complex", "cuda::std")]
)
@pytest.mark.parametrize(
    ("value", "sp"),
    [
        ("{0}::conj(a[i]) * a[i]", 6),  # The sign is an operand's, not an operation.
        ("a[i] + a[i] * 2.f", 4),
        ("a[i] - {0}::complex<float>(1.f, 2.f)", 2),
        ("{0}::complex<float>(a[i].imag(), a[i].real())", 0),
        ("{0}::complex<float>({0}::norm(a[i]), 0.f)", 3),
    ],
)
def test_complex_numbers(header: str, space: str, value: str, sp: float) -> None:
    kernel = COMPLEX.format(space)
    body = f"o[i] = {value.format(space)};"
    found = kernel_of(header, kernel, body, COMPLEX_ARGS.format(space), N // 2)
    check(found, sp / 2, 4, 4)


@pytest.mark.parametrize(
    ("header", "body", "sp", "read"),
    [
        ("cuda/std/algorithm", "o[i] = cuda::std::clamp(a[i], 0.f, 1.f);", 0, 4),
        ("algorithm", "o[i] = std::clamp(a[i], 0.f, 1.f);", 0, 4),
        (
            "cuda/std/optional",
            "cuda::std::optional<float> t; t = a[i]; if (t.has_value()) o[i] = *t + 1.f;",
            1,
            4,
        ),
        (
            "cuda/std/limits",
            "o[i] = cuda::std::min(cuda::std::numeric_limits<float>::max(), a[i]) * 2.f;",
            1,
            4,
        ),
        (
            "cuda/atomic",
            (
                "cuda::atomic_ref<float, cuda::thread_scope_device> r(o[i]);"
                "r.fetch_add(a[i], cuda::memory_order_relaxed);"
            ),
            0,
            8,
        ),
        (
            "cuda/std/array",
            "cuda::std::array<float, 2> t; t[0] = a[i]; t[1] = 2.f; o[i] = t[0] * t[1] - t[0];",
            2,
            4,
        ),
    ],
)
def test_parts_of_the_standard_library(header: str, body: str, sp: float, read: float) -> None:
    check(kernel_of(header, PLAIN, body, "p, o"), sp, read, 4)


SHARED = "__shared__ alignas(16) float s[256]; int t = threadIdx.x;"


@pytest.mark.parametrize(
    ("header", "copied"),
    [
        (
            "cuda/pipeline",
            (
                "auto pipe = cuda::make_pipeline(); pipe.producer_acquire();"
                "cuda::memcpy_async(s + t, a + i, sizeof(float), pipe);"
                "pipe.producer_commit(); pipe.consumer_wait(); __syncthreads();"
            ),
        ),
        (
            "cuda/pipeline",
            (
                "cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();"
                "const auto four = cuda::aligned_size_t<16>(sizeof(float4));"
                "if (t < 64) cuda::memcpy_async(&s[4 * t], &a[i - t + 4 * t], four, pipe);"
                "cuda::pipeline_consumer_wait_prior<0>(pipe); __syncthreads();"
            ),
        ),
        (
            "cuda/barrier",
            (
                "__shared__ cuda::barrier<cuda::thread_scope_block> bar;"
                "if (t == 0) init(&bar, blockDim.x); __syncthreads();"
                "cuda::memcpy_async(s + t, a + i, sizeof(float), bar); bar.arrive_and_wait();"
            ),
        ),
        (
            "cuda_pipeline.h",
            (
                "if (t < 64) __pipeline_memcpy_async(s + 4 * t, a + (i - t) + 4 * t, 16);"
                "__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();"
            ),
        ),
    ],
)
def test_copies_that_run_beside_other_work(header: str, copied: str) -> None:
    body = f"{SHARED} {copied} o[i] = s[255 - t] * 2.f;"
    check(kernel_of(header, PLAIN, body, "p, o"), 1, 4, 4)


VIEWS = [
    (
        "Eigen/Core",
        "__global__ void k(Eigen::Map<const Eigen::MatrixXf> a, Eigen::Map<Eigen::MatrixXf> o)",
        "o(i % 2048, i / 2048) = a(i % 2048, i / 2048) * 2.f;",
        (
            f"Eigen::Map<const Eigen::MatrixXf>(p, 2048, {N // 2048}),"
            f"Eigen::Map<Eigen::MatrixXf>(o, 2048, {N // 2048})"
        ),
    ),
    (
        "unsupported/Eigen/CXX11/Tensor",
        (
            "typedef Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>> Rows;"
            "__global__ void k(Rows a, Rows o)"
        ),
        "o(i / 2048, i % 2048) = a(i / 2048, i % 2048) * 2.f;",
        f"Rows(p, {N // 2048}, 2048), Rows(o, {N // 2048}, 2048)",
    ),
    (
        "cute/tensor.hpp",
        "using namespace cute; __global__ void k(const float *p, float *q)",
        (
            f"auto a = make_tensor(make_gmem_ptr(p), make_shape({N // 2048}, 2048), GenRowMajor());"
            f"""auto b = make_tensor(make_gmem_ptr(q),
            make_layout(make_shape({N // 2048}, Int<2048>()), make_stride(2048, Int<1>())));
          b(i / 2048, i % 2048) = a.data()[i] * 2.f;"""
        ),
        "p, o",
    ),
    (
        "raft/core/device_mdspan.hpp",
        (
            "__global__ void k(raft::device_matrix_view<const float, int> a,"
            "raft::device_matrix_view<float, int> o)"
        ),
        "o(i / 2048, i % 2048) = a(i / 2048, i % 2048) * 2.f;",
        (
            f"raft::make_device_matrix_view<const float, int>(p, {N // 2048}, 2048),"
            f"raft::make_device_matrix_view<float, int>(o, {N // 2048}, 2048)"
        ),
    ),
    (
        "raft/core/device_span.hpp",
        "__global__ void k(raft::device_span<const float> a, raft::device_span<float> o)",
        "if (i < a.size()) o[i] = a[i] * 2.f;",
        f"raft::device_span<const float>(p, {N}), raft::device_span<float>(o, {N})",
    ),
]


@pytest.mark.parametrize(("header", "kernel", "body", "args"), VIEWS)
def test_views(header: str, kernel: str, body: str, args: str) -> None:
    check(kernel_of(header, kernel, body, args), 1, 4, 4)


def test_small_vectors_of_eigen() -> None:
    kernel = "__global__ void k(const Eigen::Vector3f *a, float *o)"
    body = "Eigen::Vector3f v = a[i]; o[i] = v(0) * v[1] + v.x() * v.z();"
    found = kernel_of("Eigen/Dense", kernel, body, "(Eigen::Vector3f *)p, o", N // 4)
    check(found, 3 / 4, 3, 1)


def test_a_function_object_in_a_field_is_called() -> None:
    kernel = """template <class F> struct Twice { F f;
        __device__ float operator()(float x) const { return f(x) + 1.f; } };
      template <class F> __global__ void k(F f, const float *a, float *o)"""
    args = "Twice<Square>{Square()}, p, o"
    check(kernel_of("cstdio", kernel, "o[i] = f(a[i]);", args), 2, 4, 4)


def test_an_object_keeps_a_reference_to_a_number() -> None:
    kernel = f"""struct Cell {{ float *at; __device__ Cell(float &x) : at(&x) {{}}
        __device__ void put(float v) {{ *at = v; }} }};
      {PLAIN}"""
    body = "Cell c(o[i]); c.put(a[i] * 2.f); Cell{o[i]}.put(a[i] * 3.f);"
    check(kernel_of("cstdio", kernel, body, "p, o"), 2, 4, 4)


RANDOM = "__global__ void k(curandState *s, float *o)"


def random_kernel(body: str) -> KernelReport:
    source = f"""#include <curand_kernel.h>
      {RANDOM} {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}
      int main() {{ curandState *s; float *o; cudaMalloc(&o, {4 * N});
        cudaMalloc(&s, {N} * sizeof(curandState)); k<<<{N // 256}, 256>>>(s, o); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    return report.kernels[0]


def test_a_uniform_random_number() -> None:
    kernel = random_kernel("curandState l = s[i]; o[i] = curand_uniform(&l); s[i] = l;")
    check(kernel, 2, 48, 52)


def test_two_normal_numbers_share_their_roots() -> None:
    once = random_kernel("curandState l; curand_init(7, 0, 0, &l); o[i] = curand_normal(&l);")
    body = "curandState l; curand_init(7, 0, 0, &l); o[i] = curand_normal(&l) + curand_normal(&l);"
    twice = random_kernel(body)
    assert once.prediction.sp_flops is not None
    assert twice.prediction.sp_flops == pytest.approx(once.prediction.sp_flops + 2 * N)


def test_subsequences_are_what_makes_states_costly() -> None:
    cheap = random_kernel("curand_init(i, 0, 0, &s[i]);").prediction
    costly = random_kernel("curand_init(1, i, 0, &s[i]);").prediction
    assert cheap.int_ops is not None
    assert cheap.int_ops < 20 * N
    assert costly.int_ops is not None
    assert costly.int_ops > 1000 * N
    assert cheap.dram_write_bytes == pytest.approx(48 * N, rel=0.01)


def test_philox_makes_four_numbers_at_once() -> None:
    source = f"""#include <curand_kernel.h>
      __global__ void k(float4 *o) {{ int i = blockIdx.x * blockDim.x + threadIdx.x;
        curandStatePhilox4_32_10_t s; curand_init(42, i, 0, &s); o[i] = curand_uniform4(&s); }}
      int main() {{ float4 *o; cudaMalloc(&o, {16 * N}); k<<<{N // 256}, 256>>>(o); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    check(kernel, 8, 0, 16)
    # Ten rounds of two wide products and two steps of the key.
    assert kernel.prediction.int_ops is not None
    assert 80 * N < kernel.prediction.int_ops < 160 * N


def test_sums_in_the_wider_type_of_atens() -> None:
    kernel = """template <class T> __global__ void k(const T *a, float *o) {
        using wide = at::acc_type<T, true>;
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        wide v = static_cast<wide>(a[i]); o[i] = v * wide(2) + wide(1); }
      __global__ void other(float *o)"""
    source = f"""#include <ATen/AccumulateType.h>
      {kernel} {{}}
      int main() {{ float *p, *o; cudaMalloc(&p, {2 * N}); cudaMalloc(&o, {4 * N});
        k<at::Half><<<{N // 256}, 256>>>((at::Half *)p, o); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    check(report.kernels[0], 2, 2, 4)
    assert report.kernels[0].prediction.hp_flops == 0


@pytest.mark.parametrize(("element", "width"), [("float", 4), ("__half", 2), ("double", 8)])
def test_memory_that_is_moved_at_once(element: str, width: int) -> None:
    source = f"""#include <type_traits>
      template <class T> __global__ void k(const T *a, T *b) {{
        typedef typename std::aligned_storage<2 * sizeof(T), 2 * alignof(T)>::type Two;
        int i = blockIdx.x * blockDim.x + threadIdx.x; ((Two *)b)[i] = ((const Two *)a)[i]; }}
      int main() {{ {element} *p, *q; cudaMalloc(&p, {width * N}); cudaMalloc(&q, {width * N});
        k<{element}><<<{N // 512}, 256>>>(p, q); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    check(report.kernels[0], 0, width, width)


def test_an_iterator_is_given_to_a_kernel_and_to_the_library() -> None:
    source = f"""#include <thrust/iterator/transform_iterator.h>
      {SQUARE}
      template <class It> __global__ void k(It it, float *o) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = it[i]; }}
      int main() {{ float *p, *o; cudaMalloc(&p, {4 * N}); cudaMalloc(&o, {4 * N});
        auto squares = thrust::make_transform_iterator(p, Square());
        k<<<{N // 256}, 256>>>(squares, o);
        thrust::reduce(thrust::device, squares, squares + {N}); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    check(report.kernels[0], 1, 4, 4)
    (call,) = report.library_calls
    assert call.prediction.dram_read_bytes == pytest.approx(4 * N)


def test_what_raft_says_of_warps_and_numbers() -> None:
    body = """int lane = raft::Pow2<raft::WarpSize>::mod(i);
        float v = a[raft::Pow2<32>::roundDown(i) + lane];
        v += raft::shfl_xor(v, 1); v += raft::shfl_up(v, 2);
        o[raft::alignTo(i, 1)] = v + raft::ballot(v > 0.f) + raft::lower_bound<float>();"""
    made = kernel_of("raft/util/cuda_utils.cuh", PLAIN, body, "p, o").prediction
    assert made.sight is not None
    assert made.sight.missing == ()
    assert made.unknowns == ()
    assert made.dram_read_bytes == pytest.approx(4 * N, rel=0.01)


def test_arrays_of_raft_and_their_views() -> None:
    source = f"""#include <raft/core/device_mdarray.hpp>
      using Rows = raft::device_matrix_view<float, int>;
      __global__ void k(Rows a, raft::device_vector_view<float> o) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; o(i) = a(i, 1) + a(i, 0); }}
      int main() {{ raft::resources handle;
        auto a = raft::make_device_matrix<float, int>(handle, {N}, 2);
        auto o = raft::make_device_vector<float>(handle, {N});
        k<<<{N // 256}, 256>>>(a.view(), o.view()); }}"""
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    check(report.kernels[0], 1, 8, 4)
