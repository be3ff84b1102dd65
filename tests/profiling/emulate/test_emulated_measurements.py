"""Emulated launches in the store, beside predictions, and in validations."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import analyze, gpu_used
from roofline_analysis.report.report import (
    FileReport,
    GpuUsed,
    KernelReport,
    PredictionSource,
    Verdict,
)
from roofline_analysis.report.verdict_words import sure_words
from roofline_core.settings import Settings, resolve
from roofline_lsp.cli.main import main
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.features.code_lens import lens_title
from roofline_lsp.server.text.measured_text import measured_text
from roofline_profiling.import_store import keep
from roofline_profiling.measurement import LineHeat, Measurement
from roofline_profiling.overlay import MeasurementIndex
from roofline_profiling.records import as_line, of_line
from roofline_profiling.store import load
from roofline_profiling.store_path import store_path
from roofline_profiling.substitution import measured_class, measured_prediction
from tests.profiling.conftest import Measure

ARGS = ("1000000",)


@pytest.fixture
def emulated(measurement: Measure) -> Measurement:
    return measurement(
        time_ns=None,
        emulated=True,
        kept_bytes=4e6,
        dram_write_bytes=0.0,
        occupancy=1.0,
        memory={"global_requests": 93750.0, "global_sectors": 375000.0},
        lines=(LineHeat("src/main.cu", 5, 0.0, 300.0), LineHeat("src/main.cu", 4, 0.0, 100.0)),
        origin="emulated, launch 1",
    )


def shown(project: Path) -> tuple[KernelReport, GpuUsed]:
    """The report of ``saxpy`` with measurements."""
    path = project / "src" / "main.cu"
    settings = resolve(project)
    gpu = gpu_used(settings)
    report: FileReport = analyze(path.read_bytes(), path, settings)
    report = MeasurementIndex().beside(report, gpu, ARGS)
    return next(each for each in report.kernels if each.base_name == "saxpy"), gpu


def test_a_record_is_read_as_it_was_written(emulated: Measurement, project: Path) -> None:
    keep([emulated], project, Settings(args=ARGS))
    (record,) = load(store_path(project)).records
    assert record.measurement == replace(emulated, gpu=record.gpu)
    assert of_line(as_line(record)) == record
    assert json.loads(as_line(record))["emulated"] is True


def test_a_gpu_and_an_emulation_do_not_replace_one_another(
    emulated: Measurement, measurement: Measure, project: Path
) -> None:
    keep([measurement(), emulated], project, Settings(args=ARGS))
    keep([emulated], project, Settings(args=ARGS))
    assert [r.measurement.emulated for r in load(store_path(project)).records] == [False, True]
    kernel, _ = shown(project)
    assert kernel.measured is not None
    assert not kernel.measured.emulated
    assert kernel.prediction.source is PredictionSource.MEASURED


def test_the_editor_says_emulated(emulated: Measurement, project: Path) -> None:
    keep([emulated], project, Settings(args=ARGS))
    kernel, gpu = shown(project)
    assert kernel.measured is not None
    assert kernel.prediction.source is PredictionSource.EMULATED
    assert sure_words(kernel.prediction) == "emulated"
    assert lens_title(kernel, gpu).startswith("Bandwidth-bound, emulated | ")
    text = measured_text(kernel.measured, MarkupStyle(markdown=True))
    assert "Emulated" in text
    assert "Measured" not in text
    assert "Time" not in text
    assert kernel.measured.heat == {("main.cu", 5): 0.75, ("main.cu", 4): 0.25}


def test_the_time_stays_predicted(emulated: Measurement, project: Path) -> None:
    path = project / "src" / "main.cu"
    settings = resolve(project)
    gpu = gpu_used(settings)
    kernel = analyze(path.read_bytes(), path, settings).kernels[0]
    made = measured_prediction(kernel.prediction, emulated, gpu)
    assert made.time_ns == kernel.prediction.time_ns
    assert made.sp_flops == 3e6
    # What L2 still holds is written in the end: the default rule counts it.
    assert (made.dram_write_bytes, made.kept_bytes) == (4e6, 4e6)
    study = replace(gpu, rule="study")
    assert measured_prediction(kernel.prediction, emulated, study).dram_write_bytes == 0


def test_what_l2_keeps_counts_for_the_class(emulated: Measurement, project: Path) -> None:
    settings = resolve(project)
    gpu = gpu_used(settings)
    path = project / "src" / "main.cu"
    predicted = analyze(path.read_bytes(), path, settings).kernels[0].prediction
    ridge = next(value for precision, value in gpu.ridges.items() if precision.value == "int")
    near = replace(emulated, int_ops=1.2 * ridge * 8e6)
    assert measured_class(near, predicted, gpu) is Verdict.BANDWIDTH_BOUND
    assert measured_class(replace(near, kept_bytes=0.0), predicted, gpu) is Verdict.COMPUTE_BOUND


def test_validation(
    emulated: Measurement, measurement: Measure, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep([emulated], project, Settings(args=ARGS))
    assert main(["--validate", "--sources", str(project), "--no-progress"]) == 0
    out = capsys.readouterr().out
    assert "predicted / emulated" in out
    assert "1 kernel of 1 program" in out  # it counts in the figures, though it has no time
    argv = ["--validate", "--sources", str(project), "--no-progress", "--format", "json"]
    assert main(argv) == 0
    (found,) = json.loads(capsys.readouterr().out)["launches"]
    assert found["emulated"] is True
    assert found["quantities"]["time_ns"]["measured"] is None
    keep([measurement(grid=(7, 1, 1))], project, Settings(args=ARGS))
    assert main(["--validate", "--sources", str(project), "--no-progress"]) == 0
    out = capsys.readouterr().out
    assert "predicted / measured" in out
    assert "      emulated" in out


def test_the_batch_says_emulated(
    emulated: Measurement, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep([emulated], project, Settings(args=ARGS))
    assert (
        main(["--format", "full", "--check", str(project), "--args", "1000000", "--no-progress"])
        == 0
    )
    out = capsys.readouterr().out
    (line,) = [each for each in out.splitlines() if each.startswith("  emulated ")]
    assert "DRAM 8 MB; predicted BB" in line
    assert main(["--check", str(project), "--args", "1000000", "--format", "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
    (kernel,) = [each for each in kernels if each["base_name"] == "saxpy"]
    assert kernel["prediction"]["source"] == "emulated"
    assert kernel["measured"]["emulated"] is True


def test_options_that_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", "--blocks", "5", "--", "./app"]) == 2
    assert "--blocks needs --emulate" in capsys.readouterr().err
    assert main(["--profile", "--emulate", "--ncu", "x", "--", "./app"]) == 2
    assert "--ncu is not for --emulate" in capsys.readouterr().err
    assert main(["--profile", "--emulate"]) == 2
    assert "name the program" in capsys.readouterr().err
