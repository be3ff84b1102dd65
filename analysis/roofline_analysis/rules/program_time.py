"""What a program's launches take together, so that findings can be weighed against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_analysis.rules.host_program import HostLaunch
from roofline_analysis.rules.model import Finding, Level
from roofline_core.program.records import record
from roofline_core.program.units import Span

LEAST_SHARE: Final = 0.02
"""The least part of a program's time that a finding saves. Chosen, not measured."""
LEAST_SAVED_NS: Final = 3_000.0
"""The least saving in ns: by all launches of a kernel where they are known, else by one. Chosen."""


@record(frozen=True, slots=True)
class KernelTime:
    """What the launches of a kernel take in a program."""

    total_ns: float
    """All of them."""
    share: float
    """Their part of the program's time, 0 to 1; the most that it may be."""


class ProgramTime:
    """The predicted times of a program's launches, judged when they are first asked for."""

    def __init__(self, launches: Sequence[HostLaunch]) -> None:
        """``launches`` are all of a program's; none where not all are known."""
        self._launches = launches

    @cached_property
    def _times_ns(self) -> Sequence[float | None]:
        """By launch: the time of all its repetitions in ns; None if that is unknown.

        How often loops run a line is shared out evenly over the sizes that it launches.
        """
        sizes = Counter((each.context.path, each.context.line) for each in self._launches)
        times = ((each, _time_ns(each)) for each in self._launches)
        return [
            None if time is None else time / sizes[each.context.path, each.context.line]
            for each, time in times
        ]

    def least_ns(self) -> float:
        """The ns that the launches take together at least: those of known time, sure to be met."""
        return sum(
            time
            for launch, time in zip(self._launches, self._times_ns, strict=True)
            if time is not None and launch.context.certain
        )

    def of(self, path: Path, name_span: Span) -> KernelTime | None:
        """The time of the launches of the kernel at a place.

        None if the time of one of them is unknown, or if there is none.
        """
        own, others = 0.0, 0.0
        for launch, time in zip(self._launches, self._times_ns, strict=True):
            kernel = launch.context.kernel
            if (kernel.path, kernel.name_span) == (path, name_span):
                if time is None:
                    return None
                own += time
            elif time is not None and launch.context.certain:
                others += time
        return KernelTime(own, own / (own + others)) if own else None


def _time_ns(launch: HostLaunch) -> float | None:
    repeat = launch.context.repeat.constant if launch.context.repeat is not None else None
    time = launch.known_time_ns
    return None if repeat is None or time is None else float(repeat) * time


def is_noticed(finding: Finding, time: KernelTime | None) -> bool:
    """Whether mending a kernel's finding would be noticed in the time of the whole program.

    ``time`` is the kernel's in it; None: unknown, and then the saving by one launch counts.
    Mistakes always are.
    """
    effect = finding.effect
    if effect is None or finding.level is Level.WARNING or not effect.time_ns:
        return True
    saved_ns = effect.time_ns - effect.new_time_ns
    if time is None:
        return saved_ns >= LEAST_SAVED_NS
    saved = saved_ns / effect.time_ns
    return time.share * saved >= LEAST_SHARE and time.total_ns * saved >= LEAST_SAVED_NS
