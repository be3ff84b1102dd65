"""A document, its finished analyses, and what one request sees of them."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roofline_analysis.api.wishes import Wish
from roofline_analysis.report.report import FileReport, GpuUsed, KernelReport, WhatIf
from roofline_core.program.regular_files import read_regular_file
from roofline_lsp.server.documents.broken_code import is_syntax_problem, says_the_same
from roofline_lsp.server.documents.line_map import LineMap
from roofline_lsp.server.documents.source_places import SourcePlaces
from roofline_lsp.server.documents.text_buffer import TextBuffer

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
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
    hovers: dict[tuple[object, ...], tuple[tuple[object, ...], str]] = field(default_factory=dict)
    """What hovers said of kernels: by the identities of what it was made of, which are held."""

    @cached_property
    def places(self) -> SourcePlaces:
        """Where declarations and statements of the text are."""
        return SourcePlaces(self.report.path, self.lines)

    @cached_property
    def syntax_problems(self) -> int:
        """How much of the text's syntax was not understood."""
        return sum(map(is_syntax_problem, self.report.problems))


@dataclass(slots=True)
class UnderWay:
    """An analysis that has not ended."""

    task: asyncio.Task[None]
    since_s: float
    """By the loop's clock."""
    lines: tuple[str, ...] = ()
    """The text that it is of."""
    changed: set[str] = field(default_factory=set)
    """The real paths of other files that have changed since."""


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
    typed: int = 0
    """The ``wanted`` that the last change of the text made."""
    settled: int = 0
    """The ``wanted`` that the newest attempt was for, whether it succeeded or not."""
    completed: int = 0
    """The same of the newest attempt that was to have findings, too."""
    analysis: Analysis | None = None
    analysed_revision: int = -1
    """The text that ``analysis`` is about."""
    saved: Analysis | None = None
    """The analysis of the text that was opened or last saved."""
    good: Analysis | None = None
    """The newest analysis of a text before an edit broke its syntax."""
    forgotten: int = 0
    """Counts how often former analyses were let go of, for other settings."""
    told_too_long: bool = False
    edit_s: float | None = None
    """How long the last analysis of a typed text took; None before there was one."""
    first_change_s: float | None = None
    """When the first change was made that no analysis has seen, by the loop's clock."""
    timer: asyncio.TimerHandle | None = None
    waiters: list[tuple[asyncio.Future[None], bool]] = field(default_factory=list)
    """Requests that wait for a fresh analysis, and whether for a complete one."""

    looks: list[tuple[Wish, asyncio.Future[View]]] = field(default_factory=list)
    """Requests that wait for a kernel while the first analysis is under way."""

    @property
    def fresh(self) -> bool:
        """Whether nothing has changed since the newest analysis."""
        return self.settled == self.wanted

    def is_unknown(self) -> bool:
        """Whether its first analysis is under way, or still to be made."""
        return self.analysis is None and not self.fresh

    def take(self, analysis: Analysis, revision: int, forgotten: int) -> None:
        """Keep a finished analysis of one of the document's texts.

        ``forgotten``: as it was when the analysis began. If it was made with former settings, it is
        shown until the next one is there, and nothing is held against it.
        """
        self.analysis, self.analysed_revision = analysis, revision
        if forgotten != self.forgotten:
            return
        if revision == self.saved_revision:
            self.saved = analysis
        if self.good is None or analysis.syntax_problems <= self.good.syntax_problems:
            self.good = analysis

    def note_saved(self) -> None:
        """The text as it stands was saved."""
        self.saved_revision = self.revision
        self.saved = self.analysis if self.analysed_revision == self.revision else None

    def forget(self) -> None:
        """Let go of the analyses of former texts, which other settings made."""
        self.saved = self.good = None
        self.forgotten += 1

    def unsaved(self) -> bool:
        """Whether the text is not what the file holds."""
        if not self.is_file:
            return False
        try:
            text = self.buffer.text.encode()
            return read_regular_file(self.path, len(text)) != text
        except OSError:
            return True

    @property
    def complete(self) -> bool:
        """Whether nothing has changed since rules were last applied, too."""
        return self.completed == self.wanted

    async def settle(self, wait_s: float, *, complete: bool) -> None:
        """Wait until there is nothing newer to analyse, with ``complete`` for findings, too."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiters.append((waiter, complete))
        try:
            async with asyncio.timeout(wait_s):
                await waiter
        except TimeoutError:
            logger.debug("%s: no fresh analysis within %.1f s", self.uri, wait_s)
        finally:
            self.waiters = [each for each in self.waiters if each[0] is not waiter]

    def release(self, *, all_of_them: bool = False) -> None:
        """Let the requests go on that wait for no more than there is, or all."""
        complete = all_of_them or self.complete
        for _, look in self.looks:
            look.cancel()
        self.looks.clear()
        for waiter, patient in self.waiters:
            if not waiter.done() and (complete or not patient):
                waiter.set_result(None)
        self.waiters = [each for each in self.waiters if not each[0].done()]


@dataclass(frozen=True)
class View:
    """A document's text as it stands and the newest analysis, for one request."""

    document: Document
    analysis: Analysis
    lines: tuple[str, ...]
    fresh: bool
    complete: bool
    """Whether there are all findings of the text as it stands."""
    is_first_look: bool = False
    """Whether it is of one kernel alone, known before the first analysis ended."""
    newest: View | None = None
    """Of a view of the last good analysis: that of the newest one, which the text broke."""

    @cached_property
    def line_map(self) -> LineMap:
        """Where the lines of the analysed text are now."""
        return LineMap(self.analysis.lines, self.lines)

    @property
    def report(self) -> FileReport:
        """The analysis' report."""
        return self.analysis.report

    @cached_property
    def is_broken(self) -> bool:
        """Whether an edit since the last good analysis broke the text's syntax.

        A text that keeps no line of the kernels that there were is another one.
        """
        good = self.document.good
        if good is None or good.syntax_problems >= self.analysis.syntax_problems:
            return False
        former = View(self.document, good, self.lines, fresh=False, complete=False, newest=self)
        return any(former.stands(kernel) for kernel in good.report.kernels)

    def stands(self, kernel: KernelReport) -> bool:
        """Whether any line of a kernel is still there."""
        last = min(kernel.span.end_line, len(self.analysis.lines))
        return any(self.line_map.to_new(at) is not None for at in range(kernel.span.line, last + 1))

    @cached_property
    def steady(self) -> View:
        """This view, or that of the last good analysis while the text is broken."""
        good = self.document.good
        if good is None or not self.is_broken:
            return self
        return View(self.document, good, self.lines, fresh=False, complete=False, newest=self)

    @cached_property
    def broken_line(self) -> int:
        """The 1-based line of the text as it stands at which the edit that broke it begins."""
        newest = self.newest or self
        good = newest.document.good
        return LineMap(good.lines, self.lines).first_change if good is not None else 1

    def is_outdated(self, kernel: KernelReport) -> bool:
        """Whether a kernel of this view's report is shown as it was before the text broke."""
        if self.newest is None:
            return False
        return not any(says_the_same(kernel, each) for each in self.newest.report.kernels)

    def saved_report(self, kernel: KernelReport) -> KernelReport | None:
        """The same kernel's report when the document was saved; None if that is not another one."""
        saved = self.document.saved
        if saved is None or saved is self.analysis or saved.gpu != self.analysis.gpu:
            return None
        named = [
            each
            for each in saved.report.kernels
            if (each.name, each.path) == (kernel.name, kernel.path)
        ]
        return named[0] if len(named) == 1 else None
