from __future__ import annotations

import pytest

from .conftest import Reading


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = 1; b = 2;", "a = 1; b = 2"),
        (";", ""),
        ("{ a; { } }", "{a; {}}"),
        ("if (a) b;", "if (a) b"),
        ("if (a) ; else { }", "if (a) {} else {}"),
        ("if (a) b; else if (c) d; else e;", "if (a) b else if (c) d else e"),
        ("if (int x = 3; x < 4) { }", "if (int x = 3; (x < 4)) {}"),
        ("if (auto p = f()) g(p);", "if (auto p = f(); p) g(p)"),
        ("if constexpr (N > 3) a;", "if ((N > 3)) a"),
        ("for (int i = 0; i < n; ++i) s += a[i];", "for (int i = 0; (i < n); ++i) s += a[i]"),
        ("for (;;) ;", "for (; -; -) {}"),
        (
            "for (i = 0, j = 1; i < n; i++, j--) { }",
            "for ((i = 0 , j = 1); (i < n); (i++ , j--)) {}",
        ),
        ("for (int i = 0, j = n; i < j; ) f();", "for (int i = 0, int j = n; (i < j); -) f()"),
        ("for (; i < n; i += 2) f();", "for (; (i < n); i += 2) f()"),
        ("for (; ; ++i) f();", "for (; -; ++i) f()"),
        ("for (auto& x : v) f(x);", "for (auto& x : v) f(x)"),
        ("for (int i : {1, 2}) f(i);", "for (int i : {1, 2}) f(i)"),
        ("for (int n = 1; auto x : v) f(x);", "{int n = 1; for (auto x : v) f(x)}"),
        ("while (a < b) { f(); }", "while ((a < b)) {f()}"),
        ("while (int c = g()) f(c);", "while (1:bool) {int c = g(); if ((!c)) break; f(c)}"),
        ("do f(); while (a);", "do-while (a) f()"),
        ("do { f(); } while (--n > 0);", "do-while ((--n > 0)) {f()}"),
        ("goto end; end: f();", "goto end; end: f()"),
        ("return;", "return"),
        ("return a + 1;", "return (a + 1)"),
        ("return {1, 2};", "return {1, 2}"),
        ("break; continue;", "break; continue"),
        ("try { a; } catch (...) { b; }", "{a}"),
        ("throw x;", "?throw x;? [x]"),
        ("co_return x;", "return x"),
        ("using namespace std; static_assert(true); a;", "a"),
        ("__syncthreads();", "__syncthreads()"),
        ("[[maybe_unused]] int x = 3;", "int x = 3"),
    ],
)
def test_statement(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "switch (x) { case 1: case 2: a; break; default: b; }",
            "switch (x) [case 1: ; case 2: a; break; case default: b]",
        ),
        (
            "switch (x) { case A::B: { a; } break; }",
            "switch (x) [case A::B: {a}; break]",
        ),
        ("switch (x) { int y; case 1: y; }", "{int y; switch (x) [case 1: y]}"),
        ("switch (int y = f(); y) { case 1: a; }", "{int y = f(); switch (y) [case 1: a]}"),
        ("switch (x) { case 1 ... 5: a; }", "switch (x) [case ?1 ... 5?: a]"),
    ],
)
def test_switch(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


@pytest.mark.parametrize(
    ("pragma", "expected"),
    [
        ("#pragma unroll", "@unroll(0) "),
        ("#pragma unroll 4", "@unroll(4) "),
        ("#pragma unroll(4)", "@unroll(4) "),
        ("#pragma unroll (N)", "@unroll(N) "),
        ("#pragma unroll 1", "@unroll(1) "),
        ("#pragma unroll N * 2", "@unroll((N * 2)) "),
        ("#pragma unroll (N + 1) / 2", "@unroll(((N + 1) / 2)) "),
        ("#pragma unroll )(", "@unroll(?)(?) "),
        ("#pragma nounroll", "@unroll(1) "),
        ("#pragma GCC unroll 8", "@unroll(8) "),
        ("#pragma omp parallel for", "@omp(parallel for) "),
        ("#pragma unroll 2\n#pragma omp simd", "@omp(simd) @unroll(2) "),
        ("#pragma unroll 2\n// comment", "@unroll(2) "),
        ("#pragma unroll 2\nf();", "f(); "),
        ("[[unroll(4)]]", "@unroll(4) "),
        ("[[unroll]]", "@unroll(0) "),
        ("[[unroll(N * 2)]]", "@unroll((N * 2)) "),
        ('[[omp::directive("simd")]]', "@omp(simd) "),
    ],
)
def test_unroll(reading: Reading, pragma: str, expected: str) -> None:
    for loop, spelled in (
        ("for (;;) { }", "for (; -; -) {}"),
        ("while (a) { }", "while (a) {}"),
        ("do { } while (a);", "do-while (a) {}"),
    ):
        assert reading.body(f"{pragma}\n{loop}") == expected + spelled


def test_unroll_under_a_condition(reading: Reading) -> None:
    source = "if (a) [[unroll(2)]] for (;;) f(); else [[unroll]] while (b) g();"
    expected = "if (a) @unroll(2) for (; -; -) f() else @unroll(0) while (b) g()"
    assert reading.body(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("int a = 3, *p = &a, b[2] = {1, 2};", "int a = 3, int* p = (&a), int[2] b = {1, 2}"),
        ("unsigned long long x;", "unsigned long long x"),
        ("const auto* __restrict__ q = p;", "const auto* restrict q = p"),
        ("float* const __restrict q = p;", "float* restrict q = p"),
        ("__shared__ float s[3][BS + 1];", "__shared__ float[3][(BS + 1)] s"),
        ("extern __shared__ char sm[];", "__shared__ extern char[] sm"),
        ("static const int n = 3;", "static const int n = 3"),
        ("volatile int* v;", "volatile int* v"),
        ("constexpr int n = 3;", "constexpr const int n = 3"),
        ("register float r;", "register float r"),
        ("int (*f)(int, float) = g;", "function<int, int, float>* f = g"),
        ("float (&r)[4] = b;", "float&[4] r = b"),
        ("T v = {.x = 1, .y = 2};", "T v = {1, 2}"),
        ("T v{1, 2};", "T v(1, 2)"),
        ("T v{};", "T v()"),
        ("int m[]{1, 2};", "int[] m = {1, 2}"),
        ("auto [a, b] = f();", "auto a = ?a of a binding? [f()], auto b = ?b of a binding? [f()]"),
        ("struct P p; p.x = 1;", "P p; p.x = 1"),
        ("typename T::type t;", "T::type t"),
        ("a * b;", "a* b"),
        (
            "std::vector<float> h(n, 0.f), k = {1};",
            "std::vector<float> h(n, 0.0:float), std::vector<float> k = {1}",
        ),
    ],
)
def test_declaration(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("dim3 b(n);", "dim3 b(n)"),
        ("dim3 grid(blocks, 1);", "dim3 grid(blocks, 1)"),
        ("dim3 g((n + 1) / 2);", "dim3 g(((n + 1) / 2))"),
        ("std::vector<float> v(n);", "std::vector<float> v(n)"),
        ("float x(y);", "float x(y)"),
        ("T t(a * b, c);", "T t((a * b), c)"),
        ("T t(a[3]);", "T t(a[3])"),
        ("T t(a[i][j + 1]);", "T t(a[i][(j + 1)])"),
        ("T t(n * m, L<float>::nan());", "T t((n * m), L::nan@<float>())"),
        ("int first_t; T t(first_t);", "int first_t; T t(first_t)"),
        ("T h(first_t);", ""),
        ("T h(L<float>);", ""),
        ("T h(S*);", ""),
        ("T t(\n  a,\n  b);", "T t(a, b)"),
        ("T t(a & b);", "T t((a & b))"),
        ("T t(a * b[2]);", "T t((a * b[2]))"),
        ("T t(N::m);", "T t(N::m)"),
        ("T t(*p);", "T t((*p))"),
        ("T t(f());", "T t(f())"),
        ("T t(float(z));", "T t((float)z)"),
        # Function prototypes declare no variable.
        ("void g(int, float*);", ""),
        ("int h();", ""),
        ("T h(int x);", ""),
        ("T h(const S s);", ""),
        ("T h(Known);", ""),
        ("T h(Known* p);", ""),
        ("T h(float4 v);", ""),
    ],
)
def test_variable_or_prototype(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source, "struct Known {};") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("typedef float real; real x; real* p;", "float x; float* p"),
        ("typedef float v4[4]; v4 x[2];", "float[2][4] x"),
        ("using R = cub::Reduce<T, 256>; R r;", "cub::Reduce<T, 256> r"),
        (
            "typedef cub::Reduce<T, 256> R; __shared__ typename R::Temp t;",
            "__shared__ cub::Reduce::Temp@<T, 256> t",
        ),
        ("using R = int; x = (R)-1;", "x = (int)(-1)"),
    ],
)
def test_types_defined_in_a_body_are_replaced(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


def test_an_unnamed_enumeration_in_a_body_declares_constants_of_the_body(reading: Reading) -> None:
    source = """
    template <typename K>
    __global__ void k(float* x) {
      enum { TRIPS = K::TRIPS, MORE };
      x[0] = TRIPS;
    }"""
    unit = reading.unit(source)
    assert unit.enumerators == {}
    body = reading.statement(unit.functions[0].body)
    declared = "constexpr const int TRIPS = K::TRIPS, constexpr const int MORE = (K::TRIPS + 1)"
    assert body == f"{{{declared}; x[0] = TRIPS}}"


def test_a_member_of_a_type_defined_in_a_body_is_one_of_its_meaning(reading: Reading) -> None:
    assert reading.body("using R = Traits<T, 4>; x = R::N;") == "x = Traits::N@<T, 4>"


def test_classes_defined_in_a_body_belong_to_the_unit(reading: Reading) -> None:
    source = """
    __global__ void k() {
      struct Pair { int a; float b; };
      __shared__ union { float f[32]; int i[32]; } shared;
      enum Side { LEFT, RIGHT = 4 };
      Pair p;
    }"""
    unit = reading.unit(source)
    assert [struct.qualified_name for struct in unit.structs] == [*("k::Pair", "k::anonymous_4_17")]
    assert unit.structs[1].union
    plain = {"k::LEFT": 0, "k::RIGHT": 4}
    assert unit.enumerators == {**plain, "k::Side::LEFT": 0, "k::Side::RIGHT": 4}
    body = reading.statement(unit.functions[0].body)
    assert body == "{__shared__ k::anonymous_4_17 shared; k::Pair p}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("KERNEL_LOOP(i, n) { f(i); }", "{?KERNEL_LOOP(i, n)? [i, n]; {f(i)}}"),
        ("CHECK(f(x)) g();", "CHECK(f(x)); g()"),
        ("#ifdef A\na();\n#else\nb();\n#endif\nc();", "{a(); {b()}}; c()"),
    ],
)
def test_what_preprocessing_left(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(source) == expected


def test_a_syntax_error_keeps_the_statements_around_it(reading: Reading) -> None:
    spelled = reading.body("a = 1;\nb = = 2;\nc = 3;")
    assert spelled.startswith("a = 1; ")
    assert spelled.endswith("; c = 3")
    unit = reading.unit("void f() {\n a = 1;\n b = = 2;\n}")
    assert [(p.line, p.severity.value) for p in unit.problems] == [(3, "warning")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("typedef cub::B<float, 64> R; R(t).Sum(x);", "cub::B<float, 64>{t}.Sum(x)"),
        ("using R = cub::B<float, 64>; R r(t);", "cub::B<float, 64> r(t)"),
        (
            "cg::block b = cg::here(); cg::tile<8> g = cg::part<8>(b);",
            "cg::block b = cg::here(); cg::tile<8> g = cg::part<8>(b)",
        ),
    ],
)
def test_classes_by_an_alias_and_templates_in_declarations(
    reading: Reading, source: str, expected: str
) -> None:
    assert reading.body(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("typedef float *P; y = P(x);", "y = (float*)x"),
        ("using R = Pair; y = R(1, 2);", "y = Pair{1, 2}"),
        ("using C = typename K::C; y = C(x);", "y = K::C{x}"),
    ],
)
def test_a_conversion_by_a_type_defined_in_a_body(
    reading: Reading, source: str, expected: str
) -> None:
    assert reading.body(source) == expected
