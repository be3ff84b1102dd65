"""What one launch of a kernel is expected to do, with the reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.timing.limiter import Limiter
from roofline_core.program.precision import Precision
from roofline_core.program.records import record


class Verdict(Enum):
    """Which roof a kernel meets first."""

    COMPUTE_BOUND = "CB"
    BANDWIDTH_BOUND = "BB"


class Source(Enum):
    """Where a prediction comes from."""

    STATIC = "static"
    LLM = "llm"
    MEASURED = "measured"


@record(frozen=True, slots=True)
class Grounds:
    """What the confidence in a verdict is computed from."""

    margin: float
    """The natural logarithm of the highest intensity over its ridge: above 0 if compute-bound."""
    assumed_share: float
    """Of the operations of that precision, the share in loops and branches whose trips or odds
    were assumed."""
    uncertain_share: float
    """Of the DRAM bytes, the share at addresses that could not be followed."""
    unknowns: int
    """How many quantities were assumed."""


@record(frozen=True, slots=True)
class Evidence:
    """One observation behind a prediction, in words, with the amount."""

    path: Path
    line: int
    what: str
    """``single-precision operations``, ``DRAM bytes read of 'x', coalesced``, ``loop trips``."""
    amount: float | None


@record(frozen=True, slots=True)
class LedgerLine:
    """Operations and bytes of one source line over a whole launch."""

    path: Path
    line: int
    sp_flops: float = 0.0
    dp_flops: float = 0.0
    hp_flops: float = 0.0
    int_ops: float = 0.0
    tensor_flops: float = 0.0
    dram_read_bytes: float = 0.0
    dram_write_bytes: float = 0.0
    executions: float = 0.0
    """How many threads reach the line, times the trips of the loops around it."""
    notes: tuple[str, ...] = ()
    """``loop: 1024 trips``, ``strided by 4096 bytes``, ``guard passes 98.6% of threads``."""

    @property
    def dram_bytes(self) -> float:
        """Read and written."""
        return self.dram_read_bytes + self.dram_write_bytes


@record(frozen=True, slots=True)
class Utilisation:
    """How a launch's blocks fill the GPU."""

    blocks: int
    blocks_per_sm: int
    """That an SM holds at a time."""
    sm_count: int
    limiter: str
    """What limits them: ``warps``, ``blocks``, ``registers`` or ``shared memory``."""

    @property
    def regime(self) -> str:
        """``idle SMs``, ``under-utilised`` or ``fully utilised``: LLMPerf's three regimes."""
        if self.blocks < self.sm_count:
            return "idle SMs"
        return "under-utilised" if self.waves < 1.0 else "fully utilised"

    @property
    def waves(self) -> float:
        """How often the launch fills the GPU."""
        return self.blocks / (self.blocks_per_sm * self.sm_count)

    @property
    def tail_efficiency(self) -> float:
        """The share of the places that whole waves of blocks would leave filled, 1 at best."""
        return self.waves / math.ceil(self.waves)


@record(frozen=True, slots=True)
class FlipPoint:
    """Where the class of a kernel changes, as one number grows and all others stay."""

    name: str
    """The kernel's parameter that the number is, or what the host program reads: ``argv[1]``."""
    value: int
    """The least number tried that has ``verdict``; numbers are tried at 4 significant bits."""
    verdict: Verdict
    """The class from there on."""


@record(frozen=True, slots=True)
class Prediction:
    """What one launch is expected to do. None stands for what could not be estimated."""

    verdict: Verdict | None
    confidence: float
    """The estimated probability, 0 to 1, that the verdict is right."""
    source: Source
    limiting: Limiter | None
    sp_flops: float | None
    dp_flops: float | None
    hp_flops: float | None
    int_ops: float | None
    tensor_flops: float | None
    dram_read_bytes: float | None
    dram_write_bytes: float | None
    time_ns: float | None
    precision_verdicts: Mapping[Precision, Verdict]
    """Each precision's own class by its own ridge."""
    unknowns: tuple[UnknownUsed, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """The largest contributions first."""
    ledger: tuple[LedgerLine, ...] = ()
    """By path and line."""
    regime: str | None = None
    """``idle SMs``, ``under-utilised`` or ``fully utilised``."""
    utilisation: Utilisation | None = None
    """The numbers behind the regime."""
    occupancy: float | None = None
    """Resident warps over the most an SM can hold."""
    grid: tuple[int, int, int] | None = None
    """The blocks that the prediction is for; assumed where the launch leaves them open."""
    block: tuple[int, int, int] | None = None
    """Likewise the threads of a block."""
    grounds: Grounds | None = None
    """None where there is no verdict, and where it was not computed from counts."""

    @property
    def dram_bytes(self) -> float | None:
        """Read and written, None if either is unknown."""
        if self.dram_read_bytes is None or self.dram_write_bytes is None:
            return None
        return self.dram_read_bytes + self.dram_write_bytes

    def operations(self, precision: Precision) -> float | None:
        """The operations of a precision."""
        return {
            Precision.SP: self.sp_flops,
            Precision.DP: self.dp_flops,
            Precision.HP: self.hp_flops,
            Precision.INT: self.int_ops,
            Precision.TENSOR: self.tensor_flops,
        }[precision]

    def intensity(self, precision: Precision) -> float | None:
        """Operations of a precision per DRAM byte, None if either is unknown."""
        operations, moved = self.operations(precision), self.dram_bytes
        return operations / moved if operations is not None and moved else None
