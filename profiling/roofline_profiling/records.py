"""A stored measurement as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roofline_analysis.report.report import Verdict
from roofline_profiling.measurement import COUNTS, Dim3, LineHeat, Measurement, name_of
from roofline_profiling.numbers import MOST_COUNT, MOST_THREADS

MAX_STORED_LINES = 64
"""The most source lines of a launch that are kept, those with most samples."""


@dataclass(frozen=True, slots=True)
class Record:
    """A measurement and the code that it was taken of."""

    measurement: Measurement
    gpu: str
    """The hardware database's name of the GPU, or the report's if the database lacks it."""
    source: str | None
    """The kernel's file, relative to the project; None where it was not found."""
    body: str | None
    """The hash of the code that the kernel ran; None where it was not found."""
    taken: str
    """The time at which it was stored, in ISO 8601."""

    @property
    def key(self) -> tuple[object, ...]:
        """Its identity: of several records with one key the last is valid."""
        launch = self.measurement
        return (
            launch.kernel, self.source, self.body, self.gpu, launch.args, launch.grid, launch.block,
            launch.emulated,
        )  # fmt: skip


def as_line(record: Record) -> str:
    """The record as one line of JSON with its line end."""
    launch = record.measurement
    content: dict[str, object] = {
        "kernel": launch.kernel,
        "source": record.source,
        "body": record.body,
        "gpu": record.gpu,
        "args": launch.args,
        "grid": launch.grid,
        "block": launch.block,
        "counts": {name: value for name in COUNTS if (value := getattr(launch, name)) is not None},
        "taken": record.taken,
        "origin": launch.origin,
    }
    if launch.emulated:
        content["emulated"] = True
    if launch.program is not None:
        content["program"] = launch.program
    if launch.label is not None:
        content["label"] = launch.label.value
    if launch.stalls:
        content["stalls"] = dict(launch.stalls)
    if launch.memory:
        content["memory"] = dict(launch.memory)
    if launch.lines:
        content["lines"] = [
            [each.path, each.line, each.samples, each.instructions]
            for each in launch.lines[:MAX_STORED_LINES]
        ]
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def of_line(text: str) -> Record | None:
    """The record of a line; None if it is not one."""
    try:
        content = json.loads(text)
        return _record(content) if isinstance(content, dict) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _record(content: Mapping[str, Any]) -> Record:
    """Raises ValueError, TypeError or KeyError if the value is not a record."""
    counts = content["counts"]
    numbers = {name: _number(counts[name]) for name in COUNTS if name in counts}
    args = content.get("args")
    label = content.get("label")
    launch = Measurement(
        kernel=_name(content["kernel"]),
        gpu=_name(content["gpu"]),
        program=_optional(content.get("program")),
        args=None if args is None else tuple(map(_text, args)),
        grid=_dimensions(content.get("grid")),
        block=_dimensions(content.get("block")),
        stalls={_name(name): _number(value) for name, value in content.get("stalls", {}).items()},
        memory={_name(name): _number(value) for name, value in content.get("memory", {}).items()},
        lines=tuple(_heat(each) for each in content.get("lines", ())[:MAX_STORED_LINES]),
        line_work=(),
        label=None if label is None else Verdict(label),
        origin=_name(content.get("origin", "")),
        emulated=content.get("emulated", False) is True,
        **numbers,
    )
    return Record(
        launch,
        _name(content["gpu"]),
        _optional(content.get("source")),
        _optional(content.get("body")),
        _name(content.get("taken", "")),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _name(value: object) -> str:
    """A store may come with a project from anywhere, and its names end up on terminals."""
    return name_of(_text(value))


def _optional(value: object) -> str | None:
    return None if value is None else _name(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    if not 0 <= value <= MOST_COUNT:
        raise ValueError
    return float(value)


def _dimensions(value: object) -> Dim3 | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(part) is int for part in value):
        raise TypeError
    x, y, z = value
    if not 1 <= min(value) <= max(value) <= MOST_THREADS:
        raise ValueError
    return x, y, z


def _heat(value: object) -> LineHeat:
    if not isinstance(value, list):
        raise TypeError
    path, line, samples, instructions = value
    if type(line) is not int or not abs(line) <= MOST_THREADS:
        raise TypeError
    return LineHeat(_text(path), line, _number(samples), _number(instructions))
