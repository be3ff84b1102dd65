"""What the analysis says: plain, frozen values that every front end renders in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofline_lsp.analysis.prediction import (
    Evidence,
    Grounds,
    LedgerLine,
    Limiter,
    Prediction,
    Source,
    UnknownKind,
    UnknownUsed,
    Utilisation,
    Verdict,
)
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.kernel.program import Dialect, Problem, Span
from roofline_lsp.kernel.records import record

__all__ = [
    "ArgumentUsed",
    "Evidence",
    "FileReport",
    "Finding",
    "GpuUsed",
    "Grounds",
    "KernelReport",
    "LaunchReport",
    "LedgerLine",
    "LibraryCallReport",
    "Limiter",
    "Prediction",
    "Report",
    "Source",
    "UnknownKind",
    "UnknownUsed",
    "Utilisation",
    "Verdict",
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
    """What the L2 cache is taken to give all SMs together."""


@record(frozen=True, slots=True)
class ArgumentUsed:
    """A kernel argument's value at a launch, for people."""

    name: str
    value: str
    """``1000000``, ``device buffer of 4.0 MB``, ``unknown``."""
    origin: str | None
    """``argv[1] at main.cu:42``."""
    used: float | None = None
    """The number that it was taken to be; None for what is no number."""
    buffer_bytes: float | None = None
    """The size that the memory behind a pointer was taken to have; None where none was used."""
    assumed: tuple[UnknownUsed, ...] = ()
    """What the number or the size rests on that the source leaves open."""


@record(frozen=True, slots=True)
class LaunchReport:
    """One launch of a kernel and what it is expected to do."""

    path: Path
    line: int
    grid: tuple[int | None, int | None, int | None] | None
    block: tuple[int | None, int | None, int | None] | None
    """None, whole or in part, where the host code does not fix it."""
    shared_bytes: int | None
    """Dynamic shared memory of a block."""
    certain: bool
    """False where the path to the launch rests on a condition that could not be decided."""
    template_args: tuple[str, ...]
    """The template arguments as source text, in parameter order."""
    arguments: tuple[ArgumentUsed, ...]
    prediction: Prediction
    grid_origin: str | None = None
    """Where the number of blocks came from; None where that is not known."""
    grid_assumed: tuple[UnknownUsed, ...] = ()
    """What it rests on that the source leaves open."""
    block_origin: str | None = None
    """Likewise the threads of a block."""
    block_assumed: tuple[UnknownUsed, ...] = ()


@record(frozen=True, slots=True)
class Finding:
    """A performance problem pattern met in a kernel."""

    code: str
    message: str
    path: Path
    span: Span
    fix: str | None = None


@record(frozen=True, slots=True)
class KernelReport:
    """A kernel, its launches, and the prediction for the one that stands for it."""

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
    """Of the first launch, or for assumed dimensions where there is none."""
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        """What people call it: its qualified name, or whose target region it is."""
        if self.dialect is not Dialect.OPENMP:
            return self.qualified_name
        return f"target region of {self.qualified_name.rpartition('::')[0] or self.base_name}"


@record(frozen=True, slots=True)
class LibraryCallReport:
    """A call of a GPU library in host code, and what it is expected to do."""

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


@record(frozen=True, slots=True)
class FileReport:
    """The kernels a file defines and the library calls it makes, each in source order."""

    path: Path
    kernels: tuple[KernelReport, ...]
    problems: tuple[Problem, ...] = ()
    library_calls: tuple[LibraryCallReport, ...] = ()


@record(frozen=True, slots=True)
class Report:
    """The result of one run."""

    gpu: GpuUsed
    files: tuple[FileReport, ...]
