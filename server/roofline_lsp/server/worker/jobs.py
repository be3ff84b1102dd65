"""The messages between the server and its worker process, and their encoding in the pipe.

Both ends are this program, on one machine, so values travel pickled: eight bytes of length, then
the value.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from roofline_analysis.api.wishes import Wish
from roofline_analysis.report.report import FileReport, Finding, GpuUsed, KernelReport, WhatIf
from roofline_core.settings import Settings

if TYPE_CHECKING:
    from roofline_analysis.api.compare.records import VariantComparison
    from roofline_analysis.api.explain.records import Explanation


@dataclass(frozen=True, slots=True)
class Analyse:
    """Analyse one file."""

    number: int
    path: Path
    text: bytes | None
    """UTF-8; None to read the file."""
    settings: Settings
    findings: bool = True
    """Whether to apply rules. Without, the answer is there sooner, which is for every key typed."""
    aside: bool = False
    """Whether it is for this answer alone: later questions are about the analysis before it."""


@dataclass(frozen=True, slots=True)
class CheckGpu:
    """Look up the GPU of some settings."""

    number: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class AskWhatIf:
    """Judge a launch for other GPUs, from the last analysis of a file."""

    number: int
    path: Path
    """Of the file that was analysed."""
    kernel: KernelReport
    """Only which one it is matters."""
    launch: int | None
    """Its place among the kernel's launches; None where there is none."""
    gpus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskSuggestions:
    """Say what rules find in a kernel, from the last analysis of a file."""

    number: int
    path: Path
    """Of the file that was analysed."""
    kernel: KernelReport
    """Only which one it is matters."""


@dataclass(frozen=True, slots=True)
class AskExplanation:
    """Explain a kernel, from the last analysis of a file."""

    number: int
    path: Path
    """Of the file that was analysed."""
    kernel: KernelReport
    """Only which one it is matters."""
    launch: int | None
    """The launch to explain, from 1; None for the one that stands for the kernel."""


@dataclass(frozen=True, slots=True)
class VariantWanted:
    """A side of a comparison."""

    label: str
    """What tables call it."""
    path: Path
    text: bytes | None
    """UTF-8; None to read the file, or what an editor has of it."""
    line: int | None
    """A line, from 1, of the kernel that is meant; None for the one with the name of the others'.
    """


@dataclass(frozen=True, slots=True)
class AskComparison:
    """Compare variants of a kernel."""

    number: int
    settings: Settings
    variants: tuple[VariantWanted, ...]


@dataclass(frozen=True, slots=True)
class Overlay:
    """From now on a file reads as this text, None for what is on disk. There is no answer."""

    path: Path
    """Without symbolic links."""
    text: bytes | None


@dataclass(frozen=True, slots=True)
class IndexProject:
    """Look through a project in idle time, so that its files are analysed as one program.

    There is no answer, but ``Regrouped`` is said when a file turns out to have another program.
    """

    folder: Path
    exclude: tuple[str, ...]
    """Globs of files and folders to leave out."""


@dataclass(frozen=True, slots=True)
class LookAt:
    """A kernel of a file is waited for, of which an analysis is wanted or under way.

    Heard at once, before other jobs are done. ``EarlyKernel`` is said when the kernel is known
    before the whole file; nothing is said else.
    """

    path: Path
    wish: Wish


@dataclass(frozen=True, slots=True)
class Changed:
    """Files changed, appeared or went away on disk; no answer, as with ``IndexProject``."""

    paths: tuple[Path, ...]


AnsweredJob = Analyse | CheckGpu | AskWhatIf | AskSuggestions | AskExplanation | AskComparison
"""A job that is answered."""
Job = AnsweredJob | Overlay | IndexProject | Changed


@dataclass(frozen=True, slots=True)
class Analysed:
    """The answer to ``Analyse``."""

    report: FileReport
    gpu: GpuUsed
    files_read: frozenset[Path] = frozenset()
    """Every other file that the report rests on, as far as it is there."""
    kernels_elsewhere: dict[str, Path] = field(default_factory=dict)
    """The kernels those files define, by identifier."""
    seconds: float = 0.0
    """What the analysis took, without the way there and back."""
    unchanged: dict[int, int] = field(default_factory=dict)
    """On the way: kernels that are not in ``report``, for they are where the last one had them.

    Their places in this report and in that one; see ``report_diff``.
    """


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to a job that failed."""

    message: str
    """A message for users, without a full stop."""
    expected: bool
    """Whether a user can fix it; otherwise it is a bug of this program."""


@dataclass(frozen=True, slots=True)
class WhatIfAnswer:
    """The answer to ``AskWhatIf``."""

    what_if: WhatIf | None
    """None if the program has changed so that it has no such kernel."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """The answer to ``AskSuggestions``."""

    findings: tuple[Finding, ...] | None
    """None if the program has changed so that it has no such kernel."""


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to ``AskExplanation``."""

    explanation: Explanation | None
    """None if the program has changed so that it has no such kernel."""


@dataclass(frozen=True, slots=True)
class ComparisonAnswer:
    """The answer to ``AskComparison``."""

    comparison: VariantComparison


@dataclass(frozen=True, slots=True)
class EarlyKernel:
    """Sent ahead of the answer to ``Analyse``: a kernel that was waited for."""

    path: Path
    """Of the file that is analysed."""
    wish: Wish
    report: KernelReport
    """Without findings."""
    gpu: GpuUsed


@dataclass(frozen=True, slots=True)
class Regrouped:
    """Sent without a job: analysed files that now belong to another program."""

    paths: frozenset[Path]


@dataclass(frozen=True, slots=True)
class GettingOn:
    """Sent without a job: the process is ready, or has done something since it last said so."""

    steps: int
    """All that it has done so far; see ``roofline_core.program.progress``."""


@dataclass(frozen=True, slots=True)
class Rested:
    """Sent without a job: nothing is left to do, and memory was given back."""

    resident_bytes: int | None
    """The memory that the process takes; None where the system does not tell."""


Answer = Analysed | GpuUsed | WhatIfAnswer | Suggested | Explained | ComparisonAnswer


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """A job's number and its outcome."""

    number: int
    value: Answer | Failed


def send(stream: IO[bytes], value: object) -> None:
    """Write one value. Raises OSError or ValueError where the other end is gone."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(len(body).to_bytes(8, "little") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> object | None:
    """Read one value, None at the end of the stream, also in the middle of a value."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    body = stream.read(size)
    if len(body) < size:
        return None
    value: object = pickle.loads(body)
    return value
