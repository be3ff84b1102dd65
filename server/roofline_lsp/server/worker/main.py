"""The process that analyses: ``python -P -m roofline_lsp.server.worker.main``.

A process and not a thread, because parsing holds the interpreter: with 200 kB of CUDA being
analysed in a thread the event loop answers up to 27 ms late and 6 ms in the median, with a process
0.1 ms in the median.
"""

from __future__ import annotations

import gc
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final

from roofline_analysis.api.wishes import Wish
from roofline_analysis.project.facts import kernel_names
from roofline_analysis.project.files import UNIT_SUFFIXES
from roofline_analysis.project.stamps import Stamp, stamp_of
from roofline_analysis.report.report import KernelReport
from roofline_core.program.crash import crash_reason, listen
from roofline_core.program.errors import RooflineError
from roofline_core.program.progress import PROGRESS
from roofline_lsp.formats.error_file import keep_error
from roofline_lsp.server.worker.analyser import Analyser
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    Answer,
    AnsweredJob,
    AskComparison,
    AskExplanation,
    AskSuggestions,
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
from roofline_lsp.server.worker.memory import (
    MOST_MEMORY_BYTES,
    Garbage,
    give_memory_back,
    limit_memory,
    resident_bytes,
)
from roofline_lsp.server.worker.report_diff import Sender
from roofline_lsp.server.worker.streams import private_streams
from roofline_lsp.server.worker.waited_for import WaitedFor, WishesOfFile

logger = logging.getLogger(__name__)

TELLS_EACH_S: Final = 1.0
"""So often a worker that is at a job says that it gets on, if it does."""

TIDY_AFTER_S: Final = 2.0
"""So long without a job a worker waits before it gives memory back."""


@dataclass(slots=True)
class _Known:
    """A file that some analysis read, or looked for in vain."""

    content: int | None
    """A hash, None if there is no such file."""
    stamp: Stamp | None
    """None if there is no such file, or if an overlay was read."""
    kernels: tuple[str, ...]
    is_program: bool


class Worker:
    """Does jobs one after the other. Unsaved texts of open documents go before what is on disk."""

    def __init__(
        self,
        analyser: Analyser,
        waited_for: WaitedFor | None = None,
        tell: Callable[[EarlyKernel], None] = lambda _: None,
    ) -> None:
        """``tell`` is handed kernels that are ``waited_for``, in the middle of an analysis."""
        self._analyser = analyser
        self._waited_for = waited_for or WaitedFor()
        self._tell = tell
        self._overlays: dict[Path, bytes] = {}
        self._known: dict[Path, _Known] = {}
        self._real_paths: dict[Path, Path] = {}
        self._read_by: dict[Path, set[Path]] = {}
        self.busy = False
        """Whether there is something to do in idle time."""

    def do(self, job: Job) -> JobOutcome | None:
        """Do one job; whatever goes wrong becomes its answer."""
        if isinstance(job, Overlay | IndexProject | Changed):
            try:
                self._take(job)
            except Exception:
                logger.exception("not taken: %s", type(job).__name__)
            return None
        try:
            value = self._value(job)
        except RooflineError as error:
            return JobOutcome(job.number, Failed(str(error), expected=True))
        except MemoryError:
            self._analyser.forget()
            gc.collect()
            message = f"it needs more than {MOST_MEMORY_BYTES >> 30} GB of memory"
            return JobOutcome(job.number, Failed(message, expected=True))
        except Exception as error:
            logger.exception("job failed: %s", type(job).__name__)
            return JobOutcome(job.number, Failed(crash_reason(error), expected=False))
        return JobOutcome(job.number, value)

    def idle(self) -> Regrouped | None:
        """Do a little of what nothing waits for, and give what came of it."""
        try:
            if not self._analyser.step():
                return None
            self.busy = False
            regrouped = self._analyser.regrouped()
        except Exception:
            self.busy = False
            logger.exception("looking through the project failed")
            return None
        return Regrouped(regrouped) if regrouped else None

    def _take(self, job: Overlay | IndexProject | Changed) -> None:
        self.busy = True
        if isinstance(job, IndexProject):
            self._analyser.index(job.folder, job.exclude)
        elif isinstance(job, Changed):
            for path in job.paths:
                if self._real(path) not in self._overlays:
                    self._analyser.changed(path, None)
        else:
            self._overlay(job)

    def _overlay(self, job: Overlay) -> None:
        if job.text is None:
            self._overlays.pop(job.path, None)
        else:
            self._overlays[job.path] = job.text
        self._analyser.overlaid(job.path, job.text)
        for path in tuple(self._known):
            if (path == job.path or self._real(path) == job.path) and not self._is_as_read(path):
                self._analyser.changed(path, job.text)

    def _is_as_read(self, path: Path) -> bool:
        """Whether a file that some analysis read, or looked for in vain, has the same text now.

        An analysis of the file's own document is given its text, so that it does not matter here.
        """
        before = self._known[path].content
        self._read(path)
        return self._known[path].content == before

    def _value(self, job: AnsweredJob) -> Answer:
        if isinstance(job, Analyse):
            return self._analysed(job)
        if isinstance(job, CheckGpu):
            return self._analyser.gpu(job.settings)
        if isinstance(job, AskSuggestions):
            return Suggested(self._analyser.suggestions(job.path, job.kernel))
        if isinstance(job, AskExplanation):
            return Explained(self._analyser.explain(job.path, job.kernel, job.launch))
        if isinstance(job, AskComparison):
            self._look_for_changes()
            return ComparisonAnswer(self._analyser.compare(job.variants, job.settings, self._read))
        return WhatIfAnswer(self._analyser.what_if(job.path, job.kernel, job.launch, job.gpus))

    def _analysed(self, job: Analyse) -> Analysed:
        started = time.perf_counter()
        self._look_for_changes()
        self.busy = True  # the text may have changed what belongs to what
        read = self._read_by.setdefault(job.path, set())

        real = self._real(job.path)
        self._tell_by_other_names(job, real)

        def reader(path: Path, /) -> bytes | None:
            """The job's text for its own file; notes which other files the report rests on."""
            if job.text is not None and (path == job.path or self._real(path) == real):
                if path != job.path:
                    self._note(path, job.text, None)
                return job.text
            content = self._read(path)
            if path != job.path:
                read.add(path)
            return content

        text = job.text if job.text is not None else reader(job.path)
        if text is None:
            raise RooflineError(f"{job.path}: cannot be read")
        report = self._analyser.analyse(
            text,
            job.path,
            job.settings,
            reader,
            findings=job.findings,
            aside=job.aside,
            wishes=None if job.aside else self._wishes(job),
        )
        # A header that an earlier analysis read is not read again, so each may be part of this one.
        shared = self._known.keys() - read - {job.path}
        rests_on = (*read, *(path for path in shared if path.suffix not in UNIT_SUFFIXES))
        return Analysed(
            report,
            self._analyser.gpu(job.settings),
            frozenset(rests_on),
            self._kernels(text, rests_on),
            time.perf_counter() - started,
        )

    def _wishes(self, job: Analyse) -> WishesOfFile:
        def tell(wish: Wish, report: KernelReport) -> None:
            """Say what is known of a kernel."""
            self._tell(EarlyKernel(job.path, wish, report, self._analyser.gpu(job.settings)))

        return WishesOfFile(job.path, self._waited_for, tell)

    def _read(self, path: Path) -> bytes | None:
        """A file's bytes, remembering what there is to know of it."""
        content = self._overlays.get(self._real(path))
        stamp = None
        if content is None:
            stamp = stamp_of(path)
            content = self._analyser.read(path)
        self._note(path, content, stamp)
        return content

    def _note(self, path: Path, content: bytes | None, stamp: Stamp | None) -> None:
        """Remember what there is to know of a file that is read."""
        known = self._known.get(path)
        key = None if content is None else hash(content)
        if known is None or known.content != key:
            names = kernel_names(content or b"")
            known = _Known(key, stamp, names, self._analyser.is_program(content or b""))
            self._known[path] = known
        known.stamp = stamp

    def _tell_by_other_names(self, job: Analyse, real: Path) -> None:
        """Tell the analyser a document's text where it read the file by another name of it."""
        if job.text is not None:
            for path, known in self._known.items():
                same = path != job.path and self._real(path) == real
                if same and known.content != hash(job.text):
                    self._analyser.changed(path, job.text)

    def _look_for_changes(self) -> None:
        """Tell the analyser which files have changed on disk since they were read.

        Not every client tells of changes made outside of it.
        """
        for path, known in self._known.items():
            if self._real(path) not in self._overlays and stamp_of(path) != known.stamp:
                self._analyser.changed(path, None)

    def _real(self, path: Path) -> Path:
        """The path that overlays are kept by, whatever way an ``#include`` spells it."""
        real = self._real_paths.get(path)
        if real is None:
            real = self._real_paths[path] = Path(os.path.realpath(path))
        return real

    def _kernels(self, text: bytes, files: Sequence[Path]) -> dict[str, Path]:
        """Which of the files that can be linked to a text defines which kernel; the first wins."""
        is_program = self._analyser.is_program(text)
        found: dict[str, Path] = {}
        for path in files:
            known = self._known[path]
            if not (is_program and known.is_program):
                for name in known.kernels:
                    found.setdefault(name, path)
        return found


def serve(analyser: Analyser) -> None:
    """Do the jobs that come on standard input until it ends, answering on standard output.

    A thread of its own reads, so that the process also ends in the middle of a job when the server
    is gone.
    """
    # Windows has no groups that an interrupt meant for the editor stays out of; this process ends
    # with its pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(MOST_MEMORY_BYTES)
    jobs, stream = private_streams()
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    waited_for, answers = WaitedFor(), AnswerStream(stream)
    threading.Thread(target=_read, args=(jobs, waiting, waited_for), daemon=True).start()
    worker, sender = Worker(analyser, waited_for, answers.send), Sender()
    garbage = Garbage()
    answers.send(GettingOn(PROGRESS.steps))
    while True:
        said: JobOutcome | Regrouped | None
        if worker.busy and waiting.empty():
            said = worker.idle()
        else:
            job = _next(waiting, answers)
            with answers.at_work():
                said = worker.do(job)
        if said is not None:
            answers.send(sender.shortened(said) if isinstance(said, JobOutcome) else said)
        if isinstance(said, JobOutcome):
            garbage.after_a_job()


class AnswerStream:
    """What is sent to the server, by the thread that works and by one that tells whether it does.

    The second one says nothing while nothing is done, nor without a job: it then sleeps.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._working = threading.Event()
        threading.Thread(target=self._tell, daemon=True).start()

    def send(self, value: object) -> None:
        """Write one value whole."""
        with self._lock:
            send(self._stream, value)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """A job is done meanwhile."""
        self._working.set()
        try:
            yield
        finally:
            self._working.clear()

    def _tell(self) -> None:
        told = -1
        while True:
            self._working.wait()
            time.sleep(TELLS_EACH_S)
            steps = PROGRESS.steps
            if steps != told and self._working.is_set():
                told = steps
                self.send(GettingOn(steps))


def _next(waiting: queue.SimpleQueue[Job], answers: AnswerStream) -> Job:
    """The next job. Where none comes for a while, memory is given back first, once, and told."""
    try:
        return waiting.get(timeout=TIDY_AFTER_S)
    except queue.Empty:
        give_memory_back()
        answers.send(Rested(resident_bytes()))
    return waiting.get()


def _read(jobs: BinaryIO, waiting: queue.SimpleQueue[Job], waited_for: WaitedFor) -> None:
    while (job := receive(jobs)) is not None:
        if isinstance(job, LookAt):
            waited_for.put(job)
            continue
        assert isinstance(job, Job)
        waiting.put(job)
    os._exit(0)


def main() -> None:
    """Serve with the real analyser."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    listen(keep_error)
    gc.set_threshold(200_000, 20, 100)  # in a job as the command does: trees are many objects
    from roofline_lsp.server.worker.api_analyser import ApiAnalyser  # noqa: PLC0415 - it loads the analyser

    serve(ApiAnalyser())


if __name__ == "__main__":
    main()
