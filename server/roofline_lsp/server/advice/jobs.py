"""What the server and the process that asks the language model say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from roofline_advisor.advice import Advice, KernelName
from roofline_analysis.report.report import ModelOpinion
from roofline_core.settings import Settings


class AdviceKind(Enum):
    """The kind of advice requested for a kernel."""

    SUGGEST = "suggest"
    """Edits that make it faster: ``Advice``."""
    CLASSIFY = "classify"
    """Its class: ``ModelOpinion``."""
    SHOW_PROMPT = "show prompt"
    """What would be sent for both: a text. Nothing is sent for it."""


@dataclass(frozen=True, slots=True)
class Advise:
    """A question about one kernel."""

    number: int
    wish: AdviceKind
    path: Path
    text: str
    """The file as it stands in the editor."""
    kernel: KernelName
    settings: Settings
    overlays: Mapping[Path, bytes] = field(default_factory=dict)
    """Unsaved texts of other files, by path without links."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for this any more."""

    number: int


@dataclass(frozen=True, slots=True)
class AdviceProgress:
    """A progress message for the user."""

    number: int
    message: str


@dataclass(frozen=True, slots=True)
class AdviceWarning:
    """A warning about anything but the request itself, such as the cache of replies."""

    message: str


@dataclass(frozen=True, slots=True)
class AdviceFailed:
    """The reason for missing advice, as a message for the user."""

    message: str


@dataclass(frozen=True, slots=True)
class AdviceReady:
    """The answer to ``Advise``."""

    number: int
    value: Advice | ModelOpinion | str | AdviceFailed
