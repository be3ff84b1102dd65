"""``roofline-lsp --stdio``: one session over standard input and output."""

from __future__ import annotations

import logging
import sys
from typing import BinaryIO

from roofline_lsp.reports.tool import tool_version
from roofline_lsp.server.streams import private_streams
from roofline_lsp.server.worker_process import WorkerProcess
from roofline_lsp.settings import Layer

LOGGER = "roofline_lsp"


def run_stdio(overrides: Layer | None = None, worker: WorkerProcess | None = None) -> int:
    """Serve one session and return the exit code: 0 after an orderly shutdown, else 1.

    ``overrides`` are settings that go before those of files and of the client. ``worker`` stands in
    for the process that analyses. Standard output belongs to the protocol: whatever else prints,
    prints to standard error.
    """
    requests, replies = private_streams()
    worker = worker or WorkerProcess()
    worker.start()  # it gets ready while pygls is imported
    try:
        return _serve(requests, replies, worker, overrides)
    finally:
        worker.stop()


def _serve(
    requests: BinaryIO, replies: BinaryIO, worker: WorkerProcess, overrides: Layer | None
) -> int:
    from roofline_lsp.server import handlers  # noqa: PLC0415
    from roofline_lsp.server.app import RooflineServer  # noqa: PLC0415
    from roofline_lsp.server.client_log import ClientLog  # noqa: PLC0415

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server = RooflineServer(tool_version(), worker, overrides)
    logging.getLogger(LOGGER).addHandler(ClientLog(server))
    handlers.register(server)
    server.start_io(requests, replies)
    return 0 if server.protocol.shut_down else 1
