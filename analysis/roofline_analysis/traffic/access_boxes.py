"""The box of addresses that an access touches, in a launch and in one wave of its blocks."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.kernel_summary import Access, Region
from roofline_analysis.traffic.addresses import AddressReader
from roofline_analysis.traffic.enumeration import Enumeration, is_skewed
from roofline_analysis.traffic.footprint import Box, Dimension
from roofline_analysis.traffic.gathers import is_in_trip
from roofline_core.algebra.symbol_scopes import DATA_OR_CARRIED, SymbolScope
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Boxes:
    """The addresses of one access, before guards around it take some away."""

    box: Box | None
    """Of the whole launch; None where loaded data decides them."""
    wave_box: Box | None
    """Of one wave. None as for ``box``."""
    random: bool
    finest: float | None
    """For random addresses: the smallest stride in bytes of any index; None if there is none."""
    followed: bool = True
    """False where a loop moves the address in a way that was not followed."""
    exact: bool = False
    """The addresses were taken one by one: those that guards take away are not among them."""


class BoxReader:
    """Reads the boxes of accesses in one launch."""

    def __init__(self, execution: Execution, sector: int) -> None:
        self._execution = execution
        self._sector = sector
        self._reader = AddressReader(execution.environment)
        self._enumeration = Enumeration(execution)

    def read(
        self,
        access: Access,
        region: Region,
        extents: Mapping[Symbol, float],
        wave_extents: Mapping[Symbol, float],
    ) -> Boxes:
        """The boxes of an access; the extents have the number of values of each index."""
        offset, size = access.offset, access.size_bytes
        if access.array.is_anywhere:
            return Boxes(None, None, True, self._reader.finest_step(offset, extents))
        found = self._reader.read(offset, size, extents)
        if wave_extents == extents:
            wave = found
        else:
            wave = self._reader.read(offset, size, wave_extents)
        if found.box is None or wave.box is None:
            return Boxes(found.box, wave.box, found.random, found.finest_stride)
        if is_skewed(offset):
            exact = self._enumeration.sectors(access, region, self._sector)
            if exact is not None:
                return Boxes(exact, exact, False, None, exact=True)
        return self._moved(access, region, found.box, wave.box)

    def _moved(self, access: Access, region: Region, box: Box, wave_box: Box) -> Boxes:
        trips = _moved_by_data(access, region, self._execution)
        if trips is None:
            return Boxes(box, wave_box, False, None)
        rows = _rows(access, box, trips, self._execution)
        if rows is not None:
            return Boxes(_with(box, rows), _with(wave_box, rows), False, None)
        finest = min((abs(d.stride) for d in box.dimensions), default=None)
        return Boxes(None, None, True, finest, followed=False)


def _moved_by_data(access: Access, region: Region, execution: Execution) -> float | None:
    """The trips in which data alone moves an address, beyond those that its indices count.

    None if there is no such loop, or the address rests on no data.
    """
    symbols = access.offset.symbols()
    if not any(symbol.scope in DATA_OR_CARRIED for symbol in symbols):
        return None
    trips = 1.0
    for loop in region.loops():
        if access.varies & loop.bit and loop.counter not in symbols:
            trips *= max(1.0, execution.regions[loop].trips)
    return trips if trips > 1.0 else None


def _rows(
    access: Access, box: Box, trips: float, execution: Execution
) -> tuple[Dimension, ...] | None:
    """The rows that data chooses in so many trips, as dimensions; () where it displaces slightly.

    None if the address moves in a way that was not followed.
    """
    symbols = [s for s in access.offset.symbols() if s.scope in DATA_OR_CARRIED]
    if any(symbol.scope is SymbolScope.CARRIED and is_in_trip(symbol) for symbol in symbols):
        return None
    run = min((abs(d.stride) * d.extent for d in box.dimensions), default=0.0)
    farthest = 0.0
    for symbol in symbols:
        coefficient = access.offset.coefficient(symbol)
        step = execution.environment.evaluate(coefficient) if coefficient is not None else None
        farthest = max(farthest, abs(float(step or 0.0)))
    return (Dimension(farthest, trips),) if farthest >= run > 0.0 else ()


def _with(box: Box, rows: tuple[Dimension, ...]) -> Box:
    return Box(box.start, (*box.dimensions, *rows), box.size_bytes) if rows else box
