"""What a sweep says, as plain values. Its JSON has the fields' names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_analysis.report.report import GpuUsed, Resource, Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class SweepPoint:
    """The launch for one value on one GPU."""

    value: int | None
    """Of the number that is varied; None where GPUs alone are."""
    gpu: str
    """As the database calls it."""
    verdict: Verdict | None
    confidence: float | None
    """The estimated probability, 0 to 1, that the class is right; None without a launch."""
    operations: Mapping[Precision, float | None]
    """Of the whole launch."""
    intensities: Mapping[Precision, float | None]
    """Operations per DRAM byte."""
    dram_read_bytes: float | None
    dram_write_bytes: float | None
    time_ns: float | None
    resource: Resource | None
    """What decides the time."""
    growth: float | None
    """The exponent with which the time has grown since the value before on the same GPU.

    1: the time grows as the number, 2: as its square. None for the first value, and for GPUs."""
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    occupancy: float | None
    """Resident warps of an SM over the most that it can hold, 0 to 1."""
    depends_on: tuple[str, ...]
    """The assumed sizes, by name, on which amounts and time rest."""
    problem: str | None
    """Why there is no launch with this value; None where there is one."""


@record(frozen=True, slots=True)
class SweepClassChange:
    """Two neighbouring points of different classes."""

    gpu: str
    """Of the points; of the second one where GPUs alone are varied."""
    below: int | None
    """The value of the first of the two points; None where GPUs alone are varied."""
    value: int | None
    """The value of the second."""
    before: Verdict | None
    after: Verdict | None


@record(frozen=True, slots=True)
class Sweep:
    """A kernel over values of one number, over GPUs, or both."""

    path: Path
    line: int
    """Of the kernel's name."""
    kernel: str
    """With its signature."""
    title: str
    """What people call it."""
    name: str
    """What is varied: ``n``, ``argv[1]``, ``block.x``, ``gpu``."""
    how: str
    """What stands for it: ``the number in gemm.cu:26: const int n = 1024``."""
    args: tuple[str, ...] | None
    """The command line that the settings give; None where they give none."""
    gpus: tuple[GpuUsed, ...]
    """Those that the launches are judged for, in the order that was asked for."""
    points: tuple[SweepPoint, ...]
    """GPU by GPU, each with rising values."""
    changes: tuple[SweepClassChange, ...]
    """Where the class is another than at the value before, GPU by GPU."""
    notes: tuple[str, ...]
    """What stays as it is while the number is varied."""
