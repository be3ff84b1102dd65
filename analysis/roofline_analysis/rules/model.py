"""What rules find."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.program.units import Span


class Level(Enum):
    """How a finding is shown."""

    WARNING = "warning"
    """It is a mistake whatever the kernel is for."""
    INFORMATION = "information"
    """It costs time by the model."""
    HINT = "hint"
    """It costs time, and mending it changes results in their last bits or needs a judgement."""


@record(frozen=True, slots=True)
class Edit:
    """Text to put in the place of a span; of an empty span, to insert."""

    path: Path
    span: Span
    text: str


@record(frozen=True, slots=True)
class Fix:
    """An edit that mends a finding."""

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
    """What mending a finding would change, by the model, over one launch of the kernel."""

    saved_bytes: float
    """DRAM bytes less; below 0: more."""
    saved_operations: Mapping[Precision, float]
    """Operations less, by precision; below 0: more. Precisions without change are absent."""
    intensity: Mapping[Precision, float]
    """The new operations per DRAM byte of the precisions that have any."""
    time_ns: float
    """The launch's time now."""
    new_time_ns: float
    verdict: Verdict | None
    """The class now."""
    new_verdict: Verdict | None

    @property
    def speedup(self) -> float:
        """The time now over the new one."""
        return self.time_ns / self.new_time_ns if self.new_time_ns else 1.0

    @property
    def changes_class(self) -> bool:
        """Whether the kernel would be of the other class."""
        return self.verdict is not self.new_verdict


@record(frozen=True, slots=True)
class Finding:
    """A performance problem pattern met in a program."""

    code: str
    """Of the rule: ``RL104``."""
    rule: str
    """The rule's name: ``double-literal``."""
    level: Level
    message: str
    """What is there, in a sentence or two with its numbers."""
    path: Path
    span: Span
    effect: Effect | None = None
    """None where the model has no number for it."""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    """Other lines with the same problem, and the launch that it was computed for."""


@record(frozen=True, slots=True)
class Match:
    """What a check gives: a finding without what is the rule's."""

    message: str
    path: Path
    span: Span
    effect: Effect | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
