from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.report.report import GpuUsed, Prediction, Verdict
from roofline_study.compare import Comparison, compare
from roofline_study.compare_text import comparison_json, comparison_text
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import Evaluation
from roofline_study.judge import Judgement
from roofline_study.metrics import Confusion
from roofline_study.predictions import Predicted

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND

EXPECTED = """\
against earlier predictions: 3 kernels

                     before    now
  balanced accuracy   0.500  0.750
  accuracy            0.333  0.667

  right now: 1 kernel
    BB -> CB  measured CB  saxpy-cuda:fma(int)

  wrong both times: 1 kernel
    ? -> BB  measured CB  saxpy-cuda:slow(int)

  quantity    kernels  within 10%  now  within 2x  now  nearer  farther
  sp_flops          3           2    3          2    3       1        0
  dp_flops          0           0    0          0    0       0        0
  int_ops           3           0    0          2    3       1        0
  dram_bytes        3           2    0          3    3       0        2
  time_ns           3           0    0          2    3       1        0

  nearer to what was measured, all
              before   now  measured  kernel
    sp_flops       ?   2 k       2 k  saxpy-cuda:slow(int)
    int_ops        ?   4 k       8 k  saxpy-cuda:slow(int)
    time_ns        ?  6 µs      3 µs  saxpy-cuda:slow(int)

  farther from it, all
                before    now  measured  kernel
    dram_bytes   10 kB  12 kB     10 kB  saxpy-cuda:saxpy(int, float *)
    dram_bytes   10 kB  12 kB     10 kB  saxpy-cuda:fma(int)
"""


def earlier(verdict: Verdict | None, **changes: float | None) -> Predicted:
    counts: dict[str, float | None] = {
        "sp_flops": 2000.0, "dp_flops": 0.0, "int_ops": 4000.0, "dram_bytes": 12000.0,
        "time_ns": 6000.0,
    }  # fmt: skip
    return Predicted(verdict, {**counts, **changes})


@pytest.fixture
def comparison(
    measured: Callable[..., MeasuredKernel], prediction: Callable[..., Prediction], gpu: GpuUsed
) -> Comparison:
    judgements = (
        Judgement(measured(), prediction()),
        Judgement(measured(kernel="fma(int)", label=CB), prediction(CB)),
        Judgement(measured(kernel="slow(int)", label=CB), prediction()),
        Judgement(measured(kernel="new(int)"), prediction()),
    )
    nothing: dict[str, Any] = dict.fromkeys(
        ("sp_flops", "dp_flops", "int_ops", "dram_bytes", "time_ns")
    )
    before = {
        "saxpy-cuda:saxpy(int, float *)": earlier(BB, dram_bytes=10000.0),
        "saxpy-cuda:fma(int)": earlier(BB, dram_bytes=10000.0),
        "saxpy-cuda:slow(int)": Predicted(None, {**nothing, "dram_bytes": 12000.0}),
        "saxpy-cuda:gone(int)": earlier(CB),
    }
    return compare(Evaluation(gpu, False, judgements), before)


def test_kernels_that_both_have_are_compared(comparison: Comparison) -> None:
    assert comparison.compared == 3
    assert comparison.before == Confusion(cb_as_bb=1, cb_undecided=1, bb_as_bb=1)
    assert comparison.now == Confusion(cb_as_cb=1, cb_as_bb=1, bb_as_bb=1)
    assert [(change.row.kernel, change.better) for change in comparison.classes] == [
        ("fma(int)", True),
        ("slow(int)", None),
    ]
    dram = comparison.quantities["dram_bytes"]
    assert (dram.within_10_percent, dram.within_2x) == ((2, 0), (3, 3))
    assert (dram.better, dram.worse) == (0, 2)


def test_the_text_lists_classes_then_counts(comparison: Comparison) -> None:
    text = comparison_text(comparison)
    assert text == EXPECTED


def test_json_has_every_change(comparison: Comparison) -> None:
    content: Any = comparison_json(comparison)
    assert content["classes"][0] == {
        "program": "saxpy-cuda",
        "kernel": "fma(int)",
        "label": "CB",
        "before": "BB",
        "now": "CB",
    }
    assert len(content["counts"]) == 5
    assert content["quantities"]["sp_flops"]["within_10_percent"] == (2, 3)


def test_the_same_predictions_change_nothing(
    measured: Callable[..., MeasuredKernel], prediction: Callable[..., Prediction], gpu: GpuUsed
) -> None:
    evaluation = Evaluation(gpu, False, (Judgement(measured(), prediction()),))
    found = compare(evaluation, {"saxpy-cuda:saxpy(int, float *)": earlier(BB)})
    assert (found.classes, found.counts) == ((), ())
    assert all(change.better == change.worse == 0 for change in found.quantities.values())
