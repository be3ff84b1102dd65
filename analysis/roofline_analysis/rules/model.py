"""Rules and their findings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.units import Span


class Level(Enum):
    """The severity with which a finding is shown."""

    WARNING = "warning"
    """A mistake, whatever the kernel is for."""
    INFORMATION = "information"
    """By the model it costs time."""
    HINT = "hint"
    """It costs time, but the fix changes the last bits of results or needs a judgement."""


@record(frozen=True, slots=True)
class Edit:
    """Text that replaces a span; it is inserted where the span is empty."""

    path: Path
    span: Span
    text: str


@record(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding."""

    title: str
    edits: tuple[Edit, ...]
    exact: bool = True
    """False where floating-point results may differ in their last bits."""


@record(frozen=True, slots=True)
class Related:
    """Another place that a finding is about."""

    path: Path
    line: int
    message: str


@record(frozen=True, slots=True)
class Effect:
    """The effect of fixing a finding on one launch of the kernel, by the model."""

    saved_bytes: float
    """DRAM bytes saved; negative if there would be more."""
    saved_operations: Mapping[Precision, float]
    """Operations saved, by precision; negative if there would be more, absent if unchanged."""
    intensity: Mapping[Precision, float]
    """Operations per DRAM byte after the fix, for each precision that has any operations."""
    time_ns: float
    """The launch's time before the fix, in ns."""
    new_time_ns: float
    verdict: Verdict | None
    """The class before the fix."""
    new_verdict: Verdict | None
    assumed: tuple[UnknownUsed, ...] = ()
    """The numbers that were assumed for the launch, on which the effect rests."""
    asked: bool = False
    """Whether somebody asks: then it need not be larger at assumed sizes to be told."""

    @property
    def at_assumed_sizes(self) -> bool:
        """Whether the times rest on assumed sizes or other numbers of the host program."""
        return any(each.kind is UnknownKind.HOST for each in self.assumed)

    @property
    def at_assumed_trips(self) -> bool:
        """Whether the times rest on how often loops run that data end."""
        return any(each.kind is UnknownKind.TRIPS for each in self.assumed)

    @property
    def speedup(self) -> float:
        """The time before the fix over that after it."""
        return self.time_ns / self.new_time_ns if self.new_time_ns else 1.0

    @property
    def changes_class(self) -> bool:
        """Whether the fix would change the class."""
        return self.verdict is not self.new_verdict


@record(frozen=True, slots=True)
class Finding:
    """One occurrence of a performance-problem pattern in a program."""

    code: str
    """The rule's code: ``RL104``."""
    rule: str
    """The rule's name: ``double-literal``."""
    level: Level
    message: str
    """The problem and its numbers, in one or two sentences."""
    path: Path
    span: Span
    effect: Effect | None = None
    """The effect of the fix; None where the model cannot tell it."""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    """Other lines with the same problem, and the launch for which the effect was computed."""


@record(frozen=True, slots=True)
class Match:
    """What a check returns: a finding without its rule's code, name and level."""

    message: str
    path: Path
    span: Span
    effect: Effect | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
