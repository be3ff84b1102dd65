"""The result of an analysis: plain, frozen values that every front end renders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_analysis.names.signature import title_of
from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.regions.unseen import Unseen, UnseenKind
from roofline_analysis.rules.model import Edit, Effect, Finding, Fix, Level, Related
from roofline_analysis.timing.limiter import Limiter, Resource, TimeLimit
from roofline_analysis.verdict.prediction import (
    BusUse,
    ConfidenceFeatures,
    Crossover,
    Evidence,
    LedgerLine,
    Prediction,
    PredictionSource,
    SizeRange,
    Utilisation,
    Verdict,
)
from roofline_analysis.verdict.sight import Sight
from roofline_core.program.precision import Precision, operations_of
from roofline_core.program.records import record
from roofline_core.program.units import Dialect, ExcludedCode, Problem, Span
from roofline_core.settings import VerdictRuleName

__all__ = [
    "ArgumentUsed",
    "BusUse",
    "ClassOn",
    "ConfidenceFeatures",
    "Crossover",
    "Edit",
    "Effect",
    "Evidence",
    "FileReport",
    "Finding",
    "Fix",
    "GpuUsed",
    "KernelReport",
    "LaunchReport",
    "LedgerLine",
    "Level",
    "LibraryCallReport",
    "Limiter",
    "Measured",
    "ModelOpinion",
    "Prediction",
    "PredictionSource",
    "Related",
    "Report",
    "Resource",
    "Sight",
    "SizeRange",
    "TimeLimit",
    "UnknownKind",
    "UnknownUsed",
    "Unseen",
    "UnseenKind",
    "Utilisation",
    "Verdict",
    "WhatIf",
]


@record(frozen=True, slots=True)
class GpuUsed:
    """The roofline that the verdicts of a report are judged by."""

    name: str
    clock: str
    """``base`` or ``boost``."""
    clock_mhz: float
    peaks_gops: Mapping[Precision, float]
    """10^9 operations a second; a precision without a known peak is absent."""
    bandwidth_gbs: float
    ridges: Mapping[Precision, float]
    """Operations per byte at which compute and bandwidth take the same time."""
    l2_bandwidth_gbs: float | None = None
    """Assumed bandwidth from L2 to all SMs together, 10^9 bytes per second; None if unknown."""
    l1_bandwidth_gbs: float | None = None
    """The same from L1 and shared memory, which are one memory with one way out."""
    rule: VerdictRuleName = "compulsory"
    """The rule that decides classes: ``compulsory`` or ``study``."""
    note: str | None = None
    """The reason for this GPU or these peaks, if they are not the requested ones; else None."""


@record(frozen=True, slots=True)
class ClassOn:
    """The class of a launch on another GPU, by the same rule at the same clock."""

    label: str
    """The GPU as the settings call it: ``A100``."""
    gpu: str
    """As the database calls it."""
    verdict: Verdict | None
    confidence: float


@record(frozen=True, slots=True)
class WhatIf:
    """The class of a launch on other GPUs and at other sizes."""

    classes: tuple[ClassOn, ...]
    """In the order of the settings."""
    flip: Crossover | None = None
    """The flip point on the GPU of the settings; None if there is none."""


@record(frozen=True, slots=True)
class ArgumentUsed:
    """A kernel argument's value at a launch, for people."""

    name: str
    value: str
    """``1000000``, ``device buffer of 4.0 MB``, ``unknown``."""
    origin: str | None
    """``argv[1] at main.cu:42``."""
    used: float | None = None
    """The value used in the analysis; None if the argument is not a number."""
    buffer_bytes: float | None = None
    """The bytes assumed or known for the memory behind a pointer; None if no size was used."""
    assumed: tuple[UnknownUsed, ...] = ()
    """The assumptions on which the number or the size depends."""


@record(frozen=True, slots=True)
class LaunchReport:
    """One launch of a kernel, with its prediction."""

    path: Path
    line: int
    grid: tuple[int | None, int | None, int | None] | None
    block: tuple[int | None, int | None, int | None] | None
    """Threads of a block in x, y and z; None, wholly or in part, if the host leaves them open."""
    shared_bytes: int | None
    """Dynamic shared memory of a block."""
    certain: bool
    """False where the path to the launch rests on a condition that could not be decided."""
    template_args: tuple[str, ...]
    """The template arguments as source text, in parameter order."""
    arguments: tuple[ArgumentUsed, ...]
    prediction: Prediction
    grid_origin: str | None = None
    """The source of the number of blocks: ``argv[1] at main.cu:42``; None if unknown."""
    grid_assumed: tuple[UnknownUsed, ...] = ()
    """The assumptions on which the number of blocks depends."""
    block_origin: str | None = None
    """The source of the threads of a block; None if unknown."""
    block_assumed: tuple[UnknownUsed, ...] = ()
    what_if: WhatIf | None = None
    """None if the settings do not request it, or a front end requests it later on demand."""


@record(frozen=True, slots=True)
class ModelOpinion:
    """A language model's verdict on a kernel, and that verdict joined with the static one."""

    verdict: Verdict | None
    """The majority of the votes; None for a tie."""
    votes: int
    """The number of votes for ``verdict``."""
    of_votes: int
    reason: str
    """The model's own words of one vote, not checked."""
    model: str
    protocol: str
    """How it was asked: ``zero-shot``, ``few-shot``, ``decomposition`` or ``evidence``."""
    joined: Verdict | None
    """The joint verdict of model and analysis, by the rule of ``roofline_advisor.joining``."""
    joined_confidence: float
    joined_source: PredictionSource
    """The source that decides ``joined``."""


@record(frozen=True, slots=True)
class Measured:
    """A profiler's measurement of a kernel, shown beside the prediction."""

    verdict: Verdict | None
    gpu: str
    """The GPU that it ran on."""
    sp_flops: float | None
    dp_flops: float | None
    hp_flops: float | None
    int_ops: float | None
    tensor_flops: float | None
    dram_bytes: float | None
    """Read and written."""
    time_ns: float | None
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    args: tuple[str, ...] | None
    """The command line that the program was run with; None where it is not known."""
    occupancy: float | None
    stalls: Mapping[str, float]
    """By reason, the worst first: warps stalled for it for each warp that issues."""
    heat: Mapping[tuple[str, int], float]
    """By file name and line, the share of the kernel's program-counter samples."""
    origin: str
    """The report that it came from, and when it was taken."""
    stale: bool
    """Whether the kernel's code has changed since."""
    applies: bool
    """Whether code, GPU and launch match, so that the measurement replaces the prediction."""
    predicted: Prediction
    """For the launch that was measured, as far as that is known."""
    disagreement: str | None
    """The largest deviation and its cause; None unless measurement and prediction differ much."""
    emulated: bool = False
    """Whether it was counted on a CPU, without a GPU; its time was then not measured."""

    @property
    def how(self) -> str:
        """The word for what was done: ``measured`` or ``emulated``."""
        return "emulated" if self.emulated else "measured"

    def operations(self, precision: Precision) -> float | None:
        """The operations of a precision."""
        return operations_of(self, precision)


@record(frozen=True, slots=True)
class KernelReport:
    """A kernel, its launches, and the prediction for its representative launch."""

    name: str
    """Demangled, with its signature: ``saxpy(int, float, const float *, float *)``."""
    base_name: str
    """The identifier alone."""
    qualified_name: str
    dialect: Dialect
    path: Path
    span: Span
    name_span: Span
    launches: tuple[LaunchReport, ...]
    """In the order the host program meets them; empty where none was found."""
    prediction: Prediction
    """Of the first launch, or for assumed dimensions where there is none.

    Where a measurement applies, what was measured stands in it, and its source says so.
    """
    findings: tuple[Finding, ...] = ()
    size_ranges: tuple[SizeRange, ...] = ()
    """The class for other sizes, where sizes are assumed; empty before findings are looked for."""
    opinion: ModelOpinion | None = None
    """A language model's verdict; None if no model was asked."""
    what_if: WhatIf | None = None
    """Of the first launch, or for assumed dimensions where there is none."""
    body_hash: str = ""
    """Of all the code that the kernel runs: the same as long as a measurement of it holds."""
    measured: Measured | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The final verdict: the static one, or the joint one if there is a model's opinion."""
        return self.prediction.verdict if self.opinion is None else self.opinion.joined

    @property
    def title(self) -> str:
        """What people call it: its qualified name, or whose target region it is."""
        return title_of(self.dialect, self.qualified_name, self.base_name)


@record(frozen=True, slots=True)
class LibraryCallReport:
    """A call of a GPU library in host code, with its prediction."""

    name: str
    """As the source qualifies it: ``thrust::sort_by_key``, ``cublasSgemm``."""
    path: Path
    line: int
    what: str
    """In words: ``radix sort in 4 passes of 1048576 x unsigned int``."""
    element: str | None
    """The type of the elements; None where it is not known."""
    count: int | None
    """How many elements the call is given; None where the host code does not fix it."""
    repeat: int | None
    """How often the host's loops make the call in all."""
    certain: bool
    """False where the path to the call rests on a condition that could not be decided."""
    prediction: Prediction
    """Undecided where the bytes that it moves are not known."""
    what_if: WhatIf | None = None


@record(frozen=True, slots=True)
class KernelElsewhere:
    """A kernel that a file has to do with and that another file defines, such as a header."""

    name: str
    path: Path
    line: int
    is_launched: bool
    """Whether the file launches it; else it includes what defines it."""


@record(frozen=True, slots=True)
class FileReport:
    """The kernels a file defines and the library calls it makes, each in source order."""

    path: Path
    kernels: tuple[KernelReport, ...]
    problems: tuple[Problem, ...] = ()
    library_calls: tuple[LibraryCallReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Those of the host code, and comments that switch no finding off; kernels have their own."""
    looked_for_findings: bool = True
    """False in a first answer: then there may be findings that are not in it."""
    excluded: tuple[ExcludedCode, ...] = ()
    """What needs a macro that nothing defines, each kernel and region by itself."""
    elsewhere: tuple[KernelElsewhere, ...] = ()
    """Where the file has no kernel: those of others that it launches, or else those it includes."""

    def all_findings(self) -> tuple[Finding, ...]:
        """The findings of the kernels and of the host code, by place."""
        found = [finding for kernel in self.kernels for finding in kernel.findings]
        found += self.findings
        found.sort(key=lambda each: (str(each.path), each.span.line, each.code))
        return tuple(found)


@record(frozen=True, slots=True)
class Report:
    """The result of one run."""

    gpu: GpuUsed
    files: tuple[FileReport, ...]
    settings_profile: str | None = None
    """The profile of the settings that was chosen; None where none was."""
