"""``roofline-lsp --stdio``: one session over standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from roofline_core.settings import Layer
from roofline_lsp.formats.tool import tool_version
from roofline_lsp.server.worker.interface import AnalysisWorker
from roofline_lsp.server.worker.renewal import RenewedWorker
from roofline_lsp.server.worker.streams import private_streams

if TYPE_CHECKING:
    from roofline_lsp.server.features.kernel_files import FindFiles

LOGGERS = (
    "roofline_advisor",
    "roofline_analysis",
    "roofline_core",
    "roofline_hardware_db",
    "roofline_lsp",
    "roofline_parsers",
    "roofline_profiling",
    "roofline_study",
)
"""Those of all our packages."""

_INTERRUPTED: Final = 128 + signal.SIGINT
"""As shells report it."""


def run_stdio(
    overrides: Layer | None = None,
    worker: AnalysisWorker | None = None,
    find_files: FindFiles | None = None,
) -> int:
    """Serve one session and return the exit code: 0 after an orderly shutdown, else 1.

    ``overrides`` are settings that go before those of files and of the client. ``worker`` stands in
    for the process that analyses. ``find_files`` says which files of a folder hold kernels; without
    it none are. Standard output belongs to the protocol: whatever else prints,
    prints to standard error.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        said = "roofline-lsp: waits for an editor on standard input; Ctrl-C ends it"
        print(said, file=sys.stderr)
    requests, replies = private_streams()
    worker = worker or RenewedWorker()
    worker.start()  # it gets ready while pygls is imported
    try:
        return _serve(requests, replies, worker, overrides, find_files)
    finally:
        worker.stop()


def _serve(
    requests: BinaryIO,
    replies: BinaryIO,
    worker: AnalysisWorker,
    overrides: Layer | None,
    find_files: FindFiles | None,
) -> int:
    from roofline_lsp.server.session import handlers  # noqa: PLC0415
    from roofline_lsp.server.session.app import RooflineServer  # noqa: PLC0415
    from roofline_lsp.server.session.client_log import ClientLog  # noqa: PLC0415
    from roofline_lsp.server.session.headers import CheckedHeaders  # noqa: PLC0415

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server = RooflineServer(tool_version(), worker, overrides, find_files)
    log = ClientLog(server)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(log)
    handlers.register(server)
    with ended_by_interrupts(worker):
        server.start_io(cast("BinaryIO", CheckedHeaders(requests)), replies)
    return 0 if server.protocol.shut_down else 1


@contextmanager
def ended_by_interrupts(worker: AnalysisWorker) -> Iterator[None]:
    """Ctrl-C ends the process and its workers at once.

    Python would wait for the thread that reads what the client sends, which may be nothing. It also
    runs handlers of signals in the main thread alone, between two instructions: one that comes just
    before this thread waits for the client would wait, too. So another thread listens for it.
    """

    def end(*_: object) -> None:
        """End without a word, as a handler of the signal."""
        worker.stop()
        os._exit(_INTERRUPTED)

    def listen() -> None:
        """End once an interrupt is told of; return when nobody can tell of one any more."""
        while told := listener.recv(1):
            if told[0] == signal.SIGINT:
                end()

    before = signal.getsignal(signal.SIGINT)
    listens = threading.current_thread() is threading.main_thread()
    if not listens or before is not signal.default_int_handler:
        yield
        return
    listener, teller = socket.socketpair()
    with listener, teller:
        teller.setblocking(False)
        signal.signal(signal.SIGINT, end)
        told_before = signal.set_wakeup_fd(teller.fileno())
        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(told_before)
            signal.signal(signal.SIGINT, before)
            teller.close()
            thread.join()
