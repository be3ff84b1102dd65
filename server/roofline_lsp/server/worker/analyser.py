"""What the worker analyses with: the real thing, or a test's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from roofline_analysis.api.wishes import Wishes
from roofline_analysis.report.report import FileReport, Finding, GpuUsed, KernelReport, WhatIf
from roofline_core.settings import Settings
from roofline_lsp.server.worker.jobs import VariantWanted

if TYPE_CHECKING:
    from roofline_analysis.api.compare.records import VariantComparison
    from roofline_analysis.api.explain.records import Explanation


class Reader(Protocol):
    """Gives a file's bytes, None where there is no such file."""

    def __call__(self, path: Path, /) -> bytes | None: ...  # noqa: D102


class Analyser(Protocol):
    """What a worker does its jobs with. It may believe files unchanged until it is told."""

    @abstractmethod
    def analyse(
        self,
        text: bytes,
        path: Path,
        settings: Settings,
        reader: Reader,
        *,
        findings: bool,
        aside: bool,
        wishes: Wishes | None,
    ) -> FileReport:
        """The kernels of a file, with ``findings`` or without; never raises on bad code.

        One that is made ``aside`` does not count as the file's last analysis. Kernels that
        ``wishes`` tells of are known before the others.
        """

    @abstractmethod
    def what_if(
        self, path: Path, kernel: KernelReport, launch: int | None, gpus: tuple[str, ...]
    ) -> WhatIf | None:
        """What a launch of the last analysis of a file would be on other GPUs.

        None if it has no such kernel any more. Raises RooflineError.
        """

    @abstractmethod
    def suggestions(self, path: Path, kernel: KernelReport) -> tuple[Finding, ...] | None:
        """What rules find in a kernel of the last analysis of a file, for somebody who asks.

        None if it has no such kernel any more. Raises RooflineError.
        """

    @abstractmethod
    def explain(self, path: Path, kernel: KernelReport, launch: int | None) -> Explanation | None:
        """How the class of a kernel of the last analysis of a file comes about.

        None if it has no such kernel any more. Raises RooflineError.
        """

    @abstractmethod
    def compare(
        self, variants: Sequence[VariantWanted], settings: Settings, reader: Reader
    ) -> VariantComparison:
        """Variants of a kernel held against the first. Raises RooflineError."""

    @abstractmethod
    def gpu(self, settings: Settings) -> GpuUsed:
        """The GPU that settings name. Raises RooflineError."""

    @abstractmethod
    def read(self, path: Path) -> bytes | None:
        """What is on disk."""

    @abstractmethod
    def overlaid(self, path: Path, text: bytes | None) -> None:
        """A document has this text, or is closed: what is known of the file may still hold."""

    @abstractmethod
    def changed(self, path: Path, text: bytes | None) -> None:
        """A file is not what it was: it has this text, or else what is on disk."""

    @abstractmethod
    def forget(self) -> None:
        """Let go of what is kept to be quicker: memory is short."""

    @abstractmethod
    def is_program(self, text: bytes) -> bool:
        """Whether a file makes a program of its own, so that no other such file is linked to it."""

    @abstractmethod
    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Begin to look through a project."""

    @abstractmethod
    def step(self) -> bool:
        """Look through a little more of the projects; whether all is done."""

    @abstractmethod
    def regrouped(self) -> frozenset[Path]:
        """The files that would be analysed with others now than they were, each told once."""
