"""Where a command's result goes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO, cast

from roofline_core.program.errors import RooflineError
from roofline_lsp.formats.strangers import json_visible, visible


class OutputError(RooflineError):
    """A result that cannot be written."""


def write(text: str, path: Path | None = None, *, data: bool = False) -> None:
    """Write to a file, or to standard output, what nobody's terminal obeys.

    ``data``: the text is JSON, which keeps its values. Raises OutputError naming the file.
    """
    text = json_visible(text) if data else text
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        path.write_text(text if data else visible(text), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None


class PlainStream:
    """A stream of text in which the control characters of strangers are shown, not obeyed.

    Our own colours begin with ``escape``, which nobody can guess, and become the terminal's.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.copies: list[str] | None = None
        """What was written, as the terminal was given it, where somebody asks for that."""
        self.escape = f"<{os.urandom(8).hex()}>"

    def write(self, text: str) -> int:
        """Write text of anybody's."""
        self.write_again(visible(text).replace(self.escape, "\x1b["))
        return len(text)

    def write_again(self, text: str) -> None:
        """Write what an earlier ``copies`` has."""
        self._stream.write(text)
        if self.copies is not None:
            self.copies.append(text)

    def redraw(self, text: str) -> None:
        """Put a text in the place of the terminal's present line."""
        self._stream.write(f"\r\x1b[K{visible(text)}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def redraw(stream: TextIO, text: str) -> None:
    """Put a text in the place of a terminal's present line."""
    own = stream if isinstance(stream, PlainStream) else PlainStream(stream)
    own.redraw(text)


@contextlib.contextmanager
def plain_streams() -> Iterator[None]:
    """Standard output and standard error as ``PlainStream``, as long as a command runs."""
    with (
        contextlib.redirect_stdout(cast(TextIO, PlainStream(sys.stdout))),
        contextlib.redirect_stderr(cast(TextIO, PlainStream(sys.stderr))),
    ):
        yield
