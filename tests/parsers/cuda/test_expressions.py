from __future__ import annotations

import pytest

from roofline_core.program.expressions import Assembly, Binary, Index, Literal, Name
from roofline_parsers.cuda import parse_expression

from .conftest import Reading, evaluated


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a << 2 | b & ~c ^ d", "((a << 2) | ((b & (~c)) ^ d))"),
        ("a < b && !c || d != e", "(((a < b) && (!c)) || (d != e))"),
        ("a and not b or c", "((a && (!b)) || c)"),
        ("a <=> b", "(a <=> b)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ?: b", "(a ? a : b)"),
        ("a = b += c", "a = b += c"),
        ("a, b, c", "((a , b) , c)"),
        ("*p++ = -x", "(*p++) = (-x)"),
        ("--i", "--i"),
        ("i--", "i--"),
        ("&a[i]", "(&a[i])"),
        ("a[i][j + 1]", "a[i][(j + 1)]"),
        ("a[i, j]", "a[(i , j)]"),
        ("p->q.r", "p->q.r"),
        ("this->n", "this->n"),
        ("(*this).n", "(*this).n"),
        ("threadIdx.x", "threadIdx.x"),
        ("::f(x)", "f(x)"),
        ("a::b::c(x)", "a::b::c(x)"),
        ("std::max<int>(a, b)", "std::max<int>(a, b)"),
        ("Traits<float>::size", "Traits::size@<float>"),
        ("std::numeric_limits<float>::max()", "std::numeric_limits::max@<float>()"),
        ("v.get<3>()", "v.get<3>()"),
        ("v.template get<T>(n)", "v.get<T>(n)"),
        ("p->f<int>(3)", "p->f<int>(3)"),
        ("f(a /* comment */, b)", "f(a, b)"),
        ("a + /* comment */ b", "(a + b)"),
        ("f(args...)", "f(args...)"),
        ("f(g(args)..., x)", "f(g(args)..., x)"),
        ("(... && args)", "(... && args)"),
        ("(0 + ... + args)", "(0 + ... + args)"),
        ("dim3{1, 2}", "dim3{1, 2}"),
        ("dim3(1, 2)", "dim3(1, 2)"),
        ("(float4){1, 2}", "float4{1, 2}"),
        ("std::vector<float>(n)", "std::vector<float>{n}"),
        ("thrust::plus<int>()", "thrust::plus<int>{}"),
        ("new int", "new int()"),
        ("new float[n]", "new float() count n"),
        ("new float[n][4]", "new float[4]() count n"),
        ("new int*[n]", "new int*() count n"),
        ("new const float **[n]", "new float**() count n"),
        ("new (p) T(3)", "new T(3)"),
        ("new T{}", "new T()"),
        ("delete[] p", "?delete[] p? [p]"),
        ("(args + ...)", "(args + ...)"),
    ],
)
def test_expression(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"x = {source};" if "," not in source else f"({source});") in (
        f"x = {expected}",
        expected,
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # A cast where the name is a type, arithmetic where it is not known to be one.
        ("(n) - 1", "(n - 1)"),
        ("((x)>=(low) && (x)<=(high))", "((x >= low) && (x <= high))"),
        ("((a) && (b) < c)", "(a && (b < c))"),
        ("((a) && *p < c)", "(a && ((*p) < c))"),
        ("((a) & (b) < c)", "(a & (b < c))"),
        ("(n) * x", "(n * x)"),
        ("(n) & mask", "(n & mask)"),
        ("(real)-x", "(real)(-x)"),
        ("(real)*p", "(real)(*p)"),
        ("(real)&x", "(real)(&x)"),
        ("(real)-x * y", "((real)(-x) * y)"),
        ("(n) - x * y", "(n - (x * y))"),
        ("(n)-x*y", "(n - (x * y))"),
        ("a * (real)*p", "(a * (real)(*p))"),
        ("a * (real)-x + b", "((a * (real)(-x)) + b)"),
        ("(real)*p + (n) - 1", "(((real)(*p) + n) - 1)"),
        ("(a[i]) - x", "(a[i] - x)"),
        ("(a[i]) + (y) * (b[j]) + z", "((a[i] + (y * b[j])) + z)"),
        ("x * (a[i]) + (y)", "((x * a[i]) + y)"),
        ("(a[i + 1]) * p", "(a[(i + 1)] * p)"),
        ("(a[i]) & m", "(a[i] & m)"),
        ("(a[i][j]) - x", "(a[i][j] - x)"),
        ("(float4)*p", "(float4)(*p)"),
        ("(size_t)-1", "(size_t)-1"),
        ("(my_type_t)-x", "(my_type_t)(-x)"),
        ("(ns::real)-x", "(ns::real)(-x)"),
        ("(T)-x", "(T - x)"),
        ("(T)(x)", "(T)x"),
        ("(T)(x) * y", "((T)x * y)"),
        ("(T)x", "(T)x"),
        ("(unsigned)(x)", "(unsigned int)x"),
        ("(unsigned char)*p", "(unsigned char)(*p)"),
        ("(const float*)p", "(const float*)p"),
        ("(void**)&d", "(void**)(&d)"),
        ("(std::max)(a, b)", "std::max(a, b)"),
        ("(std::abs)(a)", "std::abs(a)"),
        ("(ceil)(a)", "ceil(a)"),
        ("(*fp)(x)", "(*fp)(x)"),
        ("(known)(x)", "known(x)"),
        ("static_cast<int>(x)", "(int)x"),
        ("const_cast<float*>(x)", "(float*)x"),
        ("reinterpret_cast<float4*>(p)[i]", "(float4*)!p[i]"),
        ("float(x)", "(float)x"),
        ("unsigned(x)", "(unsigned int)x"),
        ("int()", "(int)0"),
        ("(Foo<int>)(x)", "(Foo<int>)x"),
    ],
)
def test_cast_or_arithmetic(reading: Reading, source: str, expected: str) -> None:
    before = "typedef float real; int known;"
    assert reading.body(f"x = {source};", before) == f"x = {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(uint4 &)x = v", "(uint4&)x = v"),
        ("(float &)x += v * 2", "(float&)x += (v * 2)"),
        ("(real)(uint4 &)x = v", "(real)(uint4&)x = v"),
        ("(float)(x = v)", "(float)x = v"),
    ],
)
def test_an_assignment_to_a_cast(reading: Reading, source: str, expected: str) -> None:
    """The grammar takes it for a cast of the assignment."""
    read = reading.body(f"{source};", "typedef float real;")
    assert read == expected


def test_a_variable_is_no_type_whatever_its_name(reading: Reading) -> None:
    assert reading.body("int n_t; x = (n_t) - 1;") == "int n_t; x = (n_t - 1)"
    function = reading.function("void f(int n_t) { x = (n_t) - 1; }")
    assert reading.statement(function.body) == "{x = (n_t - 1)}"


def test_template_parameter_is_a_type_in_its_function_only(reading: Reading) -> None:
    source = "template <typename T> void f() { x = (T)-1; } void g() { x = (T)-1; }"
    assert reading.statement(reading.function(source, "f").body) == "{x = (T)(-1)}"
    assert reading.statement(reading.function(source, "g").body) == "{x = (T - 1)}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("i < n && j > (m)", "((i < n) && (j > m))"),
        ("i < n && j > (m) + 1", "((i < n) && (j > (m + 1)))"),
        ("i < n && j > (m) && k", "(((i < n) && (j > m)) && k)"),
        ("i < n || b > 3", "((i < n) || (b > 3))"),
        ("a < b > c", "((a < b) > c)"),
        ("i < n >> 3", "(i < (n >> 3))"),
        ("i < n >> 3 + m && i < p.n>>1", "((i < (n >> (3 + m))) && (i < (p.n >> 1)))"),
        ("(i < n && j >= 0)", "((i < n) && (j >= 0))"),
        ("(i < n && j >= -1)", "((i < n) && (j >= -1))"),
        (
            "(i >= 0 && i < n && j >= 0 && j < m)",
            "((((i >= 0) && (i < n)) && (j >= 0)) && (j < m))",
        ),
        (
            "(i < n && j >= 0 && k < m && l >= 2)",
            "((((i < n) && (j >= 0)) && (k < m)) && (l >= 2))",
        ),
        ("!(i < n || j >= m)", "(!((i < n) || (j >= m)))"),
        ("(i < n - 1 && p->j >= f(2) + 1)", "((i < (n - 1)) && (p->j >= (f(2) + 1)))"),
        ("(i < n && j >= 0 ? a : b)", "(((i < n) && (j >= 0)) ? a : b)"),
        (
            "(i < n && j >= 0 && k < m && l >= 1 ? a : b)",
            "(((((i < n) && (j >= 0)) && (k < m)) && (l >= 1)) ? a : b)",
        ),
        ("((i < n && j >= 0) ? a : b)", "(((i < n) && (j >= 0)) ? a : b)"),
        ("(i < n & j >= 0)", "((i < n) & (j >= 0))"),
        ("(i < n and j >= 0)", "((i < n) && (j >= 0))"),
        ("(-i < n && j >= 0)", "(((-i) < n) && (j >= 0))"),
        ("(a || !i < n && j >= 0)", "(a || (((!i) < n) && (j >= 0)))"),
        ("(*p < n && j >= 0)", "(((*p) < n) && (j >= 0))"),
        ("i < n && j > -1", "((i < n) && (j > (-1)))"),
        ("i < n && j > *p", "((i < n) && (j > (*p)))"),
        ("i < n && j > -m + 1 || k", "(((i < n) && (j > ((-m) + 1))) || k)"),
        ("i < n && j >> 3", "((i < n) && (j >> 3))"),
        ("a && i < n && j > -1", "(a && ((i < n) && (j > (-1))))"),
        ("g((i < n && j >= 0), 1)", "g(((i < n) && (j >= 0)), 1)"),
        ("foo<a, b>(c)", "foo<a, b>(c)"),
        ("foo<N>(c)", "foo<N>(c)"),
        ("foo<(N > 3)>(c)", "foo<(N > 3)>(c)"),
        ("foo<T, A && B>(c)", "foo<T, (A && B)>(c)"),
    ],
)
def test_comparison_or_template(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"x = {source};") == f"x = {expected}"


def test_assignment_to_a_variable_template(reading: Reading) -> None:
    assert reading.body("x = (level<3 + 1> = 5);") == "x = level<(3 + 1)> = 5"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("k<int, 3>()", "k<int, 3>()"),
        ("k<BLOCK>()", "k<BLOCK>()"),
        ("k<const T*, decltype(x)>()", "k<const T*, decltype<x>>()"),
        ("k<A * 2, sizeof(T), true, -1>()", "k<(A * 2), sizeof(T), 1:bool, -1>()"),
        ("k<std::vector<std::pair<int, float>>>()", "k<std::vector<std::pair<int, float>>>()"),
        ("k<T::value, Foo<T>::N>()", "k<T::value, Foo::N@<T>>()"),
        ("k<static_cast<int>(3)>()", "k<(int)3>()"),
    ],
)
def test_template_arguments(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"{source};") == expected


def test_known_constants_are_values_in_template_arguments(reading: Reading) -> None:
    before = "const int N = 4; enum { M = 2 }; struct T {};"
    function = reading.function(f"{before} void f() {{ constexpr int L = 1; k<N, M, L, T, U>(); }}")
    call = evaluated(function, -1)
    assert [type(arg).__name__ for arg in call.callee.template_args] == [
        *("Name", "Name", "Name", "Type", "Type")
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sizeof(x)", "sizeof(x)"),
        ("sizeof(int*)", "sizeof(int*)"),
        ("sizeof(float[3])", "sizeof(float[3])"),
        ("sizeof x", "sizeof(expr x)"),
        ("sizeof(x[0])", "sizeof(expr x[0])"),
        ("sizeof(std::complex<float>)", "sizeof(std::complex<float>)"),
        ("n * sizeof(unsigned)", "(n * sizeof(unsigned int))"),
        ("alignof(int)", "?alignof(int)?"),
        ("sizeof...(Ts)", "?sizeof...(Ts)?"),
    ],
)
def test_sizeof(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"x = {source};") == f"x = {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[](int x) { return x; }", "[](int x) {return x}"),
        ("[&, n](auto i) mutable -> float { f(i); }", "[](auto i) {f(i)}"),
        ("[=] [[device]] (int i) { p[i] = 0; }", "[device](int i) {p[i] = 0}"),
        ("[=] __device__ (int i) { p[i] = 0; }", "[device](int i) {p[i] = 0}"),
        ("[] { }", "[]() {}"),
    ],
)
def test_lambda(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"auto f = {source};") == f"auto f = {expected}"


def test_assembly_keeps_its_operands(reading: Reading) -> None:
    source = 'asm volatile("fma %0, %1;" : "=f"(d), "+r"(i) : "f"(a[0]), "n"(3) : "memory");'
    found = evaluated(reading.function(f"void f() {{ {source} }}"))
    assert isinstance(found, Assembly)
    assert found.text == "fma %0, %1;"
    assert [each.name for each in found.outputs if isinstance(each, Name)] == ["d", "i"]
    assert [type(each) for each in found.inputs] == [Index, Literal]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (r'"a;\n" "b;"', r"a;\nb;"),
        ('R"(a; "b")"', 'a; "b"'),
        ('"" : ', ""),
        (r'"a, \"x\";" ::', r"a, \"x\";"),
    ],
)
def test_the_template_of_assembly(reading: Reading, template: str, text: str) -> None:
    found = evaluated(reading.function(f"void f() {{ asm volatile({template}); }}"))
    assert isinstance(found, Assembly)
    assert found.text == text
    assert (found.outputs, found.inputs) == ((), ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("({ int _a = (n); int _b = m + 1; _a < _b ? _a : _b; })", "((n < (m + 1)) ? n : (m + 1))"),
        ("({ decltype(n) _a = n; _a; })", "n"),
        ("({ f(n); n + 1; })", "[]() {f(n); return (n + 1)}()"),
        ("({ int a = 1; a++; })", "[]() {int a = 1; return a++}()"),
    ],
)
def test_statement_expression(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"x = {source};") == f"x = {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(a = f(), b)", "(a = f() , b)"),
        ("(a->k = g(p, &e), e)", "(a->k = g(p, (&e)) , e)"),
        ("(a += 1 + x, b = 2, c)", "((a += (1 + x) , b = 2) , c)"),
        ("q((a = 1, b))", "q((a = 1 , b))"),
        ("(a /* one */ = 1 /* two */, /* three */ b)", "(a = 1 , b)"),
        ("((a = p), b)", "(a = p , b)"),
        ("(x++, a = 1, b)", "((x++ , a = 1) , b)"),
    ],
)
def test_comma_after_an_assignment(reading: Reading, source: str, expected: str) -> None:
    """In parentheses, where the grammar takes a part of it for an error."""
    assert reading.body(f"{source};") == expected
    unit = reading.unit(f"void tested() {{ {source}; }}")
    assert not unit.problems


def test_lines_follow_the_source_within_an_expression(reading: Reading) -> None:
    function = reading.function("void f() {\n  x = a +\n    b[\n  i];\n}")
    assign = evaluated(function)
    total = assign.value
    assert isinstance(total, Binary)
    assert isinstance(total.right, Index)
    assert isinstance(total.right.index, Name)
    assert (assign.line, total.line, total.right.line, total.right.index.line) == (2, 2, 3, 4)


def test_long_sums_are_balanced_and_keep_every_term(reading: Reading) -> None:
    terms = [f"a{i}" for i in range(300)]
    function = reading.function(f"void f() {{ x = {' + '.join(terms)} - b0 - b1; }}")
    total = evaluated(function).value
    names: list[str] = []
    depths: list[int] = []
    stack = [(total, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, Binary):
            stack += [(node.right, depth + 1), (node.left, depth + 1)]
        else:
            names.append(node.name)
            depths.append(depth)
    assert names == [*terms, "b0", "b1"]
    assert max(depths) < 12
    assert total.op == "-"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(256 + 1) / 2", "((256 + 1) / 2)"),
        (" N ", "N"),
        ("f(a, b)", "f(a, b)"),
        ("{1, 2}", "{1, 2}"),
        ("1.0f", "1.0:float"),
        ("a;\nint b", "?a;\nint b?"),
        ("a, b = 3", "?a, b = 3?"),
        ("", "??"),
        ("3 +", "?3 +?"),
    ],
)
def test_expression_alone(reading: Reading, source: str, expected: str) -> None:
    assert reading.expression(parse_expression(source, 7)) == expected
    assert parse_expression(source, 7).line == 7


def test_medium_chains_keep_their_shape(reading: Reading) -> None:
    assert (
        reading.body("x = " + " + ".join("abcdef") + ";") == "x = (((((a + b) + c) + d) + e) + f)"
    )
