"""What the executor writes of a run: a line of JSON for each launch, and a file for each kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Dim3, name_of

NONE = -1
"""An instruction's place in a table that it is not in."""
_MAX_LINE = 64 * 1024**2
_MAX_CODE_BYTES = 1024**3
_MOST_COUNT = 2**64 - 1
"""What the executor's counters hold."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CodeInstruction:
    """One machine instruction of a kernel."""

    at: int
    """Its offset in the kernel's code."""
    opcode: str
    """With its modifiers: ``LDG.E.64``."""
    block: int
    """Its basic block."""
    predicated: int
    """Its place among the predicated instructions; ``NONE`` if it has no predicate."""
    site: int
    """Its place among the memory instructions; ``NONE`` if it is none."""
    file: str | None
    """The source file as the debug information gives it; None without debug information."""
    line: int | None


@dataclass(frozen=True, slots=True)
class KernelCode:
    """A kernel's machine code."""

    kernel: str
    """Its mangled name."""
    architecture: str
    """``sm_86``."""
    instructions: tuple[CodeInstruction, ...]


@dataclass(frozen=True, slots=True)
class BlockCount:
    """Executions of a basic block."""

    warps: int
    threads: int


@dataclass(frozen=True, slots=True)
class SiteCount:
    """What a memory instruction asked. Sectors are 32 bytes."""

    requests: int
    """Executions by warps."""
    threads: int
    sectors: int
    """Of global, local and texture memory."""
    wavefronts: int
    """Of shared memory: passes, bank conflicts included."""
    ideal: int
    """Of shared memory: the passes that it would be without conflicts."""


@dataclass(frozen=True, slots=True)
class CacheTraffic:
    """What the simulated caches saw of a launch. Sectors are 32 bytes."""

    l1_sectors: int
    l1_hits: int
    l2_sectors: int
    l2_hits: int
    dram_read_bytes: int
    dram_write_bytes: int
    """Written back while the kernel ran."""
    dirty_bytes: int
    """Written, and still in L2 at the kernel's end."""


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch, as it was executed."""

    kernel: str
    """Its mangled name."""
    code: Path
    gpu: str
    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int
    static_shared_bytes: int
    registers: int
    local_bytes: int
    launch: int
    """How many launches of the program were before it."""
    invocation: int
    """How many launches of its kernel were before it."""
    blocks_run: int
    """Thread blocks that were executed: all of the grid's, or a sample."""
    block_counts: tuple[BlockCount, ...]
    predicated: tuple[int, ...]
    """Threads that executed each predicated instruction."""
    sites: tuple[SiteCount, ...]
    traffic: CacheTraffic | None
    """None where no caches were simulated."""
    error: str
    """What ended the launch before its time; empty if nothing did."""
    command: tuple[str, ...] = ()
    """The command line of the program that launched it; empty where it is not told."""
    warning: str = ""
    """The first access outside memory, where these are tolerated; empty: there was none."""
    cpu_s: float = 0.0
    """Processor time that its execution took here, in seconds; 0 where it is not told."""

    @property
    def blocks(self) -> int:
        """Thread blocks of the grid."""
        x, y, z = self.grid
        return x * y * z


@dataclass(frozen=True, slots=True)
class ReadRecords:
    """The records of a run."""

    launches: tuple[LaunchRecord, ...]
    unreadable: int
    """Lines that are no record: the last one, where a crash cut it short."""


def read_records(path: Path) -> ReadRecords:
    """The records in a file, in the order of the launches; none where there is no file."""
    launches: list[LaunchRecord] = []
    unreadable = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(_MAX_LINE):
                record = launch_of(line)
                if record is not None:
                    launches.append(record)
                elif line.strip():
                    unreadable += 1
    except FileNotFoundError:
        pass
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    return ReadRecords(tuple(launches), unreadable)


def launch_of(line: bytes) -> LaunchRecord | None:
    """The record of a line; None if it is not one."""
    return _read(line, _launch)


def read_code(path: Path) -> KernelCode:
    """A kernel's code. Raises ReportError if the file cannot be read or is not one."""
    try:
        if path.stat().st_size > _MAX_CODE_BYTES:
            raise ReportError(f"{path}: too long for a kernel's code")
        text = path.read_bytes()
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    code = _read(text, _code)
    if code is None:
        raise ReportError(f"{path}: not the description of a kernel's code")
    return code


def _read(text: bytes, make: Callable[[Mapping[str, Any]], _T]) -> _T | None:
    try:
        content = json.loads(text)
        return make(content) if isinstance(content, dict) else None
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return None


def _launch(content: Mapping[str, Any]) -> LaunchRecord:
    """Raises ValueError, TypeError or KeyError if the value is not a record."""
    traffic = content["traffic"]
    return LaunchRecord(
        kernel=name_of(_text(content["kernel"])),
        code=Path(_text(content["code"])),
        gpu=name_of(_text(content["gpu"])),
        grid=_dimensions(content["grid"]),
        block=_dimensions(content["block"]),
        dynamic_shared_bytes=_count(content["dynamic_shared_bytes"]),
        static_shared_bytes=_count(content["static_shared_bytes"]),
        registers=_count(content["registers"]),
        local_bytes=_count(content["local_bytes"]),
        launch=_count(content["launch"]),
        invocation=_count(content["invocation"]),
        blocks_run=_count(content["blocks_run"]),
        block_counts=tuple(BlockCount(*_counts(each, 2)) for each in content["block_counts"]),
        predicated=tuple(_count(max(0, _whole(each))) for each in content["predicated"]),
        sites=tuple(SiteCount(*_counts(each, 5)) for each in content["sites"]),
        traffic=None if traffic is None else _traffic(traffic),
        error=_text(content["error"]),
        command=tuple(_text(each) for each in content.get("command", ())),
        warning=_text(content.get("warning", "")),
        cpu_s=_seconds(content.get("cpu_s", 0.0)),
    )


def _traffic(content: Mapping[str, Any]) -> CacheTraffic:
    return CacheTraffic(
        l1_sectors=_count(content["l1_sectors"]),
        l1_hits=_count(content["l1_hits"]),
        l2_sectors=_count(content["l2_sectors"]),
        l2_hits=_count(content["l2_hits"]),
        dram_read_bytes=_count(content["dram_read_bytes"]),
        dram_write_bytes=_count(content["dram_write_bytes"]),
        dirty_bytes=_count(content["dirty_bytes"]),
    )


def _code(content: Mapping[str, Any]) -> KernelCode:
    files = [_text(each) for each in content.get("files", ())]
    return KernelCode(
        _text(content["kernel"]),
        _text(content["arch"]),
        tuple(_instruction(each, files) for each in content["instructions"]),
    )


def _instruction(content: Mapping[str, Any], files: Sequence[str]) -> CodeInstruction:
    file, line = content.get("file"), content.get("line")
    named = _file(file, files)
    return CodeInstruction(
        at=_count(content["at"]),
        opcode=_text(content["opcode"]),
        block=_count(content["block"]),
        predicated=_whole(content["predicated"]),
        site=_whole(content["site"]),
        file=named,
        line=_whole(line) if named is not None and line is not None and line > 0 else None,
    )


def _file(value: object, files: Sequence[str]) -> str | None:
    """By its place in the list of files, or by its name."""
    if isinstance(value, str):
        return name_of(value) or None
    if value is None or _whole(value) < 0:
        return None
    return name_of(files[_whole(value)])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _count(value: object) -> int:
    number = _whole(value)
    if not 0 <= number <= _MOST_COUNT:
        raise ValueError
    return number


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    if not 0 <= value <= _MOST_COUNT:
        raise ValueError
    return float(value)


def _counts(value: object, length: int) -> list[int]:
    if not isinstance(value, list) or len(value) != length:
        raise TypeError
    return [_count(each) for each in value]


def _dimensions(value: object) -> Dim3:
    x, y, z = _counts(value, 3)
    if min(x, y, z) < 1:
        raise ValueError
    return x, y, z
