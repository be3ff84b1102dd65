"""Log records as the client's log messages."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.lsp.server import LanguageServer


class ClientLog(logging.Handler):
    """Sends warnings and errors to the client's log."""

    def __init__(self, server: LanguageServer) -> None:
        super().__init__(logging.WARNING)
        self._server = server

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, without its traceback, which is on standard error."""
        kind = (
            types.MessageType.Error
            if record.levelno >= logging.ERROR
            else types.MessageType.Warning
        )
        if self._server.protocol.writer is not None:
            self._server.window_log_message(types.LogMessageParams(kind, record.getMessage()))
