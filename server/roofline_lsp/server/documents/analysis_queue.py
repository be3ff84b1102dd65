"""Analyses of open documents and of files beside them, by the worker."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from roofline_analysis.report.report import Finding, KernelReport, LaunchReport, WhatIf
from roofline_core.settings import Settings
from roofline_lsp.server.documents.document_view import Analysis, Document
from roofline_lsp.server.documents.places import is_source
from roofline_lsp.server.worker.interface import AnalysisWorker
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskComparison,
    AskExplanation,
    AskSuggestions,
    AskWhatIf,
    ComparisonAnswer,
    Explained,
    Failed,
    Suggested,
    VariantWanted,
    WhatIfAnswer,
)
from roofline_lsp.server.worker.process import WorkerCrashError

if TYPE_CHECKING:
    from roofline_analysis.api.compare.records import VariantComparison
    from roofline_analysis.api.explain.records import Explanation

logger = logging.getLogger(__name__)

SettingsFor = Callable[[Path | None], Awaitable[Settings]]
"""The settings for a file, or with None for a document that is no file."""

_Told = TypeVar("_Told", WhatIfAnswer, Suggested, Explained)
_MOST_CLOSED = 200
"""The most files that are not open whose analyses are kept: a workspace may have thousands."""


class Analyses:
    """Asks the worker. Failures are logged and give None."""

    def __init__(
        self,
        worker: AnalysisWorker,
        settings_for: SettingsFor,
        documents: Callable[[], Iterable[Document]],
    ) -> None:
        """``documents`` gives the open ones, whose texts go before what is on disk."""
        self._worker = worker
        self._settings_for = settings_for
        self._documents = documents
        self._sent: dict[str, int] = {}
        self._changes = 0
        self._closed_files: dict[str, Analysis | None] = {}

    def changed(self) -> None:
        """A text or setting changed: what is known of files that are not open is outdated."""
        self._changes += 1
        self._closed_files.clear()

    def closed(self, document: Document) -> None:
        """From now on a file reads as it is on disk."""
        self._sent.pop(document.real_path, None)
        if document.is_file:
            self._worker.overlay(Path(document.real_path), None)

    async def of_document(
        self,
        document: Document,
        text: str,
        lines: tuple[str, ...],
        *,
        gpu: str | None = None,
        findings: bool = True,
    ) -> Analysis | None:
        """Analyse a document as it was when it had this text, for its settings' GPU or another.

        Without ``findings`` only to predict, which is quicker. No question is asked about one for
        another GPU.
        """
        settings = await self._settings_for(document.path if document.is_file else None)
        settings = settings if gpu is None else replace(settings, gpu=gpu)
        job = Analyse(0, document.path, text.encode(), settings, findings, aside=gpu is not None)
        return await self._ask(job, lines, document.real_path)

    async def of_file(self, path: Path) -> Analysis | None:
        """Analyse a file that need not be open, or take what is known of it."""
        real = os.path.realpath(path)  # noqa: ASYNC240 - a few system calls
        for document in self._documents():
            if document.real_path == real and document.analysis is not None:
                return document.analysis
        if real in self._closed_files:
            return self._closed_files[real]
        changes = self._changes
        settings = await self._settings_for(path)
        analysis = await self._ask(Analyse(0, path, None, settings), (), real)
        if changes == self._changes:
            self._closed_files[real] = analysis
            while len(self._closed_files) > _MOST_CLOSED:
                del self._closed_files[next(iter(self._closed_files))]
        return analysis

    async def what_if(
        self, analysis: Analysis, kernel: KernelReport, launch: LaunchReport | None, wait_s: float
    ) -> WhatIf | None:
        """What a launch would be on other GPUs; None if that takes longer, or is not wanted.

        It is found out once, so that a later call has it at once.
        """
        if not analysis.what_if:
            return None
        place = None if launch is None else kernel.launches.index(launch)
        key = (kernel.path, kernel.name_span, place)
        task = analysis.what_ifs.get(key)
        if task is None:
            short = _without_bulk(kernel)
            job = AskWhatIf(0, analysis.report.path, short, place, analysis.what_if)
            task = analysis.what_ifs[key] = asyncio.ensure_future(self._ask_what_if(job))
        await asyncio.wait({task}, timeout=wait_s)
        return task.result() if task.done() else None

    async def suggestions(
        self, analysis: Analysis, kernel: KernelReport
    ) -> tuple[Finding, ...] | None:
        """What rules find in a kernel that somebody asks about; None if that cannot be told."""
        job = AskSuggestions(0, analysis.report.path, _without_bulk(kernel))
        found = await _answer(self._worker.suggestions(job), f"{job.path} has no suggestions")
        return None if found is None else found.findings

    async def explain(
        self, analysis: Analysis, kernel: KernelReport, launch: int | None
    ) -> Explanation | None:
        """How the class of a kernel comes about; ``launch`` is one of its launches, from 1."""
        job = AskExplanation(0, analysis.report.path, _without_bulk(kernel), launch)
        found = await _answer(self._worker.explain(job), f"{job.path} is not explained")
        return None if found is None else found.explanation

    async def compare(self, variants: tuple[VariantWanted, ...]) -> VariantComparison | str:
        """Variants of a kernel, judged with the settings of the first; or why that cannot be."""
        settings = await self._settings_for(variants[0].path)
        self._send_texts("")
        try:
            value = await self._worker.compare(AskComparison(0, settings, variants))
        except WorkerCrashError as crash:
            logger.error("variants are not compared: the worker process %s", crash)
            return f"the worker process {crash}"
        if isinstance(value, ComparisonAnswer):
            return value.comparison
        if not value.expected:
            logger.error("variants are not compared: %s", value.message)
        return value.message

    async def _ask_what_if(self, job: AskWhatIf) -> WhatIf | None:
        failure = f"{job.path} is not judged for other GPUs"
        found = await _answer(self._worker.what_if(job), failure)
        return None if found is None else found.what_if

    async def _ask(self, job: Analyse, lines: tuple[str, ...], real: str) -> Analysis | None:
        self._send_texts(real)
        try:
            value = await self._worker.analyse(job)
        except WorkerCrashError as crash:
            logger.error("%s is not analysed: the worker process %s", job.path, crash)
            return None
        if not isinstance(value, Analysed):
            logger.error("%s is not analysed: %s", job.path, value.message)
            return None
        return Analysis(
            lines,
            value.report,
            value.gpu,
            value.kernels_elsewhere,
            frozenset(map(os.path.realpath, value.files_read)),
            value.seconds,
            job.settings.what_if or (),
        )

    def _send_texts(self, but: str) -> None:
        """Tell the worker the texts of the other documents, as far as it lacks them."""
        for document in self._documents():
            real = document.real_path
            if real == but or not document.is_file or self._sent.get(real) == document.revision:
                continue
            if is_source(document.path, document.language):
                self._sent[real] = document.revision
                self._worker.overlay(Path(real), document.buffer.text.encode())


def _without_bulk(kernel: KernelReport) -> KernelReport:
    """A report that says which kernel it is of, and little more."""
    return replace(kernel, launches=(), prediction=replace(kernel.prediction, ledger=()))


async def _answer(asked: Awaitable[_Told | Failed], failure: str) -> _Told | None:
    """What the worker answers; None, with ``failure`` and the reason in the log, if it cannot."""
    try:
        value = await asked
    except WorkerCrashError as crash:
        logger.error("%s: the worker process %s", failure, crash)
        return None
    if isinstance(value, Failed):
        logger.error("%s: %s", failure, value.message)
        return None
    return value
