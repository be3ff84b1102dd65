"""What tree-sitter-cuda cannot read becomes something of the same length that it can."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tree_sitter
import tree_sitter_cuda

from roofline_parsers.preprocess import PreprocessedFile
from roofline_parsers.preprocess.grammar_fixes import fix_for_grammar, separate_tokens

Run = Callable[..., PreprocessedFile]


def has_errors(text: bytes) -> bool:
    """Whether the tree has ERROR or missing nodes."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    return parser.parse(text).root_node.has_error


REWRITTEN = [
    ("void f() { if (unsigned(i) < n) g(unsigned{1} << i); }",
     "void f() { if (uint32_t(i) < n) g(uint32_t{1} << i); }"),
    ("template <class T, typename P = T const*> void f(P p);",
     "template <class T, typename P = T       > void f(P p);"),
    ("template <class... T> void f(T*... x) {}", "template <class... T> void f(T ... x) {}"),
    ("template <class... T> void f(int n, const T ** ... x);",
     "template <class... T> void f(int n, const T    ... x);"),
    ("template <class... T> void f(T *__restrict__... x);",
     "template <class... T> void f(T              ... x);"),
    ("template <class T, std::enable_if_t<is<T>::v> * = nullptr> void f(T x);",
     "template <class T, std::enable_if_t<is<T>::v>   = nullptr> void f(T x);"),
    ("template <class T, typename enable_if<(N > 1)>::type* = 0> void f(T x);",
     "template <class T, typename enable_if<(N > 1)>::type  = 0> void f(T x);"),
    ("struct __align__(16) S { int x; };", "struct   alignas(16) S { int x; };"),
    ("void f() { __shared__ __align__(16) float a[3]; }",
     "void f() { __shared__   alignas(16) float a[3]; }"),
    ("extern __shared__ __align__ (sizeof(T)) char s[];",
     "extern __shared__   alignas (sizeof(T)) char s[];"),
    ("struct __attribute__((aligned(16))) S { int x; };",
     "struct alignas(16)                  S { int x; };"),
    ("typedef __attribute__((aligned(16))) float F;",
     "typedef alignas(16)                  float F;"),
    ("typedef float __attribute__((aligned(16))) F;",
     "typedef float alignas(16)                  F;"),
    ("using F = float __attribute__((aligned(16)));",
     "using F = float alignas(16)                 ;"),
    ("using F __attribute__((aligned(16))) = float;",
     "using F [[gnu::aligned(16)]]         = float;"),
    ("float a[3] __attribute__((aligned(16), unused));", "float a[3]" + " " * 37 + ";"),
    ("__declspec(align(16)) struct S { int x; };", " " * 21 + " struct S { int x; };"),
    ("__global__ void __cluster_dims__(2, 1, 1) k(int p) {}",
     "__global__ void" + " " * 27 + "k(int p) {}"),
    ("__global__ void __maxnreg__(32) k(int p) {}", "__global__ void" + " " * 17 + "k(int p) {}"),
    ("__inline_hint__ __device__ int f() {}", " " * 15 + " __device__ int f() {}"),
    ("void f(const int &__restrict__ c) {}", "void f(const int &" + " " * 12 + " c) {}"),
    ("void f(int *const __restrict c) {}", "void f(int *const   restrict c) {}"),
    ("auto g = [=] __device__ (int x) { return x; };",
     "auto g = [=] [[device]] (int x) { return x; };"),
    ("auto g = [&, a = b[0]]__host__ __device__(int x) mutable { return x; };",
     "auto g = [&, a = b[0]]         [[device]](int x) mutable { return x; };"),
    ("auto g = [] __device__ { return 3; };", "auto g = [] [[device]] { return 3; };"),
    ("void f() { h([=] __device__ (auto x) -> int {\nreturn x; }); }",
     "void f() { h([=] [[device]] (auto x) -> int {\nreturn x; }); }"),
    ("void f() { a = new float*[n]; b = new const T<3> * *[n]; }",
     "void f() { a = new float [n]; b = new       T<3>    [n]; }"),
    ("__typeof__(x) y = x;", "decltype  (x) y = x;"),
    ("__device__ __const__ int a[] = {1};", "__device__ const     int a[] = {1};"),
    (
        "struct S { __host__  __device__ friend inline S operator*(S a, S b) { return a; } };",
        "struct S { friend __host__  __device__ inline S operator*(S a, S b) { return a; } };",
    ),
    (
        "template <class A> struct B { using typename A::t; using A::n; };",
        "template <class A> struct B { using          A::t; using A::n; };",
    ),
    (
        "template <class T> A<T>::~A<T>() {} template <class T> A<T>::A() {}",
        "template <class T> A<T>::~A   () {} template <class T> A<T>::A() {}",
    ),
    (
        "struct S { __device__\n inline friend S f(); };",
        "struct S {           \n        friend S f(); };",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "struct S { char c; int x; } __attribute__((packed));",
        "struct __attribute__((packed)) S { char c; int x; };",
        "struct S { float x; float a[3] __attribute__((aligned(16))); };",
        "typedef float F __attribute__((aligned(16)));",
    ],
)
def test_attributes_that_lay_out_a_class_stay(source: str) -> None:
    assert fix_for_grammar(source.encode()).decode() == source
    assert not has_errors(source.encode())


def test_attributes_of_variables_in_functions_go() -> None:
    fixed = fix_for_grammar(b"struct S { int x; }; void f() { int y __attribute__((aligned(8))); }")
    assert b"__attribute__" not in fixed
    assert not has_errors(fixed)


@pytest.mark.parametrize(("source", "expected"), REWRITTEN)
def test_rewritten(source: str, expected: str) -> None:
    assert has_errors(source.encode()) or "typeof" in source or "aligned(16)))" in source
    fixed = fix_for_grammar(source.encode())
    assert fixed.decode() == expected
    assert not has_errors(fixed)


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void __launch_bounds__(256, 2) k(const __grid_constant__ P p) {}",
        "void f(int *__restrict__ a, const float * __restrict__ b) {}",
        "__forceinline__ __device__ void f() {}",
        "__noinline__ __host__ __device__ int f();",
        "[[nodiscard]] __device__ int f();",
        "template <class T> [[nodiscard]] __device__ T f() { [[maybe_unused]] int y; return y; }",
        "alignas(16) float a[3];",
        'const char *s = "__align__(4) [] __device__ (";',
        "/* __attribute__((x)) [=] __device__ () */ int x; // __align__(4)",
        "int a[3]; __device__ int b;",
        "template <class... T> int f(T &&...x) { return (x * ...); }",
    ],
)
def test_left_alone(source: str) -> None:
    assert fix_for_grammar(source.encode()).decode() == source
    assert not has_errors(source.encode())


def test_unbalanced_attribute_is_left() -> None:
    source = b"__attribute__((aligned(4) int x;\n" * 3
    assert fix_for_grammar(source) == source


def test_attribute_over_lines_keeps_them() -> None:
    source = b"__attribute__((\n  aligned(4)\n)) int x;"
    fixed = fix_for_grammar(source)
    assert fixed.split(b"\n")[2].endswith(b" int x;")
    assert [len(line) for line in fixed.split(b"\n")] == [len(line) for line in source.split(b"\n")]


@pytest.mark.parametrize(
    ("source", "expected", "lines"),
    [
        ("int n = sizeof(a) / sizeof(double)-1;", "int n = sizeof(a) / sizeof(double)- 1;", {1}),
        ("int m;\nint n = 2*sizeof ( int * ) +.5f*k;",
         "int m;\nint n = 2*sizeof ( int * ) + .5f*k;", {2}),
        ("int n = sizeof(int) - 1;", "int n = sizeof(int) - 1;", set()),
        ('auto s = "sizeof(int)-1"; // sizeof(int)-1',
         'auto s = "sizeof(int)-1"; // sizeof(int)-1', set()),
        ("int n = sizeof(int)-m;", "int n = sizeof(int)-m;", set()),
        ("bool b = s::v<s::A<s::B<s::C<T>>>>;", "bool b = s::v<s::A<s::B<s::C<T> > > >;", {1}),
        ("bool b = s::v<s::A<s::C<T>>>;", "bool b = s::v<s::A<s::C<T> > >;", {1}),
        ("bool b = s::v<s::A<T>>;", "bool b = s::v<s::A<T>>;", set()),
        ("void f() { k<<<1, 2>>>(); }", "void f() { k<<<1, 2>>>(); }", set()),
        ("void f() { if (long(i) < n) g(); }", "void f() { if (int64_t(i) < n) g(); }", {1}),
        ("void f() { x |= (short{1} << i); }", "void f() { x |= (int16_t{1} << i); }", {1}),
        ("void f() { x = long(i) + 1; }", "void f() { x = long(i) + 1; }", set()),
        ("void f() { k<<<1, N<int>>>>(); }", "void f() { k<<<1, N<int>>>>(); }", set()),
    ],
)  # fmt: skip
def test_tokens_that_the_grammar_joins_are_separated(
    source: str, expected: str, lines: set[int]
) -> None:
    text, changed = separate_tokens(source.encode())
    assert (text.decode(), set(changed)) == (expected, lines)
    assert "<<<" in source or not has_errors(text)


# ---- Statement expressions, in the whole preprocessor


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = ({ int a = 1; a + 2; });", "x = [&]{ int a = 1; return a + 2; }();"),
        ("x = ({ __typeof__ (a) b = a; b; });", "x = [&]{ decltype   (a) b = a; return b; }();"),
        ("x = ({ f(); });", "x = [&]{ return f(); }();"),
        ("x = ({ f(({ g(); })); h(); });", "x = [&]{ f([&]{ return g(); }()); return h(); }();"),
        ("({ if (x) { y; } });", "[&]{ if (x) { y; } }();"),
        ("({ int a; for (;;) { a++; } a; });", "[&]{ int a; for (;;) { a++; } return a; }();"),
        ("({ f(); return; });", "[&]{ f(); return; }();"),
        ("f({1, 2}); g({}); h({{1}, {2}}); i({a; b}, 3);", None),
        ("x = ({ a;", None),
        ("x = })({ a; }", None),
    ],
)
def test_statement_expressions(run: Run, source: str, expected: str | None) -> None:
    result = run(source)
    assert result.text.decode() == (expected or source)
    assert result.changed_lines == (frozenset() if expected is None else {1})


def test_statement_expression_from_a_macro_over_lines(run: Run) -> None:
    source = """\
#define MAX(a, b) ({ __typeof__(a) x_ = (a); \\
                     __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
int f(int n) { return MAX(n,
  2); }
"""
    result = run(source)
    line = result.text.split(b"\n")[2].decode()
    assert " ".join(line.split()) == (
        "int f(int n) { return [&]{ decltype (n) x_ = (n); decltype (2) y_ = (2);"
        " return x_ > y_ ? x_ : y_; }()"
    )
    assert result.changed_lines == {3, 4}
    assert not has_errors(result.text)


CONSTRUCTED = [
    ("void f() { T* p(x + n); }", "void f() { T* p{x + n}; }"),
    ("void f() { g(); T const *p(x + n), *q(x - 1); }",
     "void f() { g(); T const *p{x + n}, *q{x - 1}; }"),
    ("void f() { lib::C<T> const* p(A + ((w * n + (a + b)) * n) * m); }",
     "void f() { lib::C<T> const* p{A + ((w * n + (a + b)) * n) * m}; }"),
    ("void f() { T& r(y.z); T *q(&x[i]); }", "void f() { T& r{y.z}; T *q{&x[i]}; }"),
    ("void f() { // a; b\n  T* p(x + 1); }", "void f() { // a; b\n  T* p{x + 1}; }"),
    ("void f() { /* a */\n  T* p(x->y); }", "void f() { /* a */\n  T* p{x->y}; }"),
    ('void f() { s = "\\""; T* p(x + 1); }', 'void f() { s = "\\""; T* p{x + 1}; }'),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CONSTRUCTED)
def test_pointers_and_references_that_are_constructed(source: str, expected: str) -> None:
    assert fix_for_grammar(source.encode()).decode() == expected
    assert not has_errors(expected.encode())


@pytest.mark.parametrize(
    "source",
    [
        "T* f(int n = 3 + 4);",
        "float *g(float x[3], A *p);",
        "struct S { virtual T& at(size_t n); };",
        "void f() { y =\n  a * g(x + 1); }",
        "void f() { y = // of all\n  a * g(x + 1); }",
        "T* f() { return a * g(x + 1); }",
        "void f() { T* p(x); }",
        "void f() { h(a, b * g(x + 1)); }",
        'void f() { s = "{ T* p(x + 1);"; }',
    ],
)
def test_what_declares_no_constructed_pointer_stays(source: str) -> None:
    assert fix_for_grammar(source.encode()).decode() == source
