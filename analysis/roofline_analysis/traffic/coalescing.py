"""Coalescing of one warp: the sectors, lines and banks that an access falls into."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.execution import Execution
from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Access, Region, Ticket
from roofline_core.algebra.evaluate import Environment, distinct
from roofline_core.algebra.symbolic import Apply, Expr, Symbol

_MOST_TRIPS: Final = 32
"""Trips of a loop over which requests are averaged. A limit on the work."""
_ONE_LANE: Final = 1.001
"""Lanes of a warp that draw where one of them does, with a margin for rounding."""
NO_TICKETS: Final[Mapping[Symbol, Ticket]] = MappingProxyType({})
LINE_BYTES: Final = 128
"""Bytes of a line of L1 and L2: L1 looks up one per clock; in L2 it occupies its full size even if
few of its sectors are valid."""
BANKS: Final = 32
"""Banks of shared memory, each one 4-byte word wide."""
WORD_BYTES: Final = 4
"""Bytes that a bank of shared memory serves in one clock."""
SCATTER: Final = 0.5
"""Data-dependent addresses of n lanes fall into n ** SCATTER sectors: real indices (neighbours'
numbers, clamped coordinates, sorted keys) repeat and lie close. Fitted to the measured times of the
development kernels, which do not distinguish 0.3 from 0.6. Only the time depends on it."""


class WarpAddresses:
    """The first warp of the block in the middle of a launch, its loops in their first iteration."""

    def __init__(
        self, execution: Execution, sector: int, tickets: Mapping[Symbol, Ticket] = NO_TICKETS
    ) -> None:
        """``tickets`` are numbers that atomics gave."""
        self.sector = sector
        self._tickets = tickets
        self._regions = execution.regions
        grid, block = execution.grid, execution.block
        threads = block[0] * block[1] * block[2]
        lanes = np.arange(min(execution.warp_size, threads))
        self._block = block
        self._width = len(lanes)
        self._warps = max(1, threads // max(1, len(lanes)))
        values = dict(execution.environment.values)
        middle = grid[0] * grid[1] * grid[2] // 2
        for name, linear, dims in (("blockIdx", middle, grid), ("threadIdx", lanes, block)):
            values[THREAD[f"{name}.x"]] = linear % dims[0]
            values[THREAD[f"{name}.y"]] = linear // dims[0] % dims[1]
            values[THREAD[f"{name}.z"]] = linear // (dims[0] * dims[1])
        self._lanes = lanes
        self._environment = Environment(values)

    def sectors_and_lines(
        self, access: Access, active: float, scattered_bytes: float | None
    ) -> tuple[float, float]:
        """Sectors and cache lines of one request by ``active`` lanes.

        ``scattered_bytes`` is the sector bytes per lane if the address depends on data; else None.
        """
        if scattered_bytes is not None:
            if scattered_bytes < self.sector:
                # The data-dependent part is equal for neighbouring lanes: a row of a sparse matrix.
                sectors = max(1.0, active * scattered_bytes / self.sector)
                return sectors, max(1.0, sectors * self.sector / LINE_BYTES)
            sectors = active**SCATTER * max(1.0, access.size_bytes / self.sector)
            return sectors, active**SCATTER
        addresses = self._addresses(access)
        if addresses is None:
            return max(1.0, access.size_bytes / self.sector), 1.0
        sectors = self._sectors(access, addresses)
        lines = float(len(distinct(addresses // LINE_BYTES)))
        share = min(1.0, active / len(addresses))
        return max(1.0, sectors * share), max(1.0, lines * share)

    def sector_bytes_each(self, access: Access) -> float | None:
        """Sector bytes for one lane's access, those that lanes share being divided among them.

        None where the lanes have one address, or addresses that are not known.
        """
        addresses = self._addresses(access)
        if addresses is None:
            return None
        return self._sectors(access, addresses) * self.sector / len(addresses)

    def differ(self, access: Access) -> bool:
        """Whether the lanes' addresses differ where all loaded numbers are equal."""
        return self._addresses(access) is not None

    def _sectors(self, access: Access, addresses: NDArray[np.int64]) -> float:
        """The distinct sectors that the lanes' accesses fall into."""
        ends = (addresses, addresses + (access.size_bytes - 1))
        return float(len(distinct(np.concatenate(ends) // self.sector)))

    def bank_words(
        self, access: Access, active: float, width_bytes: int, region: Region | None = None
    ) -> float:
        """Clocks of one request of ``width_bytes`` to shared memory: words in its busiest bank.

        ``region`` is that of the access. Where a loop spreads the lanes farther with each trip, as
        the steps of a tree do, it is the mean over the trips and the warps that take part.
        """
        words = max(1.0, width_bytes / WORD_BYTES)
        by_trips = self._words_by_trips(access, words, region) if region is not None else None
        if by_trips is not None:
            return by_trips
        addresses = self._addresses(access)
        if addresses is None:
            return words
        return words * min(_conflicts(addresses, words), max(1.0, active))

    def _words_by_trips(self, access: Access, words: float, region: Region) -> float | None:
        """The mean over a loop's trips; None where no loop scales the lanes' distance."""
        loop = region.innermost_loop
        runs = self._regions.get(loop) if loop is not None else None
        if loop is None or runs is None or loop.counter is None:
            return None
        if not 1.0 < runs.trips <= _MOST_TRIPS or not _scales(access.offset, loop.counter):
            return None
        guards = (region, *region.guards_in_run()) if region is not loop else ()
        conditions = [each for guard in guards for each in guard.conditions]
        counted: list[float] = []
        for trip in range(int(runs.trips)):
            environment = self._threads.extended(loop.counter, trip)
            offsets = environment.evaluate(access.offset)
            passing = np.ones(self._warps * self._width, dtype=bool)
            for condition in conditions:
                truth = environment.evaluate(condition) if condition is not None else None
                if truth is None:
                    return None
                passing &= np.resize(np.asarray(truth) != 0, passing.shape)
            if not isinstance(offsets, np.ndarray) or offsets.shape != passing.shape:
                return None
            for warp in range(self._warps):
                lanes = slice(warp * self._width, (warp + 1) * self._width)
                addresses = offsets[lanes][passing[lanes]]
                if len(addresses):
                    counted.append(words * _conflicts(_whole(addresses), words))
        return sum(counted) / len(counted) if counted else None

    @cached_property
    def _threads(self) -> Environment:
        """All threads of the block, as far as they make whole warps; one warp where none is."""
        threads = np.arange(self._warps * self._width)
        x, y, _ = self._block
        values = dict(self._environment.values)
        values[THREAD["threadIdx.x"]] = threads % x
        values[THREAD["threadIdx.y"]] = threads // x % y
        values[THREAD["threadIdx.z"]] = threads // (x * y)
        return Environment(values)

    def _drawn_by_lanes(self, symbols: Collection[Symbol]) -> Symbol | None:
        """The ticket of which each lane draws another one; what one lane draws, all have."""
        tickets = (symbol for symbol in symbols if symbol in self._tickets)
        return next(filter(self._is_of_lanes, tickets), None)

    def _is_of_lanes(self, ticket: Symbol) -> bool:
        runs = self._regions.get(self._tickets[ticket].region)
        return runs is not None and runs.runs > _ONE_LANE * runs.warp_runs

    def _addresses(self, access: Access) -> NDArray[np.int64] | None:
        """Byte offsets of the lanes; None if all are equal or unknown."""
        known = self._environment.values
        open_symbols = [s for s in access.offset.symbols() if s not in known]
        environment = self._environment
        drawn = self._drawn_by_lanes(access.offset.symbols())
        for symbol in open_symbols:
            step = self._tickets[symbol].step if symbol is drawn else 0
            environment = environment.extended(symbol, self._lanes * step if step else 0)
        found = environment.evaluate(access.offset)
        if not isinstance(found, np.ndarray) or found.shape != self._lanes.shape:
            return None
        return _whole(found)


def _whole(offsets: NDArray[Any]) -> NDArray[np.int64]:
    """Byte offsets as whole numbers, those that no memory has cut to what some might."""
    return np.clip(np.nan_to_num(offsets.astype(np.float64)), 0.0, 2.0**50).astype(np.int64)


def _conflicts(addresses: NDArray[np.int64], words: float) -> float:
    """How many times the lanes' accesses of some words each fall into one bank; 1: no conflict."""
    found = distinct(addresses // WORD_BYTES)
    busiest = float(np.bincount(found % BANKS).max())
    # A wide access is split into parts, each of as many lanes as the banks can serve.
    return max(1.0, busiest / words) if words > 1 else busiest


def _scales(offset: Expr, counter: Symbol) -> bool:
    """Whether a counter decides how far lanes are apart: an operation on it is a factor of them."""
    return any(
        isinstance(atom, Apply) and counter in atom.symbols and len(monomial) > 1
        for monomial in offset.terms
        for atom in monomial
    )


def least_sectors(access: Access, active: float, sector: int) -> float:
    """Sectors of a request in which ``active`` lanes access neighbouring elements."""
    return max(1.0, access.size_bytes * active / sector)
