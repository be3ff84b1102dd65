"""Two worker processes, so that a file that takes long keeps no other one waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import GpuUsed
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskExplanation,
    AskSuggestions,
    AskWhatIf,
    CheckGpu,
    EarlyKernel,
    Explained,
    Failed,
    LookAt,
    Suggested,
    WhatIfAnswer,
)
from roofline_lsp.server.worker.process import (
    LONGEST_JOB_S,
    LONGEST_SILENCE_S,
    WORKER,
    WorkerProcess,
)

_PATIENCE_S: Final = 0.1
"""So long a job waits for the process that knows its file best."""


class WorkerWithSpare(WorkerProcess):
    """A worker process whose jobs go to a second one while it is at a long one.

    The second process starts when the first has done something, or has not for long. Both are told
    every text. What is asked about an analysis goes to the process that made it.
    """

    def __init__(
        self,
        command: Sequence[str] = WORKER,
        *,
        longest_job_s: float = LONGEST_JOB_S,
        longest_silence_s: float = LONGEST_SILENCE_S,
    ) -> None:
        """No process runs before ``start`` or the first job."""
        limits = {"longest_job_s": longest_job_s, "longest_silence_s": longest_silence_s}
        super().__init__(command, **limits)
        self._spare = WorkerProcess(command, **limits)
        self._spare.on_crash = self._spare_crashed
        self._spare.on_regrouped = self._spare_regrouped
        self._spare.on_early = self._spare_early
        self._spare.on_rest = self._spare_rested
        self._on_spare: set[Path] = set()
        """The files whose last analysis was made by the second process."""

    @property
    def resident_of_both_bytes(self) -> int | None:
        """The memory that both processes take while they are at rest; else None."""
        each = (self.resident_bytes, self._spare.resident_bytes)
        return None if each[0] is None or each[1] is None else each[0] + each[1]

    def follow(self, other: WorkerProcess) -> None:
        """Have what another was told of texts and projects; before this one is started."""
        super().follow(other)
        self._spare.follow(other)

    def overlay(self, path: Path, text: bytes | None) -> None:
        """Have a file read as an open document's text, or as what is on disk again."""
        super().overlay(path, text)
        self._spare.overlay(path, text)

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Have a project looked through in idle time, if it was not with these exclusions."""
        super().index(folder, exclude)
        self._spare.index(folder, exclude)

    def changed(self, paths: Iterable[Path]) -> None:
        """Tell of files that changed on disk."""
        paths = tuple(paths)
        super().changed(paths)
        self._spare.changed(paths)

    def look_at(self, look: LookAt) -> None:
        """Hear of a kernel as soon as it is known, before its file's analysis ends."""
        super().look_at(look)
        self._spare.look_at(look)

    async def analyse(self, job: Analyse) -> Analysed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        if await self._waits_for_spare(job.path):
            if not job.aside:
                self._on_spare.add(job.path)
            return await self._spare.analyse(job)
        if not job.aside:
            self._on_spare.discard(job.path)
        answer = await super().analyse(job)
        self._spare.get_ready()
        return answer

    async def gpu(self, job: CheckGpu) -> GpuUsed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        if await self._waits_for_spare():
            return await self._spare.gpu(job)
        return await super().gpu(job)

    async def what_if(self, job: AskWhatIf) -> WhatIfAnswer | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        if job.path in self._on_spare:
            return await self._spare.what_if(job)
        return await super().what_if(job)

    async def suggestions(self, job: AskSuggestions) -> Suggested | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        if job.path in self._on_spare:
            return await self._spare.suggestions(job)
        return await super().suggestions(job)

    async def explain(self, job: AskExplanation) -> Explained | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        if job.path in self._on_spare:
            return await self._spare.explain(job)
        return await super().explain(job)

    def stop(self, *, waits: bool = True) -> None:
        """End both processes at once; they are not started again."""
        super().stop(waits=waits)
        self._spare.stop(waits=waits)

    def _spare_crashed(self, reason: str) -> None:
        self._on_spare.clear()  # it knows nothing of them any more
        self.on_crash(reason)

    def _spare_regrouped(self, paths: frozenset[Path]) -> None:
        self.on_regrouped(paths)

    def _spare_early(self, early: EarlyKernel) -> None:
        self.on_early(early)

    def _spare_rested(self) -> None:
        self.on_rest()

    async def _waits_for_spare(self, path: Path | None = None) -> bool:
        """Wait for a process that is idle; whether it is the second.

        The one that analysed the file at ``path`` last if it soon is: an edit of what it has read
        is read in a fraction of the time. Else the first if that soon is.
        """
        if path in self._on_spare:
            await _within(self._spare, _PATIENCE_S)
            if self._spare.idle:
                return True
        if not self.idle:
            await _within(self, _PATIENCE_S)
        while not self.idle:
            if self._spare.idle:
                return True
            answers = [asyncio.ensure_future(each.until_answered()) for each in (self, self._spare)]
            try:
                await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in answers:
                    each.cancel()
        return False


async def _within(worker: WorkerProcess, patience_s: float) -> None:
    """Wait until a process is idle, but not for long."""
    try:
        async with asyncio.timeout(patience_s):
            while not worker.idle:
                await worker.until_answered()
    except TimeoutError:
        return
