"""Accessors that give an object for an element: it converts to the number and is assigned to."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

N = 1 << 22
VIEW = """
template <class T> struct Item {
  T *at;
  __device__ Item(T *at_) : at(at_) {}
  __device__ Item operator=(T v) { *at = v; return *this; }
  __device__ operator T &() { return *at; }
  __device__ T *operator&() { return at; }
};
template <class T> struct View {
  T *data;
  __device__ Item<T> operator[](int i) { return Item<T>(data + i); }
  __device__ Item<T> operator()(int y, int x) { return Item<T>(data + y * 2048 + x); }
};
"""


def kernel_of(body: str, before: str = VIEW) -> KernelReport:
    source = f"""{before}
      __global__ void k(View<float> in, View<float> out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}
      int main() {{ View<float> a, b;
        cudaMalloc(&a.data, {4 * N}); cudaMalloc(&b.data, {4 * N}); k<<<{N // 256}, 256>>>(a, b); }}
    """
    report = analyze(
        source.encode(), Path("/src/a.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    return kernel


def check(kernel: KernelReport, sp: float, read: float, written: float) -> None:
    made = kernel.prediction
    assert made.sight is not None
    assert made.sight.share == 1
    assert made.sp_flops == pytest.approx(sp)
    assert made.dram_read_bytes == pytest.approx(read, rel=0.01, abs=20_000)
    assert made.dram_write_bytes == pytest.approx(written, rel=0.01, abs=1)
    assert made.unknowns == ()


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = in[i] * 2.f;",
        "out[i] = 2.f * in[i];",
        "out[i] = -in[i] * 3.f;",
        "float x = in[i]; out[i] = x + 1.f;",
        "out[i] = fabsf(in[i]) + 1.f;",
        "out(i / 2048, i % 2048) = in(i / 2048, i % 2048) * 2.f;",
        "float &x = in[i]; *(&out[i]) = x * 2.f;",
        "auto x = in[i]; out[i] = x + 1.f;",
    ],
)
def test_an_element_is_read_and_written(body: str) -> None:
    check(kernel_of(body), sp=N, read=4 * N, written=4 * N)


def test_each_element_is_another() -> None:
    check(kernel_of("out[i] = in[i] + in[i ^ 1];"), sp=N, read=4 * N, written=4 * N)


@pytest.mark.parametrize("body", ["out[i] += in[i];", "float s = in[i]; s += out[i]; out[i] = s;"])
def test_an_element_is_added_to(body: str) -> None:
    check(kernel_of(body), sp=N, read=8 * N, written=4 * N)


def test_an_atomic_on_its_address() -> None:
    kernel = kernel_of("atomicAdd(&out[i % 64], in[i]);")
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.share == 1


def test_a_condition() -> None:
    kernel = kernel_of("if (in[i] > 0.f) out[i] = 1.f;")
    assert kernel.prediction.dram_read_bytes == pytest.approx(4 * N, rel=0.01)


def test_slices_of_slices_are_followed_to_the_element() -> None:
    slices = """
    namespace tr { template <class T> struct Plain { typedef T *Pointer; }; }
    namespace detail { template <class S, int D, template <class> class P> class Slice; }
    template <class T, int D = 2, template <class> class P = tr::Plain> struct Tensor {
      typedef T Element; typedef typename P<T>::Pointer Pointer; typedef Tensor<T, D, P> Self;
      enum { Dims = D };
      __device__ detail::Slice<Self, D - 1, P> operator[](long i);
      Pointer data; long stride[D];
    };
    namespace detail {
    template <class S, template <class> class P> class Slice<S, 0, P> { public:
      __device__ Slice(S &s, typename S::Pointer at) : s_(s), at_(at) {}
      __device__ Slice<S, 0, P> operator=(typename S::Element v) { *at_ = v; return *this; }
      __device__ operator typename S::Element &() { return *at_; }
      __device__ operator const typename S::Element &() const { return *at_; }
      S &s_; typename S::Pointer const at_;
    };
    template <class S, int D, template <class> class P> class Slice { public:
      __device__ Slice(S &s, typename S::Pointer at) : s_(s), at_(at) {}
      __device__ Slice<S, D - 1, P> operator[](long i) {
        return Slice<S, D - 1, P>(s_, at_ + i * s_.stride[S::Dims - D]); }
      S &s_; typename S::Pointer const at_;
    };
    }
    template <class T, int D, template <class> class P>
    __device__ detail::Slice<Tensor<T, D, P>, D - 1, P> Tensor<T, D, P>::operator[](long i) {
      return detail::Slice<Self, D - 1, P>(detail::Slice<Self, D, P>(*this, data)[i]);
    }
    template <class T> using View = Tensor<T>;
    """
    body = "out[blockIdx.x][threadIdx.x] = in[blockIdx.x][threadIdx.x] * 2.f;"
    made = kernel_of(body, slices).prediction
    assert made.sp_flops == pytest.approx(N)
    assert made.sight is not None
    assert made.sight.share == 1
    arrays = {line.what for line in made.evidence if "DRAM" in line.what}
    assert arrays <= {"DRAM bytes read of 'in.data'", "DRAM bytes written of 'out.data'"}
    assert len(arrays) == 2


def test_an_object_that_is_loaded_whole() -> None:
    quad = """
    struct Quad { float4 *at; __device__ operator float4 &() { return *at; } };
    template <class T> struct View {
      T *data; __device__ Quad operator[](int i) { return Quad{(float4 *)data + i}; } };
    """
    body = f"if (i < {N // 4}) {{ float4 q = in[i]; out.data[i] = q.x + q.y + q.z + q.w; }}"
    check(kernel_of(body, quad), sp=3 * N / 4, read=4 * N, written=N)


def test_a_pointer_that_an_object_converts_to() -> None:
    pointer = """
    template <class T> struct View { T *data; __device__ operator T *() const { return data; } };
    """
    body = "float *p = in; float *q = out; q[i] = p[i] * 2.f;"
    check(kernel_of(body, pointer), sp=N, read=4 * N, written=4 * N)
