"""What the server asks of whatever analyses for it: a process, two, or those that follow them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from roofline_analysis.report.report import GpuUsed
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskComparison,
    AskExplanation,
    AskSuggestions,
    AskWhatIf,
    CheckGpu,
    ComparisonAnswer,
    EarlyKernel,
    Explained,
    Failed,
    LookAt,
    Suggested,
    WhatIfAnswer,
)


class AnalysisWorker(Protocol):
    """Jobs go in, answers come out as awaitables, which raise WorkerCrashError.

    ``on_crash`` is told, in words for people, each time a process is lost; ``on_regrouped`` which
    analysed files are to be analysed again, as their programs have changed; ``on_early`` a kernel
    that was looked at, once it is known.
    """

    on_crash: Callable[[str], None]
    on_early: Callable[[EarlyKernel], None]
    on_regrouped: Callable[[frozenset[Path]], None]

    @abstractmethod
    def start(self) -> None:
        """Get ready for the first job. Needs no loop."""

    @abstractmethod
    def stop(self) -> None:
        """End at once, for good."""

    @abstractmethod
    def overlay(self, path: Path, text: bytes | None) -> None:
        """Have a file read as an open document's text, or as what is on disk again."""

    @abstractmethod
    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Have a project looked through in idle time, if it was not with these exclusions."""

    @abstractmethod
    def changed(self, paths: Iterable[Path]) -> None:
        """Tell of files that changed on disk."""

    @abstractmethod
    def look_at(self, look: LookAt) -> None:
        """Hear of a kernel as soon as it is known, before its file's analysis ends."""

    @abstractmethod
    async def analyse(self, job: Analyse) -> Analysed | Failed:
        """Analyse a file."""

    @abstractmethod
    async def gpu(self, job: CheckGpu) -> GpuUsed | Failed:
        """Look up a GPU."""

    @abstractmethod
    async def what_if(self, job: AskWhatIf) -> WhatIfAnswer | Failed:
        """Judge a launch of an analysis for other GPUs."""

    @abstractmethod
    async def suggestions(self, job: AskSuggestions) -> Suggested | Failed:
        """Say what rules find in a kernel of an analysis."""

    @abstractmethod
    async def explain(self, job: AskExplanation) -> Explained | Failed:
        """Explain a kernel of an analysis."""

    @abstractmethod
    async def compare(self, job: AskComparison) -> ComparisonAnswer | Failed:
        """Compare variants of a kernel."""
