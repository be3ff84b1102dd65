"""Where a command's result goes."""

from __future__ import annotations

import sys
from pathlib import Path

from roofline_core.program.errors import RooflineError


class OutputError(RooflineError):
    """A result that cannot be written."""


def write(text: str, path: Path | None = None) -> None:
    """Write to a file, or to standard output. Raises OutputError naming the file."""
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None
