"""A document, its finished analyses, and what one request sees of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roofline_lsp.api.report import FileReport, GpuUsed, WhatIf
from roofline_lsp.server.line_map import LineMap
from roofline_lsp.server.text import TextBuffer


@dataclass(frozen=True, slots=True)
class Analysis:
    """A finished analysis and the text it is about."""

    lines: tuple[str, ...]
    """Without their ends; empty for a file that is not open."""
    report: FileReport
    gpu: GpuUsed
    kernels_elsewhere: dict[str, Path]
    """The kernels that other files of the program define, by identifier."""
    files_read: frozenset[str]
    """Real paths."""
    seconds: float
    what_if: tuple[str, ...] = ()
    """The GPUs that a hover tells the class on, too."""
    what_ifs: dict[object, asyncio.Task[WhatIf | None]] = field(default_factory=dict)
    """What is known or being found out of that, by launch."""


@dataclass(eq=False)
class Document:
    """An open document. Only ``Documents`` changes it."""

    uri: str
    path: Path
    language: str
    version: int
    buffer: TextBuffer
    real_path: str
    """The path without symbolic links, by which the same file is known from everywhere."""
    is_file: bool
    """Whether it belongs to a file, saved or not."""
    revision: int = 0
    """Counts texts."""
    saved_revision: int = 0
    """The text that was opened or last saved, which the advisor is asked about unasked."""
    wanted: int = 1
    """Counts reasons to analyse: texts, settings, files that the analysis rests on."""
    settled: int = 0
    """The ``wanted`` that the newest attempt was for, whether it succeeded or not."""
    analysis: Analysis | None = None
    told_too_long: bool = False
    first_change_s: float | None = None
    """When the first change was made that no analysis has seen, by the loop's clock."""
    timer: asyncio.TimerHandle | None = None
    waiters: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def fresh(self) -> bool:
        """Whether nothing has changed since the newest analysis."""
        return self.settled == self.wanted

    def unsaved(self) -> bool:
        """Whether the text is not what the file holds."""
        if not self.is_file:
            return False
        try:
            return self.path.read_bytes() != self.buffer.text.encode()
        except OSError:
            return True

    def release(self) -> None:
        """Let all requests go on that wait for a fresh analysis."""
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()


@dataclass(frozen=True)
class View:
    """A document's text as it stands and the newest analysis, for one request."""

    document: Document
    analysis: Analysis
    lines: tuple[str, ...]
    fresh: bool

    @cached_property
    def line_map(self) -> LineMap:
        """Where the lines of the analysed text are now."""
        return LineMap(self.analysis.lines, self.lines)

    @property
    def report(self) -> FileReport:
        """The analysis' report."""
        return self.analysis.report
