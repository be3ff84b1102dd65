from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COLUMNS = "program,kernel,args,grid,block,sp_flops,dp_flops,int_ops,dram_bytes,time_ns,label"
ROWS = (
    (
        'saxpy-cuda,"saxpy(int, float, const float *, float *)",1000000,"(3907, 1, 1)",'
        '"(256, 1, 1)",2000000,0,6000000,12000000,17000,BB'
    ),
    (
        'saxpy-cuda,"polynomial(int, float *)",1000000,"(100, 1, 1)",'
        '"(256, 1, 1)",209715200,0,1000000,204800,20000,BB'
    ),
    'gone-cuda,gone(int),,"(1, 1, 1)","(32, 1, 1)",0,0,10,64,2000,BB',
    (
        "saxpy-omp,__omp_offloading_1_2_main_l4,,"
        '"(32, 1, 1)","(32, 1, 1)",2000,0,30000,11000,3000,BB'
    ),
)
OPENMP = """\
int main() {
  float x[1000], y[1000];
  float a = 2.0f;
  #pragma omp target teams distribute parallel for map(to: x) map(tofrom: y)
  for (int i = 0; i < 1000; i++) y[i] += a * x[i];
}
"""
DATASET = "\n".join((COLUMNS, *ROWS)) + "\n"


@pytest.fixture
def options(project: Path) -> list[str]:
    (project / "src").rename(project / "saxpy-cuda")
    (project / "saxpy-omp").mkdir()
    (project / "saxpy-omp" / "main.cpp").write_text(OPENMP)
    (project / "data.csv").write_text(DATASET)
    return ["--dataset", "data.csv", "--sources", ".", "--jobs", "1"]


def test_metrics_are_printed(run: Callable[..., Any], options: list[str]) -> None:
    ran = run("evaluate", *options)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert "(base clock)" in lines[0]
    assert lines[1] == "4 kernels of 3 programs; command line, grid and block given"
    assert "  measured BB             1   1          1" in lines  # CUDA
    assert "  measured BB             0   1          0" in lines  # OpenMP
    assert "  measured BB             1   2          1" in lines  # both
    assert "  gone-cuda:gone(int): there is no folder gone-cuda" in lines


def test_one_language_alone(run: Callable[..., Any], options: list[str]) -> None:
    ran = run("evaluate", *options, "--language", "omp", "--explain", "saxpy")
    assert ran.code == 0
    assert "saxpy-omp:__omp_offloading_1_2_main_l4" in ran.out
    assert ran.out.endswith("\n1 of 1 kernel right\n")


def test_json_and_predictions(run: Callable[..., Any], options: list[str], project: Path) -> None:
    ran = run("evaluate", *options, "--format", "json", "--predictions", "out.csv", "--source-only")
    assert ran.code == 0
    content = json.loads(ran.out)
    assert content["source_only"] is True
    assert content["groups"]["cuda"]["confusion"]["bb_as_bb"] == 1
    with (project / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["label"], row["predicted"]) for row in rows] == [
        ("BB", "BB"),
        ("BB", "CB"),
        ("BB", ""),
        ("BB", "BB"),
    ]


def test_explain_shows_matching_kernels(run: Callable[..., Any], options: list[str]) -> None:
    ran = run("evaluate", *options, "--explain", "saxpy-cuda:")
    assert ran.code == 0
    assert "RIGHT: measured BB, predicted BB" in ran.out
    assert "WRONG: measured BB, predicted CB" in ran.out
    assert "at main.cu:8: grid (3907, 1, 1), block (256, 1, 1)\n" in ran.out
    assert "  values from the host\n     n = 1000000  " in ran.out
    assert "  regions, their own operations over the whole launch\n" in ran.out
    ran = run("evaluate", *options, "--explain", "--wrong")
    assert "RIGHT" not in ran.out
    assert ran.out.endswith("\n2 of 4 kernels right\n")
    assert ran.out.count("WRONG") == 2


def test_predictions_are_compared_with_earlier_ones(
    run: Callable[..., Any], options: list[str], project: Path
) -> None:
    run("evaluate", *options, "--predictions", "earlier.csv")
    table = (project / "earlier.csv").read_text()
    (project / "earlier.csv").write_text(table.replace(",BB,BB,", ",BB,CB,", 1))
    ran = run("evaluate", *options, "--compare", "earlier.csv", "--predictions", "earlier.csv")
    assert ran.code == 0
    assert "against earlier predictions: 4 kernels\n" in ran.out
    assert "  right now: 1 kernel\n    CB -> BB  measured BB  saxpy-cuda:saxpy(" in ran.out
    assert (project / "earlier.csv").read_text() == table
    ran = run("evaluate", *options, "--compare", "earlier.csv", "--format", "json")
    assert json.loads(ran.out)["comparison"]["classes"] == []


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--program", "sakspy-cuda"], "no program 'sakspy-cuda'; did you mean 'saxpy-cuda'?"),
        (["--language", "omp", "--program", "gone-cuda"], "no kernel to evaluate"),
        (["--sources", "gone"], "the folder of sources gone does not exist"),
        (["--dataset", "gone.csv"], "gone.csv: cannot be read: No such file or directory"),
        (["--explain", "nope"], "no kernel of the data set has 'nope' in its program:kernel"),
        (["--gpu", "RTX 3081"], 'unknown GPU "RTX 3081"'),
        (["--compare", "gone.csv"], "gone.csv: cannot be read: No such file or directory"),
        (["--jobs", "0"], "'0' is not a whole number of at least 1"),
        (["--jobs", "two"], "'two' is not a whole number of at least 1"),
    ],
)
def test_what_cannot_be_evaluated_is_told(
    run: Callable[..., Any], options: list[str], extra: list[str], message: str
) -> None:
    ran = run("evaluate", *options, *extra)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
