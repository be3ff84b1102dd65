"""Measurements beside predictions: whose they are, and when they go before."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import analyze, gpu_used
from roofline_analysis.report.report import KernelReport, Limiter, PredictionSource, Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import resolve
from roofline_lsp.cli.main import main
from roofline_profiling.errors import StoreError
from roofline_profiling.import_store import keep
from roofline_profiling.measurement import LineHeat, Measurement
from roofline_profiling.overlay import MeasurementIndex
from roofline_profiling.store_path import store_path
from tests.profiling.conftest import SOURCE

Measure = Callable[..., Measurement]
CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


def kernels(project: Path, **changes: object) -> dict[str, KernelReport]:
    """The kernels of the project's file with what was measured of them."""
    path = project / "src" / "main.cu"
    settings = replace(resolve(path.parent), **changes)  # type: ignore[arg-type]
    report = analyze(path.read_bytes(), path, settings)
    beside = MeasurementIndex().beside(report, gpu_used(settings), settings.args)
    return {kernel.base_name: kernel for kernel in beside.kernels}


def test_what_was_measured_goes_before(measurement: Measure, project: Path) -> None:
    (plain,) = [k for n, k in kernels(project).items() if n == "saxpy"]
    assert plain.measured is None
    launch = measurement(dp_flops=9e6, stalls={"wait": 2.0}, occupancy=0.5)
    keep([launch], project, resolve(project))
    saxpy = kernels(project)["saxpy"]
    measured = saxpy.measured
    assert measured is not None
    assert measured.applies
    assert not measured.stale
    assert (measured.verdict, measured.dp_flops, measured.time_ns) == (CB, 9e6, 17310)
    assert measured.predicted == plain.prediction
    assert measured.disagreement is not None
    assert measured.disagreement.startswith("measured CB where BB is predicted: DP intensity 0")
    prediction = saxpy.prediction
    assert prediction.source is PredictionSource.MEASURED
    assert (prediction.verdict, prediction.confidence) == (CB, 1.0)
    assert prediction.limiting is Limiter.DP
    assert (prediction.sp_flops, prediction.dp_flops) == (3e6, 9e6)
    assert (prediction.dram_read_bytes, prediction.dram_write_bytes) == (8e6, 4e6)
    assert prediction.time_ns == 17310
    assert prediction.occupancy == 0.5
    assert prediction.precision_verdicts[Precision.DP] is CB
    assert prediction.precision_verdicts[Precision.SP] is BB
    assert prediction.hp_flops == plain.prediction.hp_flops  # was not measured
    assert saxpy.launches[0].prediction == prediction
    assert kernels(project)["polynomial"].measured is None


def test_the_sum_of_bytes_is_shared_as_predicted(measurement: Measure, project: Path) -> None:
    keep(
        [measurement(dram_read_bytes=None, dram_write_bytes=None, dram_bytes=30e6)],
        project,
        resolve(project),
    )
    saxpy = kernels(project)["saxpy"]
    assert saxpy.measured is not None
    before = saxpy.measured.predicted
    read, moved = saxpy.prediction.dram_read_bytes, saxpy.prediction.dram_bytes
    assert moved == pytest.approx(30e6)
    assert before.dram_read_bytes is not None
    assert before.dram_bytes is not None
    assert read == pytest.approx(30e6 * before.dram_read_bytes / before.dram_bytes)


def test_a_measurement_of_the_time_alone(measurement: Measure, project: Path) -> None:
    time = Measurement(measurement().kernel, gpu="RTX 3080", time_ns=5000.0, args=("1000000",))
    keep([time], project, resolve(project))
    saxpy = kernels(project)["saxpy"]
    assert saxpy.measured is not None
    assert saxpy.measured.verdict is None
    assert saxpy.prediction.time_ns == 5000
    assert saxpy.prediction.verdict is BB
    assert saxpy.prediction.confidence < 1


@pytest.mark.parametrize(
    ("changes", "applies"),
    [
        ({}, True),
        ({"grid": (5, 1, 1)}, False),
        ({"block": (128, 1, 1)}, False),
        ({"grid": None, "block": None}, True),
        ({"args": ("7",)}, False),
        ({"args": ()}, False),
    ],
)
def test_another_launch_stands_beside(
    measurement: Measure, project: Path, changes: dict[str, object], applies: bool
) -> None:
    keep([measurement(**changes)], project, resolve(project))
    saxpy = kernels(project)["saxpy"]
    assert saxpy.measured is not None
    assert saxpy.measured.applies is applies
    assert (saxpy.prediction.source is PredictionSource.MEASURED) is applies
    if not applies:
        assert saxpy.measured.disagreement is None


def test_another_gpu_is_not_shown(measurement: Measure, project: Path) -> None:
    keep([measurement(gpu="NVIDIA A100-SXM4-40GB")], project, resolve(project))
    assert kernels(project)["saxpy"].measured is None
    found = kernels(project, gpu="A100 SXM4 40GB")["saxpy"].measured
    assert found is not None
    assert found.applies


def test_a_changed_body_is_stale(measurement: Measure, project: Path) -> None:
    heat = (LineHeat("/elsewhere/main.cu", 5, 10.0, 1.0),)
    keep([measurement(lines=heat)], project, resolve(project))
    found = kernels(project)["saxpy"].measured
    assert found is not None
    assert found.heat == {("main.cu", 5): 1.0}
    (project / "src" / "main.cu").write_text(SOURCE.replace("2.0f * v", "3.0f * v"))
    saxpy = kernels(project)["saxpy"]
    assert saxpy.measured is not None
    assert saxpy.measured.stale
    assert not saxpy.measured.applies
    assert saxpy.measured.heat == {}
    assert saxpy.prediction.source is PredictionSource.STATIC
    keep([measurement(time_ns=9.0)], project, resolve(project))
    again = kernels(project)["saxpy"]
    assert again.measured is not None
    assert again.measured.applies
    assert again.prediction.time_ns == 9.0


def test_of_two_measurements_the_latest_holds(measurement: Measure, project: Path) -> None:
    for time in (5.0, 6.0):
        keep([measurement(time_ns=time, origin=f"{time}")], project, resolve(project))
    assert kernels(project)["saxpy"].prediction.time_ns == 6.0


def test_overloads_and_namespaces_are_told_apart(measurement: Measure, project: Path) -> None:
    keep([measurement(kernel="saxpy(int)")], project, resolve(project))
    assert kernels(project)["saxpy"].measured is None
    keep([measurement(kernel="saxpy")], project, resolve(project))
    assert kernels(project)["saxpy"].measured is not None


def test_template_arguments_are_told_apart(measurement: Measure, project: Path) -> None:
    source = """\
template <typename T> __global__ void scale(int n, T *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * T(2);
}
int main() {
    float *a; double *b;
    cudaMalloc(&a, 4096000); cudaMalloc(&b, 8192000);
    scale<float><<<4000, 256>>>(1024000, a);
    scale<double><<<4000, 256>>>(1024000, b);
}
"""
    (project / "src" / "main.cu").write_text(source)
    launch = measurement(
        kernel="void scale<double>(int, T1 *)", grid=(4000, 1, 1), args=None, time_ns=77.0
    )
    keep([launch], project, resolve(project))
    scale = kernels(project)["scale"]
    assert [each.prediction.source for each in scale.launches] == [
        PredictionSource.STATIC,
        PredictionSource.MEASURED,
    ]
    assert scale.launches[1].prediction.time_ns == 77.0
    assert scale.prediction.source is PredictionSource.STATIC


def test_a_store_that_cannot_be_read(project: Path) -> None:
    path = store_path(project)
    path.parent.mkdir()
    path.write_text("notes\n")
    with pytest.raises(StoreError, match="not a file of measurements"):
        kernels(project)


# ---- The batch check


def test_the_check_shows_it(
    measurement: Measure, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep([measurement(dp_flops=9e6)], project, resolve(project))
    main_file = project / "src" / "main.cu"
    assert main(["--format", "full", "--check", str(main_file), "--fail-on", "cb"]) == 1
    text = capsys.readouterr().out
    assert "  saxpy  CB  measured\n" in text
    assert "  measured   CB, DRAM 12 MB, time 17.3 µs; predicted BB, time " in text
    assert "(made.csv, ID 0, 20" in text
    assert "measured CB where BB is predicted" in text
    assert main(["--check", str(main_file), "--format", "json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    saxpy, polynomial = file["kernels"]
    assert saxpy["prediction"]["source"] == "measured"
    assert saxpy["prediction"]["class"] == "CB"
    assert saxpy["measured"]["predicted_class"] == "BB"
    assert saxpy["measured"]["applies"] is True
    assert saxpy["measured"]["args"] == ["1000000"]
    assert polynomial["measured"] is None
    main_file.write_text(SOURCE.replace("a * x[i]", "a - x[i]"))
    main(["--format", "full", "--check", str(main_file)])
    assert "time 17.3 µs; before the code changed  (made.csv" in capsys.readouterr().out
    store_path(project).write_text("notes\n")
    assert main(["--format", "full", "--check", str(main_file)]) == 0
    assert "not a file of measurements; move it away" in capsys.readouterr().out


def test_the_json_with_measurements_conforms_to_the_schema(
    measurement: Measure, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    keep([measurement()], project, resolve(project))
    main(["--check", str(project / "src" / "main.cu"), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema).validate(report)


def test_lines_alone_replace_no_prediction(measurement: Measure, project: Path) -> None:
    lines = Measurement("saxpy", lines=(LineHeat("main.cu", 5, 3.0, 1.0),))
    keep([lines], project, resolve(project))
    alone = kernels(project)["saxpy"]
    assert alone.measured is not None
    assert not alone.measured.applies
    assert alone.prediction.source is PredictionSource.STATIC
    keep([measurement()], project, resolve(project))
    both = kernels(project)["saxpy"]
    assert both.measured is not None
    assert both.measured.applies
    assert both.measured.heat == {("main.cu", 5): 1.0}


def test_a_launch_with_a_lambda_finds_its_measurement(measurement: Measure, project: Path) -> None:
    (project / "src" / "main.cu").write_text(
        """template <class F> __global__ void each(int n, F f)
        { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
        int main() { float *a; cudaMalloc(&a, 4 << 20);
        each<<<4096, 256>>>(1 << 20, [=] __device__ (int i) { a[i] = 1.f; }); }"""
    )
    name = "void each<main::[lambda(int) (instance 1)]>(int, T1)"
    launch = measurement(kernel=name, grid=(4096, 1, 1), block=(256, 1, 1))
    keep([launch], project, resolve(project))
    measured = kernels(project)["each"].measured
    assert measured is not None
    assert measured.applies
