from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_lsp.api.report import (
    Evidence,
    GpuUsed,
    LedgerLine,
    Prediction,
    UnknownUsed,
    Verdict,
)
from roofline_lsp.study.dataset import MeasuredKernel
from roofline_lsp.study.evaluate import EvaluationError
from roofline_lsp.study.explain import TOP_LINES, explain, matching
from roofline_lsp.study.judge import Judgement

SOURCES = Path("/data/src")
MAIN = SOURCES / "saxpy-cuda" / "main.cu"

EXPECTED = """\
saxpy-cuda:saxpy(int, float *)
  WRONG: measured CB, predicted BB with confidence 0.90
  limited by bandwidth, sp BB, int BB, idle SMs, occupancy 50%
  profiled: grid (4, 1, 1), block (256, 1, 1), arguments 1000
  host: main.cu:42: grid (4, 1, 1), block (256, 1, 1)

                  predicted  measured  ratio  ridge
  SP operations         2 k       2 k      1
  DP operations           0         0
  INT operations        4 k       8 k    0.5
  DRAM bytes          12 kB     10 kB    1.2
  time                 6 us      3 us      2
  SP per byte         0.167       0.2  0.833     33
  DP per byte             0         0         0.515
  INT per byte        0.333       0.8  0.417   16.5
    read               8 kB
    written            4 kB

  unknowns (1)
    n: read from a file; assumed 1024  [main.cu:5]

  ledger, largest first (3 of 3 lines)
    line         SP  INT  read  executions  notes
    main.cu:7   1 k    -  8 kB         1 k  loop: 10 trips; strided by 4096 bytes
    main.cu:9   1 k  4 k     -         500
    /usr/x.h:3    -    -     -           0

  evidence
    main.cu:7: single-precision operations 2 k
"""


def test_prediction_and_measurement_stand_side_by_side(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    gpu: GpuUsed,
) -> None:
    notes = ("loop: 10 trips", "strided by 4096 bytes")
    made = prediction(
        regime="idle SMs",
        occupancy=0.5,
        unknowns=(UnknownUsed("n", "read from a file", 1024.0, MAIN, 5),),
        ledger=(
            LedgerLine(Path("/usr/x.h"), 3),
            LedgerLine(MAIN, 7, sp_flops=1e3, dram_read_bytes=8e3, executions=1e3, notes=notes),
            LedgerLine(MAIN, 9, sp_flops=1e3, int_ops=4e3, executions=500.0),
        ),
        evidence=(Evidence(MAIN, 7, "single-precision operations", 2e3),),
    )
    row = measured(label=Verdict.COMPUTE_BOUND)
    launch = "main.cu:42: grid (4, 1, 1), block (256, 1, 1)"
    assert explain(Judgement(row, made, None, (launch,)), gpu, sources=SOURCES) == EXPECTED


def test_only_the_largest_lines_are_shown(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    gpu: GpuUsed,
) -> None:
    ledger = tuple(LedgerLine(MAIN, line, sp_flops=float(line)) for line in range(1, 101))
    text = explain(Judgement(measured(), prediction(ledger=ledger)), gpu, sources=SOURCES)
    assert f"ledger, largest first ({TOP_LINES} of 100 lines)" in text
    assert "main.cu:100" in text
    assert f"main.cu:{100 - TOP_LINES}" not in text


def test_a_failure_still_shows_what_was_measured(
    measured: Callable[..., MeasuredKernel], gpu: GpuUsed
) -> None:
    lines = explain(Judgement(measured(args=()), None, "no such kernel"), gpu).splitlines()
    assert lines[1] == "  WRONG: measured BB, predicted ?"
    assert lines[2] == "  no such kernel"
    assert lines[3].endswith("arguments none")
    assert "  DRAM bytes              ?     10 kB" in lines


def test_kernels_match_by_a_part_of_program_and_name(
    measured: Callable[..., MeasuredKernel],
) -> None:
    rows = [measured(), measured(program="other-cuda"), measured(kernel="copy(int)")]
    assert matching(rows, "saxpy(") == (rows[0], rows[1])
    assert matching(rows, "saxpy-cuda:saxpy") == (rows[0],)
    assert matching(rows, "") == tuple(rows)
    with pytest.raises(EvaluationError, match="no kernel of the data set has 'nope'"):
        matching(rows, "nope")


def test_many_and_long_launches_are_cut_and_wrapped(
    measured: Callable[..., MeasuredKernel], gpu: GpuUsed
) -> None:
    launches = tuple(f"main.cu:{line}: " + "; ".join(["n = 1000000"] * 12) for line in range(8))
    lines = explain(Judgement(measured(), None, "lost", launches), gpu).splitlines()
    shown = [line for line in lines if line.startswith("  host: ")]
    assert len(shown) == 7
    assert shown[-1] == "  host: and 2 more launches"
    assert max(map(len, lines)) <= 110
    assert sum(line.count("n = 1000000") for line in lines) == 6 * 12
