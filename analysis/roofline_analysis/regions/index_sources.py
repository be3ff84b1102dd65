"""What decides a number in a kernel: the thread's indices, and the trips of loops.

A number that is loaded from memory, in which an address is the same place for all threads, is
decided by what decides its address, one that all threads of a block read from one place of its
shared memory by the block; one that a loop changes by the trips made. So a number has at
most as many values as its indices together: the start of a segment, summed up over the segments
before it, has one value for each segment, however many threads work in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    KernelSummary,
    MemorySpace,
    Region,
    once_a_summary,
)
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol, from_atom, make_symbol

_SHARED_BY_ALL: Final = (MemorySpace.GLOBAL, MemorySpace.CONSTANT)
"""Memory in which an address has the same contents for all threads."""
_COUNTED: Final = (SymbolScope.THREAD, SymbolScope.LOOP)
"""Scopes of numbers that count threads and trips."""

_BLOCK_INDICES: Final = tuple(
    make_symbol(f"blockIdx.{axis}", SymbolScope.THREAD, nonnegative=True) for axis in "xyz"
)
"""What all threads of a block have in common: symbols of ``THREAD``, which is of the walk above."""

MostTrips = Callable[[Region], float | None]
"""The most trips of a loop, None if not known."""
Fixed = Callable[[Expr], float | None]
"""A number that the launch fixes, None if threads or data decide it."""


class IndexSources:
    """The indices that decide the numbers of a kernel."""

    def __init__(self, summary: KernelSummary) -> None:
        accesses = [access for region in summary.root.walk() for access in region.accesses]
        changing = {access.array for access in accesses if access.mode is not AccessMode.READ}
        self._loads = {
            access.yields: access
            for access in accesses
            if access.yields is not None and access.array not in changing
        }
        self._of_block = dict(_numbers_of_blocks(summary))
        self._meanings = summary.meanings
        self._loop_numbers = summary.loop_numbers
        self._loops = {
            region.counter: region for region in summary.root.walk() if region.counter is not None
        }
        self._known: dict[Expr, frozenset[Symbol] | None] = {}

    def distinct(
        self,
        number: Expr,
        extents: Mapping[Symbol, float],
        moving: Container[Symbol | None] = (),
        trips: MostTrips = lambda loop: None,
        fixed: Fixed = lambda number: None,
    ) -> float | None:
        """The most values that a number can have in a launch.

        ``extents`` has the number of values of each index; each trip of the loops with the counters
        ``moving`` counts, as what an earlier trip fetched may be gone. A loop whose counter has no
        extent makes ``trips`` at most. A quotient of indices has as many values as its divisor
        leaves of theirs, if ``fixed`` knows it. None if other numbers decide the number too.
        """
        indices = self.indices_of(number)
        if indices is None:
            return None
        extent_of = partial(self._extent, extents=extents, trips=trips)
        others = {symbol for symbol in extents if symbol in moving} - indices
        own = _product(map(extent_of, indices))
        found = _product((own, _product(map(extent_of, others))))
        if found is None or not math.isfinite(found):
            return None
        fewer = self._without_divisors(number, extent_of, fixed)
        return found if own is None or fewer is None else found * min(1.0, fewer / own)

    def _extent(
        self, index: Symbol, *, extents: Mapping[Symbol, float], trips: MostTrips
    ) -> float | None:
        """How many values an index has."""
        extent = extents.get(index)
        if extent is None and index in self._loops:
            most = trips(self._loops[index])
            extent = most + 1 if most is not None else None
        return None if extent is None else max(1.0, extent)

    def _without_divisors(
        self, number: Expr, extent_of: Callable[[Symbol], float | None], fixed: Fixed
    ) -> float | None:
        """The values of a number, counted by its parts: few where quotients decide it."""
        return _product(self._values_of(atom, extent_of, fixed) for atom in number.atoms())

    def _values_of(
        self, atom: Atom, extent_of: Callable[[Symbol], float | None], fixed: Fixed
    ) -> float | None:
        """The values of a symbol or operation, counted by its parts."""
        if isinstance(atom, Apply):
            parts = (self._without_divisors(part, extent_of, fixed) for part in atom.args)
            values = _product(parts)
            divisor = fixed(atom.args[1]) if _counts_on(atom) else None
            return values if values is None or not divisor else values / max(1.0, divisor) + 1
        load = self._loads.get(atom) if isinstance(atom, Symbol) else None
        if load is not None:
            return self._without_divisors(load.offset, extent_of, fixed)
        indices = self.indices_of(from_atom(atom))
        return None if indices is None else _product(map(extent_of, indices))

    def load_of(self, symbol: Symbol) -> Access | None:
        """The load that yields a symbol, from an array that the kernel only reads."""
        return self._loads.get(symbol)

    def indices_of(self, number: Expr) -> frozenset[Symbol] | None:
        """The thread's indices and the loops' counters that decide a number.

        The counter of a loop that has ended stands for the number of its trips. None if numbers
        that are not followed decide it too.
        """
        if number not in self._known:
            self._known[number] = self._follow(number)
        return self._known[number]

    def _follow(self, number: Expr) -> frozenset[Symbol] | None:
        found: set[Symbol] = set()
        ended: dict[Symbol, Region] = {}
        seen: set[Symbol] = set()
        waiting = list(number.symbols())
        while waiting:
            symbol = waiting.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            if symbol.scope in _COUNTED:
                found.add(symbol)
            elif symbol.scope in DATA_SCOPES:
                behind = self._behind(symbol, ended)
                if behind is None:
                    return None
                waiting += behind
        for counter, loop in ended.items():
            (found.discard if _runs_through(loop) else found.add)(counter)
        return frozenset(found)

    def _behind(self, symbol: Symbol, ended: dict[Symbol, Region]) -> list[Symbol] | None:
        """The symbols that decide another one; None if it is not known what does."""
        meaning, changed, load = (
            self._meanings.get(symbol),
            self._loop_numbers.get(symbol),
            self._loads.get(symbol),
        )
        if meaning is not None:
            return list(meaning.symbols())
        if changed is not None and changed.loop.counter is not None:
            loop, counter = changed.loop, changed.loop.counter
            if not changed.after:
                return [*changed.others, counter]
            ended[counter] = loop
            return [*changed.others, *(loop.trips.symbols() if loop.trips is not None else ())]
        if load is not None and _same_for_all(load.array):
            return list(load.offset.symbols())
        of_block = self._of_block.get(symbol)
        return None if of_block is None else list(of_block)


def _numbers_of_blocks(summary: KernelSummary) -> Iterator[tuple[Symbol, frozenset[Symbol]]]:
    """The numbers that all threads of a block read from one place of its shared memory.

    With each the symbols that decide it: the block's index, what decides the place, and the trips
    made of the loops around, as another trip may find another number there.
    """
    for region in summary.root.walk():
        for access in region.accesses:
            if access.yields is None or access.array.space is not MemorySpace.SHARED:
                continue
            place = access.offset.symbols()
            counters = [loop.counter for loop in region.loops()]
            by_thread = {s for s in place if s.scope is SymbolScope.THREAD}
            if None in counters or not by_thread.issubset(_BLOCK_INDICES):
                continue
            around = {counter for counter in counters if counter is not None}
            yield access.yields, frozenset((*place, *_BLOCK_INDICES, *around))


def _counts_on(atom: Apply) -> bool:
    """Whether it is a quotient of what indices count, so that neighbours have the same value."""
    return atom.op == "div" and all(
        symbol.scope not in DATA_SCOPES for symbol in atom.args[0].symbols()
    )


def _product(counts: Iterable[float | None]) -> float | None:
    """The counts multiplied; None if one is not known."""
    product = 1.0
    for count in counts:
        if count is None:
            return None
        product *= count
    return product


@once_a_summary
def index_sources(summary: KernelSummary) -> IndexSources:
    """The indices that decide the numbers of a kernel."""
    return IndexSources(summary)


def _runs_through(loop: Region) -> bool:
    """Whether the trips of a loop are those that its bounds give."""
    return loop.trips is not None and not loop.exits


def _same_for_all(array: Array) -> bool:
    """Whether an address in the array is the same place for all threads."""
    return array.space in _SHARED_BY_ALL and not array.is_anywhere
