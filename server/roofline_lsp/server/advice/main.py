"""The process that asks the language model: ``python -P -m roofline_lsp.server.advice.main``.

A process of its own, so that neither the SDK's import, which holds an interpreter for a second, nor
reading edited texts, nor an endpoint that hangs is felt by the server or by the process that
analyses.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from typing import BinaryIO

from roofline_advisor.advice import Advice
from roofline_advisor.asking import Asker, Spent
from roofline_advisor.bench import Bench
from roofline_advisor.classify import classify
from roofline_advisor.protocols import ClassificationCase
from roofline_advisor.shown import shown
from roofline_advisor.suggest import SuggestionTask, suggest
from roofline_analysis.report.report import ModelOpinion
from roofline_core.program.errors import RooflineError
from roofline_core.settings import AdvisorSettings
from roofline_lsp.server.advice.jobs import (
    AdviceFailed,
    AdviceKind,
    AdviceProgress,
    AdviceReady,
    AdviceWarning,
    Advise,
    Cancel,
)
from roofline_lsp.server.worker.jobs import receive, send
from roofline_lsp.server.worker.streams import private_streams

logger = logging.getLogger(__name__)

_NICENESS = 5
"""Reading edited texts gives way to the analysis that an editor waits for."""


class AdviceWorker:
    """Does all jobs at once, as far as the settings allow."""

    def __init__(self, answers: BinaryIO) -> None:
        """``answers`` is what is said to the server."""
        self._answers = answers
        self._askers: dict[AdvisorSettings, Asker] = {}
        self._spent = Spent()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._one_analysis = asyncio.Lock()

    def heard(self, job: object) -> None:
        """Begin a job, or end one."""
        if isinstance(job, Advise):
            task = asyncio.ensure_future(self._do(job))
            self._tasks[job.number] = task
            task.add_done_callback(lambda _: self._tasks.pop(job.number, None))
        elif isinstance(job, Cancel) and job.number in self._tasks:
            self._tasks[job.number].cancel()

    async def _do(self, job: Advise) -> None:
        value: Advice | ModelOpinion | str | AdviceFailed
        try:
            value = await self._advised(job)
        except RooflineError as error:
            value = AdviceFailed(str(error))
        except Exception as error:
            # Without the error's own words, which may quote what was sent.
            logger.error("advice failed: %s", type(error).__name__)
            kind = type(error).__name__
            why = "a check of its own" if isinstance(error, AssertionError) else kind
            value = AdviceFailed(f"the advisor failed ({why}); please report it")
        self._say(AdviceReady(job.number, value))

    async def _advised(self, job: Advise) -> Advice | ModelOpinion | str:
        asker = self._asker_for(job.settings.advisor)

        def tell(message: str) -> None:
            """Send the server a line of progress."""
            self._say(AdviceProgress(job.number, message))

        async with self._one_analysis:
            bench = await asyncio.to_thread(Bench, job.path, job.settings, job.overlays)
            task = await asyncio.to_thread(SuggestionTask.of, bench, job.text, job.kernel)
        case = ClassificationCase(task.reading, task.kernel, bench.gpu, job.settings)
        if job.wish is AdviceKind.SUGGEST:
            return await suggest(asker, task, tell)
        if job.wish is AdviceKind.CLASSIFY:
            return await classify(asker, case)
        return shown(task, case)

    def _asker_for(self, settings: AdvisorSettings) -> Asker:
        """One for each of the settings of a session's projects; they share the budget."""
        if settings not in self._askers:
            self._askers[settings] = Asker(settings, self._warn, self._spent)
        return self._askers[settings]

    def _warn(self, message: str) -> None:
        self._say(AdviceWarning(message))

    def _say(self, value: AdviceReady | AdviceProgress | AdviceWarning) -> None:
        try:
            send(self._answers, value)
        except (OSError, ValueError):
            os._exit(0)  # the server is gone


async def _serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    worker = AdviceWorker(answers)

    def read() -> None:
        """Hand on jobs until the pipe is closed, then end the process."""
        while (job := receive(jobs)) is not None:
            loop.call_soon_threadsafe(worker.heard, job)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    await asyncio.Event().wait()


def main() -> None:
    """Serve until the server is gone."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    jobs, answers = private_streams()
    asyncio.run(_serve(jobs, answers))


if __name__ == "__main__":
    main()
