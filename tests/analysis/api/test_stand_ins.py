"""Kernels whose parameters are of classes that only a missing header declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

N = 1 << 24
OPENCV = "#include <opencv2/core/cuda_types.hpp>\n"
TORCH = "#include <torch/extension.h>\n"
PIXEL = """int x = blockIdx.x * blockDim.x + threadIdx.x;
           int y = blockIdx.y * blockDim.y + threadIdx.y;"""


def the_kernel(source: str) -> KernelReport:
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    return kernel


def check(kernel: KernelReport, *, read: float, written: float) -> None:
    assert kernel.verdict is not None
    assert kernel.prediction.dram_read_bytes == pytest.approx(read, rel=0.02)
    assert kernel.prediction.dram_write_bytes == pytest.approx(written, rel=0.02)


@pytest.mark.parametrize("access", ["a(y, x)", "a.ptr(y)[x]"])
def test_an_image_by_its_fields(access: str) -> None:
    kernel = the_kernel(f"""{OPENCV}
      __global__ void grey(cv::cuda::PtrStepSz<float> a, cv::cuda::PtrStep<float> b) {{ {PIXEL}
        if (x < a.cols && y < a.rows) b(y, x) = {access} * 2.f; }}
      int main() {{ float *p, *q; cudaMalloc(&p, 4096 * 4096 * 4); cudaMalloc(&q, 4096 * 4096 * 4);
        cv::cuda::PtrStepSz<float> a(4096, 4096, p, 4096 * 4);
        cv::cuda::PtrStep<float> b(q, 4096 * 4);
        grey<<<dim3(128, 512), dim3(32, 8)>>>(a, b); }}""")
    check(kernel, read=4 * N, written=4 * N)
    assert kernel.prediction.unknowns == ()
    assert {each.path for each in kernel.prediction.evidence} == {Path("/src/kernel.cu")}


def test_an_image_of_unknown_size() -> None:
    kernel = the_kernel(f"""{OPENCV} using cv::cuda::PtrStepSz;
      template <class T> __global__ void add(PtrStepSz<T> a, PtrStepSz<T> b) {{ {PIXEL}
        if (x >= a.cols || y >= a.rows) return; b(y, x) += a(y, x); }}
      void run(PtrStepSz<double> a, PtrStepSz<double> b) {{
        add<<<dim3((a.cols + 31) / 32, (a.rows + 7) / 8), dim3(32, 8)>>>(a, b); }}""")
    names = {unknown.name: unknown.assumed for unknown in kernel.prediction.unknowns}
    assert names["a.step"] == names["b.step"] == 8 * (names["cols"] or 0)
    pixels = (names["cols"] or 0) * (names["rows"] or 0)
    assert kernel.prediction.dram_read_bytes == pytest.approx(16 * pixels, rel=0.02)


def test_names_of_a_missing_header_give_way_to_the_programs_own_through_using() -> None:
    """The program has a class of its own by ``using``, and some file of it wants OpenCV's."""
    kernel = the_kernel(f"""{OPENCV}
      namespace own {{ namespace gpu {{
        template <class T> struct PtrStep {{ T *data; size_t step;
          __host__ __device__ T *ptr(int y) {{ return (T *)((char *)data + y * step); }} }}; }}
        namespace device {{ using own::gpu::PtrStep;
          __global__ void twice(PtrStep<float> a) {{ {PIXEL} a.ptr(y)[x] *= 2.f; }} }} }}
      int main() {{ float *p; cudaMalloc(&p, 4096 * 4096 * 4);
        own::device::PtrStep<float> a = {{p, 4096 * 4}};
        own::device::twice<<<dim3(128, 512), dim3(32, 8)>>>(a); }}""")
    check(kernel, read=4 * N, written=4 * N)
    assert kernel.prediction.unknowns == ()


def test_the_programs_own_class_of_that_name_is_meant() -> None:
    kernel = the_kernel(f"""{OPENCV}
      template <class T> struct PtrStep {{ T *at; int n; }};
      __global__ void scale(PtrStep<float> a) {{
        int i = blockIdx.x * 256 + threadIdx.x; if (i < a.n) a.at[i] *= 2.f; }}
      int main() {{ PtrStep<float> a; a.n = {N}; cudaMalloc(&a.at, a.n * 4);
        scale<<<{N} / 256, 256>>>(a); }}""")
    check(kernel, read=4 * N, written=4 * N)


@pytest.mark.parametrize("space", ["at", "torch"])
@pytest.mark.parametrize("index", ["32", "64"])
def test_accessors_and_the_launch_in_a_dispatch(space: str, index: str) -> None:
    traits = "" if space == "at" else ", torch::RestrictPtrTraits"
    kernel = the_kernel(f"""{TORCH}
      template <typename scalar_t> __global__ void twice(
        {space}::PackedTensorAccessor{index}<scalar_t, 3{traits}> x,
        {space}::PackedTensorAccessor{index}<scalar_t, 3{traits}> y) {{
        auto in = x[blockIdx.y][blockIdx.x];
        for (int c = threadIdx.x; c < x.size(2); c += blockDim.x)
          y[blockIdx.y][blockIdx.x][c] = in[c] * scalar_t(2); }}
      torch::Tensor run(torch::Tensor x) {{ auto y = torch::empty_like(x);
        AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "run", ([&] {{
          twice<scalar_t><<<dim3(4096, 4), 256>>>(
            x.packed_accessor{index}<scalar_t, 3{traits}>(),
            y.packed_accessor{index}<scalar_t, 3{traits}>()); }}));
        return y; }}""")
    assert kernel.launches[0].template_args == ("float",)
    names = {unknown.name: unknown.assumed for unknown in kernel.prediction.unknowns}
    assert [names[f"x.strides_[{d}]"] for d in range(2)] == [4096 * 1024, 1024]
    assert "x.strides_[2]" not in names  # Elements lie side by side.
    check(kernel, read=4 * 16 * 2**20, written=4 * 16 * 2**20)


def test_the_element_of_a_one_dimensional_accessor() -> None:
    kernel = the_kernel(f"""{TORCH}
      __global__ void ramp(torch::PackedTensorAccessor64<double, 1> x) {{
        int i = blockIdx.x * 256 + threadIdx.x; if (i < x.size(0)) x[i] += x.stride(0); }}
      void run(torch::Tensor x) {{
        ramp<<<{N} / 256, 256>>>(x.packed_accessor64<double, 1>()); }}""")
    check(kernel, read=8 * N, written=8 * N)


def test_a_device_pointer_of_thrust_is_a_pointer() -> None:
    kernel = the_kernel(f"""#include <thrust/device_vector.h>
      __global__ void gather(thrust::device_ptr<const int> at, thrust::device_ptr<float> y) {{
        int i = blockIdx.x * 256 + threadIdx.x;
        y[i] = at[i]; thrust::raw_pointer_cast(y)[i] += *(at.get() + i); }}
      int main() {{ thrust::device_vector<int> at({N}); thrust::device_vector<float> y({N});
        gather<<<{N} / 256, 256>>>(at.data(), y.data()); }}""")
    check(kernel, read=4 * N, written=4 * N)
    assert kernel.prediction.unknowns == ()


VIEWS = "#include <cuda/std/mdspan>\n#include <cuda/std/span>\n#include <cub/cub.cuh>\n"


@pytest.mark.parametrize(
    ("parameters", "body", "arguments"),
    [
        (
            "M a, M b",
            f"{PIXEL} if (x < a.extent(1) && y < a.extent(0)) b(y, x) = a(y, x);",
            "M(p, 4096, 4096), M(q, 4096, 4096)",
        ),
        (
            "F a, F b",
            f"{PIXEL} if (y < a.extent(0)) b[y, x] = a[y, x];",
            "F(p), F(q)",
        ),
        (
            "L a, L b",
            f"{PIXEL} b(x, y) = a(x, y);",
            "L(p, 4096, 4096), L(q, 4096, 4096)",
        ),
        (
            "S a, S b",
            (
                "int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x; "
                "if (i < a.size()) b[i] = a[i];"
            ),
            f"S(p, {N}), S(q, {N})",
        ),
        (
            "C a, float *b",
            "int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x; b[i] = a[i];",
            "C(p), q",
        ),
        (
            "cuda::std::tuple<float *, float *> t",
            (
                "int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x; "
                "cuda::std::get<1>(t)[i] = cuda::std::get<0>(t)[i];"
            ),
            "cuda::std::make_tuple(p, q)",
        ),
    ],
)
def test_views_of_the_standard_library_and_cub(parameters: str, body: str, arguments: str) -> None:
    kernel = the_kernel(f"""{VIEWS}
      using M = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
      using F = cuda::std::mdspan<float, cuda::std::extents<int, 4096, 4096>>;
      using L = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left>;
      using S = cuda::std::span<float>;
      using C = cub::CacheModifiedInputIterator<cub::LOAD_LDG, float>;
      __global__ void copy({parameters}) {{ {body} }}
      int main() {{ float *p, *q; cudaMalloc(&p, {4 * N}); cudaMalloc(&q, {4 * N});
        copy<<<dim3(16, 4096), 256>>>({arguments}); }}""")
    check(kernel, read=4 * N, written=4 * N)
    assert kernel.prediction.unknowns == ()


@pytest.mark.parametrize(
    ("value", "operations"),
    [
        ("2.0f * v", 3),
        ("m[0] * v", 3 + 6 + 6),
        # The sum takes the last product of each component in one operation of two.
        ("m[0] * v + 2.0f * v", 15 + 6),
        ("glm::cross(v, m[0][1])", 3 * 3),
        ("glm::normalize(v)", 5 + 3),
        ("glm::vec3(glm::dot(v, v), v.y, v.z)", 5),
        ("glm::transpose(m[0]) * v", 3 + 6 + 6),
        ("m[0] * (m[0] * v)", 30),
        # What is called is chosen by what the operator returns, not by what it takes.
        ("glm::normalize(m[0] * v)", 15 + 5 + 3),
        ("glm::vec3(glm::length2(m[0] * v + v))", 15 + 3 + 5),
    ],
)
@pytest.mark.parametrize("header", ["glm/glm.hpp", "tiny-cuda-nn/common.h"])
def test_vectors_and_matrices_of_graphics(header: str, value: str, operations: int) -> None:
    n = 1 << 20
    kernel = the_kernel(f"""#include <{header}>
      __global__ void f(const glm::mat3 *m, const glm::vec3 *in, glm::vec3 *out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; glm::vec3 v = in[i]; out[i] = {value}; }}
      int main() {{ glm::vec3 *a, *b; glm::mat3 *m; int n = {n}; cudaMalloc(&m, 36);
        cudaMalloc(&a, 12 * n); cudaMalloc(&b, 12 * n); f<<<n / 256, 256>>>(m, a, b); }}""")
    check(kernel, read=12 * n, written=12 * n)
    assert kernel.prediction.sp_flops == operations * n


def test_a_vector_of_the_program_itself_is_meant() -> None:
    kernel = the_kernel("""#include <glm/glm.hpp>
      struct vec3 { double x, y, z; };
      __global__ void f(vec3 *a) { a[blockIdx.x * blockDim.x + threadIdx.x].x *= 2; }
      int main() { vec3 *a; cudaMalloc(&a, 24 << 20); f<<<4096, 256>>>(a); }""")
    assert kernel.prediction.dp_flops == 1 << 20


@pytest.mark.parametrize("header", ["type_traits", "vector", "algorithm"])
def test_memory_of_a_size_is_moved_at_once(header: str) -> None:
    """Most headers of C++'s library bring ``std::aligned_storage``."""
    kernel = the_kernel(f"""#include <{header}>
      template <typename T> __global__ void copy(T *to, const T *from) {{
        typedef typename std::aligned_storage<4 * sizeof(T), 4 * alignof(T)>::type Four;
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        ((Four *)to)[i] = ((const Four *)from)[i]; }}
      int main() {{ float *p, *q; cudaMalloc(&p, {4 * N}); cudaMalloc(&q, {4 * N});
        copy<float><<<{N} / 1024, 256>>>(p, q); }}""")
    check(kernel, read=4 * N, written=4 * N)
    assert kernel.prediction.unknowns == ()
