"""Line i of the output is line i of the source, whatever the bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_parsers.preprocess import PreprocessedFile

Run = Callable[..., PreprocessedFile]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"a", b"a"),
        (b"#define N 1", b""),
        (b"#define N 1\n", b"\n"),
        (b"#define N \\\n 1 \\\n+ 2\nN\n", b"\n\n\n1 + 2\n"),
        (b"#define N \\ \n 1\nN\n", b"\n\n1\n"),
        (b"#define N /* a\nb\n*/ 1\nN\n", b"\n\n\n1\n"),
        (b"  #  define  N  1\nN", b"\n1"),
        (b"/* c */ # /* c */ define N 1\nN", b"\n1"),
        (b"# /* c\n */ define N 1\nN", b"\n\nN"),
        (b"a #define N 1\nN", b"a #define N 1\nN"),
    ],
)
def test_directives_become_blank(run: Run, source: bytes, expected: bytes) -> None:
    assert run(source, bare=True).text == expected


@pytest.mark.parametrize(
    ("source", "expected", "changed"),
    [
        (b"int \\\nx;\ny\n", b"int x;\n\ny\n", {1, 2}),
        (b"a\nint \\\n  x \\\n  = 1;\ny\n", b"a\nint   x   = 1;\n\n\ny\n", {2, 3, 4}),
        (b"fo\\\no\n", b"foo\n\n", {1, 2}),
        (b'"a\\\nb"\nc', b'"ab"\n\nc', {1, 2}),
        (b"// a \\\nb\nc", b"// a b\n\nc", {1, 2}),
        (b'R"(a\\\nb)"\nc', b'R"(a\\\nb)"\nc', set()),
        (b"a \\\n#define N 1\nN", b"a #define N 1\n\nN", {1, 2}),
        (b"a\\", b"a\\", set()),
        (b"a \\\n", b"a \n", {1, 2}),
    ],
)
def test_continued_lines_join(run: Run, source: bytes, expected: bytes, changed: set[int]) -> None:
    result = run(source)
    assert result.text == expected
    assert result.changed_lines == changed


def test_continued_text_expands(run: Run) -> None:
    result = run(b"#define N 1\nx = N \\\n + N;\nN\n")
    assert result.text == b"\nx = 1  + 1;\n\n1\n"
    assert result.changed_lines == {2, 3, 4}


def test_crlf(run: Run) -> None:
    source = b"#define N 1\r\n#if N\r\nx = N;\r\ny\r\n#else\r\nz\r\n#endif\r\n"
    source += b"#define F(a, b) \\\r\n a + \\\r\n b\r\nF(1,\r\n2);\r\nint \\\r\nv;\r\n"
    expected = b"\n\nx = 1;\r\ny\r\n\n\n\n\n\n\n1 + 2\n;\r\nint v;\r\n\n"
    assert run(source).text == expected


def test_lone_carriage_returns_stay(run: Run) -> None:
    assert run(b"a\rb\n#define N 1\nN\rN\n").text == b"a\rb\n\n1\r1\n"


def test_byte_order_mark_becomes_spaces(run: Run) -> None:
    assert run(b"\xef\xbb\xbf#define N 1\nN\n").text == b"\n1\n"
    assert run(b"\xef\xbb\xbfint x;\n").text == b"   int x;\n"


def test_nul_and_invalid_utf8(run: Run) -> None:
    source = b"#define N 1\n\0N\0 \xff\xfe N\xe9 \xc3\xa9N N\n"
    assert run(source).text == b"\n 1  \xff\xfe N\xe9 \xc3\xa9N 1\n"


def test_columns_of_unchanged_lines(run: Run) -> None:
    source = b"#define N 1\n  \tint  x ;  // c\n  if (x < N) y;\n"
    result = run(source)
    lines = zip(source.split(b"\n"), result.text.split(b"\n"), strict=True)
    for number, (before, after) in enumerate(lines, 1):
        if number == 1:
            assert after == b""
        else:
            assert (before == after) is (number not in result.changed_lines)


def test_text_without_macros_comes_back_as_it_is(run: Run) -> None:
    source = b"""\
/* a comment with 'quotes" and # signs
#define not_a_directive 1
*/
template <typename T> __global__ void k(T *__restrict__ a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1'000 + 'x' + L'\\'' + 0x1p-3f; // don't
  auto s = R"x(
#define neither 1
)" )x";
}
"""
    result = run(source)
    assert result.text == source
    assert result.changed_lines == frozenset()
    assert run(result.text).text == source
