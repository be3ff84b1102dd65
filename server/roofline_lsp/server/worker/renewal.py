"""Workers that grew are followed by new ones while nobody asks anything.

What analyses free stays with a process as far as some of each page is in use, so that a worker
that saw some hundred edits is larger than one that has just read the same documents. What a
worker says rests on nothing that it saw before: new ones say the same.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import FileReport, GpuUsed
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
from roofline_lsp.server.worker.process import WorkerCrashError
from roofline_lsp.server.worker.spare import WorkerWithSpare

logger = logging.getLogger(__name__)

GROWN: Final = 1.15
"""Workers that are so many times as large as at their first rest are renewed."""
PAUSE_S: Final = 8.0
"""So long they must have rested besides, and twice as long after each time that was in vain."""
LONGEST_PAUSE_S: Final = 300.0
MOST_ANALYSES: Final = 8
"""As many analyses new workers make as old ones keep for questions (``api_analyser.py``)."""


class RenewedWorker:
    """Two processes, and new ones in their place when these have grown and are at rest.

    New ones look through the projects, are told all texts and make the last analyses again, and
    only then take over. Whatever is asked or told before ends them, and goes to the old ones.
    """

    def __init__(
        self,
        made: Callable[[], WorkerWithSpare] = WorkerWithSpare,
        *,
        grown: float = GROWN,
        pause_s: float = PAUSE_S,
    ) -> None:
        """``made`` gives workers that do not run yet."""
        self.on_crash: Callable[[str], None] = lambda _: None
        self.on_regrouped: Callable[[frozenset[Path]], None] = lambda _: None
        self.on_early: Callable[[EarlyKernel], None] = lambda _: None
        self.renewals = 0
        """How often new processes have taken over."""
        self._made = made
        self._grown = grown
        self._pause_s = self._first_pause_s = pause_s
        self._level_bytes: int | None = None
        """What the processes took when they first rested."""
        self._last: dict[Path, tuple[Analyse, FileReport | None]] = {}
        """The last analysis of each file that questions may be about, and what it said.

        None where nobody waited for that.
        """
        self._renewal: asyncio.Task[None] | None = None
        self._new: WorkerWithSpare | None = None
        self._worker = self._in_force(made())

    def start(self) -> None:
        """Start the process to be ready for the first job. Needs no loop."""
        self._worker.start()

    def stop(self) -> None:
        """End all processes at once; they are not started again."""
        self._asked()
        if self._new is not None:
            self._new.stop()
        self._worker.stop()

    def overlay(self, path: Path, text: bytes | None) -> None:
        """Have a file read as an open document's text, or as what is on disk again."""
        self._asked().overlay(path, text)
        for each, (job, _) in tuple(self._last.items()):
            # No worker is to know a text that the file has not any more, as a closed one's.
            if job.text not in (None, text) and os.path.realpath(each) == str(path):
                del self._last[each]

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Have a project looked through in idle time, if it was not with these exclusions."""
        self._asked().index(folder, exclude)

    def changed(self, paths: Iterable[Path]) -> None:
        """Tell of files that changed on disk."""
        self._asked().changed(paths)

    def look_at(self, look: LookAt) -> None:
        """Hear of a kernel as soon as it is known, before its file's analysis ends."""
        self._asked().look_at(look)

    async def analyse(self, job: Analyse) -> Analysed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        worker = self._asked()
        if job.aside:
            return await worker.analyse(job)
        self._last.pop(job.path, None)
        self._last[job.path] = job, None
        while len(self._last) > MOST_ANALYSES:
            del self._last[next(iter(self._last))]
        try:
            answer = await worker.analyse(job)
        except WorkerCrashError:
            self._said(job, None)
            raise
        self._said(job, answer)
        return answer

    def _said(self, job: Analyse, answer: Analysed | Failed | None) -> None:
        """Note what an analysis came to, if it is the last one of its file."""
        if job.path in self._last and self._last[job.path][0] is job:
            if isinstance(answer, Analysed):
                self._last[job.path] = job, answer.report
            else:
                del self._last[job.path]

    async def gpu(self, job: CheckGpu) -> GpuUsed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        return await self._asked().gpu(job)

    async def what_if(self, job: AskWhatIf) -> WhatIfAnswer | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        return await self._asked().what_if(job)

    async def suggestions(self, job: AskSuggestions) -> Suggested | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        return await self._asked().suggestions(job)

    async def explain(self, job: AskExplanation) -> Explained | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        return await self._asked().explain(job)

    async def compare(self, job: AskComparison) -> ComparisonAnswer | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        return await self._asked().compare(job)

    def _in_force(self, worker: WorkerWithSpare) -> WorkerWithSpare:
        worker.on_crash = self._crashed
        worker.on_regrouped = self._regrouped
        worker.on_early = self._early
        worker.on_rest = self._rested
        return worker

    def _crashed(self, reason: str) -> None:
        self.on_crash(reason)

    def _early(self, early: EarlyKernel) -> None:
        self.on_early(early)

    def _regrouped(self, paths: frozenset[Path]) -> None:
        self.on_regrouped(paths)

    def _asked(self) -> WorkerWithSpare:
        """The processes in force, which stay so: something is asked of them."""
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        return self._worker

    def _rested(self) -> None:
        resident = self._worker.resident_of_both_bytes
        if resident is None:
            return
        if self._level_bytes is None:
            self._level_bytes = resident
        elif resident > self._grown * self._level_bytes and self._last and self._renewal is None:
            self._renewal = asyncio.ensure_future(self._renew(resident))

    async def _renew(self, resident: int) -> None:
        """Have new processes take over, unless this is cancelled before they are ready."""
        await asyncio.sleep(self._pause_s)
        new = self._new = self._made()
        try:
            other = await self._readied(new)
        except WorkerCrashError as crash:
            logger.info("new workers are not ready: the process %s", crash)
            self._level_bytes = resident
            self._renewal = None
            return
        except asyncio.CancelledError:
            self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
            raise
        else:
            old, self._worker = self._worker, self._in_force(new)
            self._level_bytes = self._renewal = None
            self._pause_s = self._first_pause_s
            self.renewals += 1
            old.stop(waits=False)
            if other:
                self.on_regrouped(other)
        finally:
            self._new = None
            if self._worker is not new:
                new.stop(waits=False)

    async def _readied(self, new: WorkerWithSpare) -> frozenset[Path]:
        """Bring new processes to where the old ones are; the files of which they say otherwise.

        That is where a file changed on disk and nobody told.
        """
        new.follow(self._worker)
        crashes: list[str] = []
        ready = asyncio.Event()
        new.on_rest = ready.set

        def crashed(reason: str) -> None:
            """Wait no longer."""
            crashes.append(reason)
            ready.set()

        new.on_crash = crashed
        last = tuple(self._last.values())
        await new.gpu(CheckGpu(0, last[-1][0].settings))
        await ready.wait()  # the projects are looked through
        if crashes:
            raise WorkerCrashError(crashes[0])
        other = set()
        for job, report in last:
            answer = await new.analyse(job)
            if report is not None and _report_of(answer) != report:
                other.add(job.path)
        return frozenset(other)


def _report_of(answer: Analysed | Failed) -> FileReport | None:
    return answer.report if isinstance(answer, Analysed) else None
