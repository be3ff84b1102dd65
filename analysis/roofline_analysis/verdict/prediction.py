"""The prediction for one launch of a kernel, with the evidence behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path

from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.timing.limiter import Limiter, TimeLimit
from roofline_analysis.timing.occupancy import OccupancyLimit
from roofline_analysis.verdict.sight import Sight
from roofline_core.program.precision import Precision, operations_of
from roofline_core.program.records import record


class Verdict(Enum):
    """The roof that limits a kernel."""

    COMPUTE_BOUND = "CB"
    BANDWIDTH_BOUND = "BB"


class PredictionSource(Enum):
    """Where a prediction comes from."""

    STATIC = "static"
    LLM = "llm"
    MEASURED = "measured"
    EMULATED = "emulated"
    """Counted where the kernel's machine code was executed on a CPU."""

    @property
    def is_observed(self) -> bool:
        """Whether the counts are of a run of the program, not of its source."""
        return self in (PredictionSource.MEASURED, PredictionSource.EMULATED)


@record(frozen=True, slots=True)
class ConfidenceFeatures:
    """The quantities from which the confidence in a verdict is computed."""

    margin: float
    """The natural logarithm of intensity over ridge, for the precision with the largest ratio:
    above 0 if compute-bound."""
    assumed_share: float
    """The share of that precision's operations in loops and branches with assumed trip counts or
    odds."""
    uncertain_share: float
    """The share of the DRAM bytes at unknown addresses."""
    unknowns: int
    """The number of assumed quantities."""
    unseen_share: float = 0.0
    """The share of what the kernel does that was not followed: 1 less the share of its sight."""
    guessed_sizes: int = 0
    """The number of sizes that no host code fixes."""
    reuse: float = 0.0
    """The natural logarithm of the bytes that accesses ask for over the DRAM bytes, at least 0: a
    large value may be a footprint that lost an axis."""
    moves_little: bool = False
    """Whether many blocks together move next to nothing."""
    is_small_step: bool = False
    """Whether less than a warp works in a launch that is perhaps not reached."""
    for_other_sizes: bool = False
    """Whether a compute-bound class at guessed sizes is the same at far smaller and larger ones."""


@record(frozen=True, slots=True)
class Evidence:
    """One observation behind a prediction: a text and an amount."""

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
    """Threads that reach the line, times the trips of the loops around it."""
    notes: tuple[str, ...] = ()
    """``loop: 1024 trips``, ``strided by 4096 bytes``, ``guard passes 98.6% of threads``."""

    @property
    def dram_bytes(self) -> float:
        """DRAM bytes read and written."""
        return self.dram_read_bytes + self.dram_write_bytes


@record(frozen=True, slots=True)
class Utilisation:
    """How a launch's blocks fill the GPU."""

    blocks: int
    blocks_per_sm: int
    """Blocks resident on one SM at a time."""
    sm_count: int
    limiter: OccupancyLimit

    @property
    def regime(self) -> str:
        """``idle SMs``, ``under-utilised`` or ``fully utilised``: LLMPerf's three regimes."""
        if self.blocks < self.sm_count:
            return "idle SMs"
        return "under-utilised" if self.waves < 1.0 else "fully utilised"

    @property
    def waves(self) -> float:
        """Blocks of the launch over the blocks that are resident on the whole GPU at a time."""
        return self.blocks / (self.blocks_per_sm * self.sm_count)

    @property
    def tail_efficiency(self) -> float:
        """Blocks of the launch over the blocks of as many full waves; 1 if all waves are full."""
        return self.waves / math.ceil(self.waves)


@record(frozen=True, slots=True)
class BusUse:
    """What a launch moves to and from the memory of the host, over the bus."""

    read_bytes: float
    write_bytes: float
    link: str | None
    """``PCIe 4.0 x16``; None if the GPU's bus is not known."""
    bandwidth_gbs: float | None
    """What it carries of the kernel's data, in 10^9 bytes per second."""
    time_ns: float
    """The time of all these bytes on the bus; the least that it can be if that is not known."""
    limits: bool
    """Whether this takes longer than the operations and the DRAM traffic: the class rests on it.
    False by the study's rule, which does not count the bus."""
    dram_verdict: Verdict | None
    """The class by DRAM traffic alone, by the rule in force; None if undecided."""
    dram_confidence: float
    """The confidence in that."""
    dram_grounds: ConfidenceFeatures | None
    """What that confidence is computed from."""

    @property
    def total_bytes(self) -> float:
        """Bytes read and written."""
        return self.read_bytes + self.write_bytes


@record(frozen=True, slots=True)
class Crossover:
    """The value of one free input from which a kernel's class is another, all others fixed."""

    name: str
    """The kernel parameter's name, or the host program's input: ``argv[1]``."""
    value: int
    """The least value tried with ``verdict``; values are tried at 4 significant bits."""
    verdict: Verdict
    """The class from ``value`` upward."""


@record(frozen=True, slots=True)
class SizeRange:
    """The values of one free input that were tried, all others fixed."""

    name: str
    """As of a ``Crossover``."""
    least: int
    most: int
    crossover: Crossover | None
    """Where the class changes; None if it is the same for all the values."""


@record(frozen=True, slots=True)
class Prediction:
    """The prediction for one launch. A quantity that could not be estimated is None."""

    verdict: Verdict | None
    confidence: float
    """The estimated probability, 0 to 1, that the verdict is right; 0.5 if there is none."""
    source: PredictionSource
    limiting: Limiter | None
    sp_flops: float | None
    dp_flops: float | None
    hp_flops: float | None
    int_ops: float | None
    tensor_flops: float | None
    dram_read_bytes: float | None
    dram_write_bytes: float | None
    time_ns: float | None
    """Of the launch; with assumed sizes if ``time_depends_on`` names any."""
    precision_verdicts: Mapping[Precision, Verdict]
    """The class of each precision by that precision's ridge."""
    unknowns: tuple[UnknownUsed, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Observations, the largest contribution first."""
    ledger: tuple[LedgerLine, ...] = ()
    """Operations and bytes of source lines, ordered by path and line."""
    regime: str | None = None
    """``idle SMs``, ``under-utilised`` or ``fully utilised``."""
    utilisation: Utilisation | None = None
    """The numbers behind the regime."""
    occupancy: float | None = None
    """Resident warps of an SM over the most that it can hold, 0 to 1."""
    grid: tuple[int, int, int] | None = None
    """Blocks in x, y and z; assumed if the launch does not fix them."""
    block: tuple[int, int, int] | None = None
    """Threads of a block in x, y and z; assumed if the launch does not fix them."""
    time_depends_on: tuple[str, ...] = ()
    """The assumed sizes, by name, on which the time rests; people are told these in its place."""
    sight: Sight | None = None
    """The share of the kernel that was followed; None if the counts are not the analysis's own."""
    grounds: ConfidenceFeatures | None = None
    """None if there is no verdict or the verdict was not computed from counts."""
    kept_bytes: float = 0.0
    """Bytes of ``dram_write_bytes`` that L2 still holds when the launch ends, and that counters of
    the launch do not show; 0 by the study's rule, which does not count them."""
    code_bytes: float = 0.0
    """Bytes of code and arguments that are read from DRAM and that ``dram_read_bytes`` lacks; 0 by
    the study's rule, which counts them."""
    study_verdict: Verdict | None = None
    """The class by the study's rule, if that is not the rule in force; else None."""
    time_limit: TimeLimit | None = None
    """The resource that decides the time; None if there is no time of the model's."""
    bus: BusUse | None = None
    """None if nothing that the launch uses lies in mapped host memory."""

    @property
    def dram_verdict(self) -> Verdict | None:
        """The class by DRAM traffic alone, which profilers' counters give."""
        return self.verdict if self.bus is None else self.bus.dram_verdict

    @property
    def dram_bytes(self) -> float | None:
        """DRAM bytes read and written; None if either is unknown."""
        if self.dram_read_bytes is None or self.dram_write_bytes is None:
            return None
        return self.dram_read_bytes + self.dram_write_bytes

    def by_dram(self) -> Prediction:
        """This prediction with the class by DRAM traffic alone in the place of that by the bus."""
        if self.bus is None:
            return self
        return replace(
            self,
            verdict=self.bus.dram_verdict,
            confidence=self.bus.dram_confidence,
            grounds=self.bus.dram_grounds,
        )

    @property
    def known_time_ns(self) -> float | None:
        """The time; None if it is unknown or rests on assumed sizes."""
        return None if self.time_depends_on else self.time_ns

    def operations(self, precision: Precision) -> float | None:
        """The operations of a precision; None if unknown."""
        return operations_of(self, precision)

    def intensity(self, precision: Precision) -> float | None:
        """Operations of a precision per DRAM byte, None if either is unknown."""
        operations, moved = self.operations(precision), self.dram_bytes
        return operations / moved if operations is not None and moved else None
