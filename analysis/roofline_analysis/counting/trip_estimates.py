"""Estimates of data-dependent trip counts, from allocation sizes and the form of the loop.

A loop over a row's segment (``for (j = row[i]; j < row[i + 1]; j++) ... cols[j]``) visits each
element of ``cols`` once over all rows, so its mean trip count is elements divided by rows. A loop
that indexes an array cannot run past the array's end; one that data ends within a row of known
length (``for (j = 0; j < lengths[i]; j++) ... points[i * row + j]``) is taken to run through it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np

from roofline_analysis.device.values import WARP_SIZE
from roofline_analysis.regions.index_sources import IndexSources, MostTrips
from roofline_analysis.regions.kernel_summary import APART, Access, Array, MemorySpace, Region
from roofline_core.algebra.evaluate import Environment, Lane
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, apply, constant, from_atom
from roofline_core.program.records import record

_FIXED_BY_LAUNCH: Final = (SymbolScope.PARAM, SymbolScope.LAUNCH)
"""Scopes of numbers that are the same in all threads of a launch."""
_COUNTED: Final = (SymbolScope.THREAD, SymbolScope.LOOP)
"""Scopes of symbols that count: threads and iterations."""
ASSUMED_TRIPS: Final = 8.0
"""The trip count of a counted loop of unknown bounds.

Assumed, as is the next. Of 16, 12, 10 and 8, with 8 for the next, this one has the most integer
operations and DRAM bytes of the evaluation within twice or half."""
ASSUMED_WHILE: Final = 8.0
"""The trip count of a loop that runs until a condition changes."""
ASSUMED_TEXELS: Final = 256.0
"""Texels from side to side of a texture of unknown size that a loop goes through.

Assumed, chosen without measurement: volumes of tomography and simulation have as many and more."""
ASSUMED_SHARED_TRIPS: Final = 1024.0
"""The trip count of a loop as long as a number in memory that many threads have in common.

It is the length of something that all of them go through: a batch's points, a list of objects. As
large as an extent that the host gives and nothing tells. Assumed, chosen without measurement."""
_MANY_THREADS: Final = 1024
"""Threads that have a length in common if it is no block's own: more than a block has."""
_MOST_TRIPS: Final = 2.0**62
"""More than any loop has; what is beyond overflowed."""
FILLED_IN: Final = "data ends it; its mean follows from what the host fills in"
"""Why a loop has the trips that samples give."""
_MOST: Final = 0.5
"""The share of an array's elements that loads must come to. Chosen, not measured."""
_WAITING: Final = 1.0
"""The trip count of a loop that retries an atomic operation until it succeeds.

Assumed, chosen without measurement: conflicts are rare."""


@record(frozen=True, slots=True)
class Estimate:
    """The mean trip count of a loop, and the reason for the estimate."""

    trips: Lane
    why: str


class SharedLengths:
    """Which lengths that data give are the same for many threads of a launch.

    ``extents`` has the number of values of each thread index, ``trips`` gives the trips of a loop,
    at most or on average. Without ``sources`` none is known to be.
    """

    def __init__(
        self, sources: IndexSources | None, extents: Mapping[Symbol, int], trips: MostTrips
    ) -> None:
        self._sources, self._extents, self._trips = sources, extents, trips

    def different(self, length: Expr, lanes: Environment) -> float | None:
        """How many lengths there are at most, one for each place; None if that is not known."""
        if self._sources is None:
            return None
        return self._sources.distinct(
            length, self._extents, trips=self._trips, fixed=partial(_mean, lanes)
        )

    def are_common(self, length: Expr, lanes: Environment) -> bool:
        """Whether on average many threads have the same one.

        A thread counts as often as a loop gives it another.
        """
        indices = self._sources.indices_of(length) if self._sources is not None else None
        if self._sources is None or indices is None:
            return False
        different = self.different(length, lanes)
        loops = {index for index in indices if index not in self._extents}
        given = [self._sources.distinct(from_atom(i), {}, trips=self._trips) for i in loops]
        if different is None or None in given:
            return False
        threads: float = math.prod(self._extents.values())
        for each in given:
            threads *= each or 1.0
        return threads >= _MANY_THREADS * different


class TripEstimates:
    """Trip-count estimates for one launch; ``sizes`` has allocations' bytes by array name."""

    def __init__(self, root: Region, sizes: Mapping[str, float], lengths: SharedLengths) -> None:
        self._root = root
        self._lengths = lengths
        self._sizes = sizes
        self._elements: dict[Array, float] = {}
        self._loads: dict[Symbol, Access] | None = None

    def of(self, loop: Region, lanes: Environment, runs: float) -> Estimate:
        """The estimated trip count of a loop that is entered ``runs`` times in the launch."""
        if loop.spins:
            return Estimate(_WAITING, "an atomic operation is repeated until it succeeds")
        segment = self._segment(loop, loop.trips, lanes, runs)
        if segment is not None:
            return segment
        name, most = self._bound(loop, lanes)
        if loop.trips is None:
            trips, why = ASSUMED_WHILE, "it goes on until data ends it"
            walked = self._walked_texture(loop)
            if walked is not None:
                trips, why = walked[1], f"{why}, on a way through the texture '{walked[0]}'"
        else:
            is_length = self._is_length(loop.trips)
            row = self._row(loop, lanes) if is_length else None
            if row is not None:
                return Estimate(min(row[1], most), f"data ends it; a row of '{row[0]}' is as long")
            trips, why = ASSUMED_TRIPS, "its end depends on data or was not followed"
            batch = _batch(loop.trips, lanes)
            if is_length and self._lengths.are_common(loop.trips, lanes):
                trips, why = ASSUMED_SHARED_TRIPS, "data ends it, the same for many threads"
            elif batch is not None:
                trips, why = batch, "data ends it; a batch is as long, all but the last"
            stride = _stride(loop.trips, lanes)
            trips = max(1.0, trips / stride) if stride <= WARP_SIZE else trips
        if most < trips:
            return Estimate(most, f"{why}; '{name}' ends there")
        return Estimate(trips, why)

    # -- sizes

    def reads_most(self, symbol: Symbol, runs: float, lanes: Environment) -> bool:
        """Whether so many runs read most of what a number is loaded from, if its size is known.

        Samples of a whole array are not those of its beginning, as it may be one of rising numbers,
        nor of one field where it has several of each object.
        """
        elements = self._elements_of(symbol)
        if elements is None:
            return True
        different = self._lengths.different(from_atom(symbol), lanes)
        return min(runs, runs if different is None else different) >= _MOST * elements

    def _bytes(self, access: Access) -> float | None:
        found = self._sizes.get(access.array.name)
        if found is None and access.array.size_bytes is not None:
            declared = access.array.size_bytes.constant
            found = float(declared) if declared is not None else None
        return found

    def _load(self, symbol: Symbol) -> Access | None:
        """The load that yields a symbol; None if no load does."""
        if self._loads is None:
            self._loads = {}
            for access in _accesses(self._root):
                if access.yields is not None:
                    self._loads[access.yields] = access
                size = self._bytes(access)
                if size is not None:
                    self._elements.setdefault(access.array, size / access.size_bytes)
        return self._loads.get(symbol)

    def _source(self, symbol: Symbol) -> Array | None:
        """The array from which a symbol was loaded; None if it was not loaded."""
        load = self._load(symbol)
        return load.array if load is not None else None

    def _elements_of(self, symbol: Symbol) -> float | None:
        """Elements of the array from which a symbol was loaded; None if the size is unknown."""
        array = self._source(symbol)
        return self._elements.get(array) if array is not None else None

    # -- segments

    def _segment(
        self, loop: Region, trips: Expr | None, lanes: Environment, runs: float
    ) -> Estimate | None:
        """The mean trip count of a loop over segments of an array; None if its size is unknown."""
        if trips is None or loop.counter is None:
            return None
        ends = {symbol for symbol in trips.symbols() if symbol.scope is SymbolScope.DATA}
        if len(ends) < 2:
            # From ``-s`` to ``s``: windows around each element overlap, so they are no partition.
            return None
        best: Estimate | None = None
        for access in _accesses(loop):
            size = self._bytes(access)
            step = _mean(lanes, access.offset.coefficient(loop.counter))
            starts = ends & access.offset.symbols()
            if (
                size is None
                or not step
                or len(starts) != 1
                or access.array.space is not MemorySpace.GLOBAL
            ):
                continue
            (start,) = starts
            element = _mean(lanes, access.offset.coefficient(start))
            if not element or element < 0 or _places_threads(access.offset, abs(step), lanes):
                continue
            sharing = max(1.0, abs(step / element))
            rows = self._elements_of(start)
            same = sum(self._source(symbol) is self._source(start) for symbol in ends)
            segments = max(1.0, rows - (same > 1)) if rows is not None else runs / sharing
            if segments <= 0:
                continue
            mean = size / element / sharing / segments
            if best is None or mean < best.trips:
                why = f"the elements of '{access.array.name}' shared out over its segments"
                best = Estimate(mean, why)
        return best

    def _walked_texture(self, loop: Region) -> tuple[str, float] | None:
        """The texture that a loop goes through, as a ray does, and its texels from side to side.

        Each run reads it at coordinates of its own. None without such a texture.
        """
        for region in (loop, *(each for each in loop.children if each.trips is None)):
            for access in region.accesses:
                if not access.array.texels or not access.varies & loop.bit:
                    continue
                size = self._bytes(access)
                side = ASSUMED_TEXELS if size is None else (size / access.size_bytes) ** (1 / 3)
                return access.array.name, max(ASSUMED_WHILE, side)
        return None

    # -- bounds

    def _bound(self, loop: Region, lanes: Environment) -> tuple[str, float]:
        """The name of an array and the most trips for which the loop stays inside it."""
        name, most = "", math.inf
        for access in _accesses(loop):
            size = self._bytes(access)
            if size is None or loop.counter is None:
                continue
            slope = access.offset.coefficient(loop.counter)
            step = _mean(lanes, slope)
            if not step or step < 0 or slope is None:
                continue
            rest = access.offset - slope * from_atom(loop.counter)
            start = _mean(lanes, rest) or 0.0
            room = min([size - min(start, size), *_strides_above(rest, step, lanes)])
            trips = min(room / step, _MOST_TRIPS)
            reach = math.ceil(trips) if room >= size / 2 else int(trips)
            if 1 <= reach < most:
                name, most = access.array.name, float(reach)
        return name, most

    def _is_length(self, trips: Expr) -> bool:
        """Whether a trip count is a number as it was loaded: no difference, no window's width."""
        symbols = tuple(trips.symbols())
        if len(symbols) != 1 or self._load(symbols[0]) is None:
            return False
        length = from_atom(symbols[0])
        return trips in (length, apply("max", length, constant(0)))

    def _row(self, loop: Region, lanes: Environment) -> tuple[str, float] | None:
        """The name of an array and the trips in which the loop passes one of its rows, the fewest.

        A row ends where the next larger stride of another index begins. None without such a stride.
        """
        found: tuple[str, float] | None = None
        for access in _accesses(loop):
            counter = loop.counter
            slope = access.offset.coefficient(counter) if counter is not None else None
            step = _mean(lanes, slope)
            if counter is None or slope is None or not step or step < 0:
                continue
            rest = access.offset - slope * from_atom(counter)
            above = min(_strides_above(rest, step, lanes), default=0.0)
            if above >= 2 * step and (found is None or above / step < found[1]):
                found = access.array.name, above / step
        return found


def _batch(trips: Expr, lanes: Environment) -> float | None:
    """The length of a batch, where a loop goes through one after the other of unknown data.

    The loop ``for (j = 0; j < min(256, end - start - 256 * batch); j++)``; None for other loops.
    """
    for atom in trips.atoms():
        if not isinstance(atom, Apply) or atom.op not in ("min", "max"):
            continue
        if atom.op == "max":
            inside = (_batch(each, lanes) for each in atom.args)
            return next((each for each in inside if each is not None), None)
        for length, left in itertools.permutations(atom.args, 2):
            symbols = left.symbols()
            batches = [s for s in symbols if s.scope is SymbolScope.LOOP]
            ended = any(s.scope in DATA_SCOPES for s in symbols)
            if ended and any(left.coefficient(s) == -length for s in batches):
                return _mean(lanes, length)
    return None


def _stride(trips: Expr, lanes: Environment) -> float:
    """The elements between a thread's one trip and its next, where threads share out a segment.

    The loop ``for (j = start + lane; j < end; j += 32)`` has the trip count
    ``(end - start - lane + 31) / 32``. 1 where a thread goes through the segment alone.
    """
    widest = 1.0
    for atom in trips.atoms():
        if isinstance(atom, Apply) and atom.op == "max":
            widest = max(widest, *(_stride(each, lanes) for each in atom.args))
        elif isinstance(atom, Apply) and atom.op == "div":
            divisor = _mean(lanes, atom.args[1])
            if divisor is not None and any(s.scope in DATA_SCOPES for s in atom.args[0].symbols()):
                widest = max(widest, divisor)
    return widest


def _places_threads(offset: Expr, step: float, lanes: Environment) -> bool:
    """Whether threads start at least a step apart, so that data only displaces the start."""
    strides = (
        _mean(lanes, offset.coefficient(symbol))
        for symbol in offset.symbols()
        if symbol.scope is SymbolScope.THREAD
    )
    return any(stride is not None and abs(stride) > step for stride in strides)


def _strides_above(offset: Expr, step: float, lanes: Environment) -> Iterator[float]:
    """Strides of other indices that exceed a step: the rows of a larger array.

    An index is a symbol that counts, or is computed of such, as the row in ``i / n * width``.
    """
    for atom in offset.atoms():
        counts = any(symbol.scope in _COUNTED for symbol in from_atom(atom).symbols())
        stride = _mean(lanes, offset.coefficient(atom)) if counts else None
        if stride is not None and step < stride < APART:
            yield stride


def _accesses(loop: Region) -> Iterator[Access]:
    for region in loop.walk():
        yield from region.accesses


def _mean(lanes: Environment, expr: Expr | None) -> float | None:
    value = lanes.evaluate(expr) if expr is not None else None
    if value is None or not np.size(value):
        return None
    mean = float(np.mean(value))
    return mean if math.isfinite(mean) else None
