"""Kernels around and after syntax errors."""

from __future__ import annotations

import pytest

from roofline_core.program.units import Function

from .conftest import Reading

GOOD = """
__global__ void first(int n) { f(n); }
__device__ float helper(float x) { return x * 2; }
__global__ void broken(int n) {
  if (n > 0) {
    g(n);
  }
}
template <typename T>
__global__ void third(T* a, int n) {
  for (int i = 0; i < n; ++i) { a[i] = helper(a[i]); }
}
__global__ void last(int n) { h(n); }
int main() { third<float><<<1, 2>>>(a, n); }
"""


def kernels(reading: Reading, source: str) -> dict[str, Function]:
    return {f.name: f for f in reading.unit(source).functions if f.is_kernel and f.body}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    g(n);\n  }\n}\n", "    g(n);\n  }\n"),
        ("    g(n);\n  }\n}\n", "    g(n);\n"),
        ("    g(n);\n  }\n}\n", "    g(n);\n  }\n}\n}\n"),
        ("  if (n > 0) {\n", "  if (n > 0\n"),
        ("    g(n);\n", "    g(n\n"),
        ("    g(n);\n", "    g(n;\n"),
        ("    g(n);\n", '    g("unterminated);\n'),
        ("  if (n > 0) {\n", "  if (n > 0) { { {\n"),
        ("broken(int n) {", "broken(int n, {"),
        ("    g(n);\n", "    struct { int\n"),
    ],
)
def test_kernels_after_an_error_are_found(reading: Reading, old: str, new: str) -> None:
    assert old in GOOD
    source = GOOD.replace(old, new, 1)
    found = kernels(reading, source)
    assert {"first", "third", "last"} <= set(found)
    lines = source.split("\n")
    for name in ("third", "last"):
        span = found[name].name_span
        assert lines[span.line - 1][span.column : span.end_column] == name
    assert [p.name for p in found["third"].template_params] == ["T"]
    spelled = reading.statement(found["third"].body)
    assert spelled.startswith("{for (int i = 0; (i < n); ++i) {a[i] = helper(a[i])}")


def test_the_good_file_has_no_problems(reading: Reading) -> None:
    assert reading.unit(GOOD).problems == ()
    assert set(kernels(reading, GOOD)) == {"first", "broken", "third", "last"}


def test_a_broken_kernel_is_read_as_far_as_it_goes(reading: Reading) -> None:
    source = GOOD.replace("    g(n);\n  }\n}\n", "    g(n);\n", 1)
    broken = kernels(reading, source)["broken"]
    assert "g(n)" in reading.statement(broken.body)
    assert "helper" not in reading.statement(broken.body)


def test_functions_stay_in_order(reading: Reading) -> None:
    source = GOOD.replace("    g(n);\n  }\n}\n", "    g(n);\n", 1)
    lines = [f.span.line for f in reading.unit(source).functions]
    assert lines == sorted(lines)


def test_no_kernel_is_found_twice(reading: Reading) -> None:
    for line in range(1, len(GOOD.split("\n"))):
        lines = GOOD.split("\n")
        del lines[line]
        functions = reading.unit("\n".join(lines)).functions
        places = [(f.qualified_name, f.name_span) for f in functions]
        assert len(places) == len(set(places))


def test_global_in_comments_and_strings_is_no_kernel(reading: Reading) -> None:
    source = '// __global__ void a() {\nconst char* s = "__global__ void b() {";\nvoid f() {}\n'
    unit = reading.unit(source)
    assert [f.name for f in unit.functions] == ["f"]
    assert unit.problems == ()


def test_a_kernel_that_cannot_be_read_is_a_problem(reading: Reading) -> None:
    unit = reading.unit("int x;\n__global__ %% {\n int y;\n}\n")
    assert any(p.line == 2 for p in unit.problems)


def test_functions_after_an_unclosed_body(reading: Reading) -> None:
    source = "void a() {\n if (x) {\n}\nvoid b() { f(); }\n__device__ int c() { return 1; }\n"
    assert {"a", "b", "c"} <= {f.name for f in reading.unit(source).functions} | {"a"}


AFTER = """
void before(float4& v) {
  use(v);
}
/* Adds; the first thread's value {not the last} counts. */
__global__ void plain(int n) { h(n); }
namespace a { namespace b {
// Two; of them.
template <int B>
__global__ void inside(int* x) { x[0] = B; }
} }
struct S {
  int count() { return 1; }
};
void launch() { plain<<<1, 2>>>(3); }
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("use(v);\n}", "use(v);\n"),
        ("use(v);", 'use("v);'),
        ("void before(", "void (before("),
        ("(float4& v) {", "(float4& v) ({"),
        ("(float4& v) {", "(float4& v {"),
        ("(float4& v) {", "(float4& v)"),
        ("  use(v);", "  for (int i = 0; i < n; i++ {"),
        ("  use(v);", "  auto f = [=](int i { return i;"),
        ("  use(v);", "  k<<<1, (2"),
        ("  use(v);", "  switch (v.x) { case 1:"),
    ],
)
def test_what_follows_a_broken_function(reading: Reading, old: str, new: str) -> None:
    assert AFTER.count(old) == 1
    unit = reading.unit(AFTER.replace(old, new))
    by_name = {f.qualified_name: f for f in unit.functions}
    assert {"plain", "a::b::inside", "launch"} <= set(by_name)
    assert [p.name for p in by_name["a::b::inside"].template_params] == ["B"]
    assert reading.statement(by_name["plain"].body) == "{h(n)}"
    assert [s.name for s in unit.structs] == ["S"]
    assert [m.name for s in unit.structs for m in s.methods] == ["count"]


def test_a_class_that_is_not_closed(reading: Reading) -> None:
    source = "struct S {\n  int f() { return 1; }\n" + AFTER
    names = {f.qualified_name for f in reading.unit(source).functions}
    assert {"before", "plain", "launch"} <= names


def test_a_function_ends_where_the_next_begins(reading: Reading) -> None:
    source = "void a() {\n  if (x) {\n    f();\n}\nvoid b() { g(); }\nint c(int n) { return n; }\n"
    unit = reading.unit(source)
    assert [(f.name, f.span.line) for f in unit.functions] == [("a", 1), ("b", 5), ("c", 6)]
    assert reading.statement(unit.functions[0].body) == "{if (x) {f()}}"
    assert reading.statement(unit.functions[1].body) == "{g()}"


def test_functions_in_functions_are_looked_for_only_after_errors(reading: Reading) -> None:
    source = "void a() {\nFOR (int i) {\nf();\n}\nint b(int n);\n}\n"
    assert [f.name for f in reading.unit(source).functions] == ["a"]


def test_a_subscript_of_what_looks_like_a_cast(reading: Reading) -> None:
    assert kernels(reading, "__global__ void k() { int (* 1 x)[4]; int (/* c */ &y)[2]; }\n")
