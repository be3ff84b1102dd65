"""Which instance of a kernel a profiler's name means where numbers of a type tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

PROGRAM = """
template <int THREADS, int LOG, typename T> struct Traits {
  static constexpr int threads = THREADS;
  static constexpr int size = 1 << LOG;
  using type = T;
};
struct P { float *x; int n; };
constexpr int log_of(int v) { return v > 0 ? 1 + log_of(v >> 1) : -1; }
template <typename K> __global__ void k(P p) {
  constexpr int rounds = log_of(K::size);
  for (int i = 0; i < rounds; i++) p.x[threadIdx.x + i * K::threads] *= 2.f;
}
template <int A, int LOG, typename T> void go(P p) {
  using K = Traits<A, LOG, T>;
  k<K><<<4, 64>>>(p);
}
int main() {
  P p; cudaMalloc(&p.x, 1 << 20);
  go<64, 6, float>(p); go<64, 7, float>(p); go<64, 6, half>(p);
}
"""


@pytest.mark.parametrize(
    ("given", "rounds"),
    [("64, 6, float", 6), ("64, 7, float", 7), ("64, 6, __half", 6), ("32, 9, float", 9)],
)
def test_the_instance_is_that_of_the_name(given: str, rounds: int, tmp_path: Path) -> None:
    """The last one is launched nowhere: its name alone says what it is."""
    path = tmp_path / "k.cu"
    path.write_text(PROGRAM)
    program = ProgramAnalysis.load([path], Settings(), argv=())
    found = program.predict(f"void k<Traits<{given}> >(P)", grid=(4, 1, 1), block=(64, 1, 1))
    assert found is not None
    assert found.sp_flops == 256 * rounds
    assert not found.unknowns


SPECIALISED = """
template <typename T, int N> __global__ void k(T *x) { x[threadIdx.x] *= 2; }
template <> __global__ void k<float, 4>(float *x) {
  for (int i = 0; i < 4; i++) x[threadIdx.x + 32 * i] *= 2.f;
}
template <> __global__ void k<float, 8>(float *x) {
  for (int i = 0; i < 8; i++) x[threadIdx.x + 32 * i] *= 2.f;
}
template <> __global__ void k<float *, 2>(float **x) {
  x[threadIdx.x][0] *= 3.f; x[threadIdx.x][1] *= 3.f;
}
int main() {
  float *x; cudaMalloc(&x, 1 << 20);
  k<float, 8><<<1, 32>>>(x); k<float, 4><<<1, 32>>>(x); k<float, 2><<<1, 32>>>(x);
}
"""


@pytest.mark.parametrize(
    ("name", "products"),
    [
        ("void k<float, 4>(float*)", 4),
        ("void k<float, 8>(T1 *)", 8),
        ("void k<float, 2>(T1 *)", 1),
        ("void k<float*, 2>(float**)", 2),
    ],
)
def test_the_specialisation_is_that_of_the_name(name: str, products: int, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SPECIALISED)
    program = ProgramAnalysis.load([path], Settings(), argv=())
    found = program.predict(name, grid=(1, 1, 1), block=(32, 1, 1))
    assert found is not None
    assert found.sp_flops == 32 * products


NAMESPACES = """
namespace a { struct T { static constexpr int n = 3; }; }
namespace b { struct T { static constexpr int n = 5; }; }
template <typename T> __global__ void k(float *x) {
  for (int i = 0; i < T::n; i++) x[threadIdx.x + 32 * i] *= 2.f;
}
int main() { float *x; cudaMalloc(&x, 1 << 20); k<a::T><<<1, 32>>>(x); k<b::T><<<1, 32>>>(x); }
"""


@pytest.mark.parametrize(("given", "products"), [("a::T", 3), ("b::T", 5)])
def test_types_of_one_name_in_two_namespaces(given: str, products: int, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(NAMESPACES)
    program = ProgramAnalysis.load([path], Settings(), argv=())
    found = program.predict(f"void k<{given}>(float*)", grid=(1, 1, 1), block=(32, 1, 1))
    assert found is not None
    assert found.sp_flops == 32 * products
