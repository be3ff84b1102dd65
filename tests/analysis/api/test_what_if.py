"""The class elsewhere is the class that an analysis for there gives; flips hold on both sides."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api.entry import analyze
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.report.report import Crossover, KernelReport, Verdict, WhatIf
from roofline_core.settings import OwnGpu, Settings
from roofline_hardware_db.errors import UnknownGpuError
from roofline_lsp.formats.what_if import flip_text

GPUS = ("A100", "H100", "RTX 4090", "MI300X", "Arc A770")
PATH = Path("/p/main.cu")

POLYNOMIAL = """
__global__ void polynomial(int n, int degree, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i], sum = 0.0f;
    for (int k = 0; k < degree; k++) sum = sum * v + 1.0f;
    y[i] = sum;
  }
}
"""
MAIN = """
#include <cstdlib>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 22, degree = argc > 2 ? atoi(argv[2]) : 8;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
  polynomial<<<(n + 255) / 256, 256>>>(n, degree, x, y);
}
"""
GRID_OF_THE_DEVICE = """
__global__ void fill(int n, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = warpSize;
}
int main() {
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  float *y; cudaMalloc(&y, 40000 * p.multiProcessorCount);
  fill<<<p.multiProcessorCount, 256>>>(10000 * p.multiProcessorCount, y);
}
"""


def kernel(text: str, settings: Settings) -> KernelReport:
    report = analyze(text.encode(), PATH, settings, reader=lambda _: None)
    return report.kernels[0]


def what_if(text: str, settings: Settings) -> WhatIf:
    found = kernel(text, settings).what_if
    assert found is not None
    return found


@pytest.mark.parametrize("text", [POLYNOMIAL, POLYNOMIAL + MAIN, GRID_OF_THE_DEVICE])
def test_the_class_elsewhere_is_that_of_an_analysis_for_there(text: str) -> None:
    found = what_if(text, Settings(gpu="RTX 3080", what_if=GPUS)).classes
    assert [each.label for each in found] == list(GPUS)
    for each in found:
        there = kernel(text, Settings(gpu=each.label)).prediction
        assert (each.verdict, each.confidence) == (there.verdict, there.confidence), each.label


def test_traffic_besides_the_kernel_counts_elsewhere_too() -> None:
    settings = Settings(gpu="RTX 3080", background_gbs=500.0, what_if=("A100", "H100"))
    quiet = what_if(POLYNOMIAL + MAIN, replace(settings, background_gbs=0.0))
    found = what_if(POLYNOMIAL + MAIN, settings)
    for each, alone in zip(found.classes, quiet.classes, strict=True):
        there = kernel(POLYNOMIAL + MAIN, replace(settings, gpu=each.label)).prediction
        assert each.confidence == there.confidence != alone.confidence


def test_examples_are_judged_elsewhere_as_by_analyses_for_there() -> None:
    folder = Path(__file__).parents[3] / "examples"
    for name in ("gemm_tiled.cu", "reduction.cu", "hip/transpose.hip"):
        path = folder / name
        text = path.read_bytes()
        here = analyze(text, path, Settings(what_if=("A100", "MI300X"))).kernels[0]
        assert here.what_if is not None
        for each in here.what_if.classes:
            there = analyze(text, path, Settings(gpu=each.label)).kernels[0].prediction
            assert each.verdict is there.verdict
            assert each.confidence == pytest.approx(there.confidence, abs=1e-12)


def test_nothing_is_computed_that_no_setting_asks_for() -> None:
    for settings in (Settings(), Settings(what_if=())):
        report = kernel(POLYNOMIAL + MAIN, settings)
        assert report.what_if is None
        assert report.launches[0].what_if is None


def test_a_flip_holds_on_both_sides() -> None:
    flip = what_if(POLYNOMIAL + MAIN, Settings(gpu="RTX 3080", what_if=("A100",))).flip
    assert flip is not None
    assert (flip.name, flip.verdict) == ("degree", Verdict.COMPUTE_BOUND)
    step = flip.value // 8
    for degree, verdict in (
        (flip.value - step, Verdict.BANDWIDTH_BOUND),
        (flip.value, Verdict.COMPUTE_BOUND),
        (2 * flip.value, Verdict.COMPUTE_BOUND),
    ):
        args = (str(1 << 22), str(degree))
        assert kernel(POLYNOMIAL + MAIN, Settings(args=args)).prediction.verdict is verdict


def test_a_flip_is_the_same_where_the_command_line_is_given() -> None:
    open_flip = what_if(POLYNOMIAL + MAIN, Settings(what_if=("A100",))).flip
    settings = Settings(what_if=("A100",), args=(str(1 << 22), "8"))
    assert open_flip is not None
    assert what_if(POLYNOMIAL + MAIN, settings).flip == open_flip
    beyond = Settings(what_if=("A100",), args=(str(1 << 22), "500"))
    given = what_if(POLYNOMIAL + MAIN, beyond).flip
    assert given is not None
    assert abs(given.value - open_flip.value) <= open_flip.value / 8


def test_an_argument_that_no_launch_fixes_can_flip() -> None:
    flip = what_if(POLYNOMIAL, Settings(what_if=("A100",))).flip
    assert flip is not None
    assert (flip.name, flip.verdict) == ("degree", Verdict.COMPUTE_BOUND)


@pytest.mark.parametrize(
    "text",
    [
        POLYNOMIAL + MAIN.replace("argc > 2 ? atoi(argv[2]) : 8", "8"),
        POLYNOMIAL + "void go(float *x, float *y) { polynomial<<<64, 256>>>(16384, 8, x, y); }",
    ],
)
def test_there_is_no_flip_where_every_size_is_of_one_class_or_none_is_open(text: str) -> None:
    assert what_if(text, Settings(what_if=("A100",))).flip is None


def test_library_calls_are_judged_elsewhere() -> None:
    text = "#include <thrust/sort.h>\nint main() { thrust::device_vector<int> k(1 << 20);\n"
    text += "thrust::sort(k.begin(), k.end()); }"
    settings = Settings(what_if=("A100", "H100"))
    call = analyze(text.encode(), PATH, settings, reader=lambda _: None).library_calls[0]
    assert call.what_if is not None
    assert call.what_if.classes[0].gpu.startswith("A100")
    assert {each.verdict for each in call.what_if.classes} == {Verdict.BANDWIDTH_BOUND}
    assert call.what_if.flip is None


def test_gpus_of_the_settings_can_be_asked_for() -> None:
    mine = OwnGpu("lab", like="A100", figures=(("memory_bandwidth_gbs", 1.0),))
    found = what_if(GRID_OF_THE_DEVICE, Settings(what_if=("lab",), gpus=(mine,)))
    assert [(each.label, each.gpu) for each in found.classes] == [("lab", "lab")]


def test_a_gpu_that_is_unknown_is_an_error() -> None:
    with pytest.raises(UnknownGpuError, match="Vodoo 5"):
        what_if(POLYNOMIAL, Settings(what_if=("Vodoo 5",)))


def test_the_host_is_not_executed_again_where_it_does_not_ask_for_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = importlib.import_module("roofline_analysis.api.program")

    made: list[object] = []
    real = module.execute_host

    def counted(*args: object) -> object:
        made.append(args)
        return real(*args)

    monkeypatch.setattr(module, "execute_host", counted)
    what_if(POLYNOMIAL + MAIN, Settings(what_if=GPUS))
    assert len(made) == 1
    made.clear()
    what_if(GRID_OF_THE_DEVICE, Settings(what_if=GPUS))
    assert len(made) == 1 + len(GPUS)


def test_an_analysis_for_elsewhere_is_made_once() -> None:
    analysis = ProgramAnalysis.load([PATH], Settings(), reader=lambda _: POLYNOMIAL.encode())
    assert analysis.on("A100") is analysis.on("A100")
    assert analysis.on("A100").types is analysis.types


def test_a_flip_is_worded_shortly() -> None:
    assert flip_text(Crossover("n", 512, Verdict.COMPUTE_BOUND)) == "CB from n >= 512"
