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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.traffic.footprint import Dimension
from roofline_core.algebra.evaluate import Environment, count_distinct, distinct, integers
from roofline_core.algebra.operations import Number
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Monomial, Symbol
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
_MOST_KEPT: Final = 2048
"""The most expressions of which is kept what they are made of: launches ask the same again."""

Along = dict[object, dict[object, Environment]]
"""Environments by axes, and by the points on them."""


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
    along: Along | None = None,
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
    along: Along | None = None,
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
    split = frozenset[Symbol]().union(*map(_split_symbols, exprs))
    for symbol in in_order(split & extents.keys() - members, extents):
        if extents[symbol] > 1:
            found.append(_Linear(((symbol, 1),), extents[symbol]))
    return tuple(found)


@lru_cache(maxsize=_MOST_KEPT)
def _split_symbols(expr: Expr) -> frozenset[Symbol]:
    """The symbols of which an expression takes a quotient or remainder."""
    splits = (atom.args[0].symbols() for atom in _operations(expr) if atom.op in _SPLITTING)
    return frozenset[Symbol]().union(*splits)


def _operations(expr: Expr) -> Iterator[Apply]:
    """Each operation in an expression, once, those around others first."""
    seen: set[Apply] = set()
    waiting = [atom for atom in expr.atoms() if isinstance(atom, Apply)]
    while waiting:
        atom = waiting.pop()
        if atom not in seen:
            seen.add(atom)
            yield atom
            for argument in atom.args:
                waiting += [inner for inner in argument.atoms() if isinstance(inner, Apply)]


def _longest_chain(
    exprs: Sequence[Expr], environment: Environment, extents: Mapping[Symbol, float]
) -> _Linear | None:
    """The longest chain of symbols that form a linear index in an operand; None if none do."""
    best: _Linear | None = None
    order = in_order(extents.keys(), extents)
    for expr in reversed(exprs):
        for factors in _operands(expr):
            found = _counts_through(factors, order, environment, extents)
            if found is not None and (best is None or len(found.weights) > len(best.weights)):
                best = found
    return best


def _counts_through(
    factors: Mapping[Symbol, Expr],
    order: Sequence[Symbol],
    environment: Environment,
    extents: Mapping[Symbol, float],
) -> _Linear | None:
    """The linear index that an operand is, by what each symbol is multiplied by in it."""
    weights: list[tuple[int, Symbol]] = []
    for symbol in order:
        if symbol not in factors:
            continue
        value = environment.evaluate(factors[symbol])
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


@lru_cache(maxsize=_MOST_KEPT)
def _operands(expr: Expr) -> tuple[Mapping[Symbol, Expr], ...]:
    """The operands in an expression that have several symbols, each as these symbols' factors."""
    found = (_factors(argument) for atom in _operations(expr) for argument in atom.args)
    return tuple(factors for factors in found if len(factors) > 1)


def _factors(expr: Expr) -> dict[Symbol, Expr]:
    """The coefficient of each symbol in the terms that it multiplies; none of one squared."""
    found: dict[Symbol, dict[Monomial, Number]] = {}
    squared: set[Symbol] = set()
    for monomial, number in expr.terms.items():
        for place, atom in enumerate(monomial):
            if isinstance(atom, Symbol):
                rest = monomial[:place] + monomial[place + 1 :]
                found.setdefault(atom, {})[rest] = number
                if atom in rest:
                    squared.add(atom)
    return {symbol: Expr(terms) for symbol, terms in found.items() if symbol not in squared}


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
        along: Along | None = None,
    ) -> None:
        symbols: set[Symbol] = set().union(*(expr.symbols() for expr in exprs))
        used = {s: extents[s] for s in extents if s in symbols and extents[s] > 0}
        self._exprs = exprs
        self._environment = environment
        self._extents = used
        self._linears = _linear_indices(exprs, environment, used)
        self._axes = _axes_of(exprs, environment, used, self._linears)
        counted = tuple((s, used[s]) for linear in self._linears for s, _ in linear.weights)
        key = (self._linears, tuple(self._axes), counted)
        # Expressions with equal axes share the environments of the points on them.
        self._along = {} if along is None else along.setdefault(key, {})

    def read(self) -> Axes | None:
        """The address along each axis, in bytes, while the others stay at their middles.

        None where it cannot be evaluated.
        """
        address = self._exprs[0]
        middles = [integers(np.array([float(int(each.extent) // 2)])) for each in self._axes]
        middle = self._known("middle") or self._keep("middle", self._everywhere(middles))
        base = middle.evaluate(address)
        if base is None:
            return None
        origin = start = float(np.asarray(base, dtype=np.float64).flat[0])
        dimensions: list[Dimension] = []
        for place, axis in enumerate(self._axes):
            steps, part = _places(axis.extent)
            along = self._known(place)
            if along is None:
                columns = [*middles[:place], steps, *middles[place + 1 :]]
                along = self._keep(place, middle.with_values(self._moved(columns, place)))
            found = along.evaluate(address)
            if found is None:
                return None
            values = np.asarray(found, dtype=np.float64)
            start += float(values.min()) - origin
            if values.size > 1:  # else the axis moves nothing
                dimensions += _dimensions(values, axis.extent, part)
        return Axes(start, tuple(dimensions))

    def share_reached(self) -> float:
        """The share of distinct addresses left by the conditions, of a mesh over all axes.

        1 where the address cannot be evaluated or the conditions leave none.
        """
        columns = _mesh(tuple(axis.extent for axis in self._axes))
        size = len(columns[0]) if columns else 1
        mesh = self._known("mesh") or self._keep("mesh", self._everywhere(columns))
        address, *conditions = (_spread(mesh.evaluate(expr), size) for expr in self._exprs)
        if address is None:
            return 1.0
        passed = np.ones(len(address), dtype=bool)
        for condition in conditions:
            if condition is not None:
                passed &= condition != 0
        if passed.all():
            return 1.0
        reached = count_distinct(address[passed])
        return reached / count_distinct(address) if reached else 1.0

    def _known(self, where: object) -> Environment | None:
        """The environment of some points, unless it remembers too much."""
        found = self._along.get(where)
        return None if found is None or found.remembered > _MOST_REMEMBERED else found

    def _keep(self, where: object, environment: Environment) -> Environment:
        self._along[where] = environment
        return environment

    def _everywhere(self, columns: Sequence[Integers]) -> Environment:
        """The environment of points by their places on each axis, or one place for all."""
        values = {a.symbol: c for a, c in zip(self._axes, columns, strict=True) if a.symbol}
        for number in range(len(self._linears)):
            values |= self._counted(columns, number)
        return self._environment.with_values(values)

    def _moved(self, columns: Sequence[Integers], place: int) -> dict[Symbol, Integers]:
        """The symbols that an axis moves, at points by their places."""
        axis = self._axes[place]
        if axis.symbol is None:
            return self._counted(columns, axis.linear)
        return {axis.symbol: columns[place]}

    def _counted(self, columns: Sequence[Integers], number: int) -> dict[Symbol, Integers]:
        """The symbols of a linear index at points by their places."""
        index = np.zeros(1, dtype=np.int64)
        for axis, places in zip(self._axes, columns, strict=True):
            if axis.symbol is None and axis.linear == number:
                index = index + places * axis.weight
        return self._linears[number].symbols_at(index, self._extents)


def _spread(found: Any, size: int) -> Floats | None:
    """Values at so many points, of which one may stand for all; None where there are none."""
    if found is None:
        return None
    return np.broadcast_to(np.asarray(found, dtype=np.float64), (size,))


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
