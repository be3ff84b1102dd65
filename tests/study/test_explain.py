from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.report.report import (
    Evidence,
    GpuUsed,
    LedgerLine,
    Prediction,
    UnknownUsed,
    Verdict,
)
from roofline_lsp.cli.side_by_side.kernels import TOP_LINES, explain, matching
from roofline_lsp.formats.explanation.kernel_steps import MOST_REGIONS
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import EvaluationError
from roofline_study.judge import Judgement

SOURCES = Path("/data/src")
MAIN = SOURCES / "saxpy-cuda" / "main.cu"

EXPECTED = """\
saxpy-cuda:saxpy(int, float *)
  WRONG: measured CB, predicted BB with confidence 0.90
  time: DRAM, 12 kB, SP BB, INT BB, idle SMs, occupancy 50%
  profiled: grid (4, 1, 1), block (256, 1, 1), arguments 1000
  kernel at main.cu:5, one of 2 launches at main.cu:42: grid (n / 256, 1, 1), block (256, 1, 1)

                  predicted  measured  ratio
  SP operations         2 k       2 k      1
  DP operations           0         0
  INT operations        4 k       8 k    0.5
  DRAM bytes          12 kB     10 kB    1.2
  time                 6 µs      3 µs      2
    read               8 kB
    written            4 kB

  operations per byte  predicted  measured  ridge  predicted / ridge  measured / ridge
  SP                       0.167       0.2     33            0.00506           0.00607
  DP                           0         0  0.515                  0                 0
  INT                      0.333       0.8   16.5             0.0202            0.0485
  CB if INT operations were 49x as many, or DRAM bytes 49x fewer

  unknowns (1)
    n: read from a file; assumed 1024  [main.cu:5]

  values from the host
     n = 1000  from the command line: argv[1] at main.cu:30
     m = 1024  ASSUMED
     assumed  m: read from a file; taken: 1024

  regions, their own operations over the whole launch
     line  region             runs       each    SP     INT  why
        5  kernel           1.02 k                -  2.05 k  the threads of the launch
        6    if                1 k        98%     -       -  i < n
        7      loop trip#1    16 k  ~16 trips  32 k       -  ?
           ~ estimated: its end depends on data

  accesses, by array
     x  global float, 4 kB: 4 kB read from DRAM; 8 kB read again
       7:  read  4 B at 4*i; 16 k times; 4 sectors a warp; address rests on data; and 6 more like it
     y  global float, 4 kB: 4 kB written, 400 B of it to DRAM before the end
       8:  write  4 B at 4*i; 1 k times; 4 sectors a warp; strides x extents 4 x 256, 1024 x 4

  time that each resource alone would take
     dram    4 µs  ########################  bytes from and to DRAM
     launch  2 µs  ############              starting
     together 6 µs: launch plus the norm of the others with exponent 3, for they overlap
     idle SMs: 4 blocks, 6 on each of 68 SMs, 0.0098 waves; occupancy 50%, limited by warps, with 32
       registers a thread assumed

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
    details: LaunchExplanation,
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
    assert explain(Judgement(row, made, None, details), gpu, sources=SOURCES) == EXPECTED


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


@pytest.mark.parametrize(
    ("verdict", "changes", "said"),
    [
        # Intensities 100, 1 and 50 against ridges 32.97, 0.515 and 16.49.
        (
            Verdict.COMPUTE_BOUND,
            {"sp_flops": 1.2e6, "dp_flops": 1.2e4, "int_ops": 6e5},
            "BB if operations were fewer, SP 3x and DP 1.9x and INT 3x, or DRAM bytes 3x as many",
        ),
        (
            Verdict.COMPUTE_BOUND,
            {"sp_flops": 1.2e6, "dp_flops": 0.0, "int_ops": 0.0},
            "BB if operations were fewer, SP 3x, or DRAM bytes 3x as many",
        ),
        (
            Verdict.BANDWIDTH_BOUND,
            {"sp_flops": 1.2e5, "dp_flops": 0.0, "int_ops": 1.2e5},
            "CB if INT operations were 1.6x as many, or DRAM bytes 1.6x fewer",
        ),
    ],
)
def test_what_would_flip_the_class_is_told(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    gpu: GpuUsed,
    verdict: Verdict,
    changes: dict[str, float],
    said: str,
) -> None:
    lines = explain(Judgement(measured(), prediction(verdict, **changes)), gpu).splitlines()
    assert f"  {said}" in lines


def test_a_kernel_without_operations_has_no_other_class(
    measured: Callable[..., MeasuredKernel], prediction: Callable[..., Prediction], gpu: GpuUsed
) -> None:
    made = prediction(sp_flops=0.0, dp_flops=0.0, int_ops=0.0)
    text = explain(Judgement(measured(), made), gpu)
    assert "CB if" not in text
    assert "BB if" not in text


def test_a_kernel_that_nothing_launches_says_so(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    gpu: GpuUsed,
    details: LaunchExplanation,
) -> None:
    alone = replace(
        details, launch=replace(details.launch, path=None, line=None, launches=0), values=()
    )
    lines = explain(Judgement(measured(), prediction(), None, alone), gpu).splitlines()
    assert lines[4] == f"  kernel at {MAIN}:5; no launch found"
    assert "     the kernel takes no number" in lines


def test_long_tables_are_cut(
    measured: Callable[..., MeasuredKernel],
    prediction: Callable[..., Prediction],
    gpu: GpuUsed,
    details: LaunchExplanation,
) -> None:
    loop = replace(details.regions[2], formula="a + " * 60, estimated=False)
    loops = (replace(loop, line=line) for line in range(100))
    many = replace(details, regions=(*details.regions, *loops))
    text = explain(Judgement(measured(), prediction(), None, many), gpu, sources=SOURCES)
    assert f"     and {103 - MOST_REGIONS} more regions" in text.splitlines()
    assert max(map(len, text.splitlines())) <= 140
