"""What the memory system should count, said as plainly as possible and without regard to speed."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

LANES = 32
SECTOR, LINE = 32, 128
EVERY = 0xFFFFFFFF


class Operation(IntEnum):
    """As in memory_system.h."""

    LOAD = 0
    STORE = 1
    REDUCTION = 2
    ATOMIC = 3


@dataclass(frozen=True)
class Request:
    """One warp's access: the byte address of each active lane, by lane."""

    addresses: Mapping[int, int]
    width: int
    operation: Operation = Operation.LOAD
    bypass: bool = False

    def touched(self) -> list[int]:
        """Its bytes, in the order of its lanes."""
        return [at + i for _, at in sorted(self.addresses.items()) for i in range(self.width)]


@dataclass(frozen=True)
class Machine:
    """As in memory_system.h."""

    multiprocessors: int
    l1_bytes: int
    l2_bytes: int
    l2_ways: int = 16
    dram_fetch_bytes: int = 32
    fill_on_eviction: bool = False


@dataclass
class Traffic:
    """As in memory_system.h."""

    l1_sectors: int = 0
    l1_hits: int = 0
    l2_sectors: int = 0
    l2_hits: int = 0
    dram_read_bytes: int = 0
    dram_write_bytes: int = 0
    dirty_bytes: int = 0


def coalesced(request: Request) -> tuple[int, int]:
    """Its distinct sectors and lines."""
    touched = request.touched()
    return len({at // SECTOR for at in touched}), len({at // LINE for at in touched})


def shared_passes(offsets: Mapping[int, int], width: int, atomic: bool) -> int:
    """Passes of shared memory, by offset of each active lane."""
    parts = max(1, width // 4)
    if parts > 1 and not atomic and any(_paired(offsets, distance) for distance in (1, 2)):
        parts //= 2
    size = LANES // parts
    groups = [[at for lane, at in offsets.items() if lane // size == part] for part in range(parts)]
    return sum(_group_passes(group, width, atomic) for group in groups)


def _paired(offsets: Mapping[int, int], distance: int) -> bool:
    return all(offsets.get(lane ^ distance, at) == at for lane, at in offsets.items())


def _group_passes(group: Iterable[int], width: int, atomic: bool) -> int:
    words = [word for at in group for word in {(at + i) // 4 for i in range(width)}]
    busy = Counter(word % 32 for word in (words if atomic else set(words)))
    return max(busy.values(), default=0)


@dataclass
class Line:
    """What a cache holds of a line: bytes that are known, and bytes that DRAM lacks, by address."""

    known: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)


class Cache:
    """Sets of lines in the order of their last use."""

    def __init__(self, sets: int, ways: int) -> None:
        """Empty."""
        self.ways = ways
        self.sets: list[OrderedDict[int, Line]] = [OrderedDict() for _ in range(sets)]

    def set_of(self, line: int) -> OrderedDict[int, Line]:
        """The set that a line belongs to."""
        mixed = (line // LINE * 0x9E3779B97F4A7C15) % 2**64 >> 32
        return self.sets[mixed * len(self.sets) >> 32]

    def use(self, line: int) -> tuple[Line, Line | None]:
        """The line, made if absent, and the one that was given up for it."""
        lines = self.set_of(line)
        given_up = None
        if line not in lines:
            if len(lines) == self.ways:
                _, given_up = lines.popitem(last=False)
            lines[line] = Line()
        lines.move_to_end(line)
        return lines[line], given_up


def _sector(at: int) -> set[int]:
    start = at // SECTOR * SECTOR
    return set(range(start, start + SECTOR))


def _sectors(touched: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(at // SECTOR * SECTOR for at in touched))


class Oracle:
    """The memory system, byte by byte."""

    def __init__(self, machine: Machine) -> None:
        """With cold caches."""
        self.machine = machine
        self.begin_launch(machine.l1_bytes)

    def begin_launch(self, l1_bytes: int) -> None:
        """All caches cold."""
        lines = l1_bytes // LINE
        sets = -(-lines // 64)
        ways = lines // sets if sets else 0
        self.l1 = [Cache(sets, ways) for _ in range(self.machine.multiprocessors)]
        l2_lines = self.machine.l2_bytes // LINE
        self.l2 = Cache(l2_lines // self.machine.l2_ways, self.machine.l2_ways)
        self.traffic = Traffic()

    def access(self, sm: int, request: Request) -> None:
        """One request, line by line."""
        by_line: dict[int, list[int]] = {}
        for at in request.touched():
            by_line.setdefault(at // LINE * LINE, []).append(at)
        for line, touched in by_line.items():
            if request.operation is Operation.LOAD:
                self._load(sm, line, touched, request.bypass)
            elif request.operation is Operation.STORE:
                self._store(line, touched)
            else:
                self._update(sm, line, touched)

    def end_launch(self) -> Traffic:
        """What the launch cost."""
        held = [line for lines in self.l2.sets for line in lines.values()]
        self.traffic.dirty_bytes = SECTOR * sum(len(_sectors(line.dirty)) for line in held)
        return self.traffic

    def _load(self, sm: int, line: int, touched: list[int], bypass: bool) -> None:
        wanted = _sectors(touched)
        if not bypass:
            self.traffic.l1_sectors += len(wanted)
        if not bypass and self.l1[sm].sets:
            held, _ = self.l1[sm].use(line)
            missing = [at for at in wanted if at not in held.known]
            self.traffic.l1_hits += len(wanted) - len(missing)
            for at in missing:
                held.known |= _sector(at)
            wanted = missing
        if wanted:
            self._read(line, wanted)

    def _read(self, line: int, wanted: list[int]) -> Line:
        held = self._use(line)
        self.traffic.l2_sectors += len(wanted)
        missing = [at for at in wanted if not _sector(at) <= held.known]
        self.traffic.l2_hits += len(wanted) - len(missing)
        size = self.machine.dram_fetch_bytes
        for start in {at // size * size for at in missing}:
            for at in range(start, start + size, SECTOR):
                if not _sector(at) <= held.known:
                    self.traffic.dram_read_bytes += SECTOR
                    held.known |= _sector(at)
        return held

    def _store(self, line: int, touched: list[int]) -> None:
        held = self._use(line)
        self.traffic.l2_sectors += len(_sectors(touched))
        self.traffic.l2_hits += len(_sectors(touched))
        held.known |= set(touched)
        held.dirty |= set(touched)

    def _update(self, sm: int, line: int, touched: list[int]) -> None:
        if self.l1[sm].sets:
            own = self.l1[sm].set_of(line).get(line, Line())
            for at in _sectors(touched):
                own.known -= _sector(at)
        self._read(line, _sectors(touched)).dirty |= set(touched)

    def _use(self, line: int) -> Line:
        held, given_up = self.l2.use(line)
        if given_up is not None:
            for at in _sectors(given_up.dirty):
                self.traffic.dram_write_bytes += SECTOR
                if self.machine.fill_on_eviction and not _sector(at) <= given_up.known:
                    self.traffic.dram_read_bytes += SECTOR
        return held
