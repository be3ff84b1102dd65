"""The process that analyses: ``python -P -m roofline_lsp.server.worker``.

A process and not a thread, because parsing holds the interpreter: with 200 kB of CUDA being
analysed in a thread the event loop answers up to 27 ms late and 6 ms in the median, with a process
0.1 ms in the median.
"""

from __future__ import annotations

import logging
import os
import queue
import re
import signal
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO, Protocol

from roofline_lsp.api.report import FileReport, GpuUsed
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.server.jobs import (
    Analyse,
    Analysed,
    Answer,
    CheckGpu,
    Failed,
    Job,
    Overlay,
    receive,
    send,
)
from roofline_lsp.server.streams import private_streams
from roofline_lsp.settings import Settings

logger = logging.getLogger(__name__)

_KERNEL = re.compile(rb"\b__global__\b|\b__kernel\b")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_ATTRIBUTES = re.compile(rb"__\w+__|alignas|decltype|noexcept")
_LONGEST_HEAD = 400
"""Bytes between ``__global__`` and a kernel's name: attributes, launch bounds and a return type."""


class Reader(Protocol):
    """Gives a file's bytes, None where there is no such file."""

    def __call__(self, path: Path, /) -> bytes | None: ...  # noqa: D102


class Analyser(Protocol):
    """What a worker does its jobs with."""

    def analyse(self, text: bytes, path: Path, settings: Settings, reader: Reader) -> FileReport:
        """The kernels of a file; never raises on bad code."""

    def gpu(self, settings: Settings) -> GpuUsed:
        """The GPU that settings name. Raises RooflineError."""

    def read(self, path: Path) -> bytes | None:
        """What is on disk."""

    def linked(self, text: bytes, other: bytes) -> bool:
        """Whether two files that stand side by side can be parts of one program."""


class Worker:
    """Does jobs one after the other. Unsaved texts of open documents go before what is on disk."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._overlays: dict[Path, bytes] = {}
        self._kernels: dict[Path, tuple[bytes, tuple[str, ...]]] = {}
        self._real_paths: dict[Path, Path] = {}

    def do(self, job: Job) -> Answer | None:
        """Do one job; whatever goes wrong becomes its answer."""
        if isinstance(job, Overlay):
            if job.text is None:
                self._overlays.pop(job.path, None)
            else:
                self._overlays[job.path] = job.text
            return None
        try:
            value = self._analysed(job) if isinstance(job, Analyse) else self._gpu(job)
        except RooflineError as error:
            return Answer(job.number, Failed(str(error), expected=True))
        except Exception as error:
            logger.exception("job failed: %s", type(job).__name__)
            return Answer(job.number, Failed(f"{type(error).__name__}: {error}", expected=False))
        return Answer(job.number, value)

    def _gpu(self, job: CheckGpu) -> GpuUsed:
        return self._analyser.gpu(job.settings)

    def _analysed(self, job: Analyse) -> Analysed:
        started = time.perf_counter()
        read: dict[Path, bytes] = {}

        def reader(path: Path, /) -> bytes | None:
            if path == job.path and job.text is not None:
                return job.text
            content = self._overlays.get(self._real(path))
            if content is None:
                content = self._analyser.read(path)
            if content is not None and path != job.path:
                read[path] = content
            return content

        text = job.text if job.text is not None else reader(job.path)
        if text is None:
            raise RooflineError(f"{job.path}: cannot be read")
        report = self._analyser.analyse(text, job.path, job.settings, reader)
        elsewhere = {
            name: path
            for path, content in read.items()
            if self._analyser.linked(text, content)
            for name in self._defined(path, content)
        }
        return Analysed(
            report,
            self._analyser.gpu(job.settings),
            frozenset(read),
            elsewhere,
            time.perf_counter() - started,
        )

    def _real(self, path: Path) -> Path:
        """The path that overlays are kept by, whatever way an ``#include`` spells it."""
        real = self._real_paths.get(path)
        if real is None:
            real = self._real_paths[path] = Path(os.path.realpath(path))
        return real

    def _defined(self, path: Path, content: bytes) -> tuple[str, ...]:
        known = self._kernels.get(path)
        if known is None or known[0] != content:
            known = self._kernels[path] = content, kernel_names(content)
        return known[1]


def kernel_names(content: bytes) -> tuple[str, ...]:
    """The identifiers that a source seems to define kernels by, found without parsing it."""
    names: dict[str, None] = {}
    for marker in _KERNEL.finditer(content):
        head = content[marker.end() : marker.end() + _LONGEST_HEAD]
        for called in _CALLED.finditer(head):
            if _ATTRIBUTES.fullmatch(called[1]) is None:
                names[called[1].decode()] = None
                break
    return tuple(names)


def serve(analyser: Analyser) -> None:
    """Do the jobs that come on standard input until it ends, answering on standard output.

    A thread of its own reads, so that the process also ends in the middle of a job when the server
    is gone.
    """
    # An interrupt meant for the editor reaches the whole process group; this process ends with its
    # pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    jobs, answers = private_streams()
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(jobs, waiting), daemon=True).start()
    worker = Worker(analyser)
    while True:
        answer = worker.do(waiting.get())
        if answer is not None:
            send(answers, answer)


def _read(jobs: BinaryIO, waiting: queue.SimpleQueue[Job]) -> None:
    while (job := receive(jobs)) is not None:
        assert isinstance(job, Job)
        waiting.put(job)
    os._exit(0)


def main() -> None:
    """Serve with the real analyser."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    from roofline_lsp.server.analyser import ApiAnalyser  # noqa: PLC0415 - slow, and only here

    serve(ApiAnalyser())


if __name__ == "__main__":
    main()
