"""The server's end of the process that asks the language model: started by the first question."""

from __future__ import annotations

import asyncio
import itertools
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from roofline_lsp.server.advice.jobs import (
    AdviceFailed,
    AdviceProgress,
    AdviceReady,
    AdviceWarning,
    Advise,
    Cancel,
)
from roofline_lsp.server.worker.jobs import receive, send

logger = logging.getLogger(__name__)

ADVICE_WORKER = (sys.executable, "-P", "-m", "roofline_lsp.server.advice.main")

Tell = Callable[[str], None]


@dataclass(slots=True)
class _Waiting:
    future: asyncio.Future[AdviceReady]
    tell: Tell


class AdviceProcess:
    """Questions go in, answers come out as awaitables. Belongs to one event loop.

    Nothing here blocks the loop: writing to the process is a thread's work.
    """

    def __init__(self, warn: Callable[[str], None], command: Sequence[str] = ADVICE_WORKER) -> None:
        """Starts nothing. ``warn`` is told what goes wrong beside the answers."""
        self._warn = warn
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._writing = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}

    async def ask(self, job: Advise, tell: Tell = lambda _: None) -> AdviceReady:
        """Do a job; its number is given here. Cancelling the task ends the job in the process."""
        job = replace(job, number=next(self._numbers))
        if self._stopped:
            return AdviceReady(job.number, AdviceFailed("the server is ending"))
        loop = asyncio.get_running_loop()
        waiting = _Waiting(loop.create_future(), tell)
        self._waiting[job.number] = waiting
        try:
            await asyncio.to_thread(self._send, job, loop)
            return await waiting.future
        except asyncio.CancelledError:
            loop.run_in_executor(None, self._send, Cancel(job.number), loop)
            raise
        finally:
            self._waiting.pop(job.number, None)

    def stop(self) -> None:
        """End the process, whatever it does, for good."""
        self._stopped = True
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _send(self, value: Advise | Cancel, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: start the process if need be, and write."""
        with self._writing:
            if self._stopped:
                return
            if self._process is None:
                if isinstance(value, Cancel):
                    return
                process = self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
                )
                threading.Thread(target=self._listen, args=(process, loop), daemon=True).start()
            assert self._process.stdin is not None
            try:
                send(self._process.stdin, value)
            except (OSError, ValueError):
                logger.debug("the advisor's process is gone; its listener tells")

    def _listen(self, process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: hand what the process says to the loop until it ends."""
        assert process.stdout is not None
        try:
            while (said := receive(process.stdout)) is not None:
                loop.call_soon_threadsafe(self._heard, said)
            loop.call_soon_threadsafe(self._lost, process)
        except RuntimeError:
            logger.debug("the loop is closed: the server is ending")

    def _heard(self, said: object) -> None:
        if isinstance(said, AdviceWarning):
            self._warn(said.message)
        elif isinstance(said, AdviceProgress) and said.number in self._waiting:
            self._waiting[said.number].tell(said.message)
        elif isinstance(said, AdviceReady) and said.number in self._waiting:
            future = self._waiting[said.number].future
            if not future.done():
                future.set_result(said)

    def _lost(self, process: subprocess.Popen[bytes]) -> None:
        if self._process is not process:
            return
        self._process = None
        code = process.wait()
        logger.error("the advisor's process ended unexpectedly with code %d", code)
        message = f"the advisor's process ended unexpectedly with code {code}; ask again"
        for number, waiting in self._waiting.items():
            if not waiting.future.done():
                waiting.future.set_result(AdviceReady(number, AdviceFailed(message)))
