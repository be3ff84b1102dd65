"""An explanation as plain values that travel by pickle and are written as JSON field by field.

The fields' names are the keys of the JSON (``verdict`` becomes ``class``), and what stands below
them is their description in its schema, which ``python -m roofline_lsp.formats.explanation.schema``
writes.
"""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api.explain.host_records import HostValue, LaunchFacts, LaunchOutline
from roofline_analysis.api.explain.kernel_records import ArrayFacts, LineWork, RegionFacts
from roofline_analysis.regions.unknowns import UnknownKind
from roofline_analysis.report.report import GpuUsed
from roofline_analysis.timing.limiter import Limiter, Resource
from roofline_analysis.verdict.prediction import Crossover, Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.units import Dialect, Problem


@record(frozen=True, slots=True)
class TimeTerm:
    """The time that the launch would take if this alone mattered."""

    name: str
    """``compute``, ``l1``, ``l2``, ``dram``, ``bus``, ``latency``, ``contention`` or ``launch``."""
    time_ns: float
    """In nanoseconds."""


@record(frozen=True, slots=True)
class TimeFacts:
    """The predicted time and how the launch fills the GPU."""

    time_ns: float
    """The norm of all terms but ``launch`` with the exponent below, plus ``launch``."""
    overlap_exponent: float
    """1 would add the terms, infinity take the longest."""
    limiting: Limiter
    """The class of the resource of the longest term; caches count as bandwidth."""
    resource: Resource
    """The resource of the longest term."""
    terms: tuple[TimeTerm, ...]
    """Of the timing model."""
    regime: str
    """``idle SMs``, ``under-utilised`` or ``fully utilised``."""
    occupancy: float
    """Resident warps over the most that an SM can hold."""
    occupancy_limiter: str
    """``warps``, ``blocks``, ``registers`` or ``shared memory``."""
    blocks: int
    """Of the launch."""
    blocks_per_sm: int
    """That an SM holds at a time."""
    sm_count: int
    """Of the GPU."""
    waves: float
    """How often the launch fills the GPU."""
    tail_efficiency: float
    """The share of the places that whole waves of blocks would leave filled."""
    depends_on: tuple[str, ...]
    """The assumed sizes, by name, on which the time rests; empty if it rests on none."""
    registers_per_thread: int
    """Assumed: the compiler decides."""


@record(frozen=True, slots=True)
class Intensity:
    """One precision against its ridge."""

    precision: Precision
    """``sp``, ``dp``, ``hp``, ``int`` or ``tensor``."""
    operations: float
    """Over the whole launch."""
    ops_per_byte: float
    """Operations per DRAM byte."""
    ridge_ops_per_byte: float | None
    """Where compute and bandwidth take the same time; null where the GPU's peak is not known."""
    verdict: Verdict | None
    """By this precision alone."""
    decides: bool
    """Whether the precision counts for the class of the kernel."""


@record(frozen=True, slots=True)
class ConfidenceFeature:
    """One summand of the log-odds that the class is right."""

    name: str
    """``constant``, ``distance`` from the ridge, ``off_ridge``, ``compute_bound``,
    ``assumed_operations``, ``uncertain_bytes``, ``unknowns``, ``unseen``, ``reuse``,
    ``guessed_sizes``, ``guessed_compute_bound`` or ``for_other_sizes``."""
    value: float
    """The feature."""
    log_odds: float
    """Its value times its coefficient."""


@record(frozen=True, slots=True)
class BusFacts:
    """Bytes of mapped host memory, which cross the bus to the host."""

    read_bytes: float
    """Read by the kernel."""
    write_bytes: float
    """Likewise written."""
    link: str | None
    """``PCIe 4.0 x16``; null where the GPU's bus is not known."""
    bandwidth_gbs: float | None
    """What it carries of the kernel's data, in 10^9 bytes per second."""
    limits: bool
    """Whether this takes longer than the operations and the DRAM traffic: the class rests on it."""


@record(frozen=True, slots=True)
class VerdictFacts:
    """The class and what it follows from."""

    verdict: Verdict | None
    """Compute-bound if one of the precisions that decide is; null where too little is known."""
    confidence: float
    """The estimated probability that the class is right."""
    dram_read_bytes: float
    """Of arrays, code and arguments together."""
    dram_write_bytes: float
    """Likewise written."""
    kept_bytes: float
    """Of the bytes written, those that L2 still holds when the launch ends; 0 by the study's rule,
    which does not count them."""
    study_verdict: Verdict | None
    """The class by the study's rule, where another rule is in force; else null."""
    other_read_bytes: float
    """Of the bytes read, those of code, arguments and the machine itself."""
    intensities: tuple[Intensity, ...]
    """Of the precisions that have operations."""
    confidence_features: tuple[ConfidenceFeature, ...]
    """They add up to the log-odds of the confidence, before that is kept between 0.5 and 0.99."""
    crossover: Crossover | None
    """Where the class changes, as one number that is open grows; null where no such point was
    found or looked for."""
    bus: BusFacts | None = None
    """What crosses the bus to the host; null where nothing used lies in mapped host memory."""


@record(frozen=True, slots=True)
class Alternative:
    """The launch with another number in the place of an assumed one."""

    value: float
    """The other number."""
    verdict: Verdict | None
    """The class with it."""
    confidence: float
    """Of that class."""
    time_ns: float | None
    """In nanoseconds."""
    dram_bytes: float | None
    """Read and written."""


@record(frozen=True, slots=True)
class Assumption:
    """A number that was assumed or estimated, and what follows from others in its place."""

    name: str
    """``n``, ``trips of the loop at line 12``, ``branch at line 30``."""
    kind: UnknownKind
    """What sort of number it is."""
    why: str
    """Why it is not known, and what was taken instead."""
    value: float | None
    """The number that was used; of a branch the share of threads that take it."""
    path: Path | None
    """Where the number is decided."""
    line: int | None
    """1-based."""
    alternatives: tuple[Alternative, ...]
    """Half and double, as far as they can be; empty where they were not tried."""

    @property
    def changes_class(self) -> bool:
        """Whether the alternatives are of different classes."""
        return len({each.verdict for each in self.alternatives}) > 1


@record(frozen=True, slots=True)
class LaunchExplanation:
    """One launch of a kernel, or the kernel with assumed dimensions, step by step."""

    path: Path
    """The file of the kernel."""
    line: int
    """1-based, of its name."""
    values: tuple[HostValue, ...]
    """Step 1: the numbers that the host program gives the kernel."""
    launch: LaunchFacts
    """Step 2: the launch."""
    regions: tuple[RegionFacts, ...]
    """Step 3: how often each part of the kernel runs."""
    arrays: tuple[ArrayFacts, ...]
    """Step 4: what it accesses; the arrays with most DRAM traffic first."""
    lines: tuple[LineWork, ...]
    """Step 5: what its source lines compute, by path and line."""
    time: TimeFacts
    """Step 6: how long it takes."""
    verdict_facts: VerdictFacts
    """Step 7: its class."""
    assumptions: tuple[Assumption, ...]
    """Step 8: what was assumed, and what that is worth."""


@record(frozen=True, slots=True)
class KernelExplanation:
    """A kernel, one of its launches in full, and all of them in short."""

    name: str
    """Demangled, with its signature."""
    title: str
    """What people call it: its qualified name, or whose target region it is."""
    dialect: Dialect
    """The language of the kernel."""
    launch_number: int | None
    """Which of the launches is explained; null where none was found."""
    launches: tuple[LaunchOutline, ...]
    """The first of them stands for the kernel in reports."""
    explained: LaunchExplanation
    """That launch, step by step."""
    problems: tuple[Problem, ...]
    """What could not be followed in the kernel."""


@record(frozen=True, slots=True)
class Explanation:
    """Kernels of a file as the analysis sees them."""

    path: Path
    """The file."""
    gpu: GpuUsed
    """The roofline that the classes are judged by."""
    args: tuple[str, ...] | None
    """The command line that the settings give; null where they give none."""
    only_line: int | None
    """The source line that accesses and operations are confined to; null for all."""
    kernels: tuple[KernelExplanation, ...]
    """In source order."""
    problems: tuple[Problem, ...]
    """What could not be read in the file or followed in the host program."""
