"""Advice as plain values, which travel between processes: importing them loads no analyser."""

from __future__ import annotations

from roofline_analysis.report.report import Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.text.units import duration, ratio_text, scaled

_SAME = 0.005


@record(frozen=True, slots=True)
class KernelName:
    """The identity of a kernel in its file."""

    qualified_name: str
    line: int | None = None
    """Where its name stands, 1-based, to tell kernels of one name apart."""


@record(frozen=True, slots=True)
class LineEdit:
    """An edit that replaces whole lines."""

    first_line: int
    last_line: int
    """1-based, inclusive."""
    text: str | None
    """What stands there instead, without the last line's end; None to take the lines away."""


@record(frozen=True, slots=True)
class EditEffect:
    """A launch before and after an edit. None stands for what could not be estimated."""

    time_before_ns: float | None
    time_after_ns: float | None
    dram_before_bytes: float | None
    dram_after_bytes: float | None
    operations_before: float | None
    operations_after: float | None
    """Operations of all precisions, integers and tensor cores together."""
    class_before: Verdict | None
    class_after: Verdict | None
    intensity_before: float | None
    intensity_after: float | None
    """The largest over its balance point decides a class; this is that precision's before."""
    precision: Precision | None

    @property
    def speedup(self) -> float | None:
        """Time before over time after."""
        if not self.time_before_ns or not self.time_after_ns:
            return None
        return self.time_before_ns / self.time_after_ns

    def text(self) -> str:
        """The changes in one line; unchanged quantities are left out."""
        parts = []
        if (speedup := self.speedup) is not None and abs(speedup - 1) > _SAME:
            times = f"{duration(self.time_before_ns)} -> {duration(self.time_after_ns)}"
            parts.append(f"time {times} ({ratio_text(speedup)}x)")
        for what, before, after, unit in (
            ("DRAM", self.dram_before_bytes, self.dram_after_bytes, "B"),
            ("operations", self.operations_before, self.operations_after, ""),
        ):
            if _differ(before, after):
                parts.append(f"{what} {scaled(before, unit)} -> {scaled(after, unit)}")
        if self.precision is not None and _differ(self.intensity_before, self.intensity_after):
            name = self.precision.value.upper()
            values = f"{scaled(self.intensity_before)} -> {scaled(self.intensity_after)}"
            parts.append(f"{name} intensity {values}")
        if self.class_before is not self.class_after:
            parts.append(f"class {_name(self.class_before)} -> {_name(self.class_after)}")
        return ", ".join(parts) or "nothing that the static model counts"


@record(frozen=True, slots=True)
class Suggestion:
    """An edit that passed every check."""

    title: str
    why: str
    claimed: str
    """The effect that the language model expects."""
    edits: tuple[LineEdit, ...]
    effect: EditEffect
    """The effect by the static model."""
    compiled: str
    tested: str


@record(frozen=True, slots=True)
class Rejected:
    """A rejected suggestion and the reason."""

    title: str
    reason: str


@record(frozen=True, slots=True)
class Advice:
    """The outcome of asking; the best suggestion comes first."""

    kernel: str
    suggestions: tuple[Suggestion, ...]
    rejected: tuple[Rejected, ...]
    rounds: int
    tokens: int
    """Tokens used; cached replies use none."""


def _differ(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > _SAME * max(abs(before), abs(after))


def _name(verdict: Verdict | None) -> str:
    return "undecided" if verdict is None else verdict.value
