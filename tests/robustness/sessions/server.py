"""The real server, which also tells what text it has of a document.

With ``--fresh`` its workers forget everything before each analysis, so that each document is
analysed as a server does that has just been started. With ``--renewing`` new workers follow at
each rest of two seconds, however little the old ones grew.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from roofline_lsp.server.session import handlers
from roofline_lsp.server.session.app import RooflineServer
from roofline_lsp.server.session.main import run_stdio
from roofline_lsp.server.worker.renewal import RenewedWorker
from roofline_lsp.server.worker.spare import WorkerWithSpare

TEXT: Final = "test/text"
RENEWALS: Final = "test/renewals"
FRESH_WORKER: Final = (sys.executable, "-m", "tests.robustness.sessions.fresh_worker")


def main(words: list[str]) -> int:
    """Serve one session."""
    renewed = RenewedWorker(grown=0.0, pause_s=0.0) if "--renewing" in words else RenewedWorker()
    worker = WorkerWithSpare(FRESH_WORKER) if "--fresh" in words else renewed
    register = handlers.register

    def with_text(server: RooflineServer) -> None:
        register(server)

        @server.feature(TEXT)
        def on_text(ls: RooflineServer, params: Any) -> str | None:
            document = ls.documents.get(params.textDocument.uri)
            # As digits: the gate would show control characters otherwise.
            return None if document is None else document.buffer.text.encode().hex()

        @server.feature(RENEWALS)
        def on_renewals(_ls: RooflineServer, _params: Any) -> int:
            return renewed.renewals

    handlers.register = with_text
    return run_stdio(worker=worker)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
