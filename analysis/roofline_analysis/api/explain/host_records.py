"""What an explanation says of the host program: values, launches. See ``records``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.records import record


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
    """``device``, ``managed``, ``pinned``, ``host`` or ``constant``."""
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
