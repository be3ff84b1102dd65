"""Measured kernels and predictions made by hand, and an analyser that gives them back."""

import os
import time
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pytest

from roofline_lsp.api.report import (
    ArgumentUsed,
    Evidence,
    GpuUsed,
    LaunchReport,
    LedgerLine,
    Limiter,
    Prediction,
    Source,
    UnknownUsed,
    Verdict,
)
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.settings import Settings
from roofline_lsp.study.dataset import MeasuredKernel
from roofline_lsp.study.judge import Inputs
from roofline_lsp.study.programs import Analyser

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND

GPU = GpuUsed(
    name="GeForce RTX 3080 10GB",
    clock="base",
    clock_mhz=1440.0,
    peaks_gops={Precision.SP: 25067.5, Precision.DP: 391.7, Precision.INT: 12533.8},
    bandwidth_gbs=760.3,
    ridges={Precision.SP: 32.97, Precision.DP: 0.515, Precision.INT: 16.49},
)


def measured(program="saxpy-cuda", kernel="saxpy(int, float *)", label=BB, **values):
    made = MeasuredKernel(
        program=program,
        kernel=kernel,
        args=("1000",),
        grid=(4, 1, 1),
        block=(256, 1, 1),
        sp_flops=2000.0,
        dp_flops=0.0,
        int_ops=8000.0,
        dram_bytes=10000.0,
        time_ns=3000.0,
        label=label,
        line=2,
    )
    return replace(made, **values)


def prediction(verdict=BB, **values):
    made = Prediction(
        verdict=verdict,
        confidence=0.9,
        source=Source.STATIC,
        limiting=Limiter.BANDWIDTH,
        sp_flops=2000.0,
        dp_flops=0.0,
        hp_flops=0.0,
        int_ops=4000.0,
        tensor_flops=0.0,
        dram_read_bytes=8000.0,
        dram_write_bytes=4000.0,
        time_ns=6000.0,
        # A read-only view, as the analyser may give, which cannot be pickled.
        precision_verdicts=MappingProxyType({Precision.SP: BB, Precision.INT: BB}),
    )
    return replace(made, **values)


@dataclass(frozen=True)
class FakeKernel:
    base_name: str


@dataclass
class FakeProgram:
    """Predicts what the kernel's base name says; records what it was asked."""

    argv: tuple[str, ...] | None
    asked: list = field(default_factory=list)

    def kernels(self):
        return (FakeKernel("saxpy"), FakeKernel("saxpy"), FakeKernel("vector_add"))

    def predict(self, profiled_name, *, grid, block):
        self.asked.append((profiled_name, grid, block))
        name = profiled_name.partition("(")[0]
        if name == "crashes":
            raise ZeroDivisionError("division by zero")
        if name == "refuses":
            raise RooflineError("a reason to show")
        if name == "undecided":
            return prediction(verdict=None)
        if name in ("saxpy", "vector_add"):
            return prediction(unknowns=(UnknownUsed("n", "read from a file", 1024.0),))
        return None


class FakeLoader:
    """Behaves as the program's first argument says."""

    def __init__(self):
        self.loaded = []
        self.programs = []

    def __call__(self, paths, settings, *, argv):
        self.loaded.append((tuple(path.name for path in paths), settings, argv))
        if argv == ("raise",):
            raise ValueError("cannot load")
        if argv == ("die",):
            os.abort()
        if argv == ("exit",):
            os._exit(3)
        if argv == ("hang",):
            time.sleep(600)
        self.programs.append(FakeProgram(argv))
        return self.programs[-1]


def launches(_paths, _settings, name):
    if name == "vector_add":
        raise RecursionError
    argument = ArgumentUsed("n", "1000", "argv[1] at main.cu:10")
    launch = LaunchReport(
        path=_paths[0],
        line=42,
        grid=(4, None, 1),
        block=(256, 1, 1),
        shared_bytes=None,
        certain=False,
        template_args=("float",),
        arguments=(argument,),
        prediction=prediction(),
    )
    return (launch,)


@pytest.fixture
def loader():
    return FakeLoader()


@pytest.fixture
def analyser(loader):
    return Analyser(loader, launches)


@pytest.fixture
def sources(tmp_path):
    """Programs ``saxpy-cuda`` and ``other-cuda``, and headers that they share."""
    for program in ("saxpy-cuda", "other-cuda"):
        (tmp_path / program / "util").mkdir(parents=True)
        for name in ("main.cu", "kernel.CUH", "util/timer.h", "util/notes.txt", "Makefile"):
            (tmp_path / program / name).touch()
    (tmp_path / "empty-cuda").mkdir()
    (tmp_path / "include").mkdir()
    return tmp_path


@pytest.fixture
def inputs(sources):
    return Inputs(sources, Settings(clock="base"))


LEDGER = (
    LedgerLine(
        path=None,
        line=7,
        sp_flops=1000.0,
        dram_read_bytes=8000.0,
        executions=1000.0,
        notes=("loop: 10 trips", "strided by 4096 bytes"),
    ),
    LedgerLine(path=None, line=9, sp_flops=1000.0, int_ops=4000.0, executions=500.0),
    LedgerLine(path=None, line=3),
)
EVIDENCE = Evidence(path=None, line=7, what="single-precision operations", amount=2e6)
