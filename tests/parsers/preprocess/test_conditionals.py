"""``#if`` and its kin."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_core.program.units import Dialect
from roofline_parsers.preprocess import PreprocessedFile
from roofline_parsers.preprocess.conditions import ConditionError, evaluate

Run = Callable[..., PreprocessedFile]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1", 1),
        ("0x1F + 010 + 0b101 + 1'000", 31 + 8 + 5 + 1000),
        ("10uLL", 10),
        ("2 + 3 * 4 - 6 / 4", 13),
        ("(2 + 3) * 4", 20),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("1 << 4 | 1 ^ 3 & 2", 19),
        ("-16 >> 2", -4),
        ("1 << 64", 0),
        ("1 << -1", 0),
        ("~0", -1),
        ("!5", 0),
        ("- -3", 3),
        ("1 < 2 == 1", 1),
        ("3 > 2 > 1", 0),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("0 && 1 / 0", 0),
        ("1 || 1 % 0", 1),
        ("1 ? 2 : 1 / 0", 2),
        ("unknown + 1", 1),
        ("unknown(1, (2)) + 3", 3),
        ("true && !false", 1),
        ("not 0 and 1 or 0", 1),
        ("-1 > 0u", 1),
        ("-1 > 0", 0),
        ("(-1 ? 1u : 0) - 2 > 0", 1),
        ("0xFFFFFFFFFFFFFFFF > 0", 1),
        ("18446744073709551615 == -1", 1),
        ("9223372036854775807 + 1 < 0", 1),
        ("'a'", 97),
        (r"'\n' + '\x41' + '\101' + '\\'", 10 + 65 + 65 + 92),
        ("'ab'", 97 * 256 + 98),
        ("L'a' == u8'a'", 1),
    ],
)
def test_values(expression: str, value: int) -> None:
    assert evaluate(expression.encode()) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "expected a value before end of line"),
        ("1 +", "expected a value before end of line"),
        ("1 2", "unexpected '2'"),
        ("(1", "expected ')' before end of line"),
        ("1 ? 2", "expected ':' before end of line"),
        ("1 / 0", "division by zero"),
        ("1.5", "'1.5' is no integer"),
        ("089", "'089' is no integer"),
        ('"text"', "expected a value before '\"'"),
        ("f(1", "expected ')' before end of line"),
        ("(" * 100 + "1" + ")" * 100, "nests too deeply"),
    ],
)
def test_faults(expression: str, message: str) -> None:
    with pytest.raises(ConditionError, match=re.escape(message)):
        evaluate(expression.encode())


SECTIONS = """\
#if {first}
a
#elif {second}
b
#else
c
#endif
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("1", "1", "\na\n\n\n\n\n\n"),
        ("0", "1", "\n\n\nb\n\n\n\n"),
        ("0", "0", "\n\n\n\n\nc\n\n"),
        ("0", "2 > 1 // yes", "\n\n\nb\n\n\n\n"),
        ("1", "1 / 0", "\na\n\n\n\n\n\n"),
    ],
)
def test_one_branch_stays(run: Run, first: str, second: str, expected: str) -> None:
    result = run(SECTIONS.format(first=first, second=second))
    assert result.text.decode() == expected
    assert result.problems == ()


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("defined N", True),
        ("defined(N)", True),
        ("!defined ( M )", True),
        ("defined N && N == 16", True),
        ("defined(HAS_N)", True),
        ("HAS_N", True),
        ("IS(16)", True),
        ("IS(17)", False),
        ("IS (\\\n16)", True),
        ("MISSING", False),
        ("__has_include(\"there.h\")", True),
        ("__has_include(<there.h>)", False),
        ("__has_include(<sub.h>)", True),
        ("__has_include(HEADER)", True),
        ("__has_include(<vector>) && __has_include(<cuda_fp16.h>)", True),
        ("defined(__has_include) && defined __has_cpp_attribute", True),
        ("__has_cpp_attribute(gnu::fallthrough)", False),
        ("__CUDA_ARCH__ >= 800 && __cplusplus >= 201703L", True),
        ("'\\0' == 0", True),
        ("EMPTY 1", True),
    ],
)  # fmt: skip
def test_conditions(run: Run, condition: str, holds: bool) -> None:
    source = (
        "#define N 16\n#define HAS_N defined(N)\n#define IS(x) (N == (x))\n"
        '#define HEADER "there.h"\n#define EMPTY\n'
        f"#if {condition}\nyes\n#endif\n"
    )
    files = {"/src/there.h": "", "/inc/sub.h": ""}
    result = run(source, files, include_dirs=(Path("/inc"),))
    assert (b"yes" in result.text) is holds
    assert result.problems == ()


def test_ifdef_family(run: Run) -> None:
    source = """\
#define N
#ifdef N // comment
a
#endif
#ifndef N
b
#elifdef M
c
#elifndef M
d
#endif
#ifdef /* comment */ __has_include
e
#endif
"""
    assert run(source).text.split() == [b"a", b"d", b"e"]


def test_nesting_inside_inactive_text(run: Run) -> None:
    source = """\
#if 0
#if 1
a
#else
b
#endif
#define N 1
#include "missing.h"
#error no
don't "stop
#elif 1
c N
#endif
"""
    result = run(source)
    assert result.text.split() == [b"c", b"N"]
    assert result.unresolved_includes == ()
    assert result.problems == ()


@pytest.mark.parametrize(
    ("source", "text", "problems"),
    [
        ("a\n#endif\nb\n", "a\n\nb\n", [(2, "#endif without #if")]),
        ("#else\nb\n", "\nb\n", [(1, "#else without #if")]),
        ("#elif 1\nb\n", "\nb\n", [(1, "#elif without #if")]),
        ("#if 1\na\n", "\na\n", [(1, "#if without #endif")]),
        ("#if 0\n#if 1\na\n", "\n\n\n", [(1, "#if without #endif"), (2, "#if without #endif")]),
        ("#if 1\na\n#else\nb\n#else\nc\n#endif\n", "\na\n\n\n\n\n\n", [(5, "#else after #else")]),
        ("#if\na\n#endif\n", "\n\n\n",
         [(1, "#if taken as false: expected a value before end of line")]),
        ("#ifdef\na\n#endif\n", "\n\n\n", [(1, "#ifdef without a name")]),
        ("#error stop  here\n", "\n", [(1, "#error stop  here")]),
        ("f() {\n#error it's \\\n  off\n}\n", "f() {\n#error it s   off\n\n}\n",
         [(2, "#error it's   off")]),
        ("f(a\n#error no\n) {}\n", "f(a\n\n) {}\n", [(2, "#error no")]),
        ("#define\n#define 1\n", "\n\n",
         [(1, "#define without a name"), (2, "#define without a name")]),
        ("/* a\nb /* c\n", "// a\nb // c\n", [(1, "comment without an end")]),
        ("/* a */ b /* c\n#if 0\nd\n#endif\ne", "/* a */ b // c\n\n\n\ne",
         [(1, "comment without an end")]),
    ],
)  # fmt: skip
def test_faulty_directives(
    run: Run, source: str, text: str, problems: list[tuple[int, str]]
) -> None:
    result = run(source)
    assert result.text.decode() == text
    assert [(problem.line, problem.message) for problem in result.problems] == problems


def test_unknown_directives_become_blank(run: Run) -> None:
    assert run('#\n#ident "x"\n#line 7\n#warning w\n#what ever\na\n').text == b"\n\n\n\n\na\n"


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("#ifdef WITH_CUDA", True),
        ("#if defined(LIB_HAS_GPU) && USE_CUDA", True),
        ("#ifndef CUDA_ENABLED", False),
        ("#ifdef NO_CUDA", False),
        ("#ifdef LIB_WITHOUT_CUDA", False),
        ("#if defined(__CUDA) && LIB_CUDA", True),
        ("#ifdef USE_MPI", False),
        ("#define USE_CUDA 0\n#if USE_CUDA", False),
    ],
)
def test_a_build_of_cuda_code_has_a_gpu(run: Run, condition: str, held: bool) -> None:
    text = run(f"{condition}\nint here;\n#endif\n").text
    assert (b"int here" in text) is held


def test_a_build_of_plain_code_may_have_none(run: Run) -> None:
    text = run("#ifdef WITH_CUDA\nint here;\n#endif\n", dialect=Dialect.OPENMP).text
    assert b"int here" not in text
