"""Pragmas, in places that the grammar has room for and in others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_parsers.preprocess import PreprocessedFile

Run = Callable[..., PreprocessedFile]


@pytest.mark.parametrize(
    ("source", "expected", "pragmas"),
    [
        ("{\n#pragma unroll\nfor (;;) {}\n}", None, {2: (b"unroll",)}),
        ("x;\n  #pragma   unroll   4 // c\nfor", None, {2: (b"unroll   4",)}),
        ("#pragma once\n", None, {1: (b"once",)}),
        ("x;\n#pragma omp parallel for\nfor", None, {2: (b"omp parallel for",)}),
        ("#pragma omp parallel \\\n  for\nfor", "#pragma omp parallel   for\n\nfor",
         {1: (b"omp parallel   for",)}),
        ("case 1:\n#pragma pack(1)\nx", None, {2: (b"pack(1)",)}),
        ("x; // c\n#pragma unroll\nfor", None, {2: (b"unroll",)}),
        ("} /* c */\n\n#pragma unroll\n#pragma omp simd\nfor", None,
         {3: (b"unroll",), 4: (b"omp simd",)}),
        ("if (x)\n  #pragma unroll\nfor", "if (x)\n  [[unroll]]\nfor", {2: (b"unroll",)}),
        ("if (x) // ;\n#pragma unroll 4\nfor", "if (x) // ;\n[[unroll(4)]]\nfor",
         {2: (b"unroll 4",)}),
        ("else /* ; */\n#pragma unroll(2)\nfor", "else /* ; */\n[[unroll(2)]]\nfor",
         {2: (b"unroll(2)",)}),
        ("if (x)\n#pragma GCC unroll 8\nfor", "if (x)\n[[unroll(8)]]\nfor",
         {2: (b"GCC unroll 8",)}),
        ("if (x)\n#pragma unroll (a)*(b)\nfor", "if (x)\n[[unroll((a)*(b))]]\nfor",
         {2: (b"unroll (a)*(b)",)}),
        ("if (x)\n#pragma nounroll\nfor", "if (x)\n[[unroll(1)]]\nfor", {2: (b"nounroll",)}),
        ("label:\n#pragma unroll\nfor", "label:\n[[unroll]]\nfor", {2: (b"unroll",)}),
        ('do\n#pragma omp task if("\\"")\nx;',
         'do\n[[omp::directive("task if(\\"\\\\\\"\\")")]]\nx;', {2: (b'omp task if("\\"")',)}),
        ("f(a,\n#pragma pack(1)\nb)", "f(a,\n\nb)", {2: (b"pack(1)",)}),
    ],
)  # fmt: skip
def test_place(
    run: Run, source: str, expected: str | None, pragmas: dict[int, tuple[bytes, ...]]
) -> None:
    result = run(source)
    assert result.text.decode() == (source if expected is None else expected)
    assert result.pragmas == pragmas


def test_macros_expand_in_unroll_and_omp_alone(run: Run) -> None:
    source = """\
#define N 4
#define CLAUSE collapse(N)
#pragma unroll N
#pragma omp for CLAUSE
#pragma pack(N)
"""
    result = run(source)
    assert result.text.decode() == (
        "\n\n#pragma unroll 4\n#pragma omp for collapse(4)\n#pragma pack(N)\n"
    )
    assert result.changed_lines == {3, 4}
    assert result.pragmas == {3: (b"unroll 4",), 4: (b"omp for collapse(4)",), 5: (b"pack(N)",)}


def test_pragma_operator(run: Run) -> None:
    source = """\
#define UNROLL _Pragma("unroll")
#define DO(x) _Pragma(#x)
UNROLL for (;;) _Pragma("omp parallel for num_threads(\\"4\\")") for (;;)
DO(unroll 4) for (;;)
_Pragma( "pack(1)"
) x; "_Pragma(\\"unroll\\")"
"""
    result = run(source)
    assert result.text.decode().split("\n") == [
        "",
        "",
        '[[unroll]]  for (;;) [[omp::directive("parallel for num_threads(\\"4\\")")]]  for (;;)',
        "[[unroll(4)]]  for (;;)",
        " ",
        ' x; "_Pragma(\\"unroll\\")"',
        "",
    ]
    assert result.pragmas == {
        3: (b"unroll", b'omp parallel for num_threads("4")'),
        4: (b"unroll 4",),
        5: (b"pack(1)",),
    }
    assert {3, 4, 5, 6} <= result.changed_lines


def test_inactive_pragmas_do_not_count(run: Run) -> None:
    result = run("#if 0\n#pragma once\n#pragma unroll\n#endif\n")
    assert (result.text, result.pragmas) == (b"\n\n\n\n", {})
