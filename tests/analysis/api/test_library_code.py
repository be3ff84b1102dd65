"""Ways in which libraries write kernels: aliases of namespaces, wrappers, constructed pointers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

THREADS = 1 << 20
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def kernels_of(source: str, files: Mapping[str, str] | None = None) -> dict[str, KernelReport]:
    texts = {Path(name): text.encode() for name, text in (files or {}).items()}
    settings = Settings(gpu="A100")
    report = analyze(source.encode(), Path("/src/kernel.cu"), settings, reader=texts.get)
    return {kernel.base_name: kernel for kernel in report.kernels}


def the_kernel(source: str, files: Mapping[str, str] | None = None) -> KernelReport:
    (kernel,) = kernels_of(source, files).values()
    return kernel


def check(kernel: KernelReport, *, read: float, written: float) -> None:
    found = kernel.prediction
    assert found.sight is not None
    assert found.sight.share == pytest.approx(1), found.sight.missing
    assert found.verdict is not None
    assert found.dram_read_bytes == pytest.approx(read, rel=0.02)
    assert found.dram_write_bytes == pytest.approx(written, rel=0.02)


@pytest.mark.parametrize(
    "declared",
    [
        "T* p(x + i); T const *q(y + i);",
        "auto p(x + i); auto q(y + i);",
        "auto p{x + i}; auto q{y + i};",
        "T& r(x[i]); T* p(&r); T* q(y + i * 1);",
    ],
)
def test_pointers_made_in_parentheses(declared: str) -> None:
    kernel = the_kernel(f"""template <class T> __global__ void k(T *x, T *y, int n) {{ {INDEX}
      if (i < n) {{ {declared} p[0] = q[0] + 1; }} }}
      void f(float *x, float *y) {{ k<<<{THREADS // 256}, 256>>>(x, y, {THREADS}); }}""")
    check(kernel, read=4 * THREADS, written=4 * THREADS)


VIEWS = """namespace deep { namespace er {
  template <class T, int N> struct Row { T *p; __device__ Row(T *q) : p(q) {}
    __device__ Row<T, N - 1> operator[](int i) const { return Row<T, N - 1>(p + i); } };
  template <class T> struct Row<T, 1> { T *p; __device__ Row(T *q) : p(q) {}
    __device__ T &operator[](int i) const { return p[i]; } };
  template <class T, int N> struct View { T *p; int size;
    __device__ Row<T, N - 1> operator[](int i) const { return Row<T, N - 1>(p + i); } };
  template <class T> using Cube = View<T, 4>; } }
"""


@pytest.mark.parametrize(
    "alias", ["namespace v = deep::er;", "namespace d = deep; namespace v = d::er;"]
)
def test_classes_by_an_alias_of_their_namespace(alias: str) -> None:
    """Also where no launch tells of the object, and a class of another namespace has the name."""
    kernel = the_kernel(f"""{VIEWS}
      namespace lib {{ {alias}
        namespace own {{ template <class T, int N> struct Row {{ T *q; char name[8];
          __device__ Row(T *p) : q(p) {{}} __device__ T &operator[](int i) const; }}; }}
        __global__ void k(v::Cube<float> x, v::View<float, 4> y) {{ {INDEX}
          if (i < x.size) y[i][0][0][0] = x[i][0][0][0] + 1; }} }}""")
    check(kernel, read=4 * THREADS, written=4 * THREADS)


def test_an_alias_of_a_namespace_that_several_headers_declare() -> None:
    header = "namespace v = deep::er;"
    source = f"""{VIEWS} namespace a {{ {header} }} namespace b {{ {header}
      __global__ void k(v::View<float, 2> x, v::View<float, 2> y) {{ {INDEX}
        if (i < x.size) y[i][0] = x[i][0] + 1; }} }}"""
    check(the_kernel(source), read=4 * THREADS, written=4 * THREADS)


@pytest.mark.parametrize("bits", ["32", "64"])
@pytest.mark.parametrize("dims", [2, 4])
def test_a_librarys_view_beside_the_programs_own_of_that_name(bits: str, dims: int) -> None:
    accessor = f"at::PackedTensorAccessor{bits}<float, {dims}, at::RestrictPtrTraits>"
    rest = "[0]" * (dims - 1)
    kernel = the_kernel(f"""#include <ATen/ATen.h>
      namespace lib {{
      template <typename T, size_t N, template <typename U> class P, typename index_t>
      class TensorAccessor {{ public:
        C10_HOST_DEVICE TensorAccessor(T *p, const index_t *s, const index_t *t, const char *name);
        C10_HOST_DEVICE T &operator[](index_t i) const; }};
      __global__ void k({accessor} x, {accessor} y, int n) {{ {INDEX}
        if (i < n) y[i]{rest} = x[i]{rest} + 1; }} }}""")
    check(kernel, read=4 * THREADS, written=4 * THREADS)


def test_a_wrapper_that_has_the_name_of_the_builtin_function_it_calls() -> None:
    kernel = the_kernel(f"""#include <cuda_bf16.h>
      namespace at {{ typedef __nv_bfloat16 BFloat16; }}
      static __device__ float __bfloat162float(const at::BFloat16 x) {{
        return __bfloat162float(*reinterpret_cast<const __nv_bfloat16 *>(&x)); }}
      __global__ void k(const at::BFloat16 *x, float *y, int n) {{ {INDEX}
        if (i < n) y[i] = __bfloat162float(x[i]); }}""")
    check(kernel, read=2 * THREADS, written=4 * THREADS)


def test_asserts_of_a_library_are_no_work() -> None:
    kernel = the_kernel(f"""__global__ void k(float *x, int n) {{ {INDEX}
      LIB_KERNEL_ASSERT(n > 0 && "empty"); if (i < n) x[i] += 1; }}""")
    check(kernel, read=4 * THREADS, written=4 * THREADS)


@pytest.mark.parametrize(
    ("type_", "made", "size"),
    [
        ("__nv_fp8_e4m3", "T(x[i])", 1),
        ("__nv_fp8x2_e5m2", "T(make_float2(x[i], 0))", 2),
        ("__half2", "T(x[i], x[i])", 4),
    ],
)
def test_numbers_below_16_bits_and_pairs_are_made_of_others(
    type_: str, made: str, size: int
) -> None:
    kernel = the_kernel(f"""#include <cuda_fp8.h>
      #include <cuda_fp16.h>
      template <class T> __global__ void k(const float *x, T *y, int n) {{ {INDEX}
        if (i < n) y[i] = {made}; }}
      template __global__ void k<{type_}>(const float *, {type_} *, int);""")
    check(kernel, read=4 * THREADS, written=size * THREADS)


def test_bytes_written_to_an_object_by_a_cast_pointer() -> None:
    kernel = the_kernel(f"""struct Eight {{ __half2 pairs[4]; }};
      __global__ void k(const __half *x, float *y, int n) {{ {INDEX}
        if (i < n) {{ Eight e; *reinterpret_cast<uint4 *>(&e) = *(const uint4 *)(x + 8 * i);
          y[i] = __low2float(e.pairs[0]) + __half2float(e.pairs[3].y); }} }}""")
    check(kernel, read=16 * THREADS, written=4 * THREADS)


def test_a_field_of_walberla() -> None:
    kernel = the_kernel("""#include <gpu/FieldAccessor.h>
      #include <gpu/GPUField.h>
      namespace walberla {
      __global__ void k(gpu::FieldAccessor<double> a, gpu::FieldAccessor<double> b) {
        a.set(blockIdx, threadIdx); b.set(blockIdx, threadIdx);
        if (a.isValidPosition()) b.get() = a.get(0) + a.get(1) + a.getNeighbor(1, 0, 0, 1); }
      void f(gpu::FieldAccessor<double> a, gpu::FieldAccessor<double> b) {
        k<<<dim3(64, 64), 256>>>(a, b); } }""")
    check(kernel, read=16 * THREADS, written=8 * THREADS)


def test_two_images_whose_pitch_is_one_open_number() -> None:
    """Rows of both lie side by side, however wide their elements are."""
    kernel = the_kernel("""struct Image { int pitch; float4 *p; };
      __global__ void k(float4 *a, int ap, const float4 *b, int bp, int n) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < n && y < n)
          *((float4 *)((char *)a + y * ap) + x) = *((float4 *)((char *)b + y * bp) + x); }
      void run(Image &a, int pitch) {
        k<<<dim3(64, 64), dim3(16, 16)>>>(a.p, pitch, a.p + 1, pitch, 1024); }""")
    assert kernel.prediction.dram_write_bytes == pytest.approx(16 * THREADS, rel=0.02)
