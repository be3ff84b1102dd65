"""What a comparison of kernels says, as plain values. Its JSON has the fields' names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_analysis.api.explain.records import TimeTerm
from roofline_analysis.report.report import GpuUsed, Level, Resource, Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.units import Problem


@record(frozen=True, slots=True)
class NumberUsed:
    """A number of a launch on which the amount of work may rest."""

    name: str
    """The kernel's parameter."""
    value: float
    assumed: bool
    """Whether it is a guess, as nothing fixes it."""


@record(frozen=True, slots=True)
class ComparedFinding:
    """A finding of one variant."""

    code: str
    """The rule's code: ``RL104``."""
    rule: str
    """The rule's name: ``double-literal``."""
    level: Level
    message: str
    path: Path
    line: int


@record(frozen=True, slots=True)
class Variant:
    """A kernel at the launch that stands for it in reports."""

    label: str
    """As it was asked for: ``gemm.cu@HEAD~1:gemm``."""
    path: Path
    revision: str | None
    """The Git revision that it was read from; None for the files as they are."""
    line: int
    """Of the kernel's name."""
    kernel: str
    """With its signature."""
    title: str
    """What people call it."""
    verdict: Verdict | None
    confidence: float
    """The estimated probability, 0 to 1, that the class is right; 0.5 if there is none."""
    operations: Mapping[Precision, float | None]
    """Of the whole launch."""
    intensities: Mapping[Precision, float | None]
    """Operations per DRAM byte."""
    dram_read_bytes: float | None
    dram_write_bytes: float | None
    time_ns: float | None
    resource: Resource | None
    """What decides the time."""
    time_terms: tuple[TimeTerm, ...]
    """What each part of the machine would take alone."""
    occupancy: float | None
    """Resident warps of an SM over the most that it can hold, 0 to 1."""
    launch_path: Path | None
    """The file with the launch; None where none was found."""
    launch_line: int | None
    launches: int
    """How many launches of it were found; the first one is compared."""
    grid: tuple[int, int, int] | None
    """Blocks in x, y and z, assumed where the launch does not fix them."""
    block: tuple[int, int, int] | None
    """Threads of a block in x, y and z, assumed where the launch does not fix them."""
    numbers: tuple[NumberUsed, ...]
    """The arguments that are numbers."""
    depends_on: tuple[str, ...]
    """The assumed sizes, by name, on which amounts and time rest."""
    findings: tuple[ComparedFinding, ...]


@record(frozen=True, slots=True)
class LineCost:
    """What one source line does in a whole launch."""

    path: Path
    line: int
    operations: Mapping[Precision, float]
    dram_read_bytes: float
    dram_write_bytes: float
    executions: float
    """Threads that reach the line, times the trips of the loops around it."""


@record(frozen=True, slots=True)
class LineDifference:
    """A source line that costs another amount in a variant, or that one side alone has."""

    text: str
    before: LineCost | None
    """In the first variant; None where that has no such line."""
    after: LineCost | None
    """In the other; None where that has no such line."""


@record(frozen=True, slots=True)
class VariantChange:
    """What is different in a variant, beside the first one."""

    label: str
    time_ratio: float | None
    """Its time over that of the first variant; None where either is not known."""
    bytes_ratio: float | None
    """The same of the DRAM bytes."""
    findings_gone: tuple[ComparedFinding, ...]
    """The first variant's that this one does not have."""
    findings_new: tuple[ComparedFinding, ...]
    lines: tuple[LineDifference, ...]
    """The first variant's lines in its order, with those of the other where they stand."""
    notes: tuple[str, ...]
    """What keeps the two from being compared as they are: other sizes, guesses."""


@record(frozen=True, slots=True)
class KernelComparison:
    """Kernels that are variants of one another."""

    title: str
    """What people call the first one."""
    variants: tuple[Variant, ...]
    """In the order that was asked for; the others are held against the first."""
    changes: tuple[VariantChange, ...]
    """One for each variant but the first."""


@record(frozen=True, slots=True)
class Alone:
    """A kernel that not all sides have."""

    label: str
    """The side that has it."""
    kernel: str
    line: int


@record(frozen=True, slots=True)
class VariantComparison:
    """Kernels side by side, judged for one GPU."""

    gpu: GpuUsed
    args: tuple[str, ...] | None
    """The command line that the settings give; None where they give none."""
    kernels: tuple[KernelComparison, ...]
    alone: tuple[Alone, ...]
    problems: tuple[Problem, ...]
    """What could not be read in full."""
