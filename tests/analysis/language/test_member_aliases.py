"""Type aliases of classes, which plain names outside of the class do not mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.settings import Settings

ALIASES = "template <class T_> struct Less { typedef T_ T; typedef double Real; };\n"
SHUFFLE = """
template <class T> __device__ T around(const T v) { return __shfl_xor_sync(~0u, v, 1); }
template <class K, class V> struct Pair { K key; V value; };
template <class T, class U> __device__ Pair<T, U> around(const Pair<T, U> &p) {
  return Pair<T, U>{around(p.key), around(p.value)}; }
__global__ void k(float *a, long *b) {
  Pair<float, long> p{a[threadIdx.x], b[threadIdx.x]};
  p = around(p); a[threadIdx.x] = p.key + 1.f; b[threadIdx.x] = p.value; }
"""
LAUNCH = "int main() { float *a; long *b; cudaMalloc(&a, 1024); cudaMalloc(&b, 2048);"


@pytest.mark.parametrize("before", ["", ALIASES])
def test_a_template_parameter_is_not_an_alias_of_some_class(before: str) -> None:
    source = f"{before}{SHUFFLE}{LAUNCH} k<<<64, 256>>>(a, b); }}"
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.missing == ()
    assert kernel.prediction.sp_flops == 64 * 256


@pytest.mark.parametrize(
    ("classes", "type_name", "bytes_each"),
    [
        ("struct A { typedef double T; struct B { T x; }; };", "A::B", 8),
        ("struct A { typedef double T; }; struct B : A { T x; };", "B", 8),
        ("struct A { typedef double T; T x; };", "A", 8),
        ("typedef float T; struct A { typedef double T; }; struct B { T x; };", "B", 4),
    ],
    ids=["class around", "base", "own", "outside"],
)
def test_members_of_classes_mean_the_aliases_in_force(
    classes: str, type_name: str, bytes_each: int
) -> None:
    source = f"""{classes} __global__ void k({type_name} *p) {{ p[threadIdx.x].x = 1; }}
    int main() {{ {type_name} *p; cudaMalloc(&p, 256 * sizeof({type_name})); k<<<1, 256>>>(p); }}"""
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.dram_write_bytes == 256 * bytes_each


def test_qualifiers_of_a_specialisation_are_asked_for() -> None:
    source = """
    template <class T> struct plain { using type = T; };
    template <class T> struct plain<T*> { using type = typename plain<T>::type*; };
    template <class T> struct plain<T&> { using type = typename plain<T>::type&; };
    template <class T> struct plain<const T> { using type = typename plain<T>::type; };
    template <class T> struct plain<volatile T> { using type = volatile typename plain<T>::type; };
    template <class T> __global__ void k(typename plain<T>::type *a) { a[threadIdx.x] += 1; }
    int main() { double *a; cudaMalloc(&a, 8 * 256); k<double><<<1, 256>>>(a); }"""
    settings = Settings(gpu="A100", args=())
    report = analyze(source.encode(), Path("/src/one.cu"), settings, reader=lambda _: None)
    (kernel,) = report.kernels
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.missing == ()
    assert kernel.prediction.dp_flops == 256
