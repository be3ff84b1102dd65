"""What an output of records is made of: lines, of which those of a program stand together.

``{"file": ...}`` is a file's record, as ``--format ndjson`` has it. ``{"program": ...}`` follows
the files of a program and says what they rest on: files without one behind them, as a run leaves
that is ended in between, do not count. ``{"run": ...}`` ends an input, behind files of no program.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_lsp.formats.strangers import json_visible

FILE, PROGRAM, RUN = "file", "program", "run"

Place = TypeVar("Place")


class RecordsError(RooflineError):
    """An output that cannot be written, or continued."""


@record(frozen=True, slots=True)
class RecordLine:
    """One line."""

    kind: str
    """``file``, ``program`` or ``run``."""
    text: str
    """JSON, without the line's end."""

    @classmethod
    def of(cls, kind: str, record: object) -> RecordLine:
        """A record as a line."""
        text = json.dumps({kind: record}, ensure_ascii=False, allow_nan=False)
        return cls(kind, json_visible(text))

    def record(self) -> Any:
        """The record of the line."""
        return json.loads(self.text)[self.kind]


@record(frozen=True, slots=True)
class KnownProgram:
    """A program in an earlier output."""

    lines: tuple[RecordLine, ...]
    """Its files, then itself."""

    @property
    def program(self) -> Mapping[str, Any]:
        """The program's own record."""
        record: Mapping[str, Any] = self.lines[-1].record()
        return record


class RecordSink(Protocol):
    """Where records go. Lines that are added together are there together, or not at all."""

    def add(self, lines: Sequence[RecordLine]) -> None:
        """Write lines. Raises RecordsError."""

    def finish(self) -> None:
        """Write what is still held back."""


class RecordSource(Protocol):
    """An earlier output: whatever was cut off or is damaged in it is not there."""

    def programs(self) -> Iterator[tuple[str, object]]:
        """The key of each program that is complete, and where it stands."""
        ...

    def program(self, place: object) -> KnownProgram:
        """The program at a place."""
        ...


def kind_of(value: object) -> str:
    """The kind of a line's value; empty for what is none."""
    if isinstance(value, dict) and len(value) == 1:
        (kind,) = value
        if kind in (FILE, PROGRAM, RUN):
            return str(kind)
    return ""


def complete_programs(
    lines: Iterable[tuple[Place, object]],
) -> Iterator[tuple[str, Place, Place]]:
    """Of lines with their places: the key of each complete program, its first and last place."""
    first: Place | None = None
    files = 0
    for place, value in lines:
        kind = kind_of(value)
        if kind == FILE:
            first, files = (place, 1) if first is None else (first, files + 1)
            continue
        if kind == PROGRAM:
            assert isinstance(value, dict)
            key, told = value[PROGRAM].get("key"), value[PROGRAM].get("files")
            if isinstance(key, str) and isinstance(told, list) and len(told) == files:
                yield key, place if first is None else first, place
        first, files = None, 0


def moved_aside(path: Path) -> list[Path]:
    """Earlier outputs, the oldest first, after the present one was moved to them.

    They stay until the new output is complete, so that a run that is ended loses none.
    """
    earlier = sorted(path.parent.glob(f"{glob_of(path.name)}.before-*"), key=_number)
    if path.exists():
        number = _number(earlier[-1]) + 1 if earlier else 1
        aside = path.with_name(f"{path.name}.before-{number}")
        path.rename(aside)
        earlier.append(aside)
    return earlier


def glob_of(name: str) -> str:
    """A pattern that matches a name alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def _number(path: Path) -> int:
    text = path.name.rpartition("-")[2]
    return int(text) if text.isdigit() else 0
