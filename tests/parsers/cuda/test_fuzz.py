"""No text makes the front end raise."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline_core.program.expressions import Expression

from .conftest import Reading

NASTY = r"""
#include <vector>
#define N 4
namespace a::b { template <typename T, int M = 3> struct alignas(16) S : B<T> {
  static constexpr int K = M; T x[M], *p = nullptr; union { int i; float f; };
  __host__ __device__ S(int a) : x{a}, p(0) {} operator float() const { return x[0]; }
  friend S operator+(const S& l, S r) { return l; }
  enum class E { A = 1 << 3, B };
}; }
typedef struct { int a; } P; using V = std::vector<std::pair<int, float>>;
__constant__ float table[] = {1.f, -2e-3f, 0x1p3f}; extern __shared__ char dyn[];
template <typename T, int BS>
__global__ void __launch_bounds__(BS * 2, 1) kernel(const T* __restrict__ a, float (&b)[4], int n)
{
  __shared__ float tile[BS][BS + 1];
  int i = blockIdx.x * blockDim.x + threadIdx.x, *q = &n;
  if (i >= n) return; else if (n > (i)) { goto end; }
  #pragma unroll 4
  for (int j = 0; j < n && i > (j); ++j) tile[i][j] += (T)-a[j] * (float)b[j % 4];
  switch (i) { case 1: case 2: break; default: { do { --i; } while (i > 0); } }
  auto f = [=] __device__ (int x) { return x ? x + 1.0f : sizeof(T); };
  asm volatile("mov.u32 %0, %1;" : "=r"(i) : "r"(n) : "memory");
  dim3 g(n), h{1, 2}; while (int c = f(i)) { c--; }
  x.template get<3>(n); y = ({ int _a = n; _a; }); typedef float real; real z = (real)*a;
  for (auto [k, v] : m) foo<k, v>(c), bar(args...);
end: __syncthreads();
}
int main(int argc, char** argv) {
  try { kernel<float, 256><<<dim3((n + 255) / 256), 256, 0, s>>>(a, b, n); } catch (...) { throw; }
  cudaLaunchKernel((void*)kernel<float, 4>, g, b, args, 0, 0);
  std::cout << "n = " << n << 'x' << R"(raw)" << std::endl; k <<< 1, 2 >>> ();
  int* p = new int[n]; delete[] p; return p == NULL ? 0 : 1'000u;
}
"""
PIECES = st.sampled_from(
    [
        *("{", "}", "(", ")", "[", "]", "<", ">", "<<<", ">>>", ";", ",", ":", "::", "=", "*", "&"),
        *("\n", " ", "#pragma unroll\n", "#if A\n", "#endif\n", '"', "'", "/*", "*/", "//", "\\"),
        *("__global__ void k(int n) {", "template <class T>", "struct S {", "enum {", "operator"),
        *(
            "typename",
            "new",
            "sizeof",
            "(T)-",
            "a<b>(c)",
            "[=](int x){",
            "if (a)",
            "else",
            "case 1:",
        ),
        *("x", "int", "1.5e3f", "0x", "@", "é", "\0", "\x80", "asm(", "return", "for (;;)", "->"),
    ]
)
LENIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read_all(reading: Reading, source: str | bytes) -> int:
    """Reads everything there is; the number of expressions."""
    unit = reading.unit(source)
    stack: list[object] = [unit.globals, unit.structs, tuple(unit.enumerators.values())]
    for function in [*unit.functions, *(m for s in unit.structs for m in s.methods)]:
        stack += [function.body, function.params, function.launch_bounds]
        assert function.span.line <= function.name_span.line <= function.span.end_line
    count = 0
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node) and not isinstance(node, type):
            count += isinstance(node, Expression)
            stack.extend(getattr(node, field.name) for field in fields(node))
    return count


def test_the_nasty_file_itself(reading: Reading) -> None:
    assert read_all(reading, NASTY) > 150


@LENIENT
@given(cut=st.integers(0, len(NASTY)))
def test_prefixes(reading: Reading, cut: int) -> None:
    read_all(reading, NASTY[:cut])


@LENIENT
@given(cut=st.integers(0, len(NASTY)))
def test_suffixes(reading: Reading, cut: int) -> None:
    read_all(reading, NASTY[cut:])


@LENIENT
@given(lines=st.sets(st.integers(0, NASTY.count("\n")), min_size=1, max_size=8))
def test_deleted_lines(reading: Reading, lines: set[int]) -> None:
    kept = [line for i, line in enumerate(NASTY.split("\n")) if i not in lines]
    read_all(reading, "\n".join(kept))


@LENIENT
@given(data=st.data())
def test_deleted_brackets(reading: Reading, data: st.DataObject) -> None:
    places = [i for i, character in enumerate(NASTY) if character in "{}()[]<>;\"'"]
    gone = data.draw(st.sets(st.sampled_from(places), min_size=1, max_size=10))
    read_all(reading, "".join(c for i, c in enumerate(NASTY) if i not in gone))


@LENIENT
@given(at=st.integers(0, len(NASTY)), piece=st.lists(PIECES, min_size=1, max_size=6))
def test_inserted_pieces(reading: Reading, at: int, piece: list[str]) -> None:
    read_all(reading, NASTY[:at] + "".join(piece) + NASTY[at:])


@LENIENT
@given(pieces=st.lists(PIECES, max_size=60))
def test_random_pieces(reading: Reading, pieces: list[str]) -> None:
    read_all(reading, " ".join(pieces))
    read_all(reading, "void f() { " + " ".join(pieces))


@LENIENT
@given(raw=st.binary(max_size=200))
def test_random_bytes(reading: Reading, raw: bytes) -> None:
    read_all(reading, raw)
    read_all(reading, b"__global__ void k() {" + raw + b"}")


@pytest.mark.parametrize(
    ("start", "middle", "end"),
    [
        ("x = ", "(", ")"),
        ("x = ", "f(", ")"),
        ("x = ", "a[", "]"),
        ("x = ", "-", ""),
        ("x = ", "!", ""),
        ("x = ", "*", ""),
        ("x = ", "(int)", ""),
        ("x = ", "(n) -", ""),
        ("x = ", "(float)*", ""),
        ("x = ", "(T)(", ")"),
        ("x = ", "{", "}"),
        ("x = ", "a ? b : ", ""),
        ("x = ", "a = ", ""),
        ("x = ", "a + ", ""),
        ("x = ", "a << ", ""),
        ("x = ", "a + b * ", ""),
        ("x = ", "(a - ", ")"),
        ("x = ", "a, ", ""),
        ("x = ", "b.c(", ")"),
        ("x = ", "[&] { return ", "; }"),
        ("x = ", "k<<<1, ", ">>>()"),
        ("x = ", "T<", ">"),
        ("x = ", "new T(", ")"),
        ("x = ", "sizeof ", ""),
        ("x = ", "({ ", "; })"),
        ("x = ", "i < n && j > (", ")"),
        ("", "{", "}"),
        ("", "if (a) ", ""),
        ("", "if (a) b; else ", ""),
        ("", "for (;;) ", ""),
        ("", "while (a) {", "}"),
        ("", "do ", " while (a);"),
        ("", "switch (a) { case 1: ", "}"),
        ("", "l: ", ""),
        ("", "try {", "} catch (...) {}"),
        ("", "struct S {", "};"),
        ("T<", "U<", ">"),
        ("", "void f(void (*g)(", "));"),
        ("int ", "(*", ")"),
        ("int ", "*", "x;"),
        ("int x", "[", "]"),
        ("a", ".b", ""),
        ("a", "[1]", ""),
        ("a", "(1)", ""),
        ("a", "::b", ""),
    ],
)
@pytest.mark.parametrize("depth", [30, 700])
def test_deep_nesting(reading: Reading, start: str, middle: str, end: str, depth: int) -> None:
    piece = start + middle * depth + " y" + end * depth
    read_all(reading, "void f() { " + piece + "; }")
    read_all(reading, piece + ";")


@pytest.mark.parametrize(
    ("middle", "end"),
    [
        ("namespace n {", "}"),
        ("struct S {", "};"),
        ("template <class T>", ""),
        ('extern "C" {', "}"),
        ("#if A\n", "\n#endif"),
        ("template <template <class> class T = U<", "> >"),
        ("enum { A = ", "};"),
        ("union {", "};"),
        ("typedef struct {", "} T;"),
        ("__global__ void k() {", "}"),
        ("__global__ void k() {", ""),
    ],
)
def test_deep_nesting_of_declarations(reading: Reading, middle: str, end: str) -> None:
    read_all(reading, middle * 600 + " int x; " + end * 600)


def test_chain_of_five_thousand_operators(reading: Reading) -> None:
    for operator in ("+", "-", "*", "&&", "<<", "/", "=", ",", "%", "=="):
        chain = f" {operator} ".join(["a"] * 5000)
        read_all(reading, f"void f() {{ x = ({chain}); }}")
