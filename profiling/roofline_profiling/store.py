"""The measurements kept beside a project: ``.roofline/measurements.jsonl``.

docs/measurements.md describes the file. It only ever grows; of several records of the same launch
the last holds. What is no record is passed over, so that a file cut by a crash, or written by a
later version, costs what it must and no more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from roofline_core.program.regular_files import open_regular_file
from roofline_profiling.errors import StoreError
from roofline_profiling.locking import locked
from roofline_profiling.records import Record, as_line, of_line

FORMAT: Final = "roofline-lsp measurements"
VERSION: Final = 1
"""The version of the file; it grows when older programs would misread newer records."""
MAX_BYTES: Final = 256 * 1024**2
_MAX_LINE: Final = 1024**2
_HEADER: Final = f'{{"format": "{FORMAT}", "version": {VERSION}}}\n'.encode()
"""The first line."""

Stamp = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Stored:
    """The content of a store."""

    records: tuple[Record, ...]
    """The records in the order of their addition, only the last of each launch."""
    unreadable: int = 0
    """The number of lines that are not records."""


def stamp_of(path: Path) -> Stamp:
    """A value that changes with the file; None where there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def append(path: Path, records: Iterable[Record]) -> int:
    """Add records, and return how many. Other processes may do so at the same time.

    The folder and the file are made where they are lacking. Raises StoreError: the file is of
    another kind or a later version, leads out of the project by a link, or cannot be written; then
    nothing was added.
    """
    _check_place(path)
    lines = [as_line(record).encode() for record in records]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file, locked(file):
            _write(path, file, lines)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
    return len(lines)


def _check_place(path: Path) -> None:
    """A project may be a stranger's: nothing is written where its links lead."""
    real, root = os.path.realpath(path), os.path.realpath(path.parent.parent)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        raise StoreError(f"{path}: leads out of the project and is not written to")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: cannot be written: not a regular file")


def _write(path: Path, file: IO[bytes], lines: list[bytes]) -> None:
    """One write of all lines. If the disk is full, what was written of them is taken back."""
    size = file.seek(0, os.SEEK_END)
    start = b""
    if 0 < size <= len(_HEADER):
        file.seek(0)
        if _HEADER.startswith(file.read(size)):
            file.truncate(0)
            size = 0
    if size:
        file.seek(0)
        _check_header(path, file.read(_MAX_LINE).partition(b"\n")[0])
        file.seek(size - 1)
        if file.read(1) != b"\n":
            start = b"\n"  # a record that a crash cut short stays a line of its own
    else:
        start = _HEADER
    data = memoryview(start + b"".join(lines))
    try:
        while data:
            data = data[file.write(data) or 0 :]
    except OSError:
        file.truncate(size)
        raise


def load(path: Path) -> Stored:
    """The records of a store; none where there is no file.

    Raises StoreError: the file is of another kind, of a later version or too long, or cannot be
    read.
    """
    records: dict[tuple[object, ...], Record] = {}
    unreadable = 0
    try:
        with open_regular_file(path) as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise StoreError(
                    f"{path}: more than {MAX_BYTES // 1024**2} MiB; move it away to start anew"
                )
            header = file.readline(_MAX_LINE)
            if header and not _is_cut(header):
                _check_header(path, header)
            for line in _lines(file):
                record = of_line(line.decode("utf-8", "replace")) if line is not None else None
                if record is None:
                    unreadable += 1
                else:
                    records.pop(record.key, None)
                    records[record.key] = record
    except FileNotFoundError:
        return Stored(())
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    return Stored(tuple(records.values()), unreadable)


def _lines(file: IO[bytes]) -> Iterator[bytes | None]:
    """The lines that hold something; None for one that is too long to be a record."""
    while line := file.readline(_MAX_LINE):
        whole = line
        while len(line) == _MAX_LINE and not line.endswith(b"\n"):
            line = file.readline(_MAX_LINE)
        if whole is not line:
            yield None
        elif line.strip():
            yield line


def _is_cut(header: bytes) -> bool:
    """Whether a file ends in its first line: who began it was ended then, or is about to go on."""
    return not header.endswith(b"\n") and _HEADER.startswith(header)


def _check_header(path: Path, line: bytes) -> None:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StoreError(f"{path}: not a file of measurements; move it away, and import again")
    version = header.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise StoreError(f"{path}: written by a later roofline-lsp (version {version}); update")
