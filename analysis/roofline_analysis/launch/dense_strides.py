"""Strides that no launch fixes, chosen so that rows neither overlap nor leave gaps.

A number that only ever multiplies an index in an address is a stride: the bytes of an image's row,
a tensor's ``strides``. Its array is taken to be dense, as a program that allocates it leaves it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.device.values import THREAD
from roofline_analysis.launch.sizes_from_guards import Corner, KernelArguments, corner
from roofline_analysis.regions.kernel_summary import (
    Access,
    Array,
    KernelSummary,
    Region,
    once_a_summary,
)
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.operations import Number, finite
from roofline_core.algebra.symbol_scopes import DATA_SCOPES
from roofline_core.algebra.symbolic import ZERO, Apply, Expr, Monomial, Symbol
from roofline_core.program.dims import Dim3

DENSE: Final = "rows are taken to lie side by side"
_AXES: Final = ("x", "y", "z")
_DIVISIONS: Final = ("div", "mod")
_INDICES: Final = frozenset(THREAD.values())
_LARGEST: Final = 1 << 32
"""Elements, more than which no stride is taken to have. Assumed, chosen without measurement."""
_POSITION: Final = re.compile(r"\[(\d+)\]$")
_Parts = dict[Symbol | None, Expr]


def spread(summary: KernelSummary, arguments: KernelArguments, grid: Dim3, block: Dim3) -> None:
    """Set the assumed numbers that are strides to those of dense arrays."""
    strides = only_in_addresses(summary) & arguments.assumed.keys()
    if not strides:
        return
    known = {s: v for s, v in arguments.values.items() if s not in strides}
    first = Environment({**known, **corner(grid, block, 0.0)})
    ends = {**known, **corner(grid, block, 1.0), **_last_trips(summary, first)}
    found: dict[Symbol, int] = {}
    for accesses in _by_array(summary, strides):
        for symbol, number in _strides_of(accesses, strides, first, Environment(ends)):
            found[symbol] = max(found.get(symbol, 1), number)
    for accesses in _by_array(summary, strides - found.keys(), gathers=True):
        apart = {**arguments.values, **found}
        for symbol, number in _apart(accesses, strides - found.keys(), apart, grid, block):
            found[symbol] = max(found.get(symbol, 1), number)
    for symbol, number in found.items():
        arguments.assumed.pop(symbol)
        arguments.values[symbol] = arguments.dense[symbol] = number


@once_a_summary
def only_in_addresses(summary: KernelSummary) -> AbstractSet[Symbol]:
    """The symbols of addresses that no condition and no trip count mentions.

    What an index is divided by is an extent, no stride.
    """
    inside: set[Symbol] = set()
    outside: set[Symbol] = set()
    for region in summary.root.walk():
        for condition in region.conditions:
            if condition is not None:
                outside |= condition.symbols()
        if region.trips is not None:
            outside |= region.trips.symbols()
        for access in region.accesses:
            inside |= access.offset.symbols()
            for atom in access.offset.atoms():
                if isinstance(atom, Apply) and atom.op in _DIVISIONS:
                    outside |= atom.args[1].symbols()
    return inside - outside


def _last_trips(summary: KernelSummary, first: Environment) -> Corner:
    """The counters of loops in the last trip of a launch's first thread."""
    found: dict[Symbol, int | float] = {}
    for region in summary.root.walk():
        if region.counter is not None:
            trips = _trips(region, first)
            if trips is not None:
                found[region.counter] = max(0, trips - 1)
                first.values[region.counter] = 0
    return found


def _trips(region: Region, first: Environment) -> int | None:
    number = first.evaluate(region.trips) if region.trips is not None else None
    return None if number is None else int(number)


def _by_array(
    summary: KernelSummary, strides: AbstractSet[Symbol], *, gathers: bool = False
) -> Iterable[list[Access]]:
    """The accesses with a stride in their offset, those of each array together.

    Where data say which element it is, it tells nothing of the others: ``gathers`` has these, too.
    """
    found: dict[Array, list[Access]] = {}
    for region in summary.root.walk():
        for access in region.accesses:
            symbols = access.offset.symbols()
            if symbols.isdisjoint(strides):
                continue
            if gathers or not any(s.scope in DATA_SCOPES for s in symbols):
                found.setdefault(access.array, []).append(access)
    return found.values()


def _strides_of(
    accesses: Sequence[Access], strides: AbstractSet[Symbol], first: Environment, last: Environment
) -> Iterator[tuple[Symbol, int]]:
    """The strides of one array, from the innermost out."""
    places: list[tuple[float, float]] = []
    taken: dict[Symbol, list[Expr]] = {}
    for access in accesses:
        parts = _by_stride(access.offset, strides)
        inner = parts.pop(None, ZERO) if parts is not None else ZERO
        ends = _ends([inner], first, last)
        if parts is None or ends is None:
            return
        smallest = min((abs(int(n)) for m, n in inner.terms.items() if m), default=0)
        places.append((ends[0], ends[1] + max(access.size_bytes, smallest)))
        for symbol, part in parts.items():
            if symbol is not None:
                taken.setdefault(symbol, []).append(part)
    room = _longest(places)
    for symbol in sorted(taken, key=lambda s: _order(s, taken[s])):
        if len(taken[symbol]) < len(accesses):
            taken[symbol].append(ZERO)  # The first row of those that a loop visited.
        unit = math.gcd(*(int(n) for part in taken[symbol] for n in part.terms.values()))
        steps = _extent(taken[symbol], first, last)
        if steps is None:
            return
        if not steps:
            continue  # It moves all accesses alike, or nothing.
        number = max(1, math.ceil(room / unit))
        yield symbol, number
        room += steps * number


def _apart(
    accesses: Sequence[Access],
    strides: AbstractSet[Symbol],
    values: Corner,
    grid: Dim3,
    block: Dim3,
) -> Iterator[tuple[Symbol, int]]:
    """Strides that could not be solved for, each as large as what the one before it spans.

    One number for all would lay rows and planes over one another. Only strides that multiply an
    index of the launch are told apart, by the axis of that index.
    """
    axes: dict[Symbol, str] = {}
    for access in accesses:
        for monomial in access.offset.terms:
            own = [atom for atom in monomial if isinstance(atom, Symbol) and atom in strides]
            index = [a.name[-1] for a in monomial if isinstance(a, Symbol) and a in _INDICES]
            if len(monomial) == 2 and len(own) == len(index) == 1:
                axes[own[0]] = min(axes.get(own[0], "z"), index[0])
    span = 1.0
    for symbol in sorted(axes, key=lambda each: (axes[each], each.name)):
        at = _AXES.index(axes[symbol])
        number = max(float(values.get(symbol) or 1), span)
        if not number <= _LARGEST:
            return
        yield symbol, int(number)
        span = number * grid[at] * (block[at] if at else 1)


def _by_stride(offset: Expr, strides: AbstractSet[Symbol]) -> _Parts | None:
    """An offset's terms by the stride in them, which is taken out; None if one has several."""
    parts: dict[Symbol | None, dict[Monomial, Number]] = {}
    for monomial, number in offset.terms.items():
        own: Symbol | None = None
        for atom in monomial:
            if isinstance(atom, Apply):
                if not strides.isdisjoint(atom.symbols):
                    return None
            elif isinstance(atom, Symbol) and atom in strides:
                if own is not None:
                    return None
                own = atom
        if finite(number) is None or int(number) != number:
            return None
        # Terms with the same stride differ in the rest, so none is met twice.
        rest = monomial if own is None else tuple(atom for atom in monomial if atom is not own)
        parts.setdefault(own, {})[rest] = number
    return {stride: Expr(terms) for stride, terms in parts.items()}


def _longest(places: Iterable[tuple[float, float]]) -> float:
    """The length of the longest stretch without a gap, of places from one byte up to another."""
    longest, start, end = 0.0, 0.0, -math.inf
    for low, high in sorted(places):
        if low > end:
            start, end = low, high
        end = max(end, high)
        longest = max(longest, end - start)
    return longest


def _extent(parts: Sequence[Expr], first: Environment, last: Environment) -> float | None:
    """By how much parts of offsets differ between the first and the last access of a launch.

    None where that is not known, or not finite.
    """
    ends = _ends(parts, first, last)
    return finite(ends[1] - ends[0]) if ends is not None else None


def _ends(
    parts: Sequence[Expr], first: Environment, last: Environment
) -> tuple[float, float] | None:
    """The least and the greatest of offsets in the first and the last access of a launch."""
    ends = [each.evaluate(part) for part in parts for each in (first, last)]
    known = [float(end) for end in ends if end is not None]
    if len(known) < len(ends) or not all(map(math.isfinite, known)):
        return None
    return min(known), max(known)


def _order(symbol: Symbol, parts: Iterable[Expr]) -> tuple[int, int, str]:
    """Inner strides first: those of later dimensions, then those that neighbouring threads take."""
    position = _POSITION.search(symbol.name)
    axes: Mapping[Symbol, int] = {
        THREAD[f"threadIdx.{axis}"]: rank for rank, axis in enumerate(_AXES)
    }
    rank = min((axes[s] for part in parts for s in part.symbols() if s in axes), default=len(_AXES))
    return -int(position[1]) if position else 0, rank, symbol.name
