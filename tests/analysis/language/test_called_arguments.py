"""Template arguments that are calls, which the grammar takes for types of functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

CLASSES = """
namespace utils {
template <typename T> constexpr bool is_power(T v) { return v && !(v & (v - 1)); }
constexpr int half(int v) { return v / 2; }
struct made { int v; };
}
constexpr int pick(int v, int w) { return v > w ? v : w; }
template <int N> struct Bytes { char at[N]; static constexpr int count = N; };
template <typename T> struct Plain { char at[1]; };
template <typename R, typename A> struct Plain<R(A)> { char at[40]; };
template <int N, bool Power> struct By { char at[100 + N]; };
template <int N> struct By<N, true> { char at[200 + N]; };
"""


@pytest.mark.parametrize(
    ("type_name", "bytes_each"),
    [
        ("Bytes<utils::half(N)>", 4),
        ("Bytes<pick(N, M)>", 8),
        ("Bytes<pick(M, Bytes<N>::count)>", 8),
        ("By<N, utils::is_power(N)>", 208),
        ("By<M, utils::is_power(M)>", 106),
        ("By<N, utils::is_power<int>(N)>", 208),
        ("By<N, !utils::is_power(N)>", 108),
        # A type where it names one.
        ("Plain<utils::made(T)>", 40),
        ("Plain<void(T)>", 40),
        ("Plain<T>", 1),
    ],
)
def test_what_is_named_tells_a_call_from_a_type(type_name: str, bytes_each: int) -> None:
    source = f"""{CLASSES}
    template <typename T, int N, int M> __global__ void k(T *x) {{
      x[threadIdx.x] = sizeof({type_name}); }}
    template <typename T, int N, int M> void launch(T *x) {{
      k<T, N, M><<<sizeof({type_name}), 64>>>(x); }}
    int main() {{ float *x; cudaMalloc(&x, 256); launch<float, 8, 6>(x); }}"""
    path = Path("/src/k.cu")
    report = analyze(source.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.launches[0].grid == (bytes_each, 1, 1)
    assert report.problems == ()


def test_a_static_method_of_such_a_class_is_called() -> None:
    source = f"""{CLASSES}
    template <typename K, int N, typename Add, bool Power> struct Step;
    template <typename K, int N, typename Add> struct Step<K, N, Add, true> {{
      static __device__ void run(K *k) {{ for (int i = 0; i < N; i++) k[0] = Add::of(k[0]); }}
    }};
    template <typename T> struct Two {{ static __device__ T of(T x) {{ return x * x + 2; }} }};
    template <typename T, int N> __global__ void k(T *x) {{
      Step<T, N, Two<T>, utils::is_power(N)>::run(x + blockIdx.x * blockDim.x + threadIdx.x); }}
    int main() {{ float *x; cudaMalloc(&x, 4 << 20); k<float, 4><<<4096, 256>>>(x); }}"""
    path = Path("/src/k.cu")
    report = analyze(source.encode(), path, Settings(gpu="A100"), reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.sp_flops == 4 * 2 * (1 << 20)
