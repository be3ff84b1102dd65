"""What a launch executed and touched: counts by instruction, source line and memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from roofline_profiling.emulate.opcodes import (
    Space,
    access_bytes,
    classify,
    is_atomic,
    space_of,
    tensor_operations,
)
from roofline_profiling.emulate.records import (
    NONE,
    KernelCode,
    LaunchRecord,
    SiteCount,
)
from roofline_profiling.errors import ReportError

SECTOR_BYTES = 32
_WARP = 32

Place = tuple[str, int]
"""A source file and a line."""


@dataclass(frozen=True, slots=True)
class ExecutedWork:
    """Operations and instructions. Threads whose predicate does not hold are not counted."""

    sp_flops: float = 0.0
    """A multiply-add counts as 2, as for the other floating-point counts."""
    dp_flops: float = 0.0
    hp_flops: float = 0.0
    int_ops: float = 0.0
    int_moves: float = 0.0
    """Of the integer operations, moves between registers."""
    tensor_flops: float = 0.0
    conversions: float = 0.0
    mufu: float = 0.0
    """Of the special-function unit: reciprocals, roots, exponentials, sines."""
    branches: float = 0.0
    thread_instructions: float = 0.0
    """Instructions that threads executed."""
    warp_instructions: float = 0.0
    """Instructions that warps issued, predicated ones also where no thread's predicate held."""


_WORK = tuple(each.name for each in fields(ExecutedWork))
_WARPS = _WORK.index("warp_instructions")


@dataclass(frozen=True, slots=True)
class Requests:
    """What was asked of one kind of memory."""

    requests: float = 0.0
    """Instructions of warps, with at least one thread."""
    threads: float = 0.0
    bytes: float = 0.0
    """Of all threads together, whether or not their addresses are the same."""
    sectors: float = 0.0
    """Of 32 bytes; 0 for shared memory."""
    wavefronts: float = 0.0
    """Of shared memory: passes, bank conflicts included."""
    ideal: float = 0.0
    """Of shared memory: the passes that it would be without conflicts."""
    atomics: float = 0.0
    """Requests that are atomic operations, with or without a result."""

    @property
    def bank_conflicts(self) -> float:
        """Passes that bank conflicts add."""
        return max(0.0, self.wavefronts - self.ideal) if self.ideal else 0.0

    def __add__(self, other: Requests) -> Requests:
        return Requests(*(getattr(self, n) + getattr(other, n) for n in _REQUESTS))

    def times(self, factor: float) -> Requests:
        """All counts multiplied."""
        return Requests(*(getattr(self, name) * factor for name in _REQUESTS))


_REQUESTS = tuple(each.name for each in fields(Requests))


@dataclass(frozen=True, slots=True)
class LaunchCounts:
    """The counts of one launch: of its whole grid, where a sample of blocks ran by their share."""

    work: ExecutedWork
    lines: Mapping[Place, ExecutedWork]
    """By source line; empty without debug information."""
    memory: Mapping[Space, Requests]
    scale: float
    """Thread blocks of the grid over those that ran: 1 where all of them did."""


class CodeTable:
    """A kernel's code as arrays, by which the counts of its launches are summed."""

    def __init__(self, code: KernelCode) -> None:
        held = code.instructions
        self._blocks = np.array([each.block for each in held], dtype=np.int64)
        self._predicated = np.array([each.predicated for each in held], dtype=np.int64)
        self._weights = np.array([_weights(each.opcode) for each in held], dtype=float)
        self._weights.shape = (len(held), len(_WORK))
        places = [
            (each.file, each.line) if each.file is not None and each.line is not None else None
            for each in held
        ]
        self._places = tuple(dict.fromkeys(place for place in places if place is not None))
        numbers = {place: number for number, place in enumerate(self._places)}
        self._lines = np.array(
            [numbers[place] if place is not None else NONE for place in places], dtype=np.int64
        )
        self._sites = tuple(
            (space, each.opcode, each.site)
            for each in held
            if each.site != NONE and (space := space_of(each.opcode)) is not None
        )

    def counts(self, record: LaunchRecord) -> LaunchCounts:
        """The counts of a launch. Raises ReportError where this is not the code that it ran."""
        scale = record.blocks / record.blocks_run if record.blocks_run else 0.0
        try:
            work = self._work(record) * scale
            memory = self._memory(record, scale)
        except IndexError:
            raise ReportError(f"{record.code}: not the code that {record.kernel} ran") from None
        in_lines = self._lines != NONE
        by_line = np.zeros((len(self._places), len(_WORK)))
        np.add.at(by_line, self._lines[in_lines], work[in_lines])
        return LaunchCounts(
            ExecutedWork(*map(float, work.sum(axis=0))),
            {
                place: ExecutedWork(*map(float, row))
                for place, row in zip(self._places, by_line, strict=True)
                if row[_WARPS]
            },
            memory,
            scale,
        )

    def _work(self, record: LaunchRecord) -> npt.NDArray[np.float64]:
        """A row for each instruction, with the fields of ``ExecutedWork``."""
        warps = np.array([each.warps for each in record.block_counts], dtype=float)
        threads = np.array([each.threads for each in record.block_counts], dtype=float)
        executed = threads[self._blocks]
        guarded = self._predicated != NONE
        predicated = np.array(record.predicated, dtype=float)
        executed[guarded] = predicated[self._predicated[guarded]]
        rows: npt.NDArray[np.float64] = self._weights * executed[:, None]
        rows[:, _WARPS] = warps[self._blocks]
        return rows

    def _memory(self, record: LaunchRecord, scale: float) -> dict[Space, Requests]:
        found: dict[Space, Requests] = {}
        for space, opcode, number in self._sites:
            asked = _requests(space, opcode, record.sites[number])
            if asked.requests:
                found[space] = found.get(space, Requests()) + asked
        return {space: asked.times(scale) for space, asked in found.items()}


def _weights(opcode: str) -> tuple[float, ...]:
    """What one execution by a thread adds to each field of ``ExecutedWork``."""
    counted = {name: float(weight) for name, weight in classify(opcode) if name in _WORK}
    work = ExecutedWork(
        **counted,
        tensor_flops=tensor_operations(opcode) / _WARP,
        thread_instructions=1.0,
    )
    return tuple(getattr(work, name) for name in _WORK)


def _requests(space: Space, opcode: str, site: SiteCount) -> Requests:
    has_banks = space in (Space.SHARED, Space.GENERIC)
    return Requests(
        requests=site.requests,
        threads=site.threads,
        bytes=site.threads * access_bytes(opcode),
        sectors=site.sectors,
        wavefronts=site.wavefronts if has_banks else 0,
        ideal=site.ideal if has_banks else 0,
        atomics=site.requests if is_atomic(opcode) else 0,
    )


def requested_sectors(memory: Mapping[Space, Requests]) -> float:
    """Sectors asked of L1: by global, local, texture and generic accesses."""
    return sum((memory[each].sectors for each in memory if each is not Space.SHARED), 0.0)
