"""What a kernel does with a number that it is given: keep threads off, count tries, choose a way.

One number for all that no launch fixes would give flags of 1024, and a thousand iterations of
Newton's method. Roles are told from where a number stands: in addresses, bounds, trip counts,
comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.launch.sizes_from_guards import compared
from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    Region,
    RegionForm,
    Role,
    once_a_summary,
)
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol

MARGIN: Final = 2
"""What is kept away from an array's edges: a radius, a halo.

Assumed, chosen without measurement, as are the other numbers here."""
ITERATIONS: Final = 16
"""How often a kernel tries, refines or accumulates: trips that walk along no array."""
SHIFT: Final = 1
"""By how many bits a number is shifted: a level of a pyramid, a packing."""
LANES: Final = 31
"""Which bits of a thread's index tell where it stands in its warp."""
EXPONENT: Final = 10
"""The power of two that a size is where it is written so, ``1 << n``: an extent of 1024."""
START: Final = 0
"""Where loops begin that begin at an argument: all of what they walk along is counted."""
_SHIFTS: Final = ("shl", "shr")
_KEEPING: Final = ("max", "min", "div")
"""Operations whose first operand's sign is the result's."""
_LEADING: Final = re.compile(r"(?:^|\W)(?:ld[a-d]|ld_?(?:src|dst|in|out|x|y)|leading_dim\w*)$")
FLAG: Final = 1
"""A truth value; what it turns on is then counted."""


def is_leading_dimension(name: str) -> bool:
    """Whether a number's name says that it is the length of a row: ``lda``, ``args.ldc``."""
    return _LEADING.search(name) is not None


@once_a_summary
def margins(summary: KernelSummary) -> AbstractSet[Symbol]:
    """Arguments that guards keep indices away from edges by, and that bound no index.

    ``i >= r`` and ``i < n - r`` make r a margin and n a bound.
    """
    found: set[Symbol] = set()
    bounds: set[Symbol] = set()
    for region in summary.root.walk():
        if region.form is not RegionForm.GUARD:
            continue
        for condition in region.conditions:
            atom = compared(condition) if condition is not None else None
            for monomial, number in atom.args[0].terms.items() if atom is not None else ():
                alone = len(monomial) == 1 and number > 0
                named = {a for a in monomial if isinstance(a, Symbol)}
                named.update(s for a in monomial if isinstance(a, Apply) for s in a.symbols)
                (found if alone else bounds).update(named)
    return found - bounds


@once_a_summary
def iteration_counts(summary: KernelSummary) -> AbstractSet[Symbol]:
    """Arguments that only say how often loops run whose trips walk along no array.

    ``for (i = 0; i < n; ++i) x -= f(x) / g(x);`` makes n a number of iterations, not an extent.
    """
    found: set[str] = set()
    others: set[str] = set()
    for region in summary.root.walk():
        walks = region.form is RegionForm.LOOP and _walks_along(region)
        if region.trips is not None:
            (others if walks else found).update(s.name for s in region.trips.symbols())
        if region.role is not Role.ENTERS:
            others |= _names(condition for condition in region.conditions)
        others |= _names(access.offset for access in region.accesses)
    return {s for s in _arguments(summary) if s.name in found - others}


@once_a_summary
def shifts(summary: KernelSummary) -> Mapping[Symbol, int]:
    """Arguments by which numbers are shifted, and how far: ``width >> level``, ``1 << n``."""
    found: dict[str, int] = {}
    for region in summary.root.walk():
        for expr in _expressions(region):
            for atom in _applied(expr):
                if atom.op in _SHIFTS:
                    grown = atom.op == "shl" and atom.args[0].constant is not None
                    for symbol in _alone(atom.args[1]):
                        found.setdefault(symbol.name, EXPONENT if grown else SHIFT)
    return {s: found[s.name] for s in _arguments(summary) if s.name in found}


@once_a_summary
def masks(summary: KernelSummary) -> Mapping[Symbol, int]:
    """Arguments that say which bits of another number count: ``flags & m``, ``threadIdx.x & m``.

    Of a thread's index they tell the lanes of a warp apart; of other numbers they are one flag.
    """
    found: dict[str, int] = {}
    for region in summary.root.walk():
        for expr in _expressions(region):
            for atom in _applied(expr):
                if atom.op != "and":
                    continue
                for own, other in (atom.args, atom.args[::-1]):
                    of_lane = any(s.scope is SymbolScope.THREAD for s in other.symbols())
                    if len(own.terms) == 1 and not own.symbols() & other.symbols():
                        for symbol in _alone(own):
                            found.setdefault(symbol.name, LANES if of_lane else FLAG)
    return {s: found[s.name] for s in _arguments(summary) if s.name in found}


@once_a_summary
def starts(summary: KernelSummary) -> AbstractSet[Symbol]:
    """Arguments that only say where loops begin: ``for (j = k; j < n; ++j)`` makes k one."""
    found: set[str] = set()
    others: set[str] = set()
    for region in summary.root.walk():
        if region.role is not Role.ENTERS:
            others |= _names(condition for condition in region.conditions)
        for symbol, number in _added(region.trips) if region.trips is not None else ():
            (found if number < 0 else others).add(symbol.name)
    return {s for s in _arguments(summary) if s.name in found - others}


def _added(trips: Expr) -> Iterator[tuple[Symbol, float]]:
    """The symbols that a trip count adds up, by what they are multiplied; 1 for all others."""
    for monomial, number in trips.terms.items():
        for atom in monomial:
            if isinstance(atom, Symbol):
                yield atom, float(number) if len(monomial) == 1 else 1.0
            elif isinstance(atom, Apply) and atom.op in _KEEPING and len(monomial) == 1:
                for argument in atom.args:
                    for symbol, inner in _added(argument):
                        yield symbol, inner * float(number)
            elif isinstance(atom, Apply):
                yield from ((symbol, 1.0) for symbol in atom.symbols)


def _alone(expr: Expr) -> Iterator[Symbol]:
    """The symbols that stand for themselves in a sum, as part of no quotient or choice."""
    for monomial in expr.terms:
        yield from (atom for atom in monomial if isinstance(atom, Symbol))


def _applied(expr: Expr) -> Iterator[Apply]:
    for atom in expr.atoms():
        if isinstance(atom, Apply):
            yield atom
            for argument in atom.args:
                yield from _applied(argument)


@once_a_summary
def selectors(summary: KernelSummary) -> Mapping[Symbol, int]:
    """Arguments that are only compared for equality with constants, and a value for each.

    ``if (mode == 2)`` and ``if (transposed)`` make them choose a way, not a size. The value is one
    that the kernel asks for; of a truth value, true.
    """
    choices: dict[str, set[int]] = {}
    others: set[str] = set()
    for region in summary.root.walk():
        for expr in _expressions(region):
            for symbol, number in _uses(expr):
                if number is None:
                    others.add(symbol.name)
                else:
                    choices.setdefault(symbol.name, set()).add(number)
    return {
        symbol: _chosen(choices[symbol.name])
        for symbol in _arguments(summary)
        if symbol.name in choices and symbol.name not in others
    }


def _chosen(numbers: set[int]) -> int:
    return FLAG if numbers == {0} or FLAG in numbers else min(numbers)


def _arguments(summary: KernelSummary) -> set[Symbol]:
    """The integer arguments that anything mentions."""
    return {
        symbol
        for region in summary.root.walk()
        for expr in _expressions(region)
        for symbol in expr.symbols()
        if symbol.scope is SymbolScope.PARAM
    }


def _expressions(region: Region) -> Iterator[Expr]:
    """The conditions, the trip count and the addresses of a region itself."""
    yield from (condition for condition in region.conditions if condition is not None)
    if region.trips is not None:
        yield region.trips
    yield from (access.offset for access in region.accesses)


def _names(expressions: Iterator[Expr | None]) -> set[str]:
    return {s.name for expr in expressions if expr is not None for s in expr.symbols()}


def _walks_along(loop: Region) -> bool:
    """Whether an address or an inner loop's length differs from trip to trip."""
    counter = loop.counter
    for region in loop.walk():
        inner = [access.offset for access in region.accesses]
        if region is not loop and region.trips is not None:
            inner.append(region.trips)
        for expr in inner:
            symbols = expr.symbols()
            if counter in symbols or any(s.scope is SymbolScope.CARRIED for s in symbols):
                return True
    return counter is None


def _uses(expr: Expr) -> Iterator[tuple[Symbol, int | None]]:
    """Each argument in an expression, with the constant that it is compared with, or None."""
    for monomial in expr.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                if atom.scope is SymbolScope.PARAM:
                    yield atom, None
            elif isinstance(atom, Apply):
                selected = _selected(atom)
                if selected is not None:
                    yield selected
                else:
                    for argument in atom.args:
                        yield from _uses(argument)


def _selected(atom: Apply) -> tuple[Symbol, int] | None:
    """The argument and the constant of ``mode == 2``; None if it is something else."""
    if atom.op not in ("eq", "ne"):
        return None
    difference = atom.args[0]
    symbols = difference.symbols()
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    factor = difference.terms.get((symbol,))
    if symbol.scope is not SymbolScope.PARAM or factor not in (1, -1):
        return None
    rest = (difference - Expr({(symbol,): factor})).constant
    if rest is None or finite(rest) is None or int(rest) != rest:
        return None
    return symbol, int(-rest * factor)
