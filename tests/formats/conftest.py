"""A report made by hand, with everything known in one kernel and nothing in another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.report.report import (
    ArgumentUsed,
    ClassOn,
    Crossover,
    Edit,
    Effect,
    Evidence,
    FileReport,
    Finding,
    Fix,
    GpuUsed,
    KernelReport,
    LaunchReport,
    Level,
    LibraryCallReport,
    Limiter,
    Measured,
    Prediction,
    PredictionSource,
    Related,
    Report,
    Resource,
    TimeLimit,
    UnknownUsed,
    Utilisation,
    Verdict,
    WhatIf,
)
from roofline_analysis.timing.occupancy import OccupancyLimit
from roofline_core.program.precision import Precision
from roofline_core.program.units import Dialect, Problem, Severity, Span
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult, Culprit
from roofline_lsp.ratchet.source_lines import SourceLines
from tests.measurements import measured_as_predicted

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
SAXPY, MAIN, BROKEN = Path("src/saxpy.cu"), Path("src/main.cu"), Path("src/broken.cu")

GPU = GpuUsed(
    name="GeForce RTX 3080 10GB",
    clock="base",
    clock_mhz=1440.0,
    peaks_gops={Precision.SP: 25067.52, Precision.DP: 391.68, Precision.INT: 12533.76},
    bandwidth_gbs=760.3,
    ridges={Precision.SP: 32.9706, Precision.DP: 0.51516, Precision.INT: 16.4853},
    l2_bandwidth_gbs=3133.44,
    l1_bandwidth_gbs=12533.76,
)

KNOWN = Prediction(
    verdict=BB,
    confidence=0.97,
    source=PredictionSource.STATIC,
    limiting=Limiter.BANDWIDTH,
    sp_flops=2e6,
    dp_flops=0.0,
    hp_flops=0.0,
    int_ops=8e6,
    tensor_flops=0.0,
    dram_read_bytes=8e6,
    dram_write_bytes=4e6,
    time_ns=17234.5,
    precision_verdicts={Precision.SP: BB, Precision.INT: BB},
    unknowns=(),
    evidence=(
        Evidence(SAXPY, 6, "DRAM bytes read of 'x', coalesced", 4e6),
        Evidence(SAXPY, 6, "single-precision operations", 2e6),
        Evidence(SAXPY, 5, "guard passes 99.8% of threads", None),
        Evidence(SAXPY, 6, "not shown in text", 1.0),
    ),
    regime="fully utilised",
    utilisation=Utilisation(612, 6, 68, OccupancyLimit.WARPS),
    occupancy=0.875,
    kept_bytes=1.5e6,
    study_verdict=CB,
    time_limit=TimeLimit(Resource.DRAM, 15780.0, 10.5e6, "bytes", 760.3e9),
)

WHAT_IF = WhatIf(
    (
        ClassOn("A100", "A100 SXM4 40GB", BB, 0.93),
        ClassOn("4090", "GeForce RTX 4090", CB, 0.5),
        ClassOn("MI300X", "Instinct MI300X", None, 0.0),
    ),
    Crossover("n", 512, CB),
)

N = UnknownUsed("n", "read from a file", 1048576.0, MAIN, 12)

UNKNOWN = Prediction(
    verdict=None,
    confidence=0.0,
    source=PredictionSource.STATIC,
    limiting=None,
    sp_flops=None,
    dp_flops=None,
    hp_flops=0.0,
    int_ops=float("inf"),
    tensor_flops=0.0,
    dram_read_bytes=None,
    dram_write_bytes=128.0,
    time_ns=None,
    precision_verdicts={},
    unknowns=(
        N,
        UnknownUsed("trips", "while loop", None),
    ),
)

COMPUTE = Prediction(
    verdict=CB,
    confidence=0.8,
    source=PredictionSource.MEASURED,
    limiting=Limiter.DP,
    sp_flops=0.0,
    dp_flops=1.5e9,
    hp_flops=0.0,
    int_ops=1e3,
    tensor_flops=0.0,
    dram_read_bytes=3e6,
    dram_write_bytes=0.0,
    time_ns=4.2e6,
    precision_verdicts={Precision.DP: CB, Precision.INT: BB},
    time_limit=TimeLimit(Resource.L1, 3.9e6, 19.4e9, "bytes", 4.97e12),
    unknowns=(N, UnknownUsed("branch at line 5", "its condition depends on data", 0.25)),
)

STRIDED = Finding(
    "RL103",
    "strided-access",
    Level.INFORMATION,
    "elements of 'x' are 64 bytes apart",
    MAIN,
    Span(4, 2, 4, 9),
    effect=Effect(
        saved_bytes=6e6,
        saved_operations={},
        intensity={Precision.SP: 0.5, Precision.INT: 2.0},
        time_ns=17234.5,
        new_time_ns=9000.0,
        verdict=BB,
        new_verdict=CB,
    ),
    related=(Related(MAIN, 50, "'stencil' is launched here"),),
)

LITERAL = Finding(
    "RL201",
    "double-literal",
    Level.HINT,
    "1.0 is a double",
    MAIN,
    Span(5, 2, 5, 9),
    fix=Fix("Write 1.0f", (Edit(MAIN, Span(5, 6, 5, 6), "f"),), exact=False),
)

IDLE_COMMENT = Finding(
    "RL100",
    "unused-suppression",
    Level.INFORMATION,
    "this comment switches nothing off",
    MAIN,
    Span(40, 2, 40, 20),
)

SAXPY_KERNEL = KernelReport(
    name="saxpy(int, float, const float *, float *)",
    base_name="saxpy",
    qualified_name="saxpy",
    dialect=Dialect.CUDA,
    path=SAXPY,
    span=Span(3, 0, 8, 1),
    name_span=Span(3, 16, 3, 21),
    launches=(
        LaunchReport(
            path=MAIN,
            line=42,
            grid=(3907, 1, 1),
            block=(256, 1, 1),
            shared_bytes=None,
            certain=True,
            template_args=(),
            arguments=(
                ArgumentUsed("n", "1000000", "argv[1] at main.cu:10", used=1e6),
                ArgumentUsed("a", "unknown", None),
                ArgumentUsed("b", "0.5", "main.cu:42", used=0.5),
                ArgumentUsed("x", "device buffer", "cudaMalloc at main.cu:20", buffer_bytes=4e6),
            ),
            prediction=KNOWN,
            grid_origin="argv[1] at main.cu:10",
            block_origin="main.cu:11",
        ),
    ),
    prediction=KNOWN,
)

LOOP_KERNEL = KernelReport(
    name="app::loop(int *)",
    base_name="loop",
    qualified_name="app::loop",
    dialect=Dialect.HIP,
    path=SAXPY,
    span=Span(11, 2, 20, 3),
    name_span=Span(12, 4, 12, 8),
    launches=(),
    prediction=UNKNOWN,
)


def _stencil_launch(line: int, prediction: Prediction, *, certain: bool) -> LaunchReport:
    return LaunchReport(
        path=MAIN,
        line=line,
        grid=(None, 2, 1),
        block=None,
        shared_bytes=4096,
        certain=certain,
        template_args=("double", "8"),
        arguments=(ArgumentUsed("n", "unknown", "n at main.cu:12", used=1048576.0, assumed=(N,)),),
        prediction=prediction,
        grid_assumed=(N,),
        what_if=WHAT_IF if line == 50 else None,
    )


STENCIL_KERNEL = KernelReport(
    name="stencil(double *)",
    base_name="stencil",
    qualified_name="stencil",
    dialect=Dialect.CUDA,
    path=MAIN,
    span=Span(2, 0, 9, 1),
    name_span=Span(2, 16, 2, 23),
    launches=(
        _stencil_launch(50, COMPUTE, certain=True),
        _stencil_launch(51, KNOWN, certain=False),
        _stencil_launch(52, UNKNOWN, certain=True),
        _stencil_launch(53, COMPUTE, certain=True),
    ),
    prediction=COMPUTE,
    findings=(STRIDED, LITERAL),
    what_if=WHAT_IF,
)

SORT_CALL = LibraryCallReport(
    name="thrust::sort",
    path=MAIN,
    line=60,
    what="radix sort in 4 passes of 1048576 x unsigned int",
    element="unsigned int",
    count=1048576,
    repeat=10,
    certain=True,
    prediction=replace(KNOWN, sp_flops=1e6),
    what_if=WhatIf(WHAT_IF.classes[:1]),
)

UNKNOWN_CALL = LibraryCallReport(
    name="cublasLtMatmul",
    path=MAIN,
    line=61,
    what="dense linear algebra",
    element=None,
    count=None,
    repeat=None,
    certain=False,
    prediction=UNKNOWN,
)


@pytest.fixture
def report() -> Report:
    """Three files: two with kernels and one that could not be read."""
    problems = (
        Problem(Severity.WARNING, "syntax error near 'KERNEL_LOOP'", SAXPY, 14),
        Problem(Severity.WARNING, "'missing.h' was not found", None),
    )
    unreadable = Problem(Severity.ERROR, "cannot be read: Permission denied", BROKEN)
    return Report(
        GPU,
        (
            FileReport(SAXPY, (SAXPY_KERNEL, LOOP_KERNEL), problems),
            FileReport(MAIN, (STENCIL_KERNEL,), (), (SORT_CALL, UNKNOWN_CALL), (IDLE_COMMENT,)),
            FileReport(BROKEN, (), (unreadable,)),
        ),
    )


@pytest.fixture
def measure() -> Callable[[KernelReport, Verdict], Measured]:
    """A measurement of a kernel that applies: 2e6 SP operations, 1.2e7 bytes, 20 µs, a class."""

    def measured(kernel: KernelReport, verdict: Verdict) -> Measured:
        same = measured_as_predicted(kernel.prediction, gpu=GPU.name, origin="a test")
        return replace(
            same,
            verdict=verdict,
            sp_flops=2e6,
            dp_flops=0.0,
            hp_flops=0.0,
            int_ops=0.0,
            tensor_flops=0.0,
            dram_bytes=1.2e7,
            time_ns=2e4,
        )

    return measured


@pytest.fixture
def empty() -> Report:
    """No file at all."""
    return Report(GPU, ())


MAIN_TEXT = """\
// what the spans of the findings are about
__global__ void stencil(double *x) {
    int i = threadIdx.x;
  x[16*i] = 0;
µ  1.0 * x[i];  // a literal
}
""".encode()


def read_source(path: Path) -> bytes | None:
    """The one source that there is."""
    return MAIN_TEXT if path == MAIN else None


@pytest.fixture
def result(report: Report) -> CheckResult:
    """The report with its issues; two of them are to blame for a failure."""
    issues = issues_of(report.files, SourceLines(read_source))
    culprits = (
        Culprit(f"{SAXPY}:3", "saxpy is BB (--fail-on bb)", "saxpy", str(SAXPY)),
        Culprit(f"{MAIN}:40", "RL100 (--fail-on RL1)"),
    )
    return CheckResult(report, issues, culprits)


@pytest.fixture
def version_1_2_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation of this version stands before the real one."""
    (tmp_path / "roofline_lsp-1.2.3.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
