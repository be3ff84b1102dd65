"""Open documents: their texts, and analyses of the newest of each, one after the other.

This is the one component that owns versions, waiting and the worker. What it promises:

- Opening or changing a document has it analysed; where that takes long, a change waits until
  typing pauses. After a change there are predictions first, and findings when typing pauses. Of
  several changes only the last is analysed, and what comes of an overtaken text is kept only to
  answer from until the next one is there.
- A request may wait for the analysis of the text it is about (``view``), within a bound, and
  otherwise gets the newest finished one with a map of its lines.
- A document whose analysis takes long is set aside, and the next one is analysed beside it.
- A document whose analysis brought the worker down is left alone until its text changes.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import math
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from roofline_analysis.api.wishes import Wish
from roofline_analysis.report.report import FileReport, Finding, KernelReport, LaunchReport, WhatIf
from roofline_lsp.server.documents.analysis_queue import Analyses, SettingsFor
from roofline_lsp.server.documents.convert import Encoding
from roofline_lsp.server.documents.document_view import Analysis, Document, UnderWay, View
from roofline_lsp.server.documents.places import (
    is_file,
    is_source,
    may_hold_kernels,
    path_of,
    watched,
)
from roofline_lsp.server.documents.text_buffer import TextBuffer
from roofline_lsp.server.worker.interface import AnalysisWorker
from roofline_lsp.server.worker.jobs import EarlyKernel, LookAt, VariantWanted

if TYPE_CHECKING:
    from roofline_analysis.api.compare.records import VariantComparison
    from roofline_analysis.api.explain.records import Explanation

logger = logging.getLogger(__name__)

_MOST_AT_ONCE = 2
"""Analyses that may be under way: as many as there are processes for them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait for what, and how much to take on."""

    quick_s: float = 0.15
    """An analysis that takes no longer is made after every change, without a pause."""
    tried_s: float = 3.0
    """After a first analysis that took no longer, the first change is analysed without a pause."""
    longest_pause_s: float = 0.25
    """Otherwise typing must pause for as long as the last analysis took, at most this long."""
    longest_typing_s: float = 1.0
    """So long after the first unanalysed change an analysis starts although typing goes on."""
    findings_pause_s: float = 0.2
    """So long after a change rules are applied to what was only predicted so far."""
    dependents_pause_s: float = 0.5
    """After a change to a file, the pause before documents that read it are analysed again."""
    set_aside_s: float = 0.05
    """An analysis that takes longer keeps no other document waiting."""
    longest_text: int = 2_000_000
    """Documents with more characters are not analysed."""


class Documents:
    """All open documents. Its methods are called on the event loop."""

    def __init__(
        self,
        worker: AnalysisWorker,
        settings_for: SettingsFor,
        *,
        on_analysed: Callable[[Document], None] = lambda _: None,
        limits: Limits | None = None,
    ) -> None:
        """``on_analysed`` is called when a document is fresh, and again when it is complete."""
        self.encoding: Encoding = types.PositionEncodingKind.Utf16
        self._worker = worker
        worker.on_regrouped = self._regrouped
        worker.on_early = self._early
        self._analyses = Analyses(worker, settings_for, self.all)
        self._on_analysed = on_analysed
        self._limits = limits or Limits()
        self._documents: dict[str, Document] = {}
        self._ready: dict[Document, None] = {}
        self._wake = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._running: dict[Document, UnderWay] = {}
        """What is being analysed."""

    # ---- What the client tells

    def open(self, item: types.TextDocumentItem) -> None:
        """Take a document in and have it analysed at once."""
        path = path_of(item.uri, item.language_id)
        document = Document(
            item.uri,
            path,
            item.language_id,
            item.version,
            TextBuffer(item.text, self.encoding),
            os.path.realpath(path),
            is_file(item.uri),
        )
        self.close(item.uri)  # for clients that open twice
        self._documents[item.uri] = document
        if document.unsaved():
            self._changed(document)
        self._schedule(document, 0.0)

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Apply changes in order, and have the result analysed when typing pauses."""
        document = self._documents.get(uri)
        if document is None:
            logger.warning("change of a document that is not open: %s", uri)
            return
        for change in changes:
            document.buffer.apply(change)
        document.version = version
        document.revision += 1
        document.wanted += 1
        document.typed = document.wanted
        self._changed(document)
        self._schedule(document, self._pause(document), first=True)

    def close(self, uri: str) -> None:
        """Forget a document; from now on its file reads as it is on disk."""
        document = self._documents.pop(uri, None)
        if document is None:
            return
        if document.timer is not None:
            document.timer.cancel()
        self._ready.pop(document, None)
        document.release(all_of_them=True)
        self._analyses.closed(document)
        if document.unsaved():
            self._changed(document)

    def files_changed(self, paths: Collection[Path]) -> None:
        """Files changed on disk: documents that rest on them are analysed again."""
        analyses = (document.analysis for document in self._documents.values())
        paths = watched(paths, {file for each in analyses if each for file in each.files_read})
        if not paths:
            return
        self._worker.changed(paths)
        self._again({os.path.realpath(path) for path in paths})

    def _early(self, kernel: EarlyKernel) -> None:
        """A kernel that was looked at is known."""
        for document, under_way in self._running.items():
            if document.path == kernel.path and document.analysis is None:
                report = FileReport(document.path, (kernel.report,), looked_for_findings=False)
                known = Analysis(under_way.lines, report, kernel.gpu, {}, frozenset(), 0.0)
                lines = document.buffer.lines
                view = View(document, known, lines, fresh=True, complete=False, is_first_look=True)
                for wish, look in document.looks:
                    if wish == kernel.wish and not look.done():
                        look.set_result(view)
                document.looks = [each for each in document.looks if not each[1].done()]

    def _regrouped(self, paths: frozenset[Path]) -> None:
        """Files have other programs than they were analysed with."""
        self._analyses.changed()
        for document in self._documents.values():
            if document.path in paths:
                document.wanted += 1
                self._schedule(document, 0.0)

    def refresh(self) -> None:
        """Analyse every document again, for new settings."""
        self._analyses.changed()
        for document in self._documents.values():
            document.forget()
            document.wanted += 1
            self._schedule(document, 0.0)

    # ---- What features ask

    def get(self, uri: str) -> Document | None:
        """An open document."""
        return self._documents.get(uri)

    def all(self) -> tuple[Document, ...]:
        """The open documents."""
        return tuple(self._documents.values())

    async def view(
        self,
        uri: str,
        *,
        wait_s: float,
        stale_wait_s: float,
        urgent: bool = False,
        complete: bool = False,
    ) -> View | None:
        """The newest analysis of a document; None if there is none, as for a file without kernels.

        Waits for the analysis of the present text: up to ``wait_s``, or ``stale_wait_s`` if an
        older one could answer. ``urgent`` starts it without waiting for a pause in typing,
        ``complete`` waits for its findings, too.
        """
        document = self._documents.get(uri)
        if document is None:
            return None
        if not (document.complete if complete else document.fresh):
            if urgent:
                self._schedule(document, 0.0, first=True)
            patience_s = wait_s if document.analysis is None else stale_wait_s
            await document.settle(patience_s, complete=complete)
        return self.newest(document)

    async def first_look(
        self, document: Document, wish: Wish, *, wait_s: float, patience_s: float
    ) -> View | None:
        """A view of nothing but a kernel, before the first analysis of its document ends.

        ``wish`` says where in the text it is meant. None where the analysis ended, or ``wait_s``,
        before such a kernel was known, or within ``patience_s``: ``view`` may tell then.
        """
        if not document.is_unknown():
            return None
        self._schedule(document, 0.0, first=True)
        look: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        document.looks.append((wish, look))
        self._worker.look_at(LookAt(document.path, wish))
        clock = asyncio.get_running_loop().time
        until_s = clock() + patience_s
        await asyncio.wait({look}, timeout=wait_s)
        look.cancel()
        if look.cancelled():
            return None
        await document.settle(max(until_s - clock(), 0.0), complete=False)
        return look.result() if document.is_unknown() else None

    def newest(self, document: Document) -> View | None:
        """The newest analysis of a document without waiting."""
        if document.analysis is None:
            return None
        return View(
            document,
            document.analysis,
            document.buffer.lines,
            document.fresh,
            document.fresh and document.complete and document.analysis.report.looked_for_findings,
        )

    async def elsewhere(self, view: View, name: str, *, wait_s: float) -> Analysis | None:
        """The analysis of the file of a document's program, open or not, that defines a kernel."""
        path = view.analysis.kernels_elsewhere.get(name)
        if path is None:
            return None
        try:
            async with asyncio.timeout(wait_s):
                return await self._analyses.of_file(path)
        except TimeoutError:
            return None

    async def what_if(
        self, analysis: Analysis, kernel: KernelReport, launch: LaunchReport | None, wait_s: float
    ) -> WhatIf | None:
        """What a launch would be on other GPUs; None if that is not known in time."""
        return await self._analyses.what_if(analysis, kernel, launch, wait_s)

    async def suggestions(
        self, analysis: Analysis, kernel: KernelReport
    ) -> tuple[Finding, ...] | None:
        """What rules find in a kernel that somebody asks about; None if that cannot be told."""
        return await self._analyses.suggestions(analysis, kernel)

    async def explain(
        self, analysis: Analysis, kernel: KernelReport, launch: int | None
    ) -> Explanation | None:
        """How the class of a kernel comes about; None if that cannot be told."""
        return await self._analyses.explain(analysis, kernel, launch)

    async def compare(self, variants: tuple[VariantWanted, ...]) -> VariantComparison | str:
        """Variants of a kernel held against the first; or why that cannot be."""
        return await self._analyses.compare(variants)

    async def judged_for(self, uri: str, gpu: str) -> Analysis | None:
        """An analysis of a document for another GPU than its settings name."""
        document = self._documents.get(uri)
        if document is None:
            return None
        text, lines = document.buffer.text, document.buffer.lines
        return await self._analyses.of_document(document, text, lines, gpu=gpu)

    async def report_of_file(self, uri: str, *, wait_s: float) -> Analysis | None:
        """The analysis of a file that is not open."""
        if not is_file(uri):
            return None
        try:
            async with asyncio.timeout(wait_s):
                return await self._analyses.of_file(path_of(uri))
        except TimeoutError:
            return None

    def stop(self) -> None:
        """Stop analysing, for good."""
        if self._runner is not None:
            self._runner.cancel()
        for under_way in self._running.values():
            under_way.task.cancel()
        for document in self._documents.values():
            document.release(all_of_them=True)
            if document.timer is not None:
                document.timer.cancel()

    # ---- When to analyse

    def _changed(self, document: Document) -> None:
        if document.is_file and is_source(document.path, document.language):
            self._again({document.real_path}, but=document)

    def _again(self, real_paths: set[str], but: Document | None = None) -> None:
        self._analyses.changed()
        for document, under_way in self._running.items():
            if document is not but:
                under_way.changed |= real_paths
        for document in self._documents.values():
            analysis = document.analysis
            if document is but or analysis is None or analysis.files_read.isdisjoint(real_paths):
                continue
            document.wanted += 1
            self._schedule(document, self._limits.dependents_pause_s)

    def _pause(self, document: Document) -> float:
        """How long after this change to start, so that typing does not keep the worker busy."""
        now = asyncio.get_running_loop().time()
        if document.first_change_s is None:
            document.first_change_s = now
        took = document.edit_s
        if took is None:  # Most edits take a fraction of the first analysis.
            first = document.analysis.seconds if document.analysis is not None else 0.0
            took = first if first > self._limits.tried_s else 0.0
        if took <= self._limits.quick_s:
            return 0.0
        left = document.first_change_s + self._limits.longest_typing_s - now
        return max(min(took, self._limits.longest_pause_s, left), 0.0)

    def _schedule(self, document: Document, delay_s: float, *, first: bool = False) -> None:
        if document.timer is not None:
            document.timer.cancel()
            document.timer = None
        if delay_s > 0 and document not in self._ready:
            loop = asyncio.get_running_loop()
            again = functools.partial(self._schedule, document, 0.0, first=first)
            document.timer = loop.call_later(delay_s, again)
            return
        self._ready = {document: None, **self._ready} if first else {**self._ready, document: None}
        self._wake.set()
        if self._runner is None:
            self._runner = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            wait_s = self._start_next()
            try:
                async with asyncio.timeout(wait_s):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def _start_next(self) -> float | None:
        """Start what may start; how long until more may, None if something must happen first."""
        now = asyncio.get_running_loop().time()
        while (document := self._next()) is not None:
            if len(self._running) >= _MOST_AT_ONCE:
                return None
            newest = max((each.since_s for each in self._running.values()), default=-math.inf)
            left = newest + self._limits.set_aside_s - now
            if left > 0:
                return left
            del self._ready[document]
            task = asyncio.ensure_future(self._analyse_guarded(document))
            self._running[document] = UnderWay(task, now)
        return None

    def _next(self) -> Document | None:
        """The first document that is ready and not being analysed."""
        return next((each for each in self._ready if each not in self._running), None)

    async def _analyse_guarded(self, document: Document) -> None:
        try:
            if not document.complete:  # a request may have hurried what was under way already
                await self._analyse(document)
        except Exception:
            logger.exception("analysing %s failed", document.uri)
        finally:
            del self._running[document]
            self._wake.set()

    async def _analyse(self, document: Document) -> None:
        wanted, lines, text = document.wanted, document.buffer.lines, document.buffer.text
        self._running[document].lines = lines
        revision, forgotten = document.revision, document.forgotten
        typed = document.typed == wanted and not document.fresh
        quick = typed and document.analysis is not None  # there is nothing to show until then
        document.first_change_s = None
        found: Analysis | None = None
        try:
            if self._worth_it(document, text):
                wish = self._analyses.of_document(document, text, lines, findings=not quick)
                found = await wish
                if found is not None:
                    document.edit_s = found.seconds if quick else document.edit_s
                    document.take(found, revision, forgotten)
                    if not found.files_read.isdisjoint(self._running[document].changed):
                        # It may rest on what a file was before.
                        document.wanted += 1
                        self._schedule(document, 0.0)
            else:
                document.analysis = None
        finally:
            document.settled = wanted
            if found is None or found.report.looked_for_findings:
                document.completed = wanted
            if document.fresh:
                document.release()
        if document.fresh and self._documents.get(document.uri) is document:
            self._on_analysed(document)
            if not document.complete:
                self._schedule(document, self._limits.findings_pause_s)

    def _worth_it(self, document: Document, text: str) -> bool:
        if not is_source(document.path, document.language):
            return False
        if len(text) > self._limits.longest_text:
            if not document.told_too_long:
                document.told_too_long = True
                logger.warning(
                    "%s is not analysed: it is longer than %d characters",
                    document.path,
                    self._limits.longest_text,
                )
            return False
        return may_hold_kernels(document.path, document.language, text)
