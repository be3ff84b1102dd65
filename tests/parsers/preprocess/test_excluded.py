"""Notes on kernels and target regions that conditionals leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.program.units import Severity
from roofline_parsers.preprocess import PreprocessOptions, preprocess

PATH = Path("/p/main.cu")
KERNEL = "__global__ void {0}(float *x) {{ x[0] = 1; }}\n"
REGION = "void f() {\n#pragma omp target teams loop\nfor (int i = 0; i < 9; i++) g(i);\n}\n"
A, B = KERNEL.format("a"), "__global__ void __launch_bounds__(64, 2)\nb(float *x) { x[0] = 1; }\n"


def notes(source: str, *defines: str) -> list[tuple[str, int | None]]:
    """What is said of a program, in which no macro is taken as defined."""
    source += "int main() { return 0; }\n"
    options = PreprocessOptions(defines=tuple((name, "1") for name in defines))
    read = preprocess(PATH, source.encode(), options, lambda path: None)
    found = [each for each in read.problems if each.severity is Severity.NOTE]
    assert all(each.message.endswith(", which nothing defines") for each in found)
    assert [each.excluded and each.excluded.line for each in found] == [e.line for e in found]
    return [(each.message.partition(",")[0], each.line) for each in found]


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef FAST",
        "#if defined(FAST)",
        "#if FAST // yes",
        "#if ( FAST )",
        "#if ((defined(FAST)) && (LEVEL == HIGH))",
    ],
)
def test_a_kernel_that_needs_a_macro_is_named(condition: str) -> None:
    source = f"{condition}\n{A}{B}#endif\n"
    assert notes(source) == [("kernel 'a' needs FAST", 2), ("kernel 'b' needs FAST", 3)]
    assert notes(source, "FAST") == []


def test_each_kernel_and_region_needs_its_macro() -> None:
    source = f"#ifdef ONE\n{A}#endif\n#ifdef TWO\n{B}{REGION}#endif\n"
    assert notes(source) == [
        ("kernel 'a' needs ONE", 2),
        ("kernel 'b' needs TWO", 5),
        ("a target region needs TWO", 8),
    ]


def test_alternatives_need_their_own_macro() -> None:
    source = f"#ifndef PLAIN\n{A}#else\n{B}#endif\n"
    assert notes(source) == [("kernel 'b' needs PLAIN", 4)]
    assert notes(f"#if !defined(PLAIN)\n{A}#else\n{B}#endif\n") == notes(source)
    either = f"#if FIRST\n{A}#elif SECOND\n{B}#endif\n"
    assert notes(either) == [("kernel 'a' needs FIRST", 2), ("kernel 'b' needs SECOND", 4)]


def test_of_several_macros_the_first_that_is_missing_is_named() -> None:
    source = f"#if defined(ONE) && defined TWO && !THREE\n{A}#else\n{B}#endif\n"
    assert notes(source) == [("kernel 'a' needs ONE", 2)]
    assert notes(source, "ONE") == [("kernel 'a' needs TWO", 2)]
    assert notes(source, "ONE", "TWO") == []


def test_a_macro_that_must_have_a_value_is_named_with_it() -> None:
    values = "#define HYDRO 1\n#define WAVE 2\n"
    source = f"{values}#if ( MODEL == HYDRO ) // fluid\n{A}#elif MODEL == WAVE\n{B}#endif\n"
    assert notes(source) == [
        ("kernel 'a' needs MODEL=HYDRO", 4),
        ("kernel 'b' needs MODEL=WAVE", 6),
    ]
    assert notes(f"#define MODEL 3\n{source}") == [], "another value was chosen"
    assert notes(f"#if A || MODEL == 2\n{A}#endif\n") == [], "one of several"


def test_the_outermost_macro_is_named() -> None:
    assert notes(f"#ifdef OUTER\n#ifdef INNER\n{A}#endif\n#endif\n") == [
        ("kernel 'a' needs OUTER", 3)
    ]
    assert notes(f"#define OUTER\n#ifdef OUTER\n#ifdef INNER\n{A}#endif\n#endif\n") == [
        ("kernel 'a' needs INNER", 4)
    ]


@pytest.mark.parametrize(
    "source",
    [
        A,
        f"#if 0\n{A}#endif\n",
        f"#ifdef __SOME_COMPILER__\n{A}#endif\n",
        f"#ifdef FAST\n#else\n{A}#endif\n",
        f"#ifdef FAST\nint x;\n#endif\n{A}",
        "#ifdef FAST\n#pragma omp target data map(to: x)\n#pragma omp declare target\n#endif\n",
        f"#endif\n#else\n{A}#ifdef FAST",
    ],
)
def test_nothing_is_said_of_what_is_read_or_needs_no_macro(source: str) -> None:
    assert notes(source) == []
