"""What a heuristic is worth, by figures computed by hand."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest

from roofline_analysis.report.report import Verdict
from roofline_study.dataset import MeasuredKernel
from roofline_study.predictions import Predicted
from roofline_study.quantities import COUNTS

figures: Any = importlib.import_module("ablations.figures")
report: Any = importlib.import_module("ablations.report")
running: Any = importlib.import_module("ablations.running")
scoring: Any = importlib.import_module("ablations.scoring")
table: Any = importlib.import_module("ablations.table")

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


def measured(program: str, label: Verdict, kernel: str = "k") -> MeasuredKernel:
    """A kernel that does 100 operations, half of them double, and moves 100 bytes in 100 ns."""
    return MeasuredKernel(program, kernel, None, None, None, 50, 50, 0, 100, 100, label, 2)


def predicted(verdict: Verdict | None, off: float = 1.0) -> Predicted:
    """A prediction all of whose counts are so many times what was measured."""
    truth = {"sp_flops": 50, "dp_flops": 50, "int_ops": 0, "dram_bytes": 100, "time_ns": 100}
    return Predicted(verdict, {name: truth[name] * off for name in COUNTS})


def pairs(
    count: int, label: Verdict, with_it: Predicted, without: Predicted, first: int = 0
) -> list[Any]:
    """A kernel in each of some programs, which are numbered from ``first`` on."""
    return [
        figures.Pair(measured(f"{label.value}{at}-cuda", label), with_it, without)
        for at in range(first, first + count)
    ]


def test_better_worse_and_neither_are_counted() -> None:
    held = [
        *pairs(3, CB, predicted(CB), predicted(BB)),
        *pairs(2, BB, predicted(CB), predicted(BB)),
        *pairs(1, BB, predicted(CB), predicted(None)),
        *pairs(4, BB, predicted(BB), predicted(BB)),
    ]
    assert figures.verdicts(held) == figures.Verdicts(3, 2, 1)


def test_balanced_accuracy_with_it_less_without() -> None:
    held = [
        *pairs(4, CB, predicted(CB), predicted(CB)),
        *pairs(4, CB, predicted(CB), predicted(BB), first=4),
        *pairs(8, BB, predicted(BB), predicted(BB)),
    ]
    worth = figures.balanced_worth(held)
    assert worth.value == pytest.approx(0.25)
    assert worth.clear
    assert 0 < worth.interval.low < 0.25 < worth.interval.high


def test_what_one_program_shows_is_not_clear() -> None:
    held = [
        *pairs(1, CB, predicted(CB), predicted(BB)),
        *pairs(8, BB, predicted(BB), predicted(BB)),
    ]
    held += [
        pair for pair in pairs(8, CB, predicted(CB), predicted(CB)) if "CB0" not in pair.program
    ]
    worth = figures.balanced_worth(held)
    assert worth.value == pytest.approx(1 / 16)
    assert not worth.clear


def test_shares_are_of_kernels_that_have_the_quantity() -> None:
    held = [
        *pairs(3, BB, predicted(BB, 1.05), predicted(BB, 1.2)),
        *pairs(1, CB, predicted(CB, 1.5), predicted(CB, 0.95)),
    ]
    quantity, near = figures.SHARES["sp_within_10_percent"]
    assert figures.share_worth(held, quantity, near).value == pytest.approx(3 / 4 - 1 / 4)


def test_errors_of_counts_stop_at_a_factor_of_ten() -> None:
    held = [
        *pairs(1, BB, predicted(BB), predicted(BB, 1e9)),
        *pairs(1, CB, predicted(CB, 2.0), predicted(CB, 0.0)),
    ]
    expected = (math.log(10) + math.log(10) - math.log(2)) / 2
    assert figures.count_worth(held).value == pytest.approx(expected)


def test_versions_of_a_program_stay_together() -> None:
    row = measured("p-omp", BB, "__omp_offloading_1_2_main_l3")
    pair = figures.Pair(row, predicted(BB), predicted(BB))
    assert pair.program == pairs(1, BB, predicted(BB), predicted(BB))[0].program.replace("BB0", "p")


def test_others_decide_and_the_fold_is_scored() -> None:
    """A heuristic that is right for one program alone is dropped where that program is scored."""
    alone = pairs(1, CB, predicted(CB), predicted(BB))
    others = [
        *pairs(8, CB, predicted(CB), predicted(CB), first=1),
        *pairs(9, BB, predicted(BB), predicted(BB)),
    ]
    found = scoring.cross_validated([*alone, *others])
    assert found.kept == 9
    assert found.gain == 0.0
    assert figures.balanced_worth([*alone, *others]).value == pytest.approx(1 / 18)


def test_one_that_is_right_everywhere_is_kept_everywhere() -> None:
    held = [
        *pairs(20, CB, predicted(CB), predicted(BB)),
        *pairs(20, BB, predicted(BB), predicted(BB)),
    ]
    found = scoring.cross_validated(held)
    assert (found.kept, found.gain) == (10, 0.5)


@pytest.mark.parametrize(("without", "kept"), [(3.0, True), (1.5, False), (2.0, False)])
def test_counts_decide_where_classes_do_not(without: float, kept: bool) -> None:
    held = [
        *pairs(2, CB, predicted(CB, 2.0), predicted(CB, without)),
        *pairs(2, BB, predicted(BB, 2.0), predicted(BB, without)),
    ]
    assert scoring.is_kept(held) is kept


def outcome(row: MeasuredKernel, prediction: Predicted, cpu_s: float, calls: int = 0) -> Any:
    made = {"gathers.all_local": importlib.import_module("ablations.replacing").Calls(calls)}
    return running.ProgramOutcome(row.program, {row.name: prediction}, cpu_s, made)


def test_a_row_reuses_what_was_not_predicted_anew() -> None:
    rows = [measured("a-cuda", CB), measured("b-cuda", BB)]
    base = {row.program: outcome(row, predicted(row.label), 2.0) for row in rows}
    (switch,) = table.chosen(["gathers.all_local"])
    parts = {
        "baseline": base,
        switch.name: {"a-cuda": outcome(rows[0], predicted(BB, 4.0), 5.0, calls=3)},
    }
    row = scoring.row_of(switch, parts, rows)
    assert (row.calls, row.programs, row.failed, row.cpu_s) == (3, 1, (), 3.0)
    assert row.verdicts == figures.Verdicts(1, 0, 0)
    assert row.balanced_accuracy["cuda"].value == 0.5
    assert row.shares["bytes_within_2x"].value == 0.5
    assert row.time_error == 150.0  # the median of 0% and 300% without, 0% with it
    text = report.as_text([row], table.UNSWITCHED, base, rows)
    assert "2 kernels of 2 programs" in text
    assert "balanced accuracy CUDA 1.000" in text
    assert "+50.00" in text
    cells = report.as_markdown([row], (), base, rows).splitlines()[-2].split(" | ")
    assert cells[0] == "| gathers.all_local"
    assert cells[3:5] == ["3", "1"]


def test_one_that_was_never_called_is_said_to_be_so() -> None:
    rows = [measured("a-cuda", CB), measured("b-cuda", BB)]
    base = {row.program: outcome(row, predicted(row.label), 2.0) for row in rows}
    (switch,) = table.chosen(["gathers.all_local"])
    row = scoring.row_of(switch, {"baseline": base, switch.name: {}}, rows)
    assert "never" in report.as_text([row], (), base, rows)
    assert row.cross_validated == scoring.CrossValidated(0, 0.0)


def test_without_a_class_there_is_no_balanced_accuracy() -> None:
    held = pairs(3, BB, predicted(BB), predicted(CB))
    assert figures.balanced_worth(held) == figures.Worth(None, None)
    assert scoring.cross_validated(held).gain is None
