"""Notes that sum up what was found many times."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.report.notes import left_out, summed_up
from roofline_core.program.units import ExcludedCode, Problem, Severity

PATH = Path("/p/main.cu")


def excluded(macro: str, line: int, kernel: str | None) -> Problem:
    item = ExcludedCode(macro, line, kernel)
    return Problem(Severity.NOTE, "one", PATH, line, excluded=item)


@pytest.mark.parametrize(
    ("kernels", "told"),
    [
        (["a"], "1 kernel needs FAST, which nothing defines: a"),
        (["a", "b"], "2 kernels need FAST, which nothing defines: a, b"),
        (["a", "a"], "1 kernel needs FAST, which nothing defines: a"),
        (["a", "b", "c", "d"], "4 kernels need FAST, which nothing defines: a, b, c ..."),
        ([None], "1 target region needs FAST, which nothing defines"),
        ([None, None], "2 target regions need FAST, which nothing defines"),
    ],
)
def test_a_macro_is_named_once(kernels: list[str | None], told: str) -> None:
    problems = [excluded("FAST", 7 + at, kernel) for at, kernel in enumerate(kernels)]
    assert summed_up([*problems, *problems], notes=True) == (Problem(Severity.NOTE, told, PATH, 7),)
    assert left_out([*problems, *problems]) == tuple(each.excluded for each in problems)


def test_each_macro_and_each_kind_has_a_note_of_its_own() -> None:
    problems = [
        excluded("A", 1, "a"),
        excluded("B", 2, "b"),
        excluded("A", 3, None),
        excluded("A", 4, "c"),
    ]
    assert [
        (each.message.split(",")[0], each.line) for each in summed_up(problems, notes=True)
    ] == [
        ("2 kernels need A", 1),
        ("1 kernel needs B", 2),
        ("1 target region needs A", 3),
    ]


def test_without_notes_there_is_none() -> None:
    warning = Problem(Severity.WARNING, "read in part", PATH)
    note = Problem(Severity.NOTE, "build files", PATH)
    problems = [warning, note, excluded("A", 1, "a")]
    assert summed_up(problems, notes=False) == (warning,)
    assert summed_up(problems, notes=True)[:2] == (warning, note)
