"""Measured kernels and predictions made by hand, and an analyser that gives them back."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import pytest

from roofline_analysis.api.explain.host_records import HostValue, HowKnown, LaunchFacts, SourcePlace
from roofline_analysis.api.explain.kernel_records import (
    AccessFacts,
    ArrayFacts,
    Operations,
    RegionFacts,
)
from roofline_analysis.api.explain.records import (
    LaunchExplanation,
    TimeFacts,
    TimeTerm,
    VerdictFacts,
)
from roofline_analysis.regions.kernel_summary import AccessMode, RegionForm
from roofline_analysis.report.report import (
    BusUse,
    GpuUsed,
    Limiter,
    Prediction,
    PredictionSource,
    Resource,
    TimeLimit,
    UnknownUsed,
    Verdict,
)
from roofline_core.program.errors import RooflineError
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs
from roofline_study.programs import ProgramAnalyser

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND

GPU = GpuUsed(
    name="GeForce RTX 3080 10GB",
    clock="base",
    clock_mhz=1440.0,
    peaks_gops={Precision.SP: 25067.5, Precision.DP: 391.7, Precision.INT: 12533.8},
    bandwidth_gbs=760.3,
    ridges={Precision.SP: 32.97, Precision.DP: 0.515, Precision.INT: 16.49},
)


Dim3: TypeAlias = "tuple[int, int, int]"

MAIN = Path("/data/src/saxpy-cuda/main.cu")


def _value(name: str, number: float, *, formula: str | None = None, **given: Any) -> HostValue:
    made = HostValue(name, number, formula, HowKnown.LITERAL, (), ())
    return replace(made, **given)


def _access(line: int, kind: str, executions: float, pattern: str) -> AccessFacts:
    return AccessFacts(
        path=MAIN,
        line=line,
        mode=AccessMode(kind),
        size_bytes=4,
        offset="4*i",
        loads=None,
        pattern=pattern,
        executions=executions,
        requests=executions / 32,
        active_lanes=32.0,
        sectors_per_request=4.0,
        least_sectors_per_request=4.0,
        clocks_per_request=1.0,
        footprint_bytes=None,
        dram_read_bytes=0.0,
        dram_write_bytes=0.0,
    )


def _region(depth: int, kind: str, line: int, runs: float, **given: Any) -> RegionFacts:
    made = RegionFacts(
        depth=depth,
        form=RegionForm(kind),
        role="taken",
        path=MAIN,
        line=line,
        counter=None,
        formula=None,
        runs=runs,
        warp_runs=runs / 32,
        trips=1.0,
        share=1.0,
        estimated=False,
        why="",
        unrolled=False,
        walked_runs=1,
        barriers=0,
        operations=Operations(),
        accesses=0,
    )
    return replace(made, **given)


def _array(name: str, read: float, written: float, *accesses: AccessFacts) -> ArrayFacts:
    return ArrayFacts(
        name, "global", "float", 4000.0, read / 3, read, written, written / 10, accesses
    )


DETAILS = LaunchExplanation(
    path=MAIN,
    line=5,
    values=(
        _value("n", 1000.0, how=HowKnown.ARGV, origins=(SourcePlace("argv[1]", MAIN, 30),)),
        _value(
            "m",
            1024.0,
            how=HowKnown.ASSUMED,
            assumed=(UnknownUsed("m", "read from a file", 1024.0),),
        ),
    ),
    launch=LaunchFacts(
        path=MAIN,
        line=42,
        certain=True,
        launches=2,
        grid=(_value("grid.x", 4, formula="n / 256"), _value("grid.y", 1), _value("grid.z", 1)),
        block=(_value("block.x", 256), _value("block.y", 1), _value("block.z", 1)),
        threads=1024,
        dynamic_shared_bytes=_value("dynamic shared memory", 0),
        static_shared_bytes=0,
        template_arguments=(),
        buffers=(),
        repeat=_value("launches", 1),
    ),
    regions=(
        _region(0, "kernel", 5, 1024.0, operations=Operations(int_ops=2048.0)),
        _region(1, "guard", 6, 1000.0, formula="i < n", share=0.977, accesses=1),
        _region(
            2,
            "loop",
            7,
            16000.0,
            counter="trip#1",
            trips=16.0,
            estimated=True,
            why="its end depends on data",
            operations=Operations(sp_flops=32000.0),
            accesses=1,
        ),
    ),
    arrays=(
        _array("x", 12000.0, 0.0, *(_access(7, "read", 16000.0, "data-dependent"),) * 7),
        _array("y", 0.0, 4000.0, _access(8, "write", 1000.0, "4 x 256, 1024 x 4")),
    ),
    lines=(),
    time=TimeFacts(
        time_ns=6000.0,
        overlap_exponent=3.0,
        limiting=Limiter.BANDWIDTH,
        resource=Resource.DRAM,
        terms=(TimeTerm("dram", 4000.0), TimeTerm("launch", 2000.0)),
        depends_on=(),
        regime="idle SMs",
        occupancy=0.5,
        occupancy_limiter="warps",
        blocks=4,
        blocks_per_sm=6,
        sm_count=68,
        waves=4 / 408,
        tail_efficiency=4 / 408,
        registers_per_thread=32,
    ),
    verdict_facts=VerdictFacts(BB, 0.9, 8000.0, 4000.0, 0.0, None, 0.0, (), (), None),
    assumptions=(),
)
"""A kernel taken apart."""


def _measured(
    program: str = "saxpy-cuda",
    kernel: str = "saxpy(int, float *)",
    label: Verdict = BB,
    **values: Any,
) -> MeasuredKernel:
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


def _prediction(verdict: Verdict | None = BB, **values: Any) -> Prediction:
    made = Prediction(
        verdict=verdict,
        confidence=0.9,
        source=PredictionSource.STATIC,
        limiting=Limiter.BANDWIDTH,
        time_limit=TimeLimit(Resource.DRAM, 6000.0, 12000.0, "bytes", 2e9),
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

    argv: Sequence[str] | None
    asked: list[tuple[str, Dim3 | None, Dim3 | None]] = field(default_factory=list)

    def kernels(self) -> tuple[FakeKernel, ...]:
        return (FakeKernel("saxpy"), FakeKernel("saxpy"), FakeKernel("vector_add"))

    def predict(
        self, profiled_name: str, *, grid: Dim3 | None, block: Dim3 | None
    ) -> Prediction | None:
        self.asked.append((profiled_name, grid, block))
        name = profiled_name.partition("(")[0]
        if name == "crashes":
            raise ZeroDivisionError("division by zero")
        if name == "refuses":
            raise RooflineError("a reason to show")
        if name == "undecided":
            return _prediction(verdict=None)
        if name == "zero_copy":
            use = BusUse(8e6, 4e6, "PCIe 4.0 x16", 25.2, 3e5, True, CB, 0.7, None)
            return _prediction(limiting=Limiter.BUS, bus=use)
        if name in ("saxpy", "vector_add"):
            return _prediction(unknowns=(UnknownUsed("n", "read from a file", 1024.0),))
        return None

    def details(
        self, profiled_name: str, *, grid: Dim3 | None, block: Dim3 | None
    ) -> LaunchExplanation | None:
        name = profiled_name.partition("(")[0]
        return DETAILS if self.predict(name, grid=grid, block=block) is not None else None


class FakeLoader:
    """Behaves as the program's first argument says."""

    def __init__(self) -> None:
        self.loaded: list[tuple[tuple[str, ...], Settings, Sequence[str] | None]] = []
        self.programs: list[FakeProgram] = []
        self.told: list[list[str]] = []

    def __call__(
        self,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None,
        profiled_names: Sequence[str],
        root: Path,
    ) -> FakeProgram:
        assert all(path.is_relative_to(root) for path in paths)
        self.loaded.append((tuple(path.name for path in paths), settings, argv))
        self.told.append(list(profiled_names))
        if argv == ("raise",):
            raise ValueError("cannot load")
        if argv == ("die",):
            os.kill(os.getpid(), signal.SIGKILL)
        if argv == ("exit",):
            os._exit(3)
        if argv == ("hang",):
            time.sleep(600)
        if argv == ("tell",):
            raise RooflineError(f"in process {os.getpid()}")
        self.programs.append(FakeProgram(argv))
        return self.programs[-1]


@pytest.fixture
def loader() -> FakeLoader:
    return FakeLoader()


@pytest.fixture
def analyser(loader: FakeLoader) -> ProgramAnalyser:
    return ProgramAnalyser(loader)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Programs ``saxpy-cuda`` and ``other-cuda``, and headers that they share."""
    for program in ("saxpy-cuda", "other-cuda"):
        (tmp_path / program / "util").mkdir(parents=True)
        for name in ("main.cu", "kernel.CUH", "util/timer.h", "util/notes.txt", "Makefile"):
            (tmp_path / program / name).touch()
    (tmp_path / "empty-cuda").mkdir()
    (tmp_path / "include").mkdir()
    return tmp_path


@pytest.fixture
def inputs(sources: Path) -> Inputs:
    return Inputs(sources, Settings(clock="base"))


@pytest.fixture
def gpu() -> GpuUsed:
    """The RTX 3080 at its base clock."""
    return GPU


@pytest.fixture
def measured() -> Callable[..., MeasuredKernel]:
    """Makes a measured kernel with some values changed."""
    return _measured


@pytest.fixture
def prediction() -> Callable[..., Prediction]:
    """Makes a prediction with some values changed."""
    return _prediction


@pytest.fixture
def details() -> LaunchExplanation:
    """A kernel taken apart."""
    return DETAILS
