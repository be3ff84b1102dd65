"""Counters see what crosses DRAM while a kernel runs; predictions are compared on those terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import analyze, gpu_used
from roofline_analysis.report.report import Prediction, Verdict
from roofline_core.settings import Settings, VerdictRuleName
from roofline_lsp.cli import validate
from roofline_lsp.cli.main import main
from roofline_profiling.measurement import Measurement
from roofline_profiling.substitution import as_counters_see, measured_class, measured_prediction

Measure = Callable[..., Measurement]
BB, CB = Verdict.BANDWIDTH_BOUND, Verdict.COMPUTE_BOUND
FILL = b"""
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.f;
}
int main() {
  int n = 1 << 16; float *out; cudaMalloc(&out, n * 4);
  fill<<<n / 256, 256>>>(out, n);
}
"""


def predicted(rule: VerdictRuleName) -> Prediction:
    settings = Settings(gpu="A100", rule=rule)
    report = analyze(FILL, Path("/p/main.cu"), settings, reader=lambda path: None)
    (kernel,) = report.kernels
    return kernel.prediction


@pytest.fixture
def counted(measurement: Measure) -> Measurement:
    """What counters show where L2 keeps all of the 262 kB that are written."""
    return measurement(
        kernel="fill(float *, int)",
        sp_flops=0.0,
        int_ops=196608.0,
        dram_read_bytes=2500.0,
        dram_write_bytes=0.0,
    )


def test_counters_see_what_the_study_s_rule_predicts() -> None:
    seen, by_study = as_counters_see(predicted("compulsory")), predicted("study")
    assert predicted("compulsory").verdict is BB
    assert seen.verdict is by_study.verdict is CB
    assert seen.dram_bytes == pytest.approx(by_study.dram_bytes)
    assert as_counters_see(by_study) == by_study


def test_the_measured_class_is_by_the_rule_in_force(counted: Measurement) -> None:
    for rule, verdict in (("compulsory", BB), ("study", CB)):
        gpu = gpu_used(Settings(gpu="A100", rule=rule))  # type: ignore[arg-type]
        prediction = predicted(rule)  # type: ignore[arg-type]
        assert measured_class(counted, prediction, gpu) is verdict
        made = measured_prediction(prediction, counted, gpu)
        assert (made.verdict, made.dram_write_bytes) == (verdict, 0.0)
        # A stated label is the class by any rule, and without counts there is none.
        assert measured_class(replace(counted, label=CB), prediction, gpu) is CB
        assert measured_class(replace(counted, int_ops=None), prediction, gpu) is None


def test_validation_has_no_other_rule(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--validate", "--rule", "compulsory"])
    assert "--rule" in capsys.readouterr().err
    options = validate.parser().parse_args(["--validate", "--gpu", "A100"])
    assert validate._settings(options, ()).rule == "study"
