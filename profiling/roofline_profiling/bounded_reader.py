"""Text files read in bounded memory, whatever they turn out to be."""

from __future__ import annotations

import codecs
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from roofline_profiling.errors import ReportError

MAX_FILE_BYTES = 512 * 1024**2
"""The most bytes of a file; a report of all metrics of ten thousand launches has a tenth."""
MAX_LINE_CHARACTERS = 4 * 1024**2
"""The longest line; a launch with every existing metric takes 0.1 million characters."""
_HEAD_BYTES = 4096

Line = tuple[int, str]
"""A line: its 1-based number, and its text with the line end."""


def head_of(path: Path) -> bytes:
    """The first bytes of a regular file. Raises ReportError: it is none, cannot be read, is empty.

    Never waits for a pipe or a device.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise ReportError(f"{path}: {kind}; name a report file")
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    if not head:
        raise ReportError(f"{path}: an empty file; was the profiler stopped before it wrote?")
    if status.st_size > MAX_FILE_BYTES:
        size, limit = status.st_size / 1e6, MAX_FILE_BYTES / 1e6
        raise ReportError(
            f"{path}: {size:.0f} MB, more than the limit of {limit:.0f} MB; "
            "export fewer launches or metrics"
        )
    return head


def text_lines(path: Path) -> Iterator[Line]:
    """The lines of a text file: UTF-8, or UTF-16 as PowerShell's ``>`` writes it.

    Bytes that are no UTF-8 become question marks. Raises ReportError: the file cannot be read, has
    zero bytes, or a line beyond ``MAX_LINE_CHARACTERS``.
    """
    head = head_of(path)
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8-sig"
    if not wide and b"\0" in head:
        raise ReportError(f"{path}: binary data, not a report that can be read")
    try:
        with path.open(encoding=encoding, errors="replace", newline="") as file:
            yield from _lines(path, file)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeError as error:
        raise ReportError(f"{path}: cannot be read as text: {error}") from None


def _lines(path: Path, file: IO[str]) -> Iterator[Line]:
    number = 0
    while line := file.readline(MAX_LINE_CHARACTERS):
        number += 1
        if len(line) == MAX_LINE_CHARACTERS and not line.endswith("\n"):
            raise ReportError(
                f"{path}:{number}: a line of more than {MAX_LINE_CHARACTERS} characters; "
                "this is no report that can be read"
            )
        if "\0" in line:
            raise ReportError(f"{path}:{number}: binary data, not a report that can be read")
        yield number, line
