"""The files of a study: what was planned, and what was timed, a JSON object on each line.

- ``plan.jsonl``: a ``PlannedKernel`` a line, or a kernel that was refused. Made anew by each run.
- ``times.jsonl``: an outcome a line, appended as soon as it is known and never rewritten.
- ``device.json``: the device of the times.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofline_core.program.dims import Dim3
from roofline_core.program.errors import RooflineError
from roofline_study.llmperf.arguments import Method, argument_of, argument_record
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.kernels import KernelClass, PlannedKernel, PlannedLaunch, Refused
from roofline_study.llmperf.regimes import Regime
from roofline_study.llmperf.sampling import Configuration, Strategy


class ResultsError(RooflineError):
    """A folder of results that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What the runs of one launch took, in nanoseconds of the device's clock."""

    launch: str
    """Its key."""
    median_ns: float
    low_ns: float
    """The first quartile."""
    high_ns: float
    """The third quartile."""
    runs: int
    """How often it was timed, warm-up not counted."""

    @property
    def spread(self) -> float:
        """The interquartile range over the median."""
        return (self.high_ns - self.low_ns) / self.median_ns


@dataclass(frozen=True, slots=True)
class NotTimed:
    """A launch, or all of a kernel that was not timed yet, that could not be run."""

    key: str
    """Of the launch or kernel."""
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """The device that launches were timed on."""

    name: str
    units: int
    """Compute units."""
    version: str
    """Of the platform."""


@dataclass(frozen=True, slots=True)
class Results:
    """The folder of one study."""

    folder: Path

    @property
    def plan(self) -> Path:
        """The file of the plan."""
        return self.folder / "plan.jsonl"

    @property
    def times(self) -> Path:
        """The file of the outcomes."""
        return self.folder / "times.jsonl"

    @property
    def device(self) -> Path:
        """The file that describes the device."""
        return self.folder / "device.json"


@dataclass(frozen=True, slots=True)
class TriedAgain:
    """What failed before is tried anew: its failure no longer counts."""

    key: str
    """Of the launch or kernel."""


def append(path: Path, outcome: Timed | NotTimed | TriedAgain) -> None:
    """Add an outcome to a file in one write, so that whatever ends this process leaves it whole."""
    line = json.dumps(_outcome_record(outcome)) + "\n"
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        end = os.lseek(handle, 0, os.SEEK_END)
        torn = end > 0 and os.pread(handle, 1, end - 1) != b"\n"
        os.write(handle, (("\n" if torn else "") + line).encode())
    finally:
        os.close(handle)


def _outcome_record(outcome: Timed | NotTimed | TriedAgain) -> dict[str, object]:
    if isinstance(outcome, TriedAgain):
        return {"again": outcome.key}
    if isinstance(outcome, NotTimed):
        return {"failed": outcome.key, "reason": outcome.reason}
    return {
        "launch": outcome.launch,
        "median_ns": outcome.median_ns,
        "low_ns": outcome.low_ns,
        "high_ns": outcome.high_ns,
        "runs": outcome.runs,
    }


def read_outcomes(path: Path) -> tuple[dict[str, Timed], dict[str, NotTimed]]:
    """The times by launch, and the failures by launch or kernel; none if there is no file.

    A last line that was torn off by a crash is left out. Raises ResultsError.
    """
    timed: dict[str, Timed] = {}
    failed: dict[str, NotTimed] = {}
    for record in _records(path):
        if "again" in record:
            failed.pop(record["again"], None)
        elif "failed" in record:
            failed[record["failed"]] = NotTimed(record["failed"], record["reason"])
        else:
            timed[record["launch"]] = Timed(**record)
    return timed, failed


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            record = json.loads(line)
        except ValueError:
            # A crash tears a line off; the next outcome starts a line of its own.
            continue
        if not isinstance(record, dict):
            raise ResultsError(f"{path}:{number}: must be a JSON object; remove the line")
        yield record


def write_plan(path: Path, kernels: Iterable[PlannedKernel | Refused]) -> None:
    """Write a plan, in the place of an earlier one."""
    text = "".join(json.dumps(_kernel_record(each)) + "\n" for each in kernels)
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def read_plan(path: Path) -> tuple[tuple[PlannedKernel, ...], tuple[Refused, ...]]:
    """The kernels of a plan, and those that were refused. Raises ResultsError."""
    if not path.is_file():
        raise ResultsError(f"{path} does not exist: `roofline-lsp study llmperf run` makes it")
    kernels: list[PlannedKernel] = []
    refused: list[Refused] = []
    for record in _records(path):
        try:
            if "refused" in record:
                refused.append(Refused(record["refused"], record["reason"]))
            else:
                kernels.append(_kernel_of(record))
        except (KeyError, TypeError, ValueError, RooflineError) as error:
            raise ResultsError(f"{path}: not a plan of this program ({error!r})") from None
    return tuple(kernels), tuple(refused)


def _kernel_record(kernel: PlannedKernel | Refused) -> dict[str, object]:
    if isinstance(kernel, Refused):
        return {"refused": kernel.name, "reason": kernel.reason}
    file = kernel.file
    return {
        "key": kernel.key,
        "name": kernel.name,
        "tree": str(file.tree),
        "path": str(file.path),
        "defines": list(file.defines),
        "include_dirs": [str(each) for each in file.include_dirs],
        "kernels": list(file.kernels),
        "source": kernel.source,
        "class": kernel.kernel_class.value,
        "dimensions": kernel.dimensions,
        "left_out": dict(kernel.left_out),
        "launches": [_launch_record(each) for each in kernel.launches],
    }


def _launch_record(launch: PlannedLaunch) -> dict[str, object]:
    return {
        "key": launch.key,
        "groups": list(launch.configuration.groups),
        "local_size": list(launch.configuration.local_size),
        "arguments": [argument_record(each) for each in launch.arguments],
        "regime": launch.regime.value,
        "method": launch.method.value,
        "strategies": [each.value for each in launch.strategies],
        "apart": launch.apart,
        "features": dict(launch.features),
        "static_ns": launch.static_ns,
    }


def _kernel_of(record: Mapping[str, Any]) -> PlannedKernel:
    file = KernelFile(
        Path(record["tree"]),
        Path(record["path"]),
        tuple(record["defines"]),
        tuple(Path(each) for each in record["include_dirs"]),
        tuple(record.get("kernels", ())),
    )
    return PlannedKernel(
        key=record["key"],
        name=record["name"],
        file=file,
        source=record["source"],
        kernel_class=KernelClass(record["class"]),
        dimensions=record["dimensions"],
        launches=tuple(_launch_of(each) for each in record["launches"]),
        left_out=record["left_out"],
    )


def _launch_of(record: Mapping[str, Any]) -> PlannedLaunch:
    return PlannedLaunch(
        key=record["key"],
        configuration=Configuration(_dim3(record["groups"]), _dim3(record["local_size"])),
        arguments=tuple(argument_of(each) for each in record["arguments"]),
        regime=Regime(record["regime"]),
        method=Method(record["method"]),
        strategies=tuple(Strategy(each) for each in record["strategies"]),
        apart=record["apart"],
        features=record["features"],
        static_ns=record["static_ns"],
    )


def _dim3(numbers: Iterable[int]) -> Dim3:
    x, y, z = numbers
    return x, y, z


def write_device(path: Path, device: DeviceFacts) -> None:
    """Keep the device of the times. Raises ResultsError if there are times of another one."""
    record = {"name": device.name, "units": device.units, "version": device.version}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        path.write_text(json.dumps(record) + "\n", encoding="utf-8")
        return
    if held != record:
        raise ResultsError(
            f"{path.parent} has times of {held.get('name')}, not of {device.name}:"
            " name another folder with --results"
        )


def read_device(path: Path) -> DeviceFacts | None:
    """The device of the times; None where none was kept."""
    try:
        return DeviceFacts(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
