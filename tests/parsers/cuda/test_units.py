"""Whole files: spans behind macros, headers, caches and edits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from roofline_core.program.units import Severity, Span
from roofline_parsers.cuda import ParseCache, parse_unit
from roofline_parsers.preprocess import PreprocessedFile

from .conftest import evaluated

PATH = Path("/p/a.cu")


def pre(
    source: str,
    text: str | None = None,
    changed: Iterable[int] = (),
    includes: tuple[PreprocessedFile, ...] = (),
) -> PreprocessedFile:
    return PreprocessedFile(
        PATH,
        source.encode(),
        (source if text is None else text).encode(),
        frozenset(changed),
        includes,
    )


@pytest.mark.parametrize(
    ("source", "text", "name"),
    [
        # The name itself is in the source line.
        ("GLOBAL k(int n) {}", "__global__ void k(int n) {}", (7, 8)),
        # The macro made the name: its use is marked.
        ("  MAKE(float) {}", "__global__ void k_float() {}", (2, 6)),
        # Nothing but the line is left to mark.
        ("  (n) {}", "__global__ void kernel(n) {}", (2, 8)),
    ],
)
def test_name_in_a_line_that_macros_changed(source: str, text: str, name: tuple[int, int]) -> None:
    (function,) = parse_unit(pre(source, text, changed=[1])).functions
    assert function.name_span == Span(1, name[0], 1, name[1])
    indent = len(source) - len(source.lstrip())
    assert function.span == Span(1, indent, 1, len(source))


def test_columns_of_unchanged_lines_are_those_of_the_text() -> None:
    source = "BEGIN\n  __global__ void k() {\n  }\n"
    text = "struct S {\n  __global__ void k() {\n  }\n};"
    (struct,) = parse_unit(pre(source, text, changed=[1])).structs
    assert struct.methods[0].name_span == Span(2, 18, 2, 19)
    assert struct.methods[0].span == Span(2, 2, 3, 3)


def test_columns_count_utf8_bytes() -> None:
    (function,) = parse_unit(pre("/* é */ void f() {}")).functions
    assert function.name_span == Span(1, 14, 1, 15)


def test_types_of_headers_are_known() -> None:
    header = pre("typedef float real;")
    unit = parse_unit(pre("void f() { x = (real)-1; }", includes=(header,)))
    cast = evaluated(unit.functions[0]).value
    assert cast.type.name == "real"
    assert [u.aliases for u in unit.includes] == [{"real": unit.includes[0].aliases["real"]}]


def test_a_header_is_read_once() -> None:
    inner = pre("int x;")
    outer = pre("int y;", includes=(inner,))
    unit = parse_unit(pre("int z;", includes=(inner, outer)))
    assert unit.includes[0] is unit.includes[1].includes[0]
    cache = ParseCache()
    first = parse_unit(pre("int a;", includes=(inner,)), cache)
    second = parse_unit(pre("int b;", includes=(inner,)), cache)
    assert first.includes[0] is second.includes[0]


def test_deep_include_chains_do_not_recurse() -> None:
    chain = pre("int x;")
    for _ in range(2000):
        chain = pre("int x;", includes=(chain,))
    assert len(parse_unit(chain).includes) == 1


def test_an_edit_gives_what_a_full_parse_gives() -> None:
    source = "".join(f"__global__ void k{i}(int n) {{ f(n, {i}); }}\n" for i in range(40))
    cache = ParseCache(keep_trees=True)
    before = parse_unit(pre(source), cache)
    for old, new in (
        ("k20(int n)", "k20(float* n, int m)"),
        ("{ f(n, 30); }", "{\n  g();\n}"),
        ("__global__ void k0", "/* é */ __global__ void k0"),
        ("{ f(n, 39); }", "{ f(n, 39);"),
        ("{ f(n, 39);", "{ f(n, 39); }"),
        ("k5(", "k5000("),
    ):
        source = source.replace(old, new, 1)
        edited = parse_unit(pre(source), cache)
        fresh = parse_unit(pre(source))
        assert [(f.name, f.span, f.fingerprint) for f in edited.functions] == [
            (f.name, f.span, f.fingerprint) for f in fresh.functions
        ]
        assert edited.problems == fresh.problems
    # Functions of the text before the edits can still be read.
    assert evaluated(before.functions[20]).args[1].value == 20


def test_problems_name_line_and_text() -> None:
    unit = parse_unit(pre("int a;\n@@ broken %% ;\nvoid f() {\n  x = ;\n}\n"))
    assert {(p.severity, p.line) for p in unit.problems} >= {(Severity.ERROR, 2)}
    assert all(p.path == PATH for p in unit.problems)
    assert any("@@" in p.message for p in unit.problems)


def test_problems_are_few() -> None:
    text = "void f() {\n" + "  x = = ;\n" * 100 + "}\n"
    problems = parse_unit(pre(text)).problems
    assert 0 < len(problems) <= 20


def test_deep_nesting_is_a_problem_of_the_body() -> None:
    (function,) = parse_unit(pre("void f() {\n x = " + "f(" * 500 + ")" * 500 + ";\n}")).functions
    assert function.body is not None
    (problem,) = function.body_problems
    assert (problem.severity, problem.line) == (Severity.WARNING, 2)
