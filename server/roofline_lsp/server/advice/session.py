"""Advice in a session: what is asked of the language model, with progress, and what is known.

Nothing waits for it but who asked: hovers, lenses and diagnostics take what is there.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import uuid
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types
from pygls.progress import Progress
from pygls.protocol import JsonRPCProtocol

from roofline_advisor.advice import Advice, KernelName
from roofline_advisor.joining import worth_asking
from roofline_analysis.report.report import KernelReport, ModelOpinion
from roofline_core.settings import AdvisorSettings
from roofline_lsp.server.advice.jobs import AdviceFailed, AdviceKind, AdviceReady, Advise
from roofline_lsp.server.advice.process import AdviceProcess
from roofline_lsp.server.documents.analysis_queue import SettingsFor
from roofline_lsp.server.documents.document_view import Document, View
from roofline_lsp.server.documents.open_documents import Documents

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """Advice on a kernel, good for the very text that it was given on."""

    advice: Advice
    uri: str
    revision: int


class Session(Protocol):
    """What advice needs of the language server that it is part of."""

    documents: Documents

    @property
    @abstractmethod
    def protocol(self) -> JsonRPCProtocol:
        """Knows which request is being answered."""

    @property
    @abstractmethod
    def work_done_progress(self) -> Progress:
        """Progress bars."""

    @abstractmethod
    def capability(self, name: str) -> Any:
        """A capability of the client by its dotted name, None where it is not given."""


class SessionAdvice:
    """Asks, and remembers what was answered. Its methods are called on the event loop."""

    def __init__(self, server: Session, settings_for: SettingsFor, process: AdviceProcess) -> None:
        """Starts nothing."""
        self._server = server
        self._settings_for = settings_for
        self._process = process
        self._known: dict[tuple[str, str], Known] = {}
        self._opinions: dict[tuple[str, str], tuple[str, ModelOpinion]] = {}
        self._asked: dict[tuple[str, str], str] = {}
        self._told: set[str] = set()
        self._folder: Path | None = None
        self._by_request: dict[str | int, asyncio.Task[AdviceReady]] = {}

    def stop(self) -> None:
        """End all questions, and take away what was written to be shown."""
        self._process.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def written(self, text: str) -> Path:
        """A text in a file that only this person can read, until the session ends; blocks."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="roofline-lsp-"))
        path = self._folder / "prompt.md"
        path.write_text(text, encoding="utf-8")
        return path

    def cancel(self, request: str | int) -> None:
        """The client no longer waits for a request."""
        if request in self._by_request:
            self._by_request[request].cancel()

    async def settings(self, document: Document) -> AdvisorSettings:
        """Those of a document."""
        found = await self._settings_for(document.path if document.is_file else None)
        return found.advisor

    # ---- Asking

    async def suggest(self, document: Document, kernel: KernelName) -> Known | str:
        """Ask for edits with progress; a text says why there are none. Can be cancelled."""
        revision = document.revision

        async def ask(tell: Callable[[str], None]) -> AdviceReady:
            """Ask for edits to the kernel, telling of each step."""
            return await self._ask(document, kernel, AdviceKind.SUGGEST, tell)

        title = f"Suggest optimizations for {kernel.qualified_name}"
        answer = await self._with_progress(title, ask)
        if answer is None:
            return "cancelled"
        if not isinstance(answer.value, Advice):
            return _reason(answer)
        known = Known(answer.value, document.uri, revision)
        self._known[document.uri, kernel.qualified_name] = known
        return known

    async def prompt(self, document: Document, kernel: KernelName) -> str:
        """What would be sent about a kernel, or why that cannot be said."""
        answer = await self._ask(document, kernel, AdviceKind.SHOW_PROMPT)
        return answer.value if isinstance(answer.value, str) else _reason(answer)

    async def look(self, document: Document) -> None:
        """Ask for the class of kernels of whose verdict the analysis is not sure, once a text."""
        settings = await self.settings(document)
        view = self._server.documents.newest(document)
        if not settings.enabled or view is None or not view.fresh:
            return
        wanted = []
        for kernel in view.report.kernels:
            unsure = worth_asking(kernel.prediction, settings)
            text = _text_of(kernel, view)
            key = (document.uri, kernel.qualified_name)
            if not unsure or text is None or self._asked.get(key) == text:
                continue
            self._asked[key] = text
            wanted.append((kernel, text))
        # The first alone: what it fails of, all would.
        done = [await self._classify(document, *each) for each in wanted[:1]]
        if all(done):
            rest = wanted[1:]
            done += await asyncio.gather(*(self._classify(document, *each) for each in rest))
        for at, (kernel, _) in enumerate(wanted):
            if at >= len(done) or not done[at]:
                self._asked.pop((document.uri, kernel.qualified_name), None)  # saving asks again

    async def _classify(self, document: Document, kernel: KernelReport, text: str) -> bool:
        """Ask for a kernel's class; whether there was an answer."""
        name = KernelName(kernel.qualified_name, kernel.name_span.line)
        answer = await self._ask(document, name, AdviceKind.CLASSIFY)
        if isinstance(answer.value, ModelOpinion):
            self._opinions[document.uri, kernel.qualified_name] = (text, answer.value)
            return True
        self._tell_once(_reason(answer))
        return False

    async def _ask(
        self,
        document: Document,
        kernel: KernelName,
        wish: AdviceKind,
        tell: Callable[[str], None] = lambda _: None,
    ) -> AdviceReady:
        settings = await self._settings_for(document.path if document.is_file else None)
        others = {
            Path(each.real_path): each.buffer.text.encode()
            for each in self._server.documents.all()
            if each is not document and each.is_file
        }
        job = Advise(0, wish, document.path, document.buffer.text, kernel, settings, others)
        return await self._process.ask(job, tell)

    # ---- What is known

    def opinion(self, kernel: KernelReport, view: View) -> ModelOpinion | None:
        """What the model said of a kernel whose text is still the one that it was asked about."""
        known = self._opinions.get((view.document.uri, kernel.qualified_name))
        if known is None or kernel.path != view.report.path or known[0] != _text_of(kernel, view):
            return None
        return known[1]

    def known(self, document: Document) -> Iterable[Known]:
        """Advice that holds for a document as it stands."""
        return [
            known
            for known in self._known.values()
            if known.uri == document.uri and known.revision == document.revision
        ]

    def forget(self, uri: str) -> None:
        """A document was closed."""
        for held in (self._known, self._opinions, self._asked):
            for key in [key for key in held if key[0] == uri]:
                del held[key]

    # ---- Telling

    async def _with_progress(
        self, title: str, work: Callable[[Callable[[str], None]], Awaitable[AdviceReady]]
    ) -> AdviceReady | None:
        """Do something with a progress bar where the client has them; None if it was cancelled."""
        bar = _Bar(self._server, title)
        await bar.begin()
        task = asyncio.ensure_future(work(bar.report))
        bar.on_cancel(task.cancel)
        request = self._server.protocol.msg_id
        if request is not None:
            self._by_request[request] = task
        try:
            done, _ = await asyncio.wait({task})
        finally:
            task.cancel()
            bar.end()
            self._by_request.pop(request or "", None)
        return None if task.cancelled() else done.pop().result()

    def _tell_once(self, message: str) -> None:
        """Say it, but not again for every kernel of every file."""
        if message not in self._told:
            self._told.add(message)
            logger.warning("%s. The static verdict stands.", message)


class _Bar:
    """Progress that the client shows and can cancel; nothing where it cannot."""

    def __init__(self, server: Session, title: str) -> None:
        self._server = server
        self._title = title
        self._token = str(uuid.uuid4())
        self._shown = bool(server.capability("window.work_done_progress"))

    async def begin(self) -> None:
        """Show the bar, if the client makes one within 5 s."""
        if not self._shown:
            return
        progress = self._server.work_done_progress
        try:
            async with asyncio.timeout(5.0):
                await progress.create_async(self._token)
        except Exception:
            self._shown = False
            logger.debug("the client makes no progress bar")
            return
        progress.begin(self._token, types.WorkDoneProgressBegin(self._title, cancellable=True))

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """Have ``cancel`` called in this event loop when the person cancels."""
        if not self._shown:
            return
        loop = asyncio.get_running_loop()

        self._server.work_done_progress.tokens[self._token].add_done_callback(
            lambda _: loop.call_soon_threadsafe(cancel)
        )

    def report(self, message: str) -> None:
        """Show a line of progress."""
        if self._shown:
            self._server.work_done_progress.report(
                self._token, types.WorkDoneProgressReport(message=message)
            )

    def end(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)


def _text_of(kernel: KernelReport, view: View) -> str | None:
    """The lines of a kernel as they stand now; None where they cannot be found."""
    first, last = (view.line_map.to_new(line) for line in (kernel.span.line, kernel.span.end_line))
    if first is None or last is None:
        return None
    return "\n".join(view.lines[first - 1 : last])


def _reason(answer: AdviceReady) -> str:
    value = answer.value
    return value.message if isinstance(value, AdviceFailed) else "there is no answer"


def with_opinion(kernel: KernelReport, opinion: ModelOpinion | None) -> KernelReport:
    """The kernel with what the model said of it."""
    return kernel if opinion is None else replace(kernel, opinion=opinion)
