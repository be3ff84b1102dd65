"""Sizes that no launch fixes, chosen so that guards let threads pass: ``if (i < n)`` gives n.

Programs size a grid to fit its data, so the grid is a better estimate than any constant, and no
program intends a launch in which no thread passes the guards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.language.types import wrapped
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_analysis.regions.kernel_summary import (
    KernelSummary,
    Region,
    RegionForm,
    Role,
    once_a_summary,
)
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol, apply
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record

Corner = Mapping[Symbol, int | float]

COVERED: Final = "taken to be just covered by the grid"
_LARGEST: Final = 1 << 31
_FOR_A_THREAD: Final = 4096
"""The largest number that is tried as a size: 32 bits of it, and so many times the threads of the
launch. Where a guard asks for more, it was not understood."""
_ROUNDS: Final = 3
"""The most rounds in which new values are used to solve further ones."""
_INNER: Final = 0.75
"""A bound's assumed value is kept if the thread at this share of the grid, in each dimension,
passes the guard. Assumed, chosen without measurement: a grid's end may lie outside its data."""


@dataclass(slots=True)
class KernelArguments:
    """The values of a kernel's parameters, and the assumptions behind them."""

    values: dict[Symbol, int | float]
    host: HostNumbers
    ties: dict[Symbol, Expr] = field(default_factory=dict)
    """Parameters whose value depends on an assumption, with the host's expression for each."""
    covered: dict[Symbol, int] = field(default_factory=dict)
    """Unknown parameters whose value was chosen from a guard."""
    assumed: dict[Symbol, int] = field(default_factory=dict)
    """Unknown parameters with a default value."""
    dense: dict[Symbol, int] = field(default_factory=dict)
    """Unknown strides, chosen so that arrays are dense."""
    unsigned: dict[Symbol, str] = field(default_factory=dict)
    """The types of those parameters that the host computes as unsigned numbers."""

    def set(self, symbol: Symbol, number: int | float) -> None:
        """Set a parameter to what the host computes, which wraps around as unsigned numbers do."""
        kind = self.unsigned.get(symbol)
        whole = kind is not None and finite(number) is not None
        self.values[symbol] = wrapped(number, kind) if whole and kind is not None else number

    def give(self, symbol: Symbol, number: int) -> None:
        """Set a parameter; if the host computes it from an unknown, solve for the unknown."""
        tie = self.ties.get(symbol)
        if tie is not None and self.host.solve(tie, number, COVERED):
            self.refresh()
            return
        self.ties.pop(symbol, None)
        self.assumed.pop(symbol, None)
        self.values[symbol] = self.covered[symbol] = number

    def refresh(self) -> None:
        """Recompute the parameters in ``ties`` after host values have changed."""
        for symbol, tie in list(self.ties.items()):
            number = self.host.number(tie)
            held = number is not None and (
                symbol.scope is SymbolScope.REAL or math.isfinite(number)
            )
            if number is not None and held:
                self.set(symbol, number)
            if not self.host.is_open(tie):
                del self.ties[symbol]


def cover(summary: KernelSummary, arguments: KernelArguments, grid: Dim3, block: Dim3) -> None:
    """Set unknown bounds to the number of threads of the launch."""
    for _ in range(_ROUNDS):
        known = {s: v for s, v in arguments.values.items() if s not in arguments.ties}
        environment = Environment({**known, **corner(grid, block, 1.0)})
        progress = False
        for comparison in _bounds(summary):
            if _infer(comparison, environment, arguments):
                progress = True
        if not progress:
            return


def corner(grid: Dim3, block: Dim3, share: float) -> Corner:
    """The launch dimensions, and the indices of the thread at ``share`` of each dimension."""
    values: dict[Symbol, int | float] = {}
    for axis, blocks, threads in zip("xyz", grid, block, strict=True):
        values[THREAD[f"blockIdx.{axis}"]] = int(share * (blocks - 1))
        values[THREAD[f"threadIdx.{axis}"]] = int(share * (threads - 1))
        values[LAUNCH[f"gridDim.{axis}"]] = blocks
        values[LAUNCH[f"blockDim.{axis}"]] = threads
    return values


@once_a_summary
def _bounds(summary: KernelSummary) -> tuple[Apply, ...]:
    """The comparisons of threads' indices in bounds checks, in the regions' order."""
    conditions = (c for region in summary.root.walk() for c in _covering_conditions(region))
    return tuple(atom for atom in map(compared, conditions) if atom is not None)


def _covering_conditions(region: Region) -> Iterator[Expr]:
    """The bounds checks of indices: conditions of guards and of grid-stride loops."""
    if region.role is Role.ENTERS:
        return  # The loop itself says so.
    if region.form is RegionForm.GUARD:
        yield from (condition for condition in region.conditions if condition is not None)
    elif region.form is RegionForm.LOOP and region.trips is not None:
        # As trip counts are written: max(div(bound - start + stride - 1, stride), 0).
        for outer in region.trips.atoms():
            for quotient in outer.args[0].atoms() if isinstance(outer, Apply) else ():
                if isinstance(quotient, Apply) and quotient.op == "div":
                    dividend, stride = quotient.args
                    if LAUNCH["gridDim.x"] in stride.symbols():
                        yield apply("lt", stride - 1 - dividend)


def compared(condition: Expr) -> Apply | None:
    """The comparison, if a condition compares a thread's index with a bound; else None."""
    atom = next(iter(condition.atoms()), None)
    if not isinstance(atom, Apply) or atom.op not in ("lt", "le") or len(condition.terms) != 1:
        return None
    return atom if any(s.scope is SymbolScope.THREAD for s in atom.args[0].symbols()) else None


def _infer(atom: Apply, environment: Environment, arguments: KernelArguments) -> bool:
    known = environment.values
    difference = atom.args[0]
    rest, bound, scale = difference, None, 1.0
    for monomial, number in difference.terms.items():
        unknown = [a for a in monomial if isinstance(a, Symbol) and a not in known]
        if any(isinstance(a, Apply) and not a.symbols <= known.keys() for a in monomial):
            return False
        if not unknown:
            continue
        if (
            bound is not None
            or number > 0
            or any(a.scope is not SymbolScope.PARAM for a in unknown)
        ):
            return False
        bound = unknown
        others = [known[a] for a in monomial if isinstance(a, Symbol) and a in known]
        scale = abs(float(number)) * math.prod(map(float, others))
        rest = rest - Expr({monomial: number})
    largest = environment.evaluate(rest)
    if not bound or largest is None or scale <= 0 or largest < 0:
        return False
    value = max(1, round(((float(largest) + (atom.op == "lt")) / scale) ** (1.0 / len(bound))))
    for symbol in bound:
        arguments.give(symbol, value)
        environment.values[symbol] = value
    return True


def fit(summary: KernelSummary, arguments: KernelArguments, grid: Dim3, block: Dim3) -> None:
    """Increase assumed values with which a guard would stop most threads.

    The value is increased just enough for the last thread to pass, or else the first. ``cover``
    handles guards linear in one bound; ``fit`` handles minima, products and quotients.
    """
    if not arguments.assumed and not arguments.ties:
        return
    corners = corner(grid, block, 1.0), corner(grid, block, 0.0)
    largest = max(_LARGEST, _FOR_A_THREAD * math.prod(grid) * math.prod(block))
    tried = _Tried(corner(grid, block, _INNER), corners, largest)
    for comparison in _bounds(summary):
        _fit(comparison, tried, arguments)


@dataclass(frozen=True, slots=True)
class _Tried:
    """The threads for which guards are tried, and the largest size that is."""

    inner: Corner
    corners: Iterable[Corner]
    largest: int


def _fit(atom: Apply, tries: _Tried, arguments: KernelArguments) -> None:
    symbols = atom.args[0].symbols()
    if symbols.isdisjoint(arguments.ties) and symbols.isdisjoint(arguments.assumed):
        return
    difference = atom.args[0].substitute({s: t for s, t in arguments.ties.items() if s in symbols})
    host = arguments.host
    free = [s for s in difference.symbols() if s in arguments.assumed]
    free += host.open_symbols(difference)
    values = {**host.numbers(), **arguments.values}
    guard = _Guard(atom.op, difference, values)
    if guard.passes(tries.inner) is not False:
        return
    for corner in tries.corners:
        if guard.passes(corner):
            return
        each = sorted(free, key=lambda s: s.sort_key)
        for enlarged in (*([symbol] for symbol in each), *([each] if each[1:] else ())):
            start = int(min(values[symbol] for symbol in enlarged))
            size = _least(partial(guard.passes_with, corner, enlarged), start, tries.largest)
            if size is not None:
                _enlarge(arguments, enlarged, size)
                return


@record(frozen=True, slots=True)
class _Guard:
    """A guard that lets threads pass where a difference is below zero, or zero as its ``op``."""

    op: str
    difference: Expr
    values: Mapping[Symbol, int | float]

    def passes(self, tried: Mapping[Symbol, int | float]) -> bool | None:
        """Whether it holds with these values in place of its own; None where that is not known."""
        found = Environment({**self.values, **tried}).evaluate(self.difference)
        return None if found is None else bool(found < 0 or (found == 0 and self.op == "le"))

    def passes_with(self, thread: Corner, symbols: Sequence[Symbol], size: int) -> bool | None:
        """Whether it lets a thread pass if symbols are of this size, those below it."""
        return self.passes({**thread, **{s: max(size, self.values[s]) for s in symbols}})


def _enlarge(arguments: KernelArguments, symbols: Sequence[Symbol], size: int) -> None:
    """Set the symbols that are below a size to it: one that a guard asks for."""
    for symbol in symbols:
        if symbol in arguments.assumed:
            arguments.give(symbol, max(size, int(arguments.values[symbol])))
        else:
            now = arguments.host.numbers().get(symbol, 0)
            arguments.host.learn(symbol, max(size, int(now)), COVERED)
            arguments.refresh()


def _least(passes: Callable[[int], bool | None], start: int, largest: int) -> int | None:
    """The least size from ``start`` on that passes, doubled and then halved; None for none."""
    low = max(1, start)
    high = 2 * low
    while not passes(high):
        low, high = high, 2 * high
        if high > largest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high
