"""Class templates with parameter packs: their sizes, bases, methods and constructors."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.report.report import KernelReport
from roofline_core.program.types import Type
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program

WRAP = """
#include <utility>
template <typename T, typename S, S... Strides> class Wrap;
template <typename T, typename S, S... Strides> class Wrap<const T, S, Strides...> {
 public:
  static constexpr int kDims = sizeof...(Strides);
  static constexpr int kVariable = ((Strides == -1) + ...);
  template <typename... Args> explicit __host__ __device__ Wrap(const void *data, Args... strides)
      : m_data((const unsigned char *)data), m_strides{std::forward<int>(strides)...} {}
  template <typename... Args> __device__ const T *ptr(Args... c) const { return find(c...); }
 protected:
  template <typename... Args> __device__ const T *find(Args... c) const {
    constexpr S fixed[] = {std::forward<S>(Strides)...};
    S at[] = {std::forward<S>(c)...};
    S offset = 0;
    for (int i = 0; i < kVariable; ++i) offset += at[i] * m_strides[i];
    for (int i = kVariable; i < kDims; ++i) offset += at[i] * fixed[i];
    return (const T *)(m_data + offset);
  }
 private:
  const unsigned char *m_data = nullptr;
  S m_strides[kVariable > 0 ? kVariable : 1] = {};
};
template <typename T, typename S, S... Strides>
class Wrap : public Wrap<const T, S, Strides...> {
  using Base = Wrap<const T, S, Strides...>;
 public:
  using Base::Base;
  template <typename... Args> __device__ T *ptr(Args... c) const { return find(c...); }
 protected:
  template <typename... Args> __device__ T *find(Args... c) const {
    return const_cast<T *>(Base::find(c...));
  }
};
template <class In, class Out> __global__ void k(In a, Out c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < w && y < h) *c.ptr(y, x) = *a.ptr(y, x) + 1.f;
}
"""


def judged(source: str) -> KernelReport:
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    assert report.problems == ()
    (kernel,) = report.kernels
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.missing == ()
    return kernel


@pytest.mark.parametrize(
    ("given", "strides", "read_bytes"),
    [
        ("-1, 4", "w * 4", 4096 * 1024 * 4),
        ("-1, 8", "w * 8", 2 * 4096 * 1024 * 4),
        ("-1, -1", "w * 4, 4", 4096 * 1024 * 4),
    ],
)
def test_strides_among_template_arguments_and_of_the_constructor(
    given: str, strides: str, read_bytes: int
) -> None:
    kernel = judged(f"""{WRAP}
    int main() {{ int w = 4096, h = 1024; float *a, *c;
      cudaMalloc(&a, w * h * 8); cudaMalloc(&c, w * h * 8);
      Wrap<const float, long, {given}> in(a, {strides});
      Wrap<float, long, {given}> out(c, {strides});
      k<<<dim3(w / 256, h), 256>>>(in, out, w, h); }}""")
    assert kernel.prediction.unknowns == ()
    assert kernel.prediction.sp_flops == 4096 * 1024
    assert kernel.prediction.dram_read_bytes == pytest.approx(read_bytes, rel=0.01)
    assert kernel.prediction.dram_write_bytes == pytest.approx(read_bytes, rel=0.01)


LISTS = """
template <class... Ts> struct List { static constexpr int count = sizeof...(Ts); };
template <class T> struct Counted;
template <class... Ts> struct Counted<List<Ts...>> { float values[2 * sizeof...(Ts)]; };
template <class First, class... Rest> struct Chain { First first; Chain<Rest...> rest; };
template <class First> struct Chain<First> { First first; };
template <int... Ns> struct Sum { static constexpr int all = (Ns + ... + 0); float x[all]; };
"""


@pytest.mark.parametrize(
    ("type_name", "bytes_each"),
    [
        ("Counted<List<int, float, double>>", 24),
        ("Counted<List<int>>", 8),
        ("Chain<double, int, char>", 16),
        ("Chain<char>", 1),
        ("Sum<1, 2, 3>", 24),
        ("Sum<5>", 20),
    ],
)
def test_sizes_of_classes_with_packs(type_name: str, bytes_each: int) -> None:
    kernel = judged(f"""{LISTS}
    __global__ void k(float *x) {{ x[threadIdx.x] = sizeof({type_name}); }}
    int main() {{ {type_name} *p; float *x = (float *)p; cudaMalloc(&x, 256 * sizeof({type_name}));
      k<<<sizeof({type_name}), 64>>>(x); }}""")
    launch = kernel.launches[0]
    assert launch.grid == (bytes_each, 1, 1)
    assert launch.arguments[0].buffer_bytes == 256 * bytes_each


def test_a_pack_of_a_method_stands_beside_that_of_its_class() -> None:
    kernel = judged("""
    template <int... Ns> struct At {
      template <class... Is> __device__ static int of(Is... is) {
        int scales[] = {Ns...}; int at[] = {is...}; int sum = 0;
        for (int i = 0; i < (int)sizeof...(Is); ++i) sum += scales[i] * at[i];
        return sum;
      }
    };
    __global__ void k(float *x) { x[At<1, 256>::of((int)threadIdx.x, (int)blockIdx.x)] = 2.f; }
    int main() { float *x; cudaMalloc(&x, 64 * 256 * 4); k<<<64, 256>>>(x); }""")
    assert kernel.prediction.dram_write_bytes == pytest.approx(64 * 256 * 4, rel=0.01)


def test_a_class_is_written_out_once_for_as_many_arguments() -> None:
    path = Path("/src/one.cu")
    program = load_program([path], {path: LISTS.encode()}.get)
    classes = TypeSystem(Symbols(program)).classes
    scopes = [
        classes.scope_of(Type("List", tuple(map(Type, names))))
        for names in (("int", "float"), ("char", "double"), ("int",))
    ]
    first, same, other = (scope.struct if scope is not None else None for scope in scopes)
    assert first is not None
    assert first is same
    assert first is not other
