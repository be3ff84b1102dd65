"""Records as lines of a file, each there as soon as it is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from roofline_lsp.batch.records.lines import (
    KnownProgram,
    RecordLine,
    RecordsError,
    complete_programs,
    kind_of,
)


class NdjsonFile:
    """A sink that writes the lines of a program at once."""

    def __init__(self, path: Path) -> None:
        """Begins a new file. Raises RecordsError."""
        try:
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise RecordsError(f"{path}: cannot be written: {error.strerror}") from None
        self._path = path

    def add(self, lines: Sequence[RecordLine]) -> None:
        """Write lines. Raises RecordsError."""
        text = "".join(f"{line.text}\n" for line in lines).encode("utf-8", "surrogatepass")
        try:
            view = memoryview(text)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise RecordsError(f"{self._path}: cannot be written: {error.strerror}") from None

    def finish(self) -> None:
        """Close the file."""
        self._file.close()


class EarlierNdjson:
    """The programs in a file of lines, by the bytes at which they begin and end."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def programs(self) -> Iterator[tuple[str, object]]:
        """The key of each complete program, and its bytes."""
        for key, first, last in complete_programs(self._lines()):
            yield key, (first[0], last[1])

    def program(self, place: object) -> KnownProgram:
        """The program in these bytes."""
        assert isinstance(place, tuple)
        begin, end = place
        with self._path.open("rb") as file:
            file.seek(begin)
            texts = file.read(end - begin).decode("utf-8", "surrogatepass").split("\n")
        return KnownProgram(
            tuple(RecordLine(kind_of(json.loads(text)), text) for text in texts if text)
        )

    def _lines(self) -> Iterator[tuple[tuple[int, int], object]]:
        begin = 0
        with self._path.open("rb") as file:
            for line in file:
                end = begin + len(line)
                yield (begin, end), _value(line)
                begin = end


def _value(line: bytes) -> object:
    """What a line says; None for one that was cut off."""
    if not line.endswith(b"\n"):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
