"""The client's stream, whose headers are checked: pygls waits for ever behind one that is wrong."""

from __future__ import annotations

import io
import logging
import re
from typing import BinaryIO, Final

logger = logging.getLogger(__name__)

MAX_HEADER_BYTES: Final = 8192
"""The longest header line."""
MAX_BODY_BYTES: Final = 256_000_000
"""The longest message."""
_LENGTH: Final = re.compile(rb"Content-Length: (\d{1,12})\r\n")


class CheckedHeaders(io.RawIOBase):
    """Gives a client's messages; ends, with an error in the log, where their headers are wrong.

    After that nothing tells where the next message begins.
    """

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._has_length = False

    def readline(self, size: int | None = -1) -> bytes:
        """The next header line; empty at the end and behind a wrong one."""
        line = self._stream.readline(MAX_HEADER_BYTES + 1)
        fault = self._fault(line)
        if fault is None:
            return line
        logger.error("the session ends: %s", fault)
        return b""

    def read(self, size: int | None = -1) -> bytes:
        """A message's body."""
        self._has_length = False
        return self._stream.read(-1 if size is None else size)

    def _fault(self, line: bytes) -> str | None:
        if len(line) > MAX_HEADER_BYTES:
            return f"a header line of the client is longer than {MAX_HEADER_BYTES} bytes"
        if line.lower().startswith(b"content-length"):
            length = _LENGTH.fullmatch(line)
            if length is None or not 0 < int(length[1]) <= MAX_BODY_BYTES:
                return f"the client sent {line[:80]!r}, which gives no length of a message"
            self._has_length = True
        elif line and not line.strip() and not self._has_length:
            return "the client sent a message without 'Content-Length'"
        return None
