"""Stores of different threads at the same place: a sign that assumed sizes do not belong together.

Threads of a correct program store to places of their own. Where no launch gives the sizes, those
that are assumed may make a grid far larger than the array that it writes.
"""

from __future__ import annotations

from typing import Final

from roofline_analysis.regions.kernel_summary import Access, AccessMode, MemorySpace
from roofline_analysis.traffic.dram import Traffic
from roofline_analysis.traffic.footprint import sector_bytes
from roofline_core.algebra.symbol_scopes import SymbolScope

_FEWER: Final = 4.0
"""Stores to one place from which on they collide: fewer may be of one thread, in turns."""


def colliding_bytes(traffic: Traffic) -> float:
    """What stores would write besides, were each thread's at places of its own."""
    found = 0.0
    for array in traffic.arrays:
        for item in array.footprints:
            access = item.access
            if access.mode is not AccessMode.WRITE or access.array.space is not MemorySpace.GLOBAL:
                continue
            if item.box is None or item.random or not _differs(access):
                continue
            asked = item.places * access.size_bytes
            touched = sector_bytes(item.box, item.sector)
            if asked > _FEWER * touched:
                found += asked - touched
    return found


def _differs(access: Access) -> bool:
    """Whether an address is another for each thread or block: flags are stored at one place.

    Not where a counter that data steps is in it: one thread then stores to a place in turns.
    """
    if any(symbol.scope is SymbolScope.CARRIED for symbol in access.offset.symbols()):
        return False
    return any(symbol.scope is SymbolScope.THREAD for symbol in access.offset.symbols())
