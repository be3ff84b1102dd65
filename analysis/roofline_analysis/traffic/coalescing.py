"""Coalescing of one warp: the sectors, lines and banks that an access falls into."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.counting.execution import Execution
from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Access, Ticket
from roofline_core.algebra.evaluate import Environment, distinct
from roofline_core.algebra.symbolic import Symbol

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
        lanes = np.arange(min(execution.warp_size, block[0] * block[1] * block[2]))
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

    def bank_words(self, access: Access, active: float, width_bytes: int) -> float:
        """Clocks of one request of ``width_bytes`` to shared memory: words in its busiest bank."""
        words = max(1.0, width_bytes / WORD_BYTES)
        addresses = self._addresses(access)
        if addresses is None:
            return words
        found = distinct(addresses // WORD_BYTES)
        busiest = float(np.bincount(found % BANKS).max())
        # A wide access is split into parts, each of as many lanes as the banks can serve.
        conflicts = max(1.0, busiest / words) if words > 1 else busiest
        return words * min(conflicts, max(1.0, active))

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
        offsets = np.clip(np.nan_to_num(found.astype(np.float64)), 0.0, 2.0**50)
        return offsets.astype(np.int64)


def least_sectors(access: Access, active: float, sector: int) -> float:
    """Sectors of a request in which ``active`` lanes access neighbouring elements."""
    return max(1.0, access.size_bytes * active / sector)
