from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from roofline_analysis.report.report import FileReport, Report
from roofline_lsp.formats.style import ColourStyle, wrapped
from roofline_lsp.formats.text import render
from roofline_lsp.ratchet.result import CheckResult

GOLDEN = Path(__file__).parent / "golden" / "report.txt"
"""Renewed by ``python -m pytest tests/formats/update_golden.py``."""
PLAIN = ColourStyle()


def table(result: CheckResult, width: int | None = None) -> list[str]:
    """The lines of the table, its head first."""
    text = render(result, ColourStyle(width=width))
    return next(block.splitlines() for block in text.split("\n\n") if "kernel" in block[:60])


def test_the_report_is_as_it_was(result: CheckResult) -> None:
    assert render(result, PLAIN) == GOLDEN.read_text(encoding="utf-8")


def test_colour_changes_nothing_but_colour(result: CheckResult) -> None:
    coloured = render(result, ColourStyle(colour=True))
    assert "\x1b[33mBB" in coloured
    assert "\x1b[31mundecided" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(result, PLAIN)


def test_without_kernels_there_is_no_table(empty: Report) -> None:
    text = render(CheckResult(empty), PLAIN)
    assert text.splitlines()[-1] == "0 files, 0 kernels: 0 CB, 0 BB, 0 undecided; 0 problems"
    assert "kernel  " not in text


def test_the_slowest_stand_first_and_what_is_not_known_last(result: CheckResult) -> None:
    times = [line.split("  ")[0] or line.strip().split("  ")[0] for line in table(result)[1:]]
    assert [time.strip() for time in times[:3]] == ["4.2 ms", "17.2 µs", "17.2 µs"]
    assert all(line.strip().startswith("?") for line in table(result)[4:])


def test_columns_are_left_out_where_there_is_no_room(result: CheckResult) -> None:
    assert table(result)[0].split()[-1] == "elsewhere"
    assert table(result, 110)[0].split()[-2:] == ["goes", "to"]
    assert table(result, 80)[0].split()[-1] == "place"
    assert table(result, 30)[0].split() == ["time", "class", "kernel"]
    for width in (60, 80, 90, 120, 160):
        assert max(map(len, table(result, width))) <= width


def test_long_words_are_shortened_before_a_column_goes(result: CheckResult) -> None:
    file = result.report.files[0]
    long = replace(file.kernels[0], qualified_name="a_name::" + "long_" * 8 + "kernel")
    long = replace(long, path=Path("one/folder/below/another/of/them/saxpy.cu"))
    changed = replace(
        result, report=replace(result.report, files=(FileReport(file.path, (long,)),))
    )
    whole = (
        "17.2 µs  BB     97%   a_name::long_long_long_long_long_long_long_long_kernel  one/folder"
    )
    assert table(changed)[1].startswith(whole)
    assert table(changed, 84) == [
        "   time  class  sure  kernel              place                 time goes to    DRAM",
        "17.2 µs  BB     97%   a_name::long_lo...  ...f/them/saxpy.cu:3  DRAM, 10.5 MB  12 MB",
    ]
    assert table(changed, 80)[1].endswith("  ...of/them/saxpy.cu:3  DRAM, 10.5 MB")


def test_what_was_asked_of_other_gpus_has_a_line_of_its_own(result: CheckResult) -> None:
    assert table(result)[1].endswith("  3 MB  A100 BB | 4090 CB | MI300X ?")
    assert table(result, 80)[1:3] == [
        " 4.2 ms  CB by intensity  measured  stencil         src/main.cu:2",
        "    on A100 BB | 4090 CB | MI300X ?",
    ]
    assert table(result, 80)[3].endswith("src/saxpy.cu:3")


def test_lines_fit_the_terminal(result: CheckResult) -> None:
    plain, narrow = (render(result, ColourStyle(colour=True, width=w)) for w in (None, 70))
    lines = re.sub(r"\x1b\[\d+m", "", narrow).splitlines()
    assert max(map(len, lines)) <= 70
    words = re.sub(r"\x1b\[\d+m", "", plain).split()
    assert [word for word in words if word.startswith("RL")] == [
        word for word in re.sub(r"\x1b\[\d+m", "", narrow).split() if word.startswith("RL")
    ]


def test_words_are_not_broken() -> None:
    long = "x" * 90
    style = ColourStyle(width=50)
    assert wrapped(f"{long} {long}", style) == [long, f"    {long}"]
    assert wrapped("one\ntwo", style) == ["one", "two"]
    assert wrapped("a b " * 100, PLAIN) == ["a b " * 100]


def test_what_was_assumed_is_told_once(result: CheckResult) -> None:
    lines = [line for line in render(result, PLAIN).splitlines() if line.startswith("assumed: n")]
    assert lines == ["assumed: n = 1048576: read from a file: 2 kernels"]


def test_a_program_that_is_taken_to_have_no_arguments(result: CheckResult) -> None:
    file = result.report.files[0]
    loop = file.kernels[1]
    (bare,) = [replace(each, name="argc", assumed=1.0) for each in loop.prediction.unknowns[:1]]
    changed = replace(loop, prediction=replace(loop.prediction, unknowns=(bare,)))
    report = replace(result.report, files=(FileReport(file.path, (changed,)),))
    text = render(replace(result, report=report), PLAIN)
    assert "assumed: argc = 1, so no arguments: read from a file: 1 kernel\n" in text


def test_different_numbers_for_one_assumption_are_left_out(result: CheckResult) -> None:
    file = result.report.files[0]
    loop = file.kernels[1]
    other = [replace(each, assumed=7.0) for each in loop.prediction.unknowns]
    changed = replace(loop, prediction=replace(loop.prediction, unknowns=tuple(other)))
    files = (FileReport(file.path, (changed,)), *result.report.files[1:])
    text = render(replace(result, report=replace(result.report, files=files)), PLAIN)
    assert "assumed: n: read from a file: 2 kernels" in text
