"""An output of records: begun, or continued by what an earlier run left."""

from __future__ import annotations

import contextlib
import importlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from roofline_lsp.batch.records.lines import (
    KnownProgram,
    RecordLine,
    RecordsError,
    RecordSink,
    RecordSource,
    moved_aside,
)

SUFFIXES: Final = (".ndjson", ".parquet")
"""The endings of names of outputs to which records are written as they are made."""


class RecordOutput:
    """Records go in as they are made; those of an earlier run can be taken over."""

    def __init__(self, sink: RecordSink, earlier: Sequence[RecordSource]) -> None:
        self._sink = sink
        self._earlier = earlier
        self._places = {
            key: (number, place)
            for number, source in enumerate(earlier)
            for key, place in source.programs()
        }

    def known(self, key: str) -> KnownProgram | None:
        """What the latest earlier run wrote of a program; None where none did."""
        found = self._places.get(key)
        if found is None:
            return None
        number, place = found
        return self._earlier[number].program(place)

    def add(self, lines: Sequence[RecordLine]) -> None:
        """Write lines that belong together."""
        self._sink.add(lines)

    def finish(self) -> None:
        """Write what is held back."""
        self._sink.finish()


@contextlib.contextmanager
def record_output(path: Path, *, resume: bool) -> Iterator[RecordOutput]:
    """The output at ``path``. What earlier runs left is deleted once this one has come to its end.

    Raises RecordsError: there is an output and ``resume`` is false, another run writes to it, it
    cannot be written.
    """
    with _locked(path):
        if path.exists() and not resume:
            raise RecordsError(
                f"{path}: is there already; --resume continues it, or delete it first"
            )
        try:
            aside = moved_aside(path)
        except OSError as error:
            raise RecordsError(f"{path}: cannot be continued: {error.strerror}") from None
        parquet = path.suffix == ".parquet"
        if parquet:
            from roofline_lsp.batch.records.parquet_folder import (  # noqa: PLC0415 - pyarrow
                EarlierParquet,
                ParquetFolder,
            )

            output = RecordOutput(ParquetFolder(path), [EarlierParquet(each) for each in aside])
        else:
            from roofline_lsp.batch.records.ndjson_file import (  # noqa: PLC0415 - as above
                EarlierNdjson,
                NdjsonFile,
            )

            output = RecordOutput(NdjsonFile(path), [EarlierNdjson(each) for each in aside])
        try:
            yield output
        finally:
            output.finish()
        for each in aside:
            if each.is_dir():
                shutil.rmtree(each)
            else:
                each.unlink()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an output alone, where the system can tell. The lock ends with the process."""
    try:
        fcntl: Any = importlib.import_module("fcntl")
    except ImportError:  # Windows has none
        yield
        return
    lock = path.with_name(f".{path.name}.lock")
    try:
        file: IO[bytes] = lock.open("wb")
    except OSError as error:
        raise RecordsError(f"{path}: cannot be written: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordsError(f"{path}: another run is writing to it") from None
        yield
        with contextlib.suppress(OSError):
            lock.unlink()
