"""The source page, made by hand; no number in it was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_profiling.errors import ReportError
from roofline_profiling.importing import Format, format_of, read_report, read_reports
from roofline_profiling.measurement import LineHeat
from tests.profiling.conftest import SAXPY

PAGE = """\
"File Path","/build/src/main.cu"
"Function Name","saxpy"
"Line No","Source","Address","Source","Warp Stall Sampling (All Samples)","Instructions Executed"
"4","    int i = blockIdx.x;","-","-","10","1,000"
"","","0x10","S2R R0","4","400"
"","","0x20","IMAD R1","6","600"
"5","    if (i < n) y[i] = ""a"";","-","-","90","2,000"
"","","0x30","LDG","90","2,000"
"6","}","-","-","0","0"
"File Path","/build/src/util.cuh"
"Function Name","polynomial(int, float *)"
"Line No","Source","Address","Source","# Samples","Instructions Executed"
"9","return 2;","-","-","","-"
"","","0x10","MOV","3","30"
"","","0x20","RET","4","40"
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "lines.csv"
    path.write_text(PAGE)
    return path


def test_lines_of_each_function(page: Path) -> None:
    assert format_of(page) is Format.NCU_SOURCE
    saxpy, polynomial = read_report(page).measurements
    assert saxpy.kernel == "saxpy"
    assert saxpy.lines == (
        LineHeat("/build/src/main.cu", 5, 90.0, 2000.0),
        LineHeat("/build/src/main.cu", 4, 10.0, 1000.0),
    )
    assert not saxpy.counted
    # Where a line has no sum of its own, its instructions are added up.
    assert polynomial.lines == (LineHeat("/build/src/util.cuh", 9, 7.0, 70.0),)


def test_lines_are_put_to_the_launches_of_their_kernel(page: Path, full_report: Path) -> None:
    saxpy, polynomial = read_reports([page, full_report]).measurements
    assert saxpy.kernel == SAXPY
    assert saxpy.sp_flops == 3e6
    assert [each.line for each in saxpy.lines] == [5, 4]
    assert polynomial.kernel == "polynomial(int, float *)"
    assert not polynomial.counted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"Address","Source","# Samples"\n"0x10","MOV","3"\n', "--print-source cuda,sass"),
        ('"Line No","Source","# Samples"\n"3","x","0"\n"x","y"\n', "compile with -lineinfo"),
    ],
)
def test_pages_without_lines(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "lines.csv"
    path.write_text(text)
    with pytest.raises(ReportError, match=said):
        read_report(path)
