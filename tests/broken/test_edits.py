"""The edits themselves, and the division of a source that the rule rests on."""

from __future__ import annotations

import pytest

from .edits import Edit, all_edits, changed_lines, deleted_characters, layout, prefixes

SOURCE = b"""#include <x>
namespace a {
struct S { int b; } s;
int f(int n) { return n; }  // } ignored
__global__ void k() { g("{"); }
}
extern "C" { int v[2] = {1, 2}; }
"""


def texts(source: bytes) -> list[str]:
    plan = layout(source)
    starts = [0, *plan.ends]
    return [source[a:b].decode().strip() for a, b in zip(starts, plan.ends, strict=False)]


def test_top_level_constructs() -> None:
    assert texts(SOURCE) == [
        "#include <x>",
        "namespace a {",
        "struct S { int b; }",
        "s;",
        "int f(int n) { return n; }",
        '// } ignored\n__global__ void k() { g("{"); }',
        "}",
        'extern "C" {',
        "int v[2] = {1, 2};",
        "}",
        "",
    ]


@pytest.mark.parametrize(
    ("kind", "at", "until", "near"),
    [
        ("deleted {", b"{ return", b"return", "next"),
        ("deleted ;", b"; }  //", b" }  //", "next"),
        ("deleted ;", b"; } s;", b" } s;", "spared"),
        ("deleted {", b"{\nstruct", b"\nstruct", "spared"),
        ("deleted (", b'("{"', b'"{"', "touched"),
        ("deleted line", b"#include", b"namespace", "touched"),
        ("deleted {", b"{1, 2}", b"1, 2}", "spared"),
        ("opened comment", b"int f", b"int f", "next"),
        ("prefix", b"extern", b"", "spared"),
        ("prefix", b"return", b"", "touched"),
    ],
)
def test_how_near_a_kernel_is(kind: str, at: bytes, until: bytes, near: str) -> None:
    start = SOURCE.index(at)
    end = SOURCE.index(until, start) if until else len(SOURCE)
    name = SOURCE.index(b"k()")
    assert layout(SOURCE).nearness(Edit(kind, start, end), name) == near


def test_a_comment_opened_reaches_to_the_next_one() -> None:
    source = b"int a;\nvoid f();\n/* b */\n__global__ void k() {}\n__global__ void m() {}\n"
    plan = layout(source)
    edit = Edit("opened comment", 0, 0, b"/*")
    assert edit.apply(source) == b"/*" + source
    assert plan.nearness(edit, source.index(b"k()")) == "touched"
    assert plan.nearness(edit, source.index(b"m()")) == "next"


def test_changed_lines() -> None:
    source = b"a;\n\nb;\nc;"
    changed = [(edit.kind, edit.apply(source)) for edit in changed_lines(layout(source))]
    assert changed == [
        ("deleted line", b"\nb;\nc;"),
        ("doubled line", b"a;\na;\n\nb;\nc;"),
        ("swapped lines", b"b;\n\na;\nc;"),
        ("deleted line", b"a;\n\nc;"),
        ("doubled line", b"a;\n\nb;\nb;\nc;"),
        ("swapped lines", b"a;\n\nc;b;\n"),
        ("deleted line", b"a;\n\nb;\n"),
        ("doubled line", b"a;\n\nb;\nc;\nc;"),
    ]


def test_prefixes_end_with_each_token() -> None:
    source = b"int a;\nf<<<1, 2>>>();\n"
    cut = [edit.apply(source) for edit in prefixes(layout(source))]
    assert cut[:5] == [b"int", b"int a", b"int a;", b"int a;\nf", b"int a;\nf<<<"]
    assert cut[-1] == source.rstrip()


def test_what_is_deleted() -> None:
    source = b'g("a)");'
    gone = [(edit.kind, edit.apply(source)) for edit in deleted_characters(layout(source))]
    assert gone == [
        ("deleted (", b'g"a)");'),
        ("deleted quote", b'g(a)");'),
        ("deleted quote", b'g("a));'),
        ("deleted )", b'g("a)";'),
        ("deleted ;", b'g("a)")'),
    ]


def test_every_edit_changes_the_source() -> None:
    edits = list(all_edits(layout(SOURCE)))
    assert {edit.kind for edit in edits} >= {
        *("prefix", "deleted {", "deleted }", "deleted line", "doubled line", "swapped lines"),
        *("half-typed directive", "opened comment", 'opened "', "opened <<<"),
    }
    same = [e for e in edits if e.apply(SOURCE) == SOURCE]
    assert {e.kind for e in same} <= {"half-typed directive"}
