"""What of a text may be left out, or give way to a part of itself."""

from __future__ import annotations

import pytest

from roofline_parsers.cuda.removable import Cut, applied, errors_in, removable, replaceable

SOURCE = b"""\
#include <cstdio>
namespace held {
int unused;
}
__global__ void k(int n, float *x) {
    int i = threadIdx.x;
    if (i < n) {
        x[i] = 1;
    }
}
"""


def texts(source: bytes) -> list[list[bytes]]:
    return [[source[cut.start : cut.end] for cut in level] for level in removable(source)]


def test_declarations_and_statements_by_depth() -> None:
    top, inner, innermost = texts(SOURCE)
    assert [text.split(b"\n")[0] for text in top] == [
        b"#include <cstdio>",
        b"namespace held {",
        b"__global__ void k(int n, float *x) {",
    ]
    assert [text.split(b"\n")[0] for text in inner] == [
        b"int unused;",
        b"int i = threadIdx.x;",
        b"if (i < n) {",
    ]
    assert innermost == [b"x[i] = 1;"]


@pytest.mark.parametrize(
    ("statement", "put"),
    [
        ("if (a) b(); else c();", ["", "b();", "c();"]),
        ("while (a) b();", ["b();"]),
        ("for (;;) b();", ["b();"]),
        ("x = a ? b : c;", ["b", "c"]),
        ("x = a + b;", ["a", "b"]),
        ("x = -a;", ["a"]),
        ("x = (int)a;", ["a"]),
        ("x = f(a);", []),
    ],
)
def test_what_stands_for_the_whole(statement: str, put: list[str]) -> None:
    source = f"void f() {{ {statement} }}".encode()
    assert sorted(cut.put.decode() for cut in replaceable(source)) == put


def test_the_replacement_that_leaves_out_most_comes_first() -> None:
    source = b"void f() { if (a) { x = b + c; } }"
    first = replaceable(source)[0]
    assert applied(source, (first,)) == b"void f() { { x = b + c; } }"


def test_cuts_are_made_together() -> None:
    assert applied(b"abcdef", (Cut(4, 5), Cut(0, 2, b"x"))) == b"xcdf"


def test_what_the_grammar_cannot_read_is_counted() -> None:
    assert errors_in(SOURCE) == 0
    assert errors_in(b"int f( { return 1; }") > 0
