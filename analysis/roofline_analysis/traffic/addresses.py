"""Addresses of one access as a box of strides and extents, for a launch.

Thread indices and loop counters are dimensions where the address is affine in them. Quotients and
remainders of a linear index (``i % width``, ``i / width % height``) are digits of it, and become
dimensions of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from roofline_analysis.traffic.footprint import Box, Dimension
from roofline_analysis.traffic.index_axes import Along, Axes, in_order, read_axes
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import (
    ZERO,
    Apply,
    Atom,
    Expr,
    Monomial,
    Symbol,
    apply,
    constant,
    from_atom,
)
from roofline_core.program.records import record

_COVERED: Final = 0.5
"""The fewest distinct addresses per thread for which each thread is taken to have its own.

Assumed, chosen without measurement: 1, less the threads that guards and clamps exclude."""
_DECIDED: Final = frozenset(("whole", "select", "min", "max", "abs"))
"""Operations that most threads reduce to one of their operands (clamps and selections)."""
_LARGEST: Final = 2.0**63
"""No address of 64 bits with a sign is beyond it."""
_SHORT: Final = 200
"""The largest number of operations in an offset that is evaluated without being rewritten."""


@record(frozen=True, slots=True)
class Addresses:
    """The addresses of one access."""

    box: Box | None
    """None where the addresses are neither affine nor digits of a linear index."""
    random: bool
    """Loaded data decides the addresses, beyond a small displacement."""
    finest_stride: float | None = None
    """For random addresses: the smallest stride in bytes of any index; None if there is none."""


@record(frozen=True, slots=True)
class _Affine:
    start: float
    strides: tuple[tuple[Symbol, float], ...]


class AddressReader:
    """Converts byte offsets to boxes, for one launch; caches rewritten offsets."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._rewritten: dict[Expr, tuple[Expr, bool]] = {}
        self._affine: dict[Expr, _Affine | None] = {}
        self._along: Along = {}
        self._evaluated: dict[object, Axes | None] = {}
        self._settled: dict[Apply, bool] = {}

    def read(self, offset: Expr, size_bytes: int, extents: Mapping[Symbol, float]) -> Addresses:
        """The addresses of an access; ``extents`` has the number of values of each index.

        Every call for the same offset must pass the same keys of ``extents``.
        """
        if offset not in self._rewritten:
            self._rewritten[offset] = self._rewrite(offset, extents)
        expr, displaced = self._rewritten[offset]
        axes = self._axes(expr, extents)
        if axes is None or not _are_addresses(axes):
            finest = self.finest_step(expr, extents) if displaced else None
            return Addresses(None, random=displaced, finest_stride=finest)
        box = Box(axes.start, axes.dimensions, size_bytes)
        if displaced and not _covers_threads(expr, axes, extents):
            finest = min((abs(d.stride) for d in axes.dimensions), default=None)
            return Addresses(None, random=True, finest_stride=finest)
        return Addresses(box, random=False)

    def finest_step(self, offset: Expr, extents: Mapping[Symbol, float]) -> float | None:
        """The smallest stride in bytes of any index; None if no stride is known."""
        factors: dict[Symbol, dict[Monomial, Number]] = {}
        steps: list[float] = []
        for monomial, number in offset.terms.items():
            for place, atom in enumerate(monomial):
                others = monomial[:place] + monomial[place + 1 :]
                if isinstance(atom, Symbol):
                    if extents.get(atom, 0.0) > 1:
                        factors.setdefault(atom, {})[others] = number
                elif isinstance(atom, Apply) and atom.op == "mod":
                    # A quotient or remainder of an index advances by the index's own step.
                    inner = self.finest_step(atom.args[0] * Expr({others: number}), extents)
                    steps += [] if inner is None else [inner]
        for factor in factors.values():
            step = self._environment.evaluate(Expr(factor))
            if step:
                steps.append(abs(float(step)))
        return min(steps, default=None)

    def _rewrite(self, offset: Expr, extents: Mapping[Symbol, float]) -> tuple[Expr, bool]:
        """The offset as most threads compute it, and whether it contains a data displacement."""
        interior = _InteriorThreads(self._environment, extents, self._settled)
        expr = without_remainders(interior.rewritten(offset))
        if any(symbol.scope in DATA_SCOPES for symbol in expr.symbols()):
            return without_data(expr), True
        if _is_evaluated(offset) and _read_affine(expr, self._environment, extents) is None:
            # An offset that is evaluated numerically needs no simplification at borders.
            return offset, False
        return expr, False

    def _axes(self, expr: Expr, extents: Mapping[Symbol, float]) -> Axes | None:
        if expr not in self._affine:
            self._affine[expr] = _read_affine(expr, self._environment, extents)
        affine = self._affine[expr]
        if affine is None:
            return self._evaluated_axes(expr, extents)
        dimensions = [
            Dimension(stride, float(extents[symbol]))
            for symbol, stride in affine.strides
            if extents[symbol] > 1
        ]
        for symbol, stride in affine.strides:
            if extents[symbol] < 1:
                _end_early(dimensions, abs(stride), extents[symbol])
        return Axes(affine.start, tuple(dimensions))

    def _evaluated_axes(self, expr: Expr, extents: Mapping[Symbol, float]) -> Axes | None:
        symbols = expr.symbols()
        key = expr, tuple(each for each in extents.items() if each[0] in symbols)
        if key not in self._evaluated:
            found = read_axes(expr, self._environment, extents, self._along)
            self._evaluated[key] = found
        return self._evaluated[key]


class _InteriorThreads:
    """Offsets with clamps and selections replaced by the operand that interior threads take.

    Each operation is looked at once: operands are shared, so that there may be far more ways to an
    operation than there are operations.
    """

    def __init__(
        self, environment: Environment, extents: Mapping[Symbol, float], settled: dict[Apply, bool]
    ) -> None:
        """``settled`` is shared by all offsets: which operations hold no clamp or selection."""
        self._extents = extents
        self._environment = environment
        self._settled = settled
        self._known: dict[Apply, Expr] = {}

    def rewritten(self, expr: Expr) -> Expr:
        """The expression as most threads compute it."""
        if all(map(self._is_settled, expr.atoms())):
            return expr
        result = ZERO
        for monomial, number in expr.terms.items():
            product = constant(number)
            for atom in monomial:
                product = product * self._of_atom(atom)
            result = result + product
        return result

    def _is_settled(self, atom: Atom) -> bool:
        """Whether an atom contains no clamp or selection."""
        if not isinstance(atom, Apply):
            return True
        known = self._settled.get(atom)
        if known is None:
            known = atom.op not in _DECIDED and all(
                self._is_settled(inner) for argument in atom.args for inner in argument.atoms()
            )
            self._settled[atom] = known
        return known

    def _of_atom(self, atom: Atom) -> Expr:
        if not isinstance(atom, Apply):
            return from_atom(atom)
        if atom not in self._known:
            self._known[atom] = self._of_operation(atom)
        return self._known[atom]

    def _of_operation(self, atom: Apply) -> Expr:
        if atom.op == "whole":
            return self.rewritten(atom.args[0])
        if atom.op == "select":
            return self.rewritten(atom.args[1 if self._mostly(atom.args[0]) else 2])
        args = [self.rewritten(arg) for arg in atom.args]
        if atom.op in ("min", "max"):
            moving = [arg for arg in args if any(s in self._extents for s in arg.symbols())]
            if len(moving) == 1:
                return moving[0]
        if atom.op == "abs":
            return args[0]
        return apply(atom.op, *args)

    @cached_property
    def _middle(self) -> Environment:
        middles = {symbol: int(extent // 2) for symbol, extent in self._extents.items()}
        return Environment({**self._environment.values, **middles})

    def _mostly(self, condition: Expr) -> bool:
        """Whether the condition holds at the midpoint of every index's range."""
        found = self._middle.evaluate(condition)
        return True if found is None else bool(found)


def _are_addresses(axes: Axes) -> bool:
    """Whether 64 bits hold the values: what overflowed to infinity, or beyond them, is unknown."""
    reaches = (dimension.stride * dimension.extent for dimension in axes.dimensions)
    return all(abs(reach) <= _LARGEST for reach in (axes.start, *reaches))


def _covers_threads(expr: Expr, axes: Axes, extents: Mapping[Symbol, float]) -> bool:
    """Whether each thread has its own address, which loaded data only displaces slightly.

    False if the address uses only some thread indices, or a digit of one (a lane's index in a row
    that data chooses): data then decides which bytes are touched.
    """
    threads = [s for s, extent in extents.items() if s.scope is SymbolScope.THREAD and extent > 1]
    if not all(symbol in expr.symbols() for symbol in threads):
        return False
    places = math.prod(dimension.extent for dimension in axes.dimensions)
    return places >= _COVERED * math.prod(extents[symbol] for symbol in threads)


def _is_evaluated(offset: Expr) -> bool:
    """Whether an offset is short enough, and free of data, to be evaluated numerically."""
    if any(symbol.scope in DATA_SCOPES for symbol in offset.symbols()):
        return False
    return sum(atom.size for atom in offset.atoms() if isinstance(atom, Apply)) <= _SHORT


def without_data(expr: Expr) -> Expr:
    """The terms of an address that do not depend on loaded data."""
    if not any(symbol.scope in DATA_SCOPES for symbol in expr.symbols()):
        return expr
    return Expr(
        {
            monomial: number
            for monomial, number in expr.terms.items()
            if not any(_mentions_data(atom) for atom in monomial)
        }
    )


def _mentions_data(atom: Atom) -> bool:
    symbols = atom.symbols if isinstance(atom, Apply) else (atom,)
    return any(isinstance(s, Symbol) and s.scope in DATA_SCOPES for s in symbols)


def _read_affine(
    expr: Expr, environment: Environment, extents: Mapping[Symbol, float]
) -> _Affine | None:
    """The strides of an expression in its indices; None if the expression is not affine."""
    rest: dict[Monomial, Number] = {}
    factors: dict[Symbol, dict[Monomial, Number]] = {}
    for monomial, number in expr.terms.items():
        moving = [atom for atom in monomial if _moves(atom, extents)]
        if not moving:
            rest[monomial] = number
        elif len(moving) == 1 and isinstance(moving[0], Symbol):
            others = tuple(atom for atom in monomial if atom is not moving[0])
            factors.setdefault(moving[0], {})[others] = number
        else:
            return None
    strides: list[tuple[Symbol, float]] = []
    for symbol in in_order(factors.keys(), extents):
        stride = environment.evaluate(Expr(factors[symbol]))
        if stride is None:
            return None
        if stride:
            strides.append((symbol, float(stride)))
    start = environment.evaluate(Expr(rest))
    return _Affine(float(start or 0.0), tuple(strides))


def _end_early(dimensions: list[Dimension], stride: float, share: float) -> None:
    """Reduce the index that a loop continues to the share of threads that run the loop.

    The index is the one whose values together span ``stride``, the loop's stride in bytes.
    """
    for place, dimension in enumerate(dimensions):
        if abs(dimension.stride) * dimension.extent == stride:
            dimensions[place] = Dimension(dimension.stride, max(1.0, dimension.extent * share))


def _moves(atom: Atom, extents: Mapping[Symbol, float]) -> bool:
    if isinstance(atom, Apply):
        return any(symbol in extents for symbol in atom.symbols)
    return atom in extents


def without_remainders(expr: Expr) -> Expr:
    """The expression with ``a % b`` expanded to ``a - b * (a / b)`` if all quotients then cancel.

    ``i % w + w * (i / w)`` becomes ``i``. With another factor of ``i / w``, as in padded rows, the
    quotient and the remainder stay as two digits of ``i``.
    """
    rewritten = expr
    for atom in set(expr.atoms()):
        if isinstance(atom, Apply) and atom.op == "mod":
            dividend, divisor = atom.args
            coefficient = rewritten.coefficient(atom)
            if coefficient is None:
                continue
            quotient = apply("div", dividend, divisor)
            candidate = (
                rewritten
                - coefficient * from_atom(atom)
                + coefficient * (dividend - divisor * quotient)
            )
            if set(quotient.atoms()).isdisjoint(candidate.atoms()):
                rewritten = candidate
    return rewritten
