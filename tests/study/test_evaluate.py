from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from roofline_analysis.report.report import GpuUsed, Prediction, Verdict
from roofline_core.settings import Settings
from roofline_study.dataset import MeasuredKernel
from roofline_study.evaluate import Evaluation, EvaluationError, by_gpu, evaluate, select
from roofline_study.json_report import as_json
from roofline_study.judge import Inputs, Judgement
from roofline_study.metrics import Confusion
from roofline_study.predictions import PREDICTION_COLUMNS, as_csv
from roofline_study.programs import ProgramAnalyser
from roofline_study.summary import summarize
from roofline_study.text_report import as_text

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
OMP = "__omp_offloading_1_2_main_l3"

Measure = Callable[..., MeasuredKernel]
Predict = Callable[..., Prediction]


@pytest.fixture
def evaluation(measured: Measure, prediction: Predict, gpu: GpuUsed) -> Evaluation:
    """Two kernels judged rightly, one wrongly, one not found."""
    judgements = (
        Judgement(measured(), prediction()),
        Judgement(measured(kernel="fma(int)", label=CB, dram_bytes=0.0), prediction(CB)),
        Judgement(measured(kernel="slow(int)", label=CB), prediction(confidence=0.55)),
        Judgement(measured(kernel="lost, too"), None, "'lost' is not there"),
    )
    return Evaluation(gpu, False, judgements)


def test_rows_are_selected_by_language_and_program(measured: Measure) -> None:
    rows = [measured(), measured(program="saxpy-omp", kernel=OMP), measured(program="b-cuda")]
    assert select(rows) == tuple(rows)
    assert select(rows, language="cuda") == (rows[0], rows[2])
    assert select(rows, language="omp") == (rows[1],)
    assert select(rows, programs=["b-cuda"]) == (rows[2],)
    assert select(rows, language="omp", programs=["b-cuda", "saxpy-omp"]) == (rows[1],)


def test_selections_of_nothing_are_refused(measured: Measure) -> None:
    rows = [measured(), measured(program="b-cuda")]
    with pytest.raises(EvaluationError, match=r"no program 'sakspy-cuda'; did you mean 'saxpy-cu"):
        select(rows, programs=["sakspy-cuda"])
    with pytest.raises(EvaluationError, match=r"of 2 rows none was asked for"):
        select(rows, language="omp")


def test_results_are_in_the_order_of_the_rows_and_progress_is_told(
    measured: Measure, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    rows = [
        measured(program="other-cuda"),
        measured(),
        measured(program="other-cuda", kernel="vector_add(int)"),
    ]
    told: list[tuple[int, int, str]] = []
    judgements = evaluate(
        rows, inputs, jobs=1, analyser=analyser, progress=lambda *each: told.append(each)
    )
    assert [judgement.row for judgement in judgements] == rows
    assert told == [(1, 2, "other-cuda"), (2, 2, "saxpy-cuda")]


def test_sources_must_exist(measured: Measure, inputs: Inputs, analyser: ProgramAnalyser) -> None:
    gone = replace(inputs, sources=inputs.sources / "gone")
    with pytest.raises(EvaluationError, match="gone does not exist"):
        evaluate([measured()], gone, analyser=analyser)


def test_a_summary_counts_kernels_not_found_as_wrong(evaluation: Evaluation) -> None:
    summary = summarize("cuda", evaluation.judgements, evaluation.gpu.ridges)
    assert summary.confusion == Confusion(cb_as_cb=1, cb_as_bb=1, bb_as_bb=1, bb_undecided=1)
    assert summary.resolved == Confusion(cb_as_cb=1, cb_as_bb=1, bb_as_bb=1)
    dram = summary.quantities["dram_bytes"]
    # Measured 10000, 0, 10000 and 10000; predicted 12000 thrice, then nothing.
    assert (dram.compared, dram.missing, dram.spurious, dram.within_2x) == (3, 1, 1, 2 / 3)
    assert dram.median_absolute_percentage_error == pytest.approx(20)
    # Without measured bytes there is no measured intensity.
    assert summary.quantities["sp_ai"].compared == 3
    assert summary.quantities["dp_flops"].both_zero == 3
    bands = summary.reliability.bands
    assert [(band.count, band.accuracy) for band in bands] == [(1, 0.0), (2, 1.0)]


def test_languages_are_summed_up_apart_and_together(
    measured: Measure, prediction: Predict, gpu: GpuUsed
) -> None:
    judgements = (
        Judgement(measured(), prediction()),
        Judgement(measured(kernel=OMP), prediction(CB)),
    )
    parts = Evaluation(gpu, False, judgements).summaries()
    assert [(part.name, part.confusion.total) for part in parts] == [
        ("cuda", 1),
        ("omp", 1),
        ("all", 2),
    ]
    (alone,) = Evaluation(gpu, False, judgements[:1]).summaries()
    assert alone.name == "cuda"


def test_groups_are_summed_up_first(measured: Measure, prediction: Predict, gpu: GpuUsed) -> None:
    judgements = (
        Judgement(measured(group="dev"), prediction()),
        Judgement(measured(kernel=OMP, group="dev"), prediction(CB)),
        Judgement(measured(kernel="other", group="blind"), prediction()),
    )
    parts = Evaluation(gpu, False, judgements).summaries()
    assert [(part.name, part.kernels) for part in parts] == [
        ("dev, cuda", 1), ("dev, omp", 1), ("dev, all", 2), ("blind, cuda", 1),
        ("cuda", 2), ("omp", 1), ("all", 3),
    ]  # fmt: skip


def test_rows_without_class_and_integers_have_the_other_figures(
    measured: Measure, prediction: Predict, gpu: GpuUsed
) -> None:
    row = measured(label=None, int_ops=None, time_ns=None)
    evaluation = Evaluation(gpu, False, (Judgement(row, prediction()),))
    (summary,) = evaluation.summaries()
    assert (summary.kernels, summary.confusion.total) == (1, 0)
    assert {precision.value for precision in summary.precisions} == {"sp", "dp"}
    assert summary.quantities["int_ops"].compared == 0
    assert not summary.reliability.bands
    lines = as_text(evaluation).splitlines()
    assert not any(line.startswith(("  class", "  INT", "  time")) for line in lines)
    assert any(line.startswith("  SP operations") for line in lines)
    assert json.loads(as_json(evaluation))["groups"]["cuda"]["accuracy"] is None


def test_each_gpu_has_its_rows(measured: Measure) -> None:
    rows = [measured(gpu="A10"), measured(gpu="H100"), measured(gpu="A10", kernel="other")]
    first, second = by_gpu(rows, Settings(gpu="RTX 3080"))
    assert (first[0].gpu, first[1]) == ("A10", (rows[0], rows[2]))
    assert (second[0].gpu, second[1]) == ("H100", (rows[1],))
    ((alone, held),) = by_gpu([measured()], Settings(gpu="RTX 3080"))
    assert (alone.gpu, len(held)) == ("RTX 3080", 1)


def test_text_tells_metrics_and_failures(evaluation: Evaluation) -> None:
    text = as_text(evaluation)
    lines = text.splitlines()
    assert lines[0] == (
        "GeForce RTX 3080 10GB at 1440 MHz (base clock): 760.3 GB/s; "
        "ridges SP 32.97, DP 0.515, INT 16.49"
    )
    assert lines[1] == "4 kernels of 1 program; command line, grid and block given"
    assert lines[3] == "cuda: 4 kernels of 1 program"
    assert "  accuracy               0.500                     0.500" in lines
    assert "  balanced accuracy      0.500                     0.500" in lines
    assert "               predicted CB  BB  undecided" in lines
    assert "  measured CB             1   1          0" in lines
    assert "  measured BB             0   1          1" in lines
    assert "not found or not judged, counted wrong: 1 kernel" in lines
    assert "  saxpy-cuda:lost, too: 'lost' is not there" in lines


def test_text_says_so_when_the_launch_is_withheld(evaluation: Evaluation) -> None:
    text = as_text(replace(evaluation, source_only=True))
    assert "source alone: command line, grid and block withheld" in text


def test_json_holds_the_same_figures(evaluation: Evaluation) -> None:
    content = json.loads(as_json(evaluation))
    cuda = content["groups"]["cuda"]
    assert cuda["kernels"] == 4
    assert cuda["accuracy"] == 0.5
    assert cuda["confusion"]["bb_undecided"] == 1
    assert cuda["quantities"]["dram_bytes"]["median_absolute_percentage_error"] == pytest.approx(20)
    assert cuda["resolved"]["kernels"] == 3
    assert cuda["intervals"]["accuracy"] is None  # a single program
    assert cuda["by_program"]["accuracy"] == 0.5
    assert cuda["by_program"]["programs"] == 1
    assert cuda["statuses"]["not found"]["kernels"] == 1
    assert cuda["precisions"]["int"]["confusion"]["bb_undecided"] == 1
    assert cuda["programs"] == [
        {"program": "saxpy-cuda", "kernels": 4, "correct": 2, "accuracy": 0.5}
    ]
    assert content["failures"] == [
        {"program": "saxpy-cuda", "kernel": "lost, too", "reason": "'lost' is not there"}
    ]


def test_csv_has_a_row_for_each_kernel(
    evaluation: Evaluation, measured: Measure, prediction: Predict
) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(evaluation.judgements))))
    assert tuple(rows[0]) == PREDICTION_COLUMNS
    assert rows[0] == {
        "program": "saxpy-cuda",
        "kernel": "saxpy(int, float *)",
        "label": "BB",
        "predicted": "BB",
        "confidence": "0.9000",
        "sp_flops": "2000",
        "dp_flops": "0",
        "int_ops": "4000",
        "dram_bytes": "12000",
        "time_ns": "6000",
        "notes": "",
        "assumed": "nothing assumed",
        "gpu": "",
    }
    lost = rows[3]
    assert lost["kernel"] == "lost, too"
    assert lost["notes"] == "'lost' is not there"
    assert all(lost[name] == "" for name in PREDICTION_COLUMNS[3:10])


def test_csv_notes_tell_what_was_assumed(
    measured: Measure, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    judgements = evaluate([measured()], inputs, jobs=1, analyser=analyser)
    (row,) = csv.DictReader(io.StringIO(as_csv(judgements)))
    assert row["notes"] == "assumed n = 1024 (read from a file)"
