"""A progress bar for people who wait at a terminal."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import TextIO

from roofline_lsp.cli.output import redraw

DELAY_S = 0.5
"""Runs shorter than this show nothing."""
INTERVAL_S = 0.1
BAR_WIDTH = 24


class ProgressBar:
    """Draws ``[#####     ] 12/40 name`` on one line of a terminal, and wipes it at the end.

    Draws nothing where the stream is not a terminal or ``enabled`` is false.
    """

    def __init__(self, stream: TextIO, *, enabled: bool = True) -> None:
        self._stream = stream
        self._enabled = enabled and stream.isatty()
        self._next_s = time.monotonic() + DELAY_S
        self._drawn = False

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn:
            redraw(self._stream, "")
            self._stream.flush()

    def show(self, done: int, total: int, name: str) -> None:
        """Note that ``done`` of ``total`` are finished, the last one being ``name``."""
        now = time.monotonic()
        if not self._enabled or now < self._next_s:
            return
        self._next_s = now + INTERVAL_S
        filled = BAR_WIDTH * done // max(total, 1)
        text = f"[{'#' * filled}{' ' * (BAR_WIDTH - filled)}] {done}/{total} {name}"
        columns = shutil.get_terminal_size().columns
        redraw(self._stream, text[: columns - 1])
        self._stream.flush()
        self._drawn = True


class StatusLine:
    """Says on one line of a terminal what is being done, and wipes it at the end.

    Draws nothing where the stream is not a terminal or ``enabled`` is false.
    """

    def __init__(self, stream: TextIO, *, enabled: bool = True) -> None:
        self._stream = stream
        self._enabled = enabled and stream.isatty()

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.show("")

    def show(self, text: str) -> None:
        """Put a text in the place of the one before."""
        if self._enabled:
            columns = shutil.get_terminal_size().columns
            redraw(self._stream, text[: columns - 1])
            self._stream.flush()
