"""Conditionals whose ``#else`` is an ``#error``: every build takes another branch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_core.program.units import Dialect, Severity
from roofline_parsers.preprocess import PreprocessedFile

Run = Callable[..., PreprocessedFile]


def _conditional(*conditions: str) -> str:
    lines = [f"#if {conditions[0]}\nint branch_0;\n"]
    lines += [f"#elif {each}\nint branch_{i};\n" for i, each in enumerate(conditions[1:], 1)]
    return "".join([*lines, "#else\n// none\n#error choose one\n#endif\n"])


@pytest.mark.parametrize(
    ("conditions", "taken"),
    [
        (["LIB_FAST", "LIB_SMALL"], 0),
        (["defined(LIB_ROCM)", "defined(LIB_NVIDIA)"], 1),
        (["defined LIB_A && LIB_B", "LIB_C"], 0),
        (["(LIB_A || LIB_B)"], 0),
        (["LIB_A == 1"], 0),
        (["LIB_LEVEL == 3", "LIB_PLAIN"], 1),
        (["!defined(LIB_A)", "LIB_B"], 0),
        (["defined(_MSC_VER)"], None),
    ],
)
def test_the_branch_that_is_taken(run: Run, conditions: list[str], taken: int | None) -> None:
    text = run(_conditional(*conditions)).text.decode()
    found = [i for i in range(len(conditions)) if f"branch_{i}" in text]
    assert found == ([] if taken is None else [taken])


def test_what_is_taken_as_defined_is_told_and_holds_from_there_on(run: Run) -> None:
    after = "#ifdef LIB_FAST\nint after;\n#endif\n"
    result = run("#ifdef LIB_FAST\nint before;\n#endif\n" + _conditional("LIB_FAST") + after)
    assert b"before" not in result.text
    assert b"after" in result.text
    (note,) = result.problems
    assert note.severity is Severity.NOTE
    assert note.line == 4
    assert "LIB_FAST" in note.message


def test_what_the_program_defines_decides(run: Run) -> None:
    result = run("#define LIB_SMALL 1\n" + _conditional("LIB_FAST", "LIB_SMALL"))
    assert b"branch_1" in result.text
    assert result.problems == ()


@pytest.mark.parametrize(
    "source",
    [
        "#if LIB_A\n#else\nint other;\n#error odd\n#endif\n",
        "#if LIB_A\n#else\nint other;\n#endif\n",
        "#if LIB_A\n#elif LIB_B\n#error never\n#else\nint other;\n#endif\n",
        "#ifndef LIB_A\nint other;\n#else\n#error not with A\n#endif\n",
    ],
)
def test_other_conditionals_stay(run: Run, source: str) -> None:
    assert b"other" in run(source).text


def test_a_conditional_in_a_branch_that_is_left_out_defines_nothing(run: Run) -> None:
    source = "#if 0\n" + _conditional("LIB_A") + "#endif\n#ifdef LIB_A\nint a;\n#endif\n"
    result = run(source)
    assert b"int" not in result.text
    assert result.problems == ()


def test_headers_define_it_for_what_includes_them(run: Run) -> None:
    files = {"/src/config.h": _conditional("LIB_FAST")}
    result = run('#include "config.h"\n#ifdef LIB_FAST\nint after;\n#endif\n', files)
    assert b"after" in result.text


def test_inside_a_body_nothing_is_chosen(run: Run) -> None:
    result = run("void f() {\n" + _conditional("LIB_FAST") + "}\n#ifdef LIB_FAST\nint a;\n#endif\n")
    assert b"branch_0" not in result.text
    assert b"int a" not in result.text
    assert [each.severity for each in result.problems] == [Severity.WARNING]


def test_notes_are_as_few_as_problems(run: Run) -> None:
    source = "".join(_conditional(f"LIB_{number}") for number in range(300))
    assert len(run(source).problems) == 200


NUMBERED = "#if WIDTH == 2\nint two;\n#elif (WIDTH == 4)\nint four;\n#endif\n"


def test_a_number_that_only_a_host_defines_is_that_of_the_first_branch(run: Run) -> None:
    found = run(NUMBERED + "int n = WIDTH;\n", dialect=Dialect.OPENCL)
    assert found.text.split() == b"int two; int n = 2;".split()
    (note,) = found.problems
    assert (note.message, note.line, note.severity) == (
        "nothing defines WIDTH, which hosts may do when they build the kernels: taken as 2",
        1,
        Severity.NOTE,
    )


@pytest.mark.parametrize(
    "source",
    [
        "#define WIDTH 4\n" + NUMBERED,
        "#if WIDTH == 4\nint four;\n#endif\n#define WIDTH 4\n" + NUMBERED,
        NUMBERED.replace("#endif", "#else\nint four;\n#endif"),
    ],
)
def test_numbers_that_are_known_or_have_an_else(run: Run, source: str) -> None:
    found = run(source, dialect=Dialect.OPENCL)
    assert b"four" in found.text
    assert b"two" not in found.text
    assert found.problems == ()


@pytest.mark.parametrize("source", [NUMBERED, NUMBERED.replace("WIDTH == 4", "HEIGHT == 4")])
def test_numbers_of_other_languages_and_of_several_macros(run: Run, source: str) -> None:
    dialect = Dialect.CUDA if source == NUMBERED else Dialect.OPENCL
    assert run(source, dialect=dialect).text.split() == []
