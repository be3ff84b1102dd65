"""Gathers and scatters: the sectors that data-dependent addresses touch, and their L2 hits.

A loaded index that enters the address unchanged (a neighbour's number, a row's start, a coordinate)
is assumed to lie near the indices of neighbouring threads (meshes, sparse matrices, images), so
each sector is fetched about once. Assumed random: reads by a loop-carried index (a search, a walk),
single writes by a loaded index (a sort), masked or modulo indices (a hash), and whole rows that
loaded indices pick (a table of embeddings, the features of a graph's nodes). A search by halving
reads at random, too, but of its first places there are few.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Final

from roofline_analysis.regions.index_sources import IndexSources
from roofline_analysis.regions.kernel_summary import Access, AccessMode
from roofline_analysis.traffic.coalescing import LINE_BYTES, WarpAddresses
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol

_MOST_OF_A_ROW: Final = 0.5
"""The least share of a row that a kernel reads of each row that it picks. Assumed."""
_DEEPEST: Final = 4
"""The most loads, one from where another points, behind an index that are looked at."""
_NEARLY_ALL_HALVES: Final = 1.5
"""How far the trips of a search may be from the halves of its array."""
_FEWEST_HALVES: Final = 6.0
"""Fewer trips say nothing of how a loop walks. Assumed, as is the number before."""
_LONGEST_STAY: Final = 64.0
"""The longest stay of a sector in L2 that is looked at, in searches for each sector there is."""
_STEPS: Final = 60
"""Steps of the bisection that finds the stay."""
_KEEPING_ORDER: Final = frozenset(("min", "max", "select", "trunc", "floor", "ceil", "abs", "div"))
"""Operations that preserve locality: neighbouring operands give neighbouring results."""


def has_locality(access: Access, loaded: Container[Symbol]) -> bool:
    """Whether a data-dependent address has spatial locality across neighbouring threads.

    ``loaded`` has the symbols of values loaded from global memory.
    """
    if _scatters(access.offset):
        return False
    symbols = [atom for atom in _plain_atoms(access.offset) if isinstance(atom, Symbol)]
    indices = [symbol for symbol in symbols if symbol.scope in DATA_SCOPES]
    if access.mode is not AccessMode.READ:
        together = any(symbol.scope is SymbolScope.THREAD for symbol in symbols)
        return together or not any(index in loaded for index in indices)
    return not indices or not all(map(is_in_trip, indices))


def picks_rows(
    access: Access,
    loaded: Container[Symbol],
    environment: Environment,
    extents: Mapping[Symbol, float],
) -> bool:
    """Whether loaded indices pick rows of memory, lines long, that are then read most or all of.

    ``extents`` has the number of values of each thread index and loop counter.
    """
    offset = access.offset
    indices = [symbol for symbol in offset.symbols() if symbol.scope in DATA_SCOPES]
    if access.mode is not AccessMode.READ or not all(index in loaded for index in indices):
        return False
    rows = [_stride(offset, index, environment) for index in indices]
    row = min((each for each in rows if each is not None), default=0.0)
    if None in rows or row < LINE_BYTES:
        return False
    read = float(access.size_bytes)
    for symbol in offset.symbols():
        stride = _stride(offset, symbol, environment) if symbol in extents else None
        if stride is not None and stride < row:
            read += stride * max(0.0, extents[symbol] - 1)
    return read >= _MOST_OF_A_ROW * row


def _stride(offset: Expr, symbol: Symbol, environment: Environment) -> float | None:
    coefficient = offset.coefficient(symbol)
    found = environment.evaluate(coefficient) if coefficient is not None else None
    return None if found is None else abs(float(found))


def differ_by_lane(sources: IndexSources, access: Access, warp: WarpAddresses) -> bool:
    """Whether loaded numbers alone make the addresses of a warp's lanes differ."""
    symbols = [s for s in access.offset.symbols() if s.scope in DATA_SCOPES]
    return not warp.differ(access) and any(_differs(sources, s, warp, 0) for s in symbols)


def _differs(sources: IndexSources, symbol: Symbol, warp: WarpAddresses, depth: int) -> bool:
    load = sources.load_of(symbol)
    if load is None or depth > _DEEPEST:
        return False
    inner = [s for s in load.offset.symbols() if s.scope in DATA_SCOPES]
    return warp.differ(load) or any(_differs(sources, s, warp, depth + 1) for s in inner)


def is_in_trip(symbol: Symbol) -> bool:
    """Whether the symbol is loop-carried; a loop's final value is not."""
    return symbol.scope is SymbolScope.CARRIED and not symbol.name.startswith("result#")


def _plain_atoms(expr: Expr) -> list[Atom]:
    """The atoms of an expression, including those inside locality-preserving operations."""
    found: list[Atom] = []
    for monomial in expr.terms:
        for atom in monomial:
            if isinstance(atom, Apply):
                if atom.op in _KEEPING_ORDER:
                    for argument in atom.args:
                        found += _plain_atoms(argument)
            else:
                found.append(atom)
    return found


def _scatters(expr: Expr) -> bool:
    """Whether loaded data is an operand of an operation that destroys locality."""
    for monomial in expr.terms:
        for atom in monomial:
            if not isinstance(atom, Apply):
                continue
            if atom.op not in _KEEPING_ORDER and _on_data(atom.args[0]):
                return True
            if any(map(_scatters, atom.args)):
                return True
    return False


def _on_data(expr: Expr) -> bool:
    return any(symbol.scope in DATA_SCOPES for symbol in expr.symbols())


def picked_bytes(picked: float, size: float | None, guess: float) -> float:
    """The bytes of ``picked`` bytes of sectors that are drawn at random: at most all there are.

    They are drawn from an allocation of ``size`` bytes, or ``guess`` bytes if ``size`` is None.
    """
    return min(picked, max(guess if size is None else size, 1.0))


def missed_bytes(picked: float, size: float | None, guess: float, l2_bytes: float) -> float:
    """Bytes that random picks fetch from DRAM because the sector is not in L2."""
    whole = max(guess if size is None else size, 1.0)
    return picked * max(0.0, 1.0 - l2_bytes / whole)


def halves(trips: float, elements: float) -> bool:
    """Whether a loop has as many trips as an array can be halved: a search, whatever decides it."""
    needed = math.log2(max(1.0, elements))
    return trips >= _FEWEST_HALVES and abs(trips - needed) <= _NEARLY_ALL_HALVES


def searched_bytes(searches: float, size: float, sector: int) -> float:
    """Distinct bytes, in whole sectors, that searches by halving read of an array of ``size``."""
    levels = _levels_of(size, sector)
    return sector * math.fsum(each * -math.expm1(-searches * rate) for each, rate in levels)


def missed_in_searches(searches: float, size: float, sector: int, l2_bytes: float) -> float:
    """Bytes that searches by halving fetch from DRAM, of an array of ``size`` bytes.

    Of the first halves there are few places, which L2 keeps; the last ones are in one sector. How
    long a sector stays, in searches, follows from all of them filling the cache: the approximation
    of a least recently used cache by H. Che and others (2002).
    """
    levels = _levels_of(size, sector)
    sectors, room = math.fsum(each for each, _ in levels), l2_bytes / sector
    if sectors <= room:
        return searched_bytes(searches, size, sector)
    low, high = 0.0, sectors * _LONGEST_STAY
    for _ in range(_STEPS):
        stay = (low + high) / 2
        held = math.fsum(each * -math.expm1(-stay * rate) for each, rate in levels)
        low, high = (stay, high) if held < room else (low, stay)
    # One read in each level, and one where it ends, which may be in a sector of any level.
    misses = math.fsum((1 + each / sectors) * math.exp(-low * rate) for each, rate in levels)
    return searches * sector * misses


def _levels_of(size: float, sector: int) -> list[tuple[float, float]]:
    """For each level of a search the sectors that its halves meet in, and how often one is read.

    The rate is in reads for each search. All of the array's sectors are among them; what is left
    when less than a sector is halved lies in any one.
    """
    depth = max(1, round(math.log2(max(2.0, size / sector))))
    counts = [2.0**level for level in range(depth)]
    return [(count, 1 / count + 1 / math.fsum(counts)) for count in counts]
