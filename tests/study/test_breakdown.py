from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import GpuUsed, Prediction, UnknownKind, UnknownUsed, Verdict
from roofline_core.program.precision import Precision
from roofline_study.breakdown import (
    Status,
    by_precision,
    by_program,
    by_status,
    program_weighted,
    status_of,
)
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Judgement
from roofline_study.metrics import Confusion

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND

Measure = Callable[..., MeasuredKernel]
Predict = Callable[..., Prediction]


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ("", Status.RESOLVED),
        ("BRANCH BRANCH", Status.BRANCHES),
        ("BRANCH TRIPS", Status.TRIPS),
        ("TRIPS HOST BRANCH", Status.HOST),
    ],
)
def test_the_gravest_assumption_names_the_status(
    measured: Measure, prediction: Predict, kinds: str, status: Status
) -> None:
    unknowns = tuple(
        UnknownUsed("x", "unknown", 1.0, kind=UnknownKind[kind]) for kind in kinds.split()
    )
    assert status_of(Judgement(measured(), prediction(unknowns=unknowns))) is status


def test_kernels_without_a_class_are_not_found(measured: Measure, prediction: Predict) -> None:
    lost = Judgement(measured(), None, "lost")
    undecided = Judgement(measured(), prediction(verdict=None))
    found = Judgement(measured(), prediction())
    groups = by_status([lost, found, undecided])
    assert groups == {Status.RESOLVED: [found], Status.MISSING: [lost, undecided]}
    assert list(groups) == [Status.RESOLVED, Status.MISSING]


def test_every_program_counts_the_same(measured: Measure, prediction: Predict) -> None:
    one = [Judgement(measured(program="one-cuda"), prediction(BB)) for _ in range(3)]
    one.append(Judgement(measured(program="one-cuda", label=CB), prediction(CB)))
    two = [Judgement(measured(program="two-cuda", label=CB), prediction(BB))]
    programs = by_program([*one, *two])
    assert [(score.program, score.confusion.correct) for score in programs] == [
        ("one-cuda", 4),
        ("two-cuda", 0),
    ]
    weighted = program_weighted(programs)
    assert weighted == Confusion(cb_as_cb=0.25, cb_as_bb=1, bb_as_bb=0.75)
    assert weighted.accuracy == 0.5
    assert weighted.balanced_accuracy == pytest.approx((0.2 + 1) / 2)


def test_precisions_are_judged_by_their_own_ridges(
    measured: Measure, prediction: Predict, gpu: GpuUsed
) -> None:
    # Ridges: SP 32.97, DP 0.515, INT 16.49. Predicted bytes are 12000.
    judgements = [
        Judgement(
            measured(sp_flops=4e5, dp_flops=1e4, int_ops=1e4),  # SP and DP above
            prediction(sp_flops=3e5, dp_flops=1e3, int_ops=3e5),  # INT alone above
        ),
        Judgement(measured(dram_bytes=0.0, sp_flops=1.0, int_ops=0.0), prediction()),
        Judgement(measured(sp_flops=4e6), None, "lost"),
    ]
    found = by_precision(judgements, gpu.ridges)
    assert found == {
        # 40 per byte against 25; something without a byte moved; 400 against nothing said.
        Precision.SP: Confusion(cb_as_bb=2, cb_undecided=1),
        Precision.DP: Confusion(cb_as_bb=1, bb_as_bb=1, bb_undecided=1),
        Precision.INT: Confusion(bb_as_cb=1, bb_as_bb=1, bb_undecided=1),
    }
