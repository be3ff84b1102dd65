"""The C++ that host programs are written in. Each body computes ``x``, the grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
"""A fixture that runs source text."""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = 7 / 2;", 3),
        ("int x = -7 / 2 + 10;", 7),
        ("int x = (int)(2.9 * 2);", 5),
        ("unsigned x = 1u << 10;", 1024),
        ("int a = 2147483647; unsigned x = (unsigned)(a + 1) >> 30;", 2),
        ("int a = 5, b = a++; int x = 10 * a + b;", 65),
        ("int a = 3; int &r = a; r = 9; int x = a;", 9),
        ("int a = 3; int *p = &a; *p += 4; int x = a;", 7),
        ("int t[4] = {1, 2, 4}; int x = t[2] + t[3];", 4),
        ("int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; int x = t[1][1];", 5),
        ("int x = sizeof(double) + sizeof(float4) + sizeof(int*);", 32),
        ("int t[10]; int x = sizeof(t) / sizeof(t[0]);", 10),
        ("int a = 0, t[1] = {5}; t[0] += ++a; int x = 10 * a + t[0];", 16),
        ("int a = 0, t[1] = {5}; t[0] -= ++a; int x = 10 * a + t[0];", 14),
        ("int x = 0; switch (2) { case 1: x = 1; case 2: x += 5; case 3: x += 7; break; }", 12),
        ("int x = 0; for (int i = 0;; i++) { if (i == 2) continue; if (i > 4) break; x += i; }", 8),
        ("int x = 0; do { x += 3; } while (x < 10);", 12),
        ("int x = 0; for (int v : {3, 4}) x += v;", 7),
        ("int x = 0 && (1 / 0) ? 1 : 2;", 2),
        ("auto f = [&](int a) { return a * 2; }; int x = f(21);", 42),
        ("const char *s = \"abc\"; int x = s[1] - 'a' + strlen(s);", 4),
        ("char a = 200; int x = a + 100;", 44),
        ("size_t big = 1 << 20; int x = big * 4096 >> 30;", 4),
        ("int x = 1; { int x = 50; x++; } x++;", 2),
    ],
)  # fmt: skip
def test_expressions_and_statements(grid_x: Run, body: str, expected: int) -> None:
    assert grid_x(body) == expected


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("constexpr int N = 6; const int M = N * 2;", "int x = M;", 12),
        ("enum { A, B = 5, C };", "int x = A + B + C;", 11),
        ("enum class E { A = 3 };", "int x = (int)E::A;", 3),
        ("#define BLOCK 64\n", "int x = BLOCK / 2;", 32),
        ("int twice(int a) { return 2 * a; }", "int x = twice(twice(2));", 8),
        ("int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }", "int x = fact(5);", 120),
        ("void set(int &a, int *b) { a = 3; *b = 4; }", "int a, b; set(a, &b); int x = a * b;", 12),
        ("int f(int a) { return 1; } int f(double a) { return 2; }", "int x = f(1.5);", 2),
        ("int f(int a, int b = 7) { return a + b; }", "int x = f(1);", 8),
        ("namespace n { int v = 4; int f() { return v; } }", "int x = n::f();", 4),
        ("int next() { static int c = 10; return ++c; }", "next(); int x = next();", 12),
        ("struct B { int r[4]; int n; };", "B b = {0, 7, 0, 8, 3}; int x = b.r[3] * 9 + b.n;", 75),
        ("struct B { int r[2][2]; int n; };", "B b = {1, 2, 3, 4, 5}; int x = b.r[1][0] + b.n;", 8),
        ("struct B { int r[4]; int n; };", "B b = {{1, 2}, 5}; int x = b.r[1] + b.r[3] + b.n;", 7),
        ("struct B { int r[4]; int n; };", "B b = {6}; int x = b.r[0] + b.r[3] + b.n;", 6),
        ("struct B { char s[8]; int n; };", "B b = {\"abc\", 5}; int x = b.n + strlen(b.s);", 8),
        ("struct S { int a = 2; int b; S(int v) : b(v) {} int sum() { return a + b; } };",
         "S s(5); int x = s.sum();", 7),
        ("struct B { virtual int f() { return 1; } }; struct D : B { int f() { return 2; } };",
         "B *p = new D(); int x = p->f();", 2),
        ("struct P { int a, b; };", "P p = {3, 4}; P q = p; q.a = 9; int x = p.a * 10 + q.a;", 39),
        ("struct P { int a; };", "P *p = (P*)malloc(sizeof(P)); p->a = 6; int x = p->a;", 6),
        ("struct V { int a; V operator+(const V &o) const { V r; r.a = a + o.a; return r; } };",
         "V u, v; u.a = 1; v.a = 2; int x = (u + v).a;", 3),
        ("struct F { int k; int operator()(int a) const { return a * k; } };",
         "F f; f.k = 3; int x = f(5);", 15),
        ("typedef unsigned int uint_t; using big = unsigned long;",
         "uint_t a = 3; big b = 4; int x = sizeof(uint_t) + sizeof(big) + a + b;", 19),
    ],
)  # fmt: skip
def test_declarations(grid_x: Run, before: str, body: str, expected: int) -> None:
    assert grid_x(body, before=before) == expected


def test_goto_does_not_stop_the_execution(grids: Run) -> None:
    assert grids("if (0) goto end; k<<<3, 1>>>(d, 0); end: k<<<4, 1>>>(d, 0);") == [
        (3, 1, 1),
        (4, 1, 1),
    ]


def test_objects_in_cleared_memory(grid_x: Run) -> None:
    before = """
    typedef struct { int rows; int *data; } Matrix;
    char *get(size_t n, size_t each) { char *p = (char*)calloc(n, each); return p; }
    Matrix *make(int n) { Matrix *m = (Matrix*)get(1, sizeof(Matrix)); m->rows = n; return m; }
    """
    assert grid_x("Matrix *m = make(9); int x = m->rows;", before=before) == 9


def test_a_reference_by_another_name_is_one(run: Run) -> None:
    source = """
    __global__ void k(int n) {}
    template <class T, int N> struct Array {
      using value_type = T;
      using reference = value_type &;
      T held[N];
      reference operator[](int i) { return held[i]; }
      reference at(int i) { return held[i]; }
    };
    int main() { Array<int, 2> a; a[0] = 100; a.at(1) = 20; k<<<a[0], a.at(1)>>>(a[0] * a[1]); }
    """
    (launch,) = run(source).launches
    assert (launch.grid[0].constant, launch.block[0].constant) == (100, 20)
    assert launch.args[0].value.constant == 2000


@pytest.mark.parametrize("n", [64, 65])
def test_what_a_compiler_is_told_of_a_condition_is_the_condition(run: Run, n: int) -> None:
    """It is no check that ends the program, though its name says that it expects something."""
    source = f"""
    __global__ void k(int n) {{}}
    #define UNLIKELY(x) __builtin_expect(!!(x), 0)
    int main() {{
      int n = {n};
      if (UNLIKELY(!(n % 8 == 0))) return 1;
      k<<<n, 32>>>(n);
    }}"""
    certain = [launch for launch in run(source).launches if launch.certain]
    assert [launch.grid[0].constant for launch in certain] == [64][: 65 - n]
