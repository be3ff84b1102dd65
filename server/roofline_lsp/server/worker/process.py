"""The server's end of the worker process: started on first use, started again after a crash."""

from __future__ import annotations

import asyncio
import itertools
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from roofline_analysis.report.report import GpuUsed
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    Answer,
    AnsweredJob,
    AskComparison,
    AskExplanation,
    AskSuggestions,
    AskWhatIf,
    Changed,
    CheckGpu,
    ComparisonAnswer,
    EarlyKernel,
    Explained,
    Failed,
    GettingOn,
    IndexProject,
    Job,
    JobOutcome,
    LookAt,
    Overlay,
    Regrouped,
    Rested,
    Suggested,
    WhatIfAnswer,
    receive,
    send,
)
from roofline_lsp.server.worker.report_diff import Receiver

logger = logging.getLogger(__name__)

WORKER = (sys.executable, "-P", "-m", "roofline_lsp.server.worker.main")
"""``-P``: modules in the folder that the editor was started in must not shadow Python's."""


LONGEST_JOB_S = 120.0
"""The time of one job that gets on."""
LONGEST_SILENCE_S = 20.0
"""The time in which something is done in any job, also where the machine is busy."""
MOST_CRASHES_IN_A_ROW = 5
"""Crashes without a finished job in between, after which the process is not restarted."""


Said = JobOutcome | EarlyKernel | Regrouped | GettingOn | Rested
"""What a process says."""


class WorkerCrashError(Exception):
    """The process ended, or was ended for taking too long, while it did a job."""


class WorkerProcess:
    """Jobs go in, answers come out as awaitables. Belongs to one event loop.

    ``on_crash`` is told, in words for people, each time the process is lost; ``on_regrouped`` which
    analysed files turned out to have other programs than they were analysed with, ``on_early`` a
    kernel that was looked at, and ``on_rest`` that nothing is left to do.
    """

    def __init__(
        self,
        command: Sequence[str] = WORKER,
        *,
        longest_job_s: float = LONGEST_JOB_S,
        longest_silence_s: float = LONGEST_SILENCE_S,
    ) -> None:
        """No process runs before ``start`` or the first job.

        It is ended where it does nothing for ``longest_silence_s`` of a job, and after
        ``longest_job_s`` of one.
        """
        self.on_crash: Callable[[str], None] = lambda _: None
        self.on_regrouped: Callable[[frozenset[Path]], None] = lambda _: None
        self.on_early: Callable[[EarlyKernel], None] = lambda _: None
        self.on_rest: Callable[[], None] = lambda: None
        self.resident_bytes: int | None = None
        """The memory that the process takes while it is at rest; else None."""
        self._command = command
        self._longest_job_s = longest_job_s
        self._longest_silence_s = longest_silence_s
        self._job_since = 0.0
        """The loop's time when the job began that it is at: when the one before was answered."""
        self._got_on: float | None = None
        """When it last said that it gets on; None before its first word, while it starts."""
        self._process: subprocess.Popen[bytes] | None = None
        self._listened = False
        self._told = False
        """Whether it was told the texts and projects, as it is before its first job."""
        self._given_up = ""
        self._crashes_in_a_row = 0
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[JobOutcome]] = {}
        self._unanswered: set[int] = set()
        self._answered = asyncio.Event()
        self._overlays: dict[Path, bytes] = {}
        self._indexed: dict[Path, tuple[str, ...]] = {}

    def start(self) -> None:
        """Start the process if it does not run, to be ready for the first job. Needs no loop.

        In a group of its own: an interrupt from a terminal is meant for the server, which ends it.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
            )
            self._listened = self._told = False
            self._got_on = None

    def get_ready(self) -> None:
        """Start the process if it does not run, and hear when it is at rest."""
        if not self._given_up:
            self.start()
            self._listen_to()

    def overlay(self, path: Path, text: bytes | None) -> None:
        """Have a file read as an open document's text, or as what is on disk again."""
        if text is None:
            self._overlays.pop(path, None)
        else:
            self._overlays[path] = text
        if self._process is not None and self._told:
            self._send(Overlay(path, text))

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        """Have a project looked through in idle time, if it was not with these exclusions."""
        if self._indexed.get(folder) != exclude:
            self._indexed[folder] = exclude
            if self._process is not None and self._told:
                self._send(IndexProject(folder, exclude))

    def changed(self, paths: Iterable[Path]) -> None:
        """Tell of files that changed on disk."""
        if self._process is not None and self._told:
            self._send(Changed(tuple(paths)))

    def look_at(self, look: LookAt) -> None:
        """Hear of a kernel as soon as it is known, before its file's analysis ends."""
        if self._process is not None:
            self._send(look)

    def follow(self, other: WorkerProcess) -> None:
        """Have what another was told of texts and projects; before this one is started."""
        self._overlays.update(other._overlays)
        self._indexed.update(other._indexed)

    async def analyse(self, job: Analyse) -> Analysed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, Analysed | Failed)
        return value

    async def gpu(self, job: CheckGpu) -> GpuUsed | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, GpuUsed | Failed)
        return value

    async def what_if(self, job: AskWhatIf) -> WhatIfAnswer | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, WhatIfAnswer | Failed)
        return value

    async def suggestions(self, job: AskSuggestions) -> Suggested | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, Suggested | Failed)
        return value

    async def explain(self, job: AskExplanation) -> Explained | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, Explained | Failed)
        return value

    async def compare(self, job: AskComparison) -> ComparisonAnswer | Failed:
        """Do a job; its number is given here. Raises WorkerCrashError."""
        value = await self._do(replace(job, number=next(self._numbers)))
        assert isinstance(value, ComparisonAnswer | Failed)
        return value

    @property
    def idle(self) -> bool:
        """Whether it has answered all jobs, also those that nobody waits for any more."""
        return not self._unanswered

    async def until_answered(self) -> None:
        """Wait until it has answered a job, or was lost."""
        self._answered.clear()
        await self._answered.wait()

    def stop(self, *, waits: bool = True) -> None:
        """End the process at once; it is not started again.

        Its end takes the system some 20 ms, for which the loop stands still if this ``waits``.
        """
        self._given_up = "was stopped"
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            if waits:
                process.wait()
            else:
                threading.Thread(target=process.wait, daemon=True).start()

    async def _do(self, job: AnsweredJob) -> Answer | Failed:
        if self._given_up:
            raise WorkerCrashError(self._given_up)
        self.start()
        self._listen_to()
        self._tell()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[JobOutcome] = loop.create_future()
        self._waiting[job.number] = future
        if self.idle:
            self._job_since = loop.time()
            self._got_on = None if self._got_on is None else self._job_since
        self._unanswered.add(job.number)
        self._send(job)
        try:
            while not future.done():
                left_s, reason = self._left(loop.time())
                if left_s <= 0:
                    if self._process is not None:
                        self._lost(self._process, reason)
                    raise WorkerCrashError(reason)
                await asyncio.wait([future], timeout=left_s)
            answer = future.result()
        finally:
            self._waiting.pop(job.number, None)
            if not future.done():
                future.cancel()
        self._crashes_in_a_row = 0
        return answer.value

    def _left(self, now: float) -> tuple[float, str]:
        """The seconds that the process has left if it says nothing more, and why no longer."""
        left_s = self._job_since + self._longest_job_s - now
        silent_s = self._longest_silence_s
        if self._got_on is not None and self._got_on + silent_s - now < left_s:
            left_s = self._got_on + silent_s - now
            return left_s, f"was ended: it did not get on for {silent_s:.0f} s"
        return left_s, f"was ended: it took longer than {self._longest_job_s:.0f} s"

    def _listen_to(self) -> None:
        """Start reading what the process says."""
        process = self._process
        if self._listened or process is None or process.stdout is None:
            return
        self._listened = True
        threading.Thread(
            target=self._listen,
            args=(process, process.stdout, asyncio.get_running_loop()),
            daemon=True,
        ).start()

    def _tell(self) -> None:
        """Send a new process the overlays and projects."""
        if self._told:
            return
        self._told = True
        for path, text in self._overlays.items():
            self._send(Overlay(path, text))
        for folder, exclude in self._indexed.items():
            self._send(IndexProject(folder, exclude))

    def _send(self, job: Job | LookAt) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self.resident_bytes = None
        try:
            send(self._process.stdin, job)
        except OSError:
            logger.debug("the worker is gone; its listener tells")

    def _listen(
        self, process: subprocess.Popen[bytes], stream: IO[bytes], loop: asyncio.AbstractEventLoop
    ) -> None:
        """In a thread: hand answers to the loop until the process ends."""
        receiver = Receiver()
        try:
            while isinstance(answer := receive(stream), Said):
                if isinstance(answer, JobOutcome):
                    answer = receiver.restored(answer)
                loop.call_soon_threadsafe(self._heard, process, answer)
            loop.call_soon_threadsafe(self._lost, process, "")
        except RuntimeError:
            logger.debug("the loop is closed: the server is ending")

    def _heard(self, process: subprocess.Popen[bytes], answer: Said) -> None:
        if isinstance(answer, Regrouped):
            self.on_regrouped(answer.paths)
            return
        if isinstance(answer, Rested):
            self._heard_of_rest(process, answer)
            return
        if isinstance(answer, EarlyKernel):
            self.on_early(answer)
            return
        now = asyncio.get_running_loop().time()
        if process is self._process:
            self._got_on = now
        if isinstance(answer, GettingOn):
            return
        self._job_since = now
        self._unanswered.discard(answer.number)
        self._answered.set()
        future = self._waiting.get(answer.number)
        if future is not None and not future.done():
            future.set_result(answer)

    def _heard_of_rest(self, process: subprocess.Popen[bytes], rested: Rested) -> None:
        # What was sent since is answered later; what has no answer makes it rest again.
        if process is self._process and self.idle:
            self.resident_bytes = rested.resident_bytes
            self.on_rest()

    def _lost(self, process: subprocess.Popen[bytes], reason: str) -> None:
        if self._process is not process:
            return
        self._process = None
        self.resident_bytes = None
        self._unanswered.clear()
        self._answered.set()
        process.kill()
        code = process.wait()
        reason = reason or f"ended unexpectedly with code {code}"
        logger.error("the worker process %s", reason)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(WorkerCrashError(reason))
        self._crashes_in_a_row += 1
        if self._crashes_in_a_row >= MOST_CRASHES_IN_A_ROW:
            self._given_up = f"{reason}, {self._crashes_in_a_row} times in a row"
        self.on_crash(reason)
