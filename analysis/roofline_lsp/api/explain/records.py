"""An explanation as plain values that travel by pickle and are written as JSON field by field.

The fields' names are the keys of the JSON (``verdict`` becomes ``class``), and what stands below
them is their description in its schema, which ``python -m roofline_lsp.reports.explanation.schema``
writes.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from roofline_lsp.analysis.prediction import FlipPoint, Limiter, UnknownKind, UnknownUsed, Verdict
from roofline_lsp.api.report import GpuUsed
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.kernel.program import Dialect, Problem
from roofline_lsp.kernel.records import record


class HowKnown(Enum):
    """How the analysis came by a number of the host program."""

    ARGV = "argv"
    """Read from the command line that the settings give."""
    LITERAL = "literal"
    """Written in the source."""
    COMPUTED = "computed"
    """The result of other numbers or of a call that the analysis models."""
    DEFAULT = "default"
    """What the program takes where the command line does not say otherwise."""
    ASSUMED = "assumed"
    """The source leaves it open; the analysis took a number."""
    UNKNOWN = "unknown"
    """No number was found and none taken."""


@record(frozen=True, slots=True)
class SourcePlace:
    """Where a value came from."""

    what: str
    """``argv[1]``, ``literal``, ``cudaMalloc``."""
    path: Path | None
    """None where it is no place in a file."""
    line: int | None
    """1-based."""

    @property
    def text(self) -> str:
        """``argv[1] at main.cu:42``; of a literal the place alone."""
        where = f"{self.path.name}:{self.line}" if self.path and self.line else None
        if where is None:
            return self.what
        return where if self.what == "literal" else f"{self.what} at {where}"


@record(frozen=True, slots=True)
class HostValue:
    """A number that the host program decides."""

    name: str
    """``n``, ``shape.rows``, ``grid.x``."""
    number: float | None
    """What it was taken to be."""
    formula: str | None
    """What the host program computes it from, in C's notation; null where it is just a number."""
    how: HowKnown
    """How the number was found."""
    origins: tuple[SourcePlace, ...]
    """Where it, or what it was computed from, stands in the source."""
    assumed: tuple[UnknownUsed, ...]
    """What it rests on that the source leaves open."""

    @property
    def origin(self) -> str | None:
        """The origins in words; None where there is none."""
        return ", ".join(dict.fromkeys(each.text for each in self.origins)) or None


@record(frozen=True, slots=True)
class BufferPassed:
    """A pointer argument of a launch."""

    name: str
    """The kernel's parameter, or a member of it."""
    type: str
    """The parameter's type."""
    buffer: str | None
    """What the host program calls the memory; null for a null pointer or one that is not known."""
    space: str | None
    """``device``, ``managed``, ``pinned``, ``mapped``, ``host`` or ``constant``."""
    size_bytes: float | None
    """From where the argument points to the end of the allocation."""
    size_formula: str | None
    """The size of the allocation; null where it is just a number."""
    origins: tuple[SourcePlace, ...]
    """Where the memory was allocated."""
    assumed: tuple[UnknownUsed, ...]
    """What the size rests on that the source leaves open."""


@record(frozen=True, slots=True)
class TemplateArgument:
    """A template parameter of the kernel and what it stands for in the launch."""

    name: str
    """The parameter."""
    value: str
    """A type or a number, as source text."""


@record(frozen=True, slots=True)
class LaunchFacts:
    """The launch that is explained."""

    path: Path | None
    """The file of the launch; null where none was found and dimensions were assumed."""
    line: int | None
    """1-based."""
    certain: bool
    """Whether the host program surely comes here."""
    launches: int
    """How many launches of the kernel were found."""
    grid: tuple[HostValue, ...]
    """Blocks in x, y and z."""
    block: tuple[HostValue, ...]
    """Threads of a block in x, y and z."""
    threads: int
    """Of the whole launch."""
    dynamic_shared_bytes: HostValue
    """Dynamic shared memory of a block."""
    static_shared_bytes: int
    """Shared memory of a block that the kernel declares."""
    template_arguments: tuple[TemplateArgument, ...]
    """In the order of the kernel's parameters."""
    buffers: tuple[BufferPassed, ...]
    """The pointer arguments."""
    repeat: HostValue
    """How often the host's loops make the launch in all."""


@record(frozen=True, slots=True)
class Operations:
    """Work over the whole launch; a multiply-add is two operations."""

    sp_flops: float = 0.0
    """32-bit floating-point operations."""
    dp_flops: float = 0.0
    """64-bit floating-point operations."""
    hp_flops: float = 0.0
    """16-bit floating-point operations outside tensor cores."""
    int_ops: float = 0.0
    """Integer operations."""
    tensor_flops: float = 0.0
    """Tensor-core operations."""
    special_ops: float = 0.0
    """Special-function instructions: reciprocals, square roots, exponentials."""
    conversion_ops: float = 0.0
    """Conversions between types."""

    def of(self, precision: Precision) -> float:
        """The operations of a precision."""
        return {
            Precision.SP: self.sp_flops,
            Precision.DP: self.dp_flops,
            Precision.HP: self.hp_flops,
            Precision.INT: self.int_ops,
            Precision.TENSOR: self.tensor_flops,
        }[precision]


@record(frozen=True, slots=True)
class RegionFacts:
    """A stretch of the kernel that runs as a whole. Regions stand outer ones first."""

    depth: int
    """0 for the kernel itself; a region is inside the nearest one above it with a smaller depth."""
    kind: str
    """``kernel``, ``guard`` or ``loop``."""
    role: str
    """Of a guard: ``taken``, ``leaves`` (it ends in return, break or continue) or ``stays`` (what
    follows for those that did not leave)."""
    path: Path
    """Of the source line that makes it."""
    line: int
    """1-based."""
    counter: str | None
    """Of a loop: the name that its runs, 0, 1, 2 and so on, have in formulas."""
    formula: str | None
    """The conditions of a guard, the trips of a loop; null where nothing is known of them."""
    runs: float
    """Over all threads: those of the parent times trips or share."""
    warp_runs: float
    """Over all warps: a warp goes where any of its lanes goes."""
    trips: float
    """Of a loop: mean trips for each run of its parent, else 1."""
    share: float
    """Of a guard: the share of its parent's runs, else 1."""
    estimated: bool
    """Whether data decides trips or share, so that they were estimated."""
    why: str
    """What an estimate rests on; empty where nothing was estimated."""
    unrolled: bool
    """Whether the loop is taken to be unrolled whole."""
    walked_runs: int
    """Of a guard that stands for an unrolled loop: the runs it holds; else 1."""
    barriers: int
    """Barriers of the block in each run."""
    operations: Operations
    """Its own, those of regions inside it left out."""
    accesses: int
    """Loads, stores and atomics of its own in the source."""


@record(frozen=True, slots=True)
class AccessFacts:
    """One load, store or atomic of the source."""

    path: Path
    """Of its source line."""
    line: int
    """1-based."""
    kind: str
    """``read``, ``write`` or ``atomic``."""
    size_bytes: int
    """Of one element as it is accessed."""
    offset: str
    """Bytes from the start of the array, in C's notation."""
    loads: str | None
    """The name that the loaded number has in formulas; null where nothing loads it."""
    pattern: str | None
    """``4 x 1024, 4096 x 64``: strides in bytes times extents over the whole launch; ``one
    place``; ``data-dependent``; ``not affine``; null for what does not reach L2."""
    executions: float
    """Threads times trips."""
    requests: float
    """Warps times trips."""
    active_lanes: float | None
    """Lanes of a warp that take part, on average; null where nothing runs."""
    sectors_per_request: float | None
    """Sectors of global memory that a request of one warp falls into; null for shared memory."""
    least_sectors_per_request: float | None
    """What they would be if neighbouring lanes accessed neighbouring elements."""
    clocks_per_request: float | None
    """Clocks of L1 or of shared memory: lines, or words of the busiest bank."""
    footprint_bytes: float | None
    """Distinct bytes, in whole sectors, over the whole launch; null where data decides them."""
    dram_read_bytes: float
    """Its share of what is read of the array from DRAM."""
    dram_write_bytes: float
    """Likewise written."""


@record(frozen=True, slots=True)
class ArrayFacts:
    """One allocation, or one array of shared or local memory."""

    name: str
    """The parameter or variable."""
    space: str
    """``global``, ``shared``, ``local``, ``constant`` or ``texture``."""
    element: str
    """The type of the elements."""
    size_bytes: float | None
    """Of the allocation; null where it is not known."""
    first_read_bytes: float
    """Distinct bytes read from DRAM."""
    read_bytes: float
    """The same with what is fetched again."""
    written_bytes: float
    """Bytes that L2 is given to write."""
    write_bytes: float
    """Those of them that reach DRAM before the kernel ends."""
    accesses: tuple[AccessFacts, ...]
    """In the order of the walk."""


@record(frozen=True, slots=True)
class LineWork:
    """The operations of one source line."""

    path: Path
    """Of the source file."""
    line: int
    """1-based."""
    source: str | None
    """The line's text without the blanks around it; null where the file cannot be read."""
    executions: float
    """Threads that come to the line, times the trips of the loops around it."""
    operations: Operations
    """Over the whole launch."""


@record(frozen=True, slots=True)
class TimeTerm:
    """The time that the launch would take if this alone mattered."""

    name: str
    """``compute``, ``l1``, ``l2``, ``dram``, ``latency``, ``contention`` or ``launch``."""
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
    """``constant``, ``distance`` from the ridge, ``compute_bound``, ``assumed_operations``,
    ``uncertain_bytes`` or ``unknowns``."""
    value: float
    """The feature."""
    log_odds: float
    """Its value times its coefficient."""


@record(frozen=True, slots=True)
class VerdictFacts:
    """The class and what it follows from."""

    verdict: Verdict | None
    """Compute-bound if one of the precisions that decide is."""
    confidence: float
    """The estimated probability that the class is right."""
    dram_read_bytes: float
    """Of arrays, code and arguments together."""
    dram_write_bytes: float
    """Likewise written."""
    other_read_bytes: float
    """Of the bytes read, those of code, arguments and the machine itself."""
    intensities: tuple[Intensity, ...]
    """Of the precisions that have operations."""
    confidence_features: tuple[ConfidenceFeature, ...]
    """They add up to the log-odds of the confidence, before that is kept between 0.5 and 0.99."""
    crossover: FlipPoint | None
    """Where the class changes, as one number that is open grows; null where no such point was
    found or looked for."""


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
class LaunchOutline:
    """A launch of the kernel in short."""

    number: int
    """1-based, in the order of the kernel's launches."""
    path: Path
    """The file of the launch."""
    line: int
    """1-based."""
    certain: bool
    """Whether the host program surely comes here."""
    grid: tuple[int, ...]
    """Blocks in x, y and z, as far as need be assumed."""
    block: tuple[int, ...]
    """Threads of a block in x, y and z, as far as need be assumed."""
    template_arguments: tuple[TemplateArgument, ...]
    """In the order of the kernel's parameters."""
    verdict: Verdict | None
    """Its class."""
    confidence: float
    """The estimated probability that the class is right."""
    time_ns: float | None
    """Of one launch, in nanoseconds."""
    repeat: float | None
    """How often it is made in all; null where that is not known."""

    @property
    def total_ns(self) -> float | None:
        """The time of all its repetitions, taken to be one where they are not known."""
        return None if self.time_ns is None else self.time_ns * (self.repeat or 1.0)


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
