"""What the bytes of a file show of its kernels, launches and functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.project.facts import facts_of, kernel_names, names_of


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"__global__ void saxpy(int n)", ("saxpy",)),
        (b"template <int N>\n__global__\nvoid\nk\n(int n)", ("k",)),
        (b"__global__ void __launch_bounds__(256, 2) k(int n)", ("k",)),
        (b"__global__ __attribute__((unused)) static void k()", ("k",)),
        (b'extern "C" __global__ void a(); __global__ void b(int);', ("a", "b")),
        (b"__kernel void k(__global float *x)", ("k",)),
        (b"__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k()", ("k",)),
        (b"kernel void k(global float *x)", ("k",)),
        (b"__global__ float table[4];", ()),
        (b"int __global__x(int);", ()),
        (b"", ()),
    ],
)
def test_kernel_names(source: bytes, names: tuple[str, ...]) -> None:
    assert kernel_names(source) == names


def test_declarations_define_nothing() -> None:
    source = b"__global__ void a(int (*f)(int));\n__global__ void b(int n) { }\n"
    assert kernel_names(source, declared=False) == ("b",)


PADDED = "".join(
    f"{line:78}\\\n"
    for line in ("#define RUN(T)", "  k<", *5 * ("    T,",), "    8>", "  <<<1, 2>>>();")
).encode()
"""A macro whose lines' ends are lined up: its launch is longer than 300 bytes."""


@pytest.mark.parametrize(
    ("source", "launched"),
    [
        (b"k<<<1, 2>>>();", {"k"}),
        (b"k<float, 4><<<1, 2>>>();", {"k"}),
        (b"ns::k<Pair<int, float>> <<<1, 2>>>();", {"k"}),
        (b"k<(N > 2)><<< 1, 2>>>();", {"k"}),
        (b"a<<<1, 2>>>(); b<< <1, 2>> >();", {"a", "b"}),
        (b"cudaLaunchKernel((void *)k, g, b, a, 0, 0);", {"void", "k", "g", "b", "a"}),
        (b"hipLaunchKernelGGL(HIP_KERNEL_NAME(k<2>), g, b, 0, 0);", {"HIP_KERNEL_NAME", "k"}),
        (b"std::cout << n << m;", set()),
        (b"#define RUN(T) k<T, 4> \\\n    <<<1, 2>>>(); a \\\r\n<<<1, 2>>>();", {"k", "a"}),
        (PADDED, {"k"}),
    ],
)
def test_launches(source: bytes, launched: set[str]) -> None:
    found = facts_of(Path("/p/a.cu"), source).launched
    assert launched <= found
    assert bool(found) == bool(launched)


def test_kernels_looked_up_by_name() -> None:
    host = b'f(); names[] = {"one", "not a name"}; k = clCreateKernel(p, names[0], 0);'
    facts = facts_of(Path("/p/a.c"), host)
    assert facts.looked_up == {"one"}
    assert facts.opencl
    assert facts_of(Path("/p/a.py"), b"import pyopencl\np.scale(q, n)").looked_up == {"scale"}
    assert facts_of(Path("/p/a.c"), b'f("one");').looked_up == frozenset()


def test_files_that_a_file_names() -> None:
    source = b'#include "k.cuh"\n#  include <lib/l.h>\nload("kernels/a.cl");\n'
    facts = facts_of(Path("/p/a.cpp"), source)
    assert facts.includes == ("k.cuh", "lib/l.h")
    assert facts.kernel_files == ("kernels/a.cl",)
    assert not facts.has_main


def test_functions() -> None:
    source = b"""
    static int twice(int (*f)(int), int n) { if (n) { return f(n); } return helper(n); }
    void Class::method() const { while (ready()) { } }
    int declared(int);
    """
    names = names_of(source)
    assert names.defined == {"twice", "method"}
    assert {"helper", "ready", "declared"} <= names.called
    assert names.called.isdisjoint({"if", "while", "return"})


def test_functions_that_other_files_can_call() -> None:
    source = b"""
    static int hidden(int n) { return n; }
    inline static float
    too(float x) { return x; }
    int shown() { static int once; return ++once; }
    float *(table)(int n) { return 0; }
    Pool::Pool(int n) : size_(n), granularity(n) { }
    Pool::~Pool() : base() { }
    namespace a { int Pool::grow(int n) { return n; } }
    """
    names = names_of(source)
    assert {"hidden", "too", "granularity"} <= names.defined
    assert names.offered == {"shown", "grow"}


def test_what_the_standard_libraries_have_is_no_link() -> None:
    names = names_of(b"void f() { v.size(); p->reset(); free(q); std::string data(q); solve(v); }")
    assert names.called == {"f", "solve"}


def test_bytes_that_are_no_text() -> None:
    for source in (
        bytes(range(256)) * 20,
        b"(" * 5000,
        b"a(" * 5000,
        b"<" * 5000,
        b"k<" * 500 + b"<<<",
    ):
        facts_of(Path("/p/a.cu"), source)
        names_of(source)


def test_functions_that_are_defined_and_called() -> None:
    source = b"""
    static int own(int a) { return other (a) + 1e5f(2) + 3u; }
    float C::method ( int (*f)(int), int b )
        const noexcept { if (b) while (b) { call(b); } }
    void declared(int);
    int 9not(int a) { }
    #if defined(FAST) && WIDE
    """
    found = names_of(source)
    assert found.defined == {"own", "method"}
    assert found.offered == {"method"}
    assert found.called == {"own", "other", "method", "call", "declared", "int"}
    assert found.tested == {"defined", "FAST", "WIDE"}


def test_a_name_at_the_beginning_and_one_that_nothing_limits() -> None:
    assert names_of(b"f(int a) {").defined == {"f"}
    assert names_of(b"(int a) {").defined == frozenset()
    assert names_of(b" " * 1000 + b"f" * 399 + b"(int a) {").defined == {"f" * 399}
    assert names_of(b"f" * 1000 + b"(int a) {").defined == frozenset()
