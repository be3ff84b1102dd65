from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import Prediction, Verdict
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Judgement
from roofline_study.predictions import PredictionsError, as_csv, read_predictions

HEADER = "program,kernel,predicted,sp_flops,dp_flops,int_ops,dram_bytes,time_ns\n"


def failure(tmp_path: Path, text: str) -> str:
    path = tmp_path / "pred.csv"
    path.write_text(text)
    with pytest.raises(PredictionsError) as caught:
        read_predictions(path)
    return str(caught.value).removeprefix(str(path))


def test_what_was_written_is_read_again(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    tmp_path: Path,
) -> None:
    path = tmp_path / "pred.csv"
    path.write_text(
        as_csv(
            (
                Judgement(measured(), prediction(time_ns=None)),
                Judgement(measured(kernel='odd, "name"'), None, "lost"),
            )
        )
    )
    found = read_predictions(path)
    assert list(found) == ["saxpy-cuda:saxpy(int, float *)", 'saxpy-cuda:odd, "name"']
    known, lost = found.values()
    assert known.verdict is Verdict.BANDWIDTH_BOUND
    assert known.counts == {
        "sp_flops": 2000,
        "dp_flops": 0,
        "int_ops": 4000,
        "dram_bytes": 12000,
        "time_ns": None,
    }
    assert lost.verdict is None
    assert set(lost.counts.values()) == {None}


def test_tables_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    assert failure(tmp_path, "program,kernel\n") == ":1: the header lacks the column 'predicted'"
    row = "a,b,CB,1,2,many,4,5\n"
    assert failure(tmp_path, HEADER + row) == ":2: could not convert string to float: 'many'"
    assert "'XB'" in failure(tmp_path, HEADER + row.replace("CB", "XB"))
    with pytest.raises(PredictionsError, match="cannot be read: No such file"):
        read_predictions(tmp_path / "gone.csv")
