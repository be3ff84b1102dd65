"""What a profiler measured of one launch of a kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from roofline_analysis.report.report import Verdict
from roofline_core.program.precision import Precision

Dim3 = tuple[int, int, int]

COUNTS = (
    "sp_flops", "dp_flops", "hp_flops", "int_ops", "tensor_flops",
    "dram_read_bytes", "dram_write_bytes", "dram_bytes",
    "l2_bytes", "l1_bytes", "shared_bytes",
    "time_ns", "sm_clock_mhz", "registers", "block_shared_bytes", "occupancy", "kept_bytes",
)  # fmt: skip
"""The numeric fields of a ``Measurement``; files use the same names."""

OPERATIONS = {
    Precision.SP: "sp_flops",
    Precision.DP: "dp_flops",
    Precision.HP: "hp_flops",
    Precision.INT: "int_ops",
    Precision.TENSOR: "tensor_flops",
}

CLASSED = (Precision.SP, Precision.DP, Precision.INT)
"""The precisions that decide the class, by the rule that predictions are judged by."""


@dataclass(frozen=True, slots=True)
class LineHeat:
    """The samples and instructions of one source line."""

    path: str
    """The path as the debug information gives it."""
    line: int
    samples: float
    """Program-counter samples of warps on this line."""
    instructions: float
    """Instructions executed on this line, counted once per warp."""


@dataclass(frozen=True, slots=True)
class LineOperations:
    """The operations of one source line in a whole launch, which only an emulation can tell."""

    path: str
    """The path as the debug information gives it."""
    line: int
    sp_flops: float
    dp_flops: float
    int_ops: float
    int_moves: float
    """Of the integer operations, moves between registers: IMAD.MOV and IMAD.U32."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One launch. None: not measured. Operations are counted per thread."""

    kernel: str
    """The kernel's demangled name, or LLVM's name of a target region."""
    gpu: str | None = None
    """The GPU's name in the report."""
    program: str | None = None
    args: tuple[str, ...] | None = None
    """The program's command line without its name."""
    grid: Dim3 | None = None
    block: Dim3 | None = None
    sp_flops: float | None = None
    """A multiply-add counts as 2, as for the other floating-point counts."""
    dp_flops: float | None = None
    hp_flops: float | None = None
    int_ops: float | None = None
    tensor_flops: float | None = None
    dram_read_bytes: float | None = None
    dram_write_bytes: float | None = None
    dram_bytes: float | None = None
    """Bytes read and written together."""
    l2_bytes: float | None = None
    l1_bytes: float | None = None
    shared_bytes: float | None = None
    """Bytes moved to and from shared memory."""
    time_ns: float | None = None
    sm_clock_mhz: float | None = None
    """The SM clock during the kernel."""
    registers: float | None = None
    """Registers of a thread."""
    block_shared_bytes: float | None = None
    """Bytes of shared memory of a block, static and dynamic."""
    occupancy: float | None = None
    """Active warps over the most an SM can hold, 0 to 1."""
    kept_bytes: float | None = None
    """Written bytes that L2 still holds at the end, which only an emulation can tell."""
    stalls: Mapping[str, float] = field(default_factory=dict)
    """By reason: stalled warps per issuing warp."""
    memory: Mapping[str, float] = field(default_factory=dict)
    """What an emulation counted of memory accesses: ``global_requests``, ``global_sectors``,
    ``shared_passes``, ``shared_conflicts``, ``global_atomics``, and so for each kind of memory."""
    lines: tuple[LineHeat, ...] = ()
    """Source lines, the one with most samples first."""
    line_work: tuple[LineOperations, ...] = ()
    """The operations of each source line, those of no line left out. Stores do not keep it."""
    label: Verdict | None = None
    """The class that the report states; None if it states none."""
    origin: str = ""
    """Where it comes from, for messages: ``report.csv, ID 3``."""
    emulated: bool = False
    """Whether it was counted on a CPU (``--emulate``), where time is not measured."""

    @property
    def how(self) -> str:
        """The word for what was done: ``measured`` or ``emulated``."""
        return "emulated" if self.emulated else "measured"

    def operations(self, precision: Precision) -> float | None:
        """The operations of a precision."""
        value: float | None = getattr(self, OPERATIONS[precision])
        return value

    @property
    def moved_bytes(self) -> float | None:
        """DRAM bytes read and written, by whichever counters there are."""
        if self.dram_bytes is not None:
            return self.dram_bytes
        if self.dram_read_bytes is None or self.dram_write_bytes is None:
            return None
        return self.dram_read_bytes + self.dram_write_bytes

    def intensity(self, precision: Precision) -> float | None:
        """Operations per DRAM byte; infinite where operations need none."""
        operations, moved = self.operations(precision), self.moved_bytes
        if operations is None or moved is None:
            return None
        if not operations:
            return 0.0
        return operations / moved if moved else math.inf

    def verdict(self, ridges: Mapping[Precision, float]) -> Verdict | None:
        """The class by the ridges; None where a count that could decide it is missing.

        Compute-bound if SP, DP or INT is above its own ridge. A stated label goes before.
        """
        if self.label is not None:
            return self.label
        intensities = {each: self.intensity(each) for each in CLASSED if each in ridges}
        above = (v is not None and v > ridges[each] for each, v in intensities.items())
        if any(above):
            return Verdict.COMPUTE_BOUND
        if None in intensities.values() or not intensities:
            return None
        return Verdict.BANDWIDTH_BOUND

    @property
    def counted(self) -> bool:
        """Whether any quantity of the launch was measured, not only its source lines."""
        return any(getattr(self, name) is not None for name in COUNTS)

    def missing(self) -> tuple[str, ...]:
        """The counts that a class needs and this launch lacks."""
        names = [OPERATIONS[each] for each in CLASSED if self.operations(each) is None]
        return (*names, "dram_bytes") if self.moved_bytes is None else tuple(names)


MAX_NAME = 20_000
"""The longest kernel name that is kept; nested templates reach some thousand characters."""


def name_of(text: str) -> str:
    """A name from a report, safe to print: without control characters and shortened."""
    text = text.strip()[:MAX_NAME]
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in text)


@dataclass(frozen=True, slots=True)
class Imported:
    """The content of a report."""

    measurements: tuple[Measurement, ...]
    """The measurements in the report's order."""
    problems: tuple[str, ...] = ()
    """The parts that could not be read, one sentence each."""
