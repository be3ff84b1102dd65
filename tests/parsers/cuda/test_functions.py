from __future__ import annotations

import pytest

from roofline_core.program.units import Function, Span

from .conftest import Reading


def header(reading: Reading, function: Function) -> str:
    """A function's header: qualifiers, result, name, parameters."""
    params = ", ".join(map(reading.variable, function.params))
    before = "".join(word + " " for word in sorted(function.qualifiers))
    return f"{before}{reading.type(function.return_type)} {function.qualified_name}({params})"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "__global__ void k(const float* __restrict__ a, int n) {}",
            "__global__ void k(const float* restrict a, int n)",
        ),
        ("void __global__ k(int n) {}", "__global__ void k(int n)"),
        ("__global__ static void k() {}", "__global__ static void k()"),
        (
            'extern "C" __global__ void k(int n) {}',
            '__global__ extern "C" void k(int n)',
        ),
        (
            'extern "C" { __device__ int f(int a = 3); }',
            '__device__ extern "C" int f(int a = 3)',
        ),
        (
            "__device__ __forceinline__ static float2 operator+(float2 a, float2 b) { return a; }",
            "__device__ __forceinline__ static float2 operator+(float2 a, float2 b)",
        ),
        (
            "__host__ __device__ inline auto f(int x) -> float { return x; }",
            "__device__ __host__ inline float f(int x)",
        ),
        ("namespace a::b { void f(); }", "void a::b::f()"),
        ("namespace a { inline namespace b { void f(); } }", "void a::b::f()"),
        ("namespace { void f(); }", "void f()"),
        ("float* f(void) { return 0; }", "float* f()"),
        ("const float *const f();", "const float* f()"),
        ("int main(int argc, char *argv[]) {}", "int main(int argc, char*[] argv)"),
        (
            "unsigned f(unsigned, signed char, const unsigned long long* p = nullptr);",
            "unsigned int f(unsigned int, signed char, const unsigned long long* p = None:nullptr)",
        ),
        ("void f(float a[][3], float (&b)[4]);", "void f(float[][3] a, float&[4] b)"),
        ("void f(int (*cmp)(int, int));", "void f(function<int, int, int>* cmp)"),
        ("void f(const __grid_constant__ int n);", "void f(__grid_constant__ const int n)"),
        ("template <class... Ts> void f(Ts... ts);", "void f(Ts ts)"),
        ("__attribute__((noinline)) void f(int);", "void f(int)"),
        ("[[nodiscard]] int f();", "int f()"),
        (
            "HOST_DEVICE float f(float x) { return x; }",
            "HOST_DEVICE __device__ __host__ float f(float x)",
        ),
        ("LIB_API float f(float x) { return x; }", "LIB_API float f(float x)"),
        ("DI T f(T x) { return x; }", "DI __device__ T f(T x)"),
        ("template <class T> LIB_KERNEL void k(T *x) {}", "LIB_KERNEL __global__ void k(T* x)"),
        ("LIB_KERNEL_API void k(int n) {}", "LIB_KERNEL_API void k(int n)"),
        (
            "LIB_KERNEL void __launch_bounds__(256) k(int n) {}",
            "LIB_KERNEL __global__ void k(int n)",
        ),
        ("struct S { S(int a); ~S(); };", None),
        ("typedef struct P* PP; PP f(struct P p);", "PP f(P p)"),
        (
            "long unsigned int f(int long x, short unsigned y);",
            "unsigned long f(long x, unsigned short y)",
        ),
    ],
)
def test_header(reading: Reading, source: str, expected: str | None) -> None:
    functions = reading.unit(source).functions
    assert [header(reading, f) for f in functions] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__launch_bounds__(256) __global__ void k() {}", ["256"]),
        ("__global__ void __launch_bounds__(BLOCK * 2, 4) k() {}", ["(BLOCK * 2)", "4"]),
        ("__global__ __launch_bounds__(N) void k() {}", ["N"]),
        ("template <int N>\n__launch_bounds__(N)\n__global__ void k() {}", ["N"]),
        ("__global__ void k() {}", []),
    ],
)
def test_launch_bounds(reading: Reading, source: str, expected: list[str]) -> None:
    function = reading.function(source)
    assert function.is_kernel
    assert [reading.expression(bound) for bound in function.launch_bounds] == expected


def test_template_parameters(reading: Reading) -> None:
    function = reading.function(
        "template <typename T, class U = int, int N = 4, class... Ts, "
        "template <class> class TT, bool B, unsigned... Is> __global__ void k(T a) {}"
    )
    found = [
        (
            p.name,
            None if p.type is None else reading.type(p.type),
            p.pack,
        )
        for p in function.template_params
    ]
    assert found == [
        ("T", None, False),
        ("U", None, False),
        ("N", "int", False),
        ("Ts", None, True),
        ("TT", None, False),
        ("B", "bool", False),
        ("Is", "unsigned int", True),
    ]
    assert reading.argument(function.template_params[1].default) == "int"
    assert reading.argument(function.template_params[2].default) == "4"


def test_specialisation(reading: Reading) -> None:
    function = reading.function("template <> __global__ void k<float, 3>(int n) {}")
    assert function.name == "k"
    assert function.template_params == ()
    assert function.template_args is not None
    assert reading.argument(function.template_args[0]) == "float"
    assert reading.argument(function.template_args[1]) == "3"


def test_requires_clause_is_tolerated(reading: Reading) -> None:
    source = "template <class T> requires std::is_same_v<T, int> void f(T x) { g(x); }"
    assert reading.statement(reading.function(source).body) == "{g(x)}"


def test_explicit_instantiation_is_no_function(reading: Reading) -> None:
    source = "template <class T> void f(T) {} template void f<int>(int);"
    assert len(reading.unit(source).functions) == 1


def test_method_defined_outside_its_class(reading: Reading) -> None:
    source = """
    template <class T> struct S { template <class U> void f(U u); operator float() const; };
    template <class T> template <class U> void S<T>::f(U u) { g(u); }
    template <class T> S<T>::operator float() const { return 1; }
    namespace n { struct Q { Q(int); }; Q::Q(int a) : x(a), y{a, 1} { h(); } }
    namespace m { void free(); }
    void m::free() {}
    """
    functions = {f.qualified_name: f for f in reading.unit(source).functions if f.body}
    assert {name: f.owner for name, f in functions.items()} == {
        "S::f": "S",
        "S::operator float": "S",
        "n::Q::Q": "n::Q",
        "m::free": None,
    }
    assert [p.name for p in functions["S::f"].template_params] == ["U"]
    assert reading.type(functions["S::operator float"].return_type) == "float"
    initializers = functions["n::Q::Q"].initializers
    assert [(name, [reading.expression(a) for a in args]) for name, args in initializers] == [
        ("x", ["a"]),
        ("y", ["a", "1"]),
    ]


@pytest.mark.parametrize(
    ("declaration", "name", "result"),
    [
        ("operator float() const { return 1; }", "operator float", "float"),
        ("__host__ __device__ operator float() const { return 1; }", "operator float", "float"),
        ("__device__ operator const T*() { return p; }", "operator const T*", "const T*"),
        ("operator T&();", "operator T&", "T&"),
        ("explicit operator bool() const;", "operator bool", "bool"),
        (
            "__device__ operator unsigned int() { return 1; }",
            "operator unsigned int",
            "unsigned int",
        ),
        ("__device__ float operator()(int i) const { return i; }", "operator()", "float"),
        ("S& operator+=(const S& o);", "operator+=", "S&"),
        ("float& operator [](int i);", "operator[]", "float&"),
        ("S();", "S", "void"),
        ("__device__ __host__ S(const int& a) : x(a) {}", "S", "void"),
        ("~S();", "~S", "void"),
        ("virtual ~S() = default;", "~S", "void"),
        ("S(const S&) = delete;", "S", "void"),
    ],
)
def test_special_methods(reading: Reading, declaration: str, name: str, result: str) -> None:
    (struct,) = reading.unit(f"struct S {{ {declaration} }};").structs
    (method,) = struct.methods
    assert (method.name, method.owner) == (name, "S")
    assert method.qualified_name == f"S::{name}"
    assert reading.type(method.return_type) == result


def test_kernel_declared_and_then_defined(reading: Reading) -> None:
    unit = reading.unit("__global__ void k(int n);\n__global__ void k(int n) { f(); }")
    assert [f.body is None for f in unit.functions] == [True, False]
    assert [f.has_body for f in unit.functions] == [False, True]


def test_spans(reading: Reading) -> None:
    source = "template <class T>\n  static __global__ void ns::kernel<T>(\n    int n)\n{\n}\n"
    function = reading.function(source)
    assert function.span == Span(2, 2, 5, 1)
    assert function.name_span == Span(2, 29, 2, 35)


def test_bodies_are_read_when_asked_for_and_once(reading: Reading) -> None:
    function = reading.function("void f() { g(); }")
    assert function.body is function.body
    assert function.read_body is not None
    assert function.read_body() is not function.body


def test_fingerprint_is_that_of_the_text(reading: Reading) -> None:
    first = reading.function("void f() { g(1); }")
    same = reading.function("\n\nvoid f() { g(1); }")
    other = reading.function("void f() { g(2); }")
    assert first.fingerprint == same.fingerprint
    assert first.fingerprint != other.fingerprint
    assert len(first.fingerprint) == 16


def test_function_try_block(reading: Reading) -> None:
    function = reading.function("int main() try { f(); } catch (...) { g(); }")
    assert reading.statement(function.body) == "{f()}"


def test_friend_defined_in_a_class_is_free(reading: Reading) -> None:
    source = "struct S { friend __device__ float g(S s) { return 1; } friend class T; };"
    function = reading.function(source, "g")
    assert function.owner is None
    source = "struct S { __device__ __host__ friend inline S operator+(S a, S b) { return a; } };"
    assert reading.function(source, "operator+").qualifiers == {"__device__", "__host__"}
