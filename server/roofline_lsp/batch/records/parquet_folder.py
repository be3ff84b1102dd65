"""Records as a folder of Parquet files, which readers of Parquet take for one table.

A file of that format can be read once it is complete alone, so each holds some programs, and is
put in its place when it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from roofline_lsp.batch.records.lines import (
    FILE,
    KnownProgram,
    RecordLine,
    RecordsError,
    complete_programs,
)

_MOST_LINES: Final = 2_000
_MOST_CHARACTERS: Final = 16_000_000
"""After so many lines, or characters of them, a file is written."""
_NUMBERS: Final = (
    *("confidence", "time_ns", "dram_bytes", "occupancy"),
    *("sp_flops", "dp_flops", "hp_flops", "int_ops", "tensor_flops"),
)
"""The figures of a kernel's prediction that have columns."""


class ParquetFolder:
    """A sink that writes a file for every so many lines; the lines of a program stay together."""

    def __init__(self, path: Path) -> None:
        """Begins a new folder. Raises RecordsError."""
        self._arrow = _arrow(path)
        self._path = path
        self._waiting: list[RecordLine] = []
        self._characters = self._parts = 0
        try:
            path.mkdir()
        except OSError as error:
            raise RecordsError(f"{path}: cannot be written: {error.strerror}") from None

    def add(self, lines: Sequence[RecordLine]) -> None:
        """Take lines. Raises RecordsError."""
        self._waiting += lines
        self._characters += sum(len(line.text) for line in lines)
        if len(self._waiting) >= _MOST_LINES or self._characters >= _MOST_CHARACTERS:
            self.finish()

    def finish(self) -> None:
        """Write what is held back."""
        if not self._waiting:
            return
        rows = [_row(line) for line in self._waiting]
        table = self._arrow.Table.from_pylist(rows, schema=_schema(self._arrow))
        self._parts += 1
        part = self._path / f"part-{self._parts:06}.parquet"
        unfinished = self._path / f".{part.name}"
        try:
            self._arrow.parquet.write_table(table, unfinished, compression="zstd")
            unfinished.replace(part)
        except OSError as error:
            raise RecordsError(f"{self._path}: cannot be written: {error.strerror}") from None
        self._waiting, self._characters = [], 0


class EarlierParquet:
    """The programs in a folder of Parquet files, by file and rows."""

    def __init__(self, path: Path) -> None:
        self._arrow = _arrow(path)
        self._path = path
        self._held: tuple[Path, list[RecordLine]] | None = None

    def programs(self) -> Iterator[tuple[str, object]]:
        """The key of each complete program, its file and rows."""
        for part in sorted(self._path.glob("part-*.parquet")):
            values = ((row, json.loads(line.text)) for row, line in enumerate(self._lines(part)))
            for key, first, last in complete_programs(values):
                yield key, (part, first, last + 1)

    def program(self, place: object) -> KnownProgram:
        """The program in these rows."""
        assert isinstance(place, tuple)
        part, first, last = place
        return KnownProgram(tuple(self._lines(part)[first:last]))

    def _lines(self, part: Path) -> list[RecordLine]:
        if self._held is None or self._held[0] != part:
            columns = self._arrow.parquet.read_table(part, columns=["kind", "record"]).to_pydict()
            both = zip(columns["kind"], columns["record"], strict=True)
            self._held = part, [RecordLine(kind, text) for kind, text in both]
        return self._held[1]


def _arrow(path: Path) -> Any:
    try:
        import pyarrow.parquet  # noqa: PLC0415 - takes long to import
    except ImportError:
        raise RecordsError(
            f"{path}: Parquet needs pyarrow: pip install 'roofline-lsp[distributed]'"
        ) from None
    return pyarrow


def _schema(arrow: Any) -> Any:
    """``kind``, ``path`` and ``kernels`` for queries, and the whole ``record`` as JSON."""
    text, number = arrow.string(), arrow.float64()
    kernel = [
        *(("name", text), ("qualified_name", text), ("line", arrow.int64())),
        *(("class", text), ("limiting", text)),
        *((name, number) for name in _NUMBERS),
    ]
    kernels = arrow.list_(arrow.struct(kernel))
    columns = [("kind", text), ("path", text), ("kernels", kernels), ("record", text)]
    return arrow.schema(columns)


def _row(line: RecordLine) -> dict[str, object]:
    path, kernels = None, None
    if line.kind == FILE:
        record = line.record()
        path = record["path"]
        kernels = [_kernel(each) for each in record["kernels"]]
    return {"kind": line.kind, "path": path, "kernels": kernels, "record": line.text}


def _kernel(record: Mapping[str, Any]) -> dict[str, object]:
    prediction = record["prediction"]
    figures = {name: prediction[name] for name in _NUMBERS}
    return {
        "name": record["name"],
        "qualified_name": record["qualified_name"],
        "line": record["name_range"]["line"],
        "class": prediction["class"],
        "limiting": prediction["limiting"],
        **{name: None if value is None else float(value) for name, value in figures.items()},
    }
