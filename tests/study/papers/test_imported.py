"""Answers made elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_study.papers.errors import StudyError
from roofline_study.papers.imported import imported_answers
from roofline_study.papers.scores import RowKind, Subject

from .conftest import BB, CB

A, B = Subject("a-cuda:k(int, float *)", "a", CB), Subject("b-omp:o", "b", BB)


def test_a_file_is_a_row_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "by hand.csv"
    path.write_text(
        'program,kernel,answer\na-cuda,"k(int, float *)",Compute\nb-omp,o,no idea\nc-cuda,k,BB\n'
    )
    (row,), others = imported_answers(path, [A, B])
    assert (row.name, row.kind, row.given) == ("by hand", RowKind.IMPORTED, {A: [CB], B: [None]})
    assert others == 1


def test_several_models_and_trials(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "model,program,kernel,answer,trial\n"
        "m1,b-omp,o,Bandwidth,0\nm2,b-omp,o,Compute,0\nm1,b-omp,o,CB,1\n"
    )
    rows, others = imported_answers(path, [A, B])
    assert {row.name: row.given for row in rows} == {"m1": {B: [BB, CB]}, "m2": {B: [CB]}}
    assert others == 0


def test_lines_to_be_filled_in_are_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "program,kernel,answer,fault\nb-omp,o, ,\nb-omp,o,,refused\nb-omp,o,Bandwidth,truncated\n"
        "b-omp,o,Bandwidth,malformed\n"
    )
    (row,), _ = imported_answers(path, [B])
    assert row.given == {B: [None, None, BB]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"program,kernel\na,b\n", "the header lacks the column 'answer'"),
        (b"", "the header lacks the column 'program'"),
        (b"program,kernel,answer\n\xff,b,c\n", "not valid CSV"),
        (b'program,kernel,answer\n"a"b,b,c\n', "not valid CSV"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(StudyError, match=message):
        imported_answers(path, [A])


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"none\.csv: cannot be read"):
        imported_answers(tmp_path / "none.csv", [A])
