"""Strides and extents of addresses that are not affine, found by evaluating them along axes.

The symbols of an address that together count through a range (``blockIdx.x * blockDim.x +
threadIdx.x + blockDim.x * gridDim.x * trip``) are one linear index, and the divisors in the address
split it into digits: ``i / w`` and ``i % w`` are digits of ``i`` in mixed radix. Each digit and
each other symbol is an axis. The address is evaluated along each axis, all other axes at their
midpoints, and is assumed to be the sum of the axes' contributions. Shifts, masks, clamps and scaled
coordinates therefore need no algebra of their own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.traffic.footprint import Dimension
from roofline_core.algebra.evaluate import Environment, count_distinct, distinct, integers
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol
from roofline_core.program.records import record

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_MOST_VALUES: Final = 1 << 14
"""The most values of an axis that are evaluated; of a longer axis, only this many are."""
_MOST_IN_MESH: Final = 1 << 14
"""The most points that are evaluated in a mesh of several axes."""
_SPLITTING: Final = frozenset(("div", "mod", "shr", "and"))
"""Operations that split an index into digits."""
_MOST_REMEMBERED: Final = 500
"""The most operations whose values are cached for one axis."""


@record(frozen=True, slots=True)
class Axes:
    """The set of values of an address: a base plus a sum of strided dimensions."""

    start: float
    dimensions: tuple[Dimension, ...]


@record(frozen=True, slots=True)
class _Linear:
    """A linear index: symbols with their weights, finest first, that count through one range."""

    weights: tuple[tuple[Symbol, int], ...]
    count: float

    def symbols_at(
        self, index: NDArray[np.int64], extents: Mapping[Symbol, float]
    ) -> dict[Symbol, NDArray[np.int64]]:
        """The value of each symbol at these values of the linear index."""
        result = {}
        for place, (symbol, weight) in enumerate(self.weights):
            value = index // weight
            if place + 1 < len(self.weights):
                value = value % max(1, round(extents[symbol]))
            result[symbol] = value
        return result


@record(frozen=True, slots=True)
class _Axis:
    """One digit of a linear index, or one other symbol of an address."""

    symbol: Symbol | None
    """None for a digit of a linear index."""
    weight: int
    extent: float
    linear: int = 0
    """The position, among the linear indices, of the one that this is a digit of."""


def read_axes(
    expr: Expr,
    environment: Environment,
    extents: Mapping[Symbol, float],
    along: dict[object, Environment] | None = None,
) -> Axes | None:
    """The values of an expression; ``extents`` has the number of values of each symbol.

    An extent below 1 belongs to a loop that only this share of the threads runs, once. ``along`` is
    a cache shared by expressions of one environment. Returns None if a symbol has no value.
    """
    return _AxisEvaluation((expr,), environment, extents, along).read()


def share_reached(
    expr: Expr,
    conditions: Sequence[Expr],
    environment: Environment,
    extents: Mapping[Symbol, float],
    along: dict[object, Environment] | None = None,
) -> float:
    """The share of an expression's distinct values, 0 to 1, that remain where the conditions hold.

    ``along`` is a cache shared by calls with the same environment. A condition on an index that the
    expression does not use removes no value. A condition that cannot be evaluated is assumed true.
    Returns 1 if no evaluated point passes.
    """
    return _AxisEvaluation((expr, *conditions), environment, extents, along).share_reached()


def in_order(symbols: Collection[Symbol], extents: Mapping[Symbol, float]) -> list[Symbol]:
    """``symbols`` in a fixed order: thread indices, then loop counters, outermost loop first.

    The order does not depend on earlier analyses in the same process.
    """
    places = {symbol: -place for place, symbol in enumerate(extents)}

    def place(symbol: Symbol) -> tuple[bool, int]:
        """The symbol's sort key."""
        is_thread = symbol.scope is SymbolScope.THREAD  # created once, in the order of axes
        return not is_thread, symbol.serial if is_thread else places[symbol]

    return sorted(symbols, key=place)


# -- the linear index


def _linear_indices(
    exprs: Sequence[Expr], environment: Environment, extents: Mapping[Symbol, float]
) -> tuple[_Linear, ...]:
    """The linear indices: the longest chain in an operand, then symbols that are split alone."""
    chain = _longest_chain(exprs, environment, extents)
    found = [] if chain is None else [chain]
    members = {symbol for linear in found for symbol, _ in linear.weights}
    split = {symbol for expr in exprs for symbol in _split_symbols(expr)}
    for symbol in in_order(split & extents.keys() - members, extents):
        if extents[symbol] > 1:
            found.append(_Linear(((symbol, 1),), extents[symbol]))
    return tuple(found)


def _split_symbols(expr: Expr) -> Iterator[Symbol]:
    """The symbols of which an expression takes a quotient or remainder."""
    for atom in expr.atoms():
        if isinstance(atom, Apply):
            if atom.op in _SPLITTING:
                yield from (s for s in atom.args[0].symbols())
            for argument in atom.args:
                yield from _split_symbols(argument)


def _longest_chain(
    exprs: Sequence[Expr], environment: Environment, extents: Mapping[Symbol, float]
) -> _Linear | None:
    """The longest chain of symbols that form a linear index in an operand; None if none do."""
    best: _Linear | None = None
    seen: set[Apply] = set()
    waiting = [atom for expr in exprs for atom in expr.atoms() if isinstance(atom, Apply)]
    while waiting:
        atom = waiting.pop()
        if atom in seen:
            continue
        seen.add(atom)
        for argument in atom.args:
            found = _counts_through(argument, environment, extents)
            if found is not None and (best is None or len(found.weights) > len(best.weights)):
                best = found
            waiting += [inner for inner in argument.atoms() if isinstance(inner, Apply)]
    return best


def _counts_through(
    expr: Expr, environment: Environment, extents: Mapping[Symbol, float]
) -> _Linear | None:
    weights: list[tuple[int, Symbol]] = []
    for symbol in in_order(extents.keys(), extents):
        coefficient = _plain_factor(expr, symbol)
        if coefficient is None:
            continue
        value = environment.evaluate(coefficient)
        if value is None or value <= 0 or value != int(value):
            continue
        weights.append((int(value), symbol))
    if len(weights) < 2:
        return None
    weights.sort(key=lambda pair: pair[0])
    first = weights[0][0]
    chain: list[tuple[Symbol, int]] = []
    reach = 1.0
    for weight, symbol in weights:
        if weight != first * reach and extents[symbol] > 1:
            break
        chain.append((symbol, round(weight / first)))
        reach *= extents[symbol]
    # If the finest index advances in larger steps, count in units of that step.
    return _Linear(tuple(chain), max(1.0, reach)) if len(chain) > 1 else None


def _plain_factor(expr: Expr, symbol: Symbol) -> Expr | None:
    """The coefficient of a symbol in the terms that it multiplies; None if there are none."""
    result: dict[tuple[object, ...], int | float] = {}
    for monomial, number in expr.terms.items():
        if symbol in monomial:
            rest = list(monomial)
            rest.remove(symbol)
            if symbol in rest:
                return None
            result[tuple(rest)] = number
    return Expr(result) if result else None  # type: ignore[arg-type]


# -- the axes


def _axes_of(
    exprs: Sequence[Expr],
    environment: Environment,
    extents: Mapping[Symbol, float],
    linears: Sequence[_Linear],
) -> list[_Axis]:
    members = {symbol for linear in linears for symbol, _ in linear.weights}
    axes = [_Axis(symbol, 1, extent) for symbol, extent in extents.items() if symbol not in members]
    for number, linear in enumerate(linears):
        axes += _digits_of(exprs, environment, linear, number)
    return axes


def _digits_of(
    exprs: Sequence[Expr], environment: Environment, linear: _Linear, number: int
) -> Iterator[_Axis]:
    """The digits into which the divisors in some expressions split a linear index."""
    radices = _Radices(environment, {symbol for symbol, _ in linear.weights})
    for expr in exprs:
        radices.step_of(expr)
    chain = [1]
    for radix in sorted(radices.found):
        if radix > chain[-1] and radix % chain[-1] == 0 and radix < linear.count:
            chain.append(radix)
    for place, weight in enumerate(chain):
        last = place + 1 == len(chain)
        extent = (linear.count if last else chain[place + 1]) / weight
        whole = len(linear.weights) == 1 and len(chain) == 1  # A symbol that is one digit.
        yield _Axis(None, weight, math.ceil(extent) if last and not whole else extent, number)


class _Radices:
    """The radices by which divisions and remainders split the linear index into digits."""

    def __init__(self, environment: Environment, members: set[Symbol]) -> None:
        self._environment = environment
        self._members = members
        self._steps: dict[Apply, int] = {}
        self.found: set[int] = set()

    def step_of(self, operand: Expr) -> int:
        """Steps of the linear index per step of the operand; 0 if the operand does not use it."""
        atoms = {atom for monomial in operand.terms for atom in monomial}
        steps = (self._step_of_atom(atom) for atom in atoms)
        return min((step for step in steps if step), default=0)

    def _step_of_atom(self, atom: Atom) -> int:
        if not isinstance(atom, Apply):
            return 1 if atom in self._members else 0
        if self._members.isdisjoint(atom.symbols):
            return 0
        if atom not in self._steps:
            self._steps[atom] = 1
            self._steps[atom] = self._visit(atom)
        return self._steps[atom]

    def _visit(self, atom: Apply) -> int:
        inner = [self.step_of(argument) for argument in atom.args]
        divisor = _divisor(atom, self._environment)
        if divisor is None or not inner[0]:
            return min((step for step in inner if step), default=1)
        if divisor > 1:
            self.found.add(inner[0] * divisor)
        return inner[0] * divisor if atom.op in ("div", "shr") else inner[0]


def _divisor(atom: Apply, environment: Environment) -> int | None:
    """The constant divisor of a division or remainder; None for other operations."""
    if atom.op not in _SPLITTING:
        return None
    value = environment.evaluate(atom.args[1])
    if value is None or value != int(value) or value <= 0:
        return None
    number = int(value)
    if atom.op == "shr":
        return 1 << min(number, 62)
    if atom.op == "and":
        return number + 1 if number & (number + 1) == 0 else None
    return number


# -- values along the axes


class _AxisEvaluation:
    """Evaluates expressions along their common axes; the first expression is the address."""

    def __init__(
        self,
        exprs: Sequence[Expr],
        environment: Environment,
        extents: Mapping[Symbol, float],
        along: dict[object, Environment] | None = None,
    ) -> None:
        symbols: set[Symbol] = set().union(*(expr.symbols() for expr in exprs))
        used = {s: extents[s] for s in extents if s in symbols and extents[s] > 0}
        self._exprs = exprs
        self._environment = environment
        self._extents = used
        self._linears = _linear_indices(exprs, environment, used)
        self._axes = _axes_of(exprs, environment, used, self._linears)
        self._along = {} if along is None else along

    def read(self) -> Axes | None:
        """The address along each axis, in bytes, while the others stay at their middles.

        None where it cannot be evaluated.
        """
        middles = [integers(np.array([float(int(each.extent) // 2)])) for each in self._axes]
        base = self._at(middles, 1, None)[0]
        if base is None:
            return None
        origin = float(base[0])
        start = origin
        dimensions: list[Dimension] = []
        for place, axis in enumerate(self._axes):
            steps, part = _places(axis.extent)
            columns = list(middles)  # one number stands for many equal ones
            columns[place] = steps
            values = self._at(columns, len(steps), place)[0]
            if values is None:
                return None
            start += float(values.min()) - origin
            dimensions += _dimensions(values, axis.extent, part)
        return Axes(start, tuple(dimensions))

    def share_reached(self) -> float:
        """The share of distinct addresses left by the conditions, of a mesh over all axes.

        1 where the address cannot be evaluated or the conditions leave none.
        """
        columns = _mesh(tuple(axis.extent for axis in self._axes))
        size = len(columns[0]) if columns else 1
        address, *conditions = self._at(columns, size, "mesh")
        if address is None:
            return 1.0
        passed = np.ones(len(address), dtype=bool)
        for condition in conditions:
            if condition is not None:
                passed &= condition != 0
        reached = count_distinct(address[passed])
        return reached / count_distinct(address) if reached else 1.0

    def _at(self, columns: list[Integers], size: int, where: object) -> list[Floats | None]:
        """Each expression's values at ``size`` points of the axes; None for one without a value.

        ``columns`` has the points' places on each axis, or one place for all. ``where`` is the
        cache key of the points: expressions with equal axes share them.
        """
        counted = tuple(
            (symbol, self._extents[symbol])
            for linear in self._linears
            for symbol, _ in linear.weights
        )
        key = (where, self._linears, tuple(self._axes), counted)
        environment = self._along.get(key)
        if environment is None or environment.remembered > _MOST_REMEMBERED:
            environment = self._along[key] = self._there(columns)
        result: list[Floats | None] = []
        for expr in self._exprs:
            found = environment.evaluate(expr)
            if found is None:
                result.append(None)
            else:
                result.append(np.broadcast_to(np.asarray(found, dtype=np.float64), (size,)))
        return result

    def _there(self, columns: list[Integers]) -> Environment:
        values: dict[Symbol, object] = dict(self._environment.values)
        indices = [np.zeros(1, dtype=np.int64) for _ in self._linears]
        for axis, places in zip(self._axes, columns, strict=True):
            if axis.symbol is None:
                indices[axis.linear] = indices[axis.linear] + places * axis.weight
            else:
                values[axis.symbol] = places
        for linear, index in zip(self._linears, indices, strict=True):
            values.update(linear.symbols_at(index, self._extents))
        return Environment(values)


@lru_cache(maxsize=4)
def _mesh(extents: tuple[float, ...]) -> list[Integers]:
    """All combinations of the axes' positions; of long axes, only evenly spaced positions."""
    counts = [max(1, math.ceil(extent)) for extent in extents]
    most = max(counts, default=1)
    while math.prod(min(count, most) for count in counts) > _MOST_IN_MESH and most > 1:
        most = most * 3 // 4
    chosen = [
        np.arange(count) if count <= most else np.arange(most) * (count / most) // 1
        for count in counts
    ]
    grids = np.meshgrid(*chosen, indexing="ij") if chosen else []
    return [integers(grid).ravel() for grid in grids]


def _places(extent: float) -> tuple[Integers, float]:
    """The positions of an axis to evaluate, and their share of the axis."""
    count = max(1, math.ceil(extent))
    if count <= _MOST_VALUES:
        return np.arange(count), 1.0
    return np.arange(_MOST_VALUES), _MOST_VALUES / extent


def _dimensions(values: Floats, extent: float, part: float) -> list[Dimension]:
    """Values along one axis as dimensions; ``part`` is the share of the axis evaluated."""
    steps = np.diff(values)
    if not len(steps):
        return []
    if np.all(steps == steps[0]):
        return [Dimension(float(steps[0]), extent)] if steps[0] else []
    places = distinct(values)
    gaps = np.diff(places)
    if not len(gaps):
        return []
    stride = float(gaps.mean())
    # Values that are not monotonic stay within their range: more of them make it denser.
    rising = bool(np.all(steps >= 0) or np.all(steps <= 0))
    return [Dimension(stride if rising else stride * part, len(places) / part)]
