"""Addresses that are not affine, taken apart into axes by evaluating them.

The symbols of an address that together count through a range (``blockIdx.x * blockDim.x +
threadIdx.x + blockDim.x * gridDim.x * trip``) are one linear index, and the divisors in the address
split it into digits: ``i / w`` and ``i % w`` are digits of ``i`` in mixed radix. Along each axis,
a digit or another symbol, the address is evaluated with the others in the middle of their ranges,
and taken to be the sum of what the axes contribute. So shifts, masks, clamps and scaled coordinates
need no algebra of their own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roofline_analysis.traffic.footprint import Dimension
from roofline_core.algebra.evaluate import Environment, distinct, integers, median
from roofline_core.algebra.symbolic import Apply, Atom, Expr, Symbol
from roofline_core.program.records import record

Floats = NDArray[np.float64]
_MOST_VALUES: Final = 1 << 14
"""Values of an axis that are looked at; a longer axis is looked at in part."""
_MOST_IN_MESH: Final = 1 << 14
"""Places looked at where several axes are combined."""
_MOST_REMEMBERED: Final = 500
"""Operations whose values are kept along one axis."""
_FAR: Final = 4.0
"""Gaps of more than this many times the median gap part two runs of values.

Assumed, chosen without measurement: a run of values may miss a few."""


@record(frozen=True, slots=True)
class Axes:
    """What an address takes: the lowest value and the dimensions that are added to it."""

    start: float
    dimensions: tuple[Dimension, ...]


@record(frozen=True, slots=True)
class _Linear:
    """Symbols that count through a range together: each with its weight, the finest first."""

    weights: tuple[tuple[Symbol, int], ...]
    count: float

    def symbols_at(
        self, index: NDArray[np.int64], extents: Mapping[Symbol, float]
    ) -> dict[Symbol, NDArray[np.int64]]:
        """Each symbol's value where the index has these values."""
        result = {}
        for place, (symbol, weight) in enumerate(self.weights):
            value = index // weight
            if place + 1 < len(self.weights):
                value = value % max(1, round(extents[symbol]))
            result[symbol] = value
        return result


@record(frozen=True, slots=True)
class _Axis:
    """One direction in which an address moves."""

    symbol: Symbol | None
    """None: a digit of the linear index."""
    weight: int
    extent: float


def read_axes(
    expr: Expr,
    environment: Environment,
    extents: Mapping[Symbol, float],
    along: dict[object, Environment] | None = None,
) -> Axes | None:
    """The values of an expression whose symbols take ``extents`` values each.

    An extent below 1 is that of a loop that only some of the threads run, once. None where a symbol
    is without value. ``along`` is for many expressions in one environment: what they have in common
    is evaluated once.
    """
    return _Evaluation((expr,), environment, extents, along).read()


def share_reached(
    expr: Expr,
    conditions: Sequence[Expr],
    environment: Environment,
    extents: Mapping[Symbol, float],
) -> float:
    """The share of an expression's values that it still takes where the conditions hold.

    A condition on an index that the expression does not use takes none away. Conditions that
    cannot be evaluated are taken to hold; so are all where no place looked at passes.
    """
    return _Evaluation((expr, *conditions), environment, extents).share_reached()


def in_order(symbols: Collection[Symbol], extents: Mapping[Symbol, float]) -> list[Symbol]:
    """Some of the indices of ``extents``: those of threads, then loops, outermost first.

    The order is the same whatever was analysed before in this process.
    """
    places = {symbol: -place for place, symbol in enumerate(extents)}

    def place(symbol: Symbol) -> tuple[bool, int]:
        is_thread = symbol.scope == "thread"  # made once, in the order of their axes
        return not is_thread, symbol.serial if is_thread else places[symbol]

    return sorted(symbols, key=place)


# -- the linear index


def _linear_index(
    exprs: Sequence[Expr], environment: Environment, extents: Mapping[Symbol, float]
) -> _Linear | None:
    """The longest run of symbols that count through a range in an operation's operand."""
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
    # Where the finest index goes on in steps, the steps are what counts.
    return _Linear(tuple(chain), max(1.0, reach)) if len(chain) > 1 else None


def _plain_factor(expr: Expr, symbol: Symbol) -> Expr | None:
    """The factor of a symbol in the terms where it stands bare, None if it does in none."""
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
    linear: _Linear | None,
) -> list[_Axis]:
    members = {symbol for symbol, _ in linear.weights} if linear is not None else set()
    axes = [_Axis(symbol, 1, extent) for symbol, extent in extents.items() if symbol not in members]
    if linear is None:
        return axes
    radices = _Radices(environment, members)
    for expr in exprs:
        radices.step_of(expr)
    chain = [1]
    for radix in sorted(radices.found):
        if radix > chain[-1] and radix % chain[-1] == 0 and radix < linear.count:
            chain.append(radix)
    for place, weight in enumerate(chain):
        reach = chain[place + 1] if place + 1 < len(chain) else linear.count
        extent = reach / weight
        axes.append(_Axis(None, weight, extent if place + 1 < len(chain) else math.ceil(extent)))
    return axes


class _Radices:
    """The places of the linear index at which divisions and remainders cut it."""

    def __init__(self, environment: Environment, members: set[Symbol]) -> None:
        self._environment = environment
        self._members = members
        self._steps: dict[Apply, int] = {}
        self.found: set[int] = set()

    def step_of(self, operand: Expr) -> int:
        """What one step of an operand is worth in steps of the index; 0 if it has none of it."""
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
    """What an operation divides by, or takes the remainder of."""
    if atom.op not in ("div", "mod", "shr", "and"):
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


class _Evaluation:
    """Expressions along the axes that they have in common; the first is the address."""

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
        self._linear = _linear_index(exprs, environment, used)
        self._axes = _axes_of(exprs, environment, used, self._linear)
        self._along = {} if along is None else along

    def read(self) -> Axes | None:
        middles = [float(int(axis.extent) // 2) for axis in self._axes]
        base = self._at([np.array([middle]) for middle in middles], None)[0]
        if base is None:
            return None
        origin = float(base[0])
        start = origin
        dimensions: list[Dimension] = []
        for place, axis in enumerate(self._axes):
            steps, part = _places(axis.extent)
            columns = [np.full(len(steps), middle) for middle in middles]
            columns[place] = steps
            values = self._at(columns, place)[0]
            if values is None:
                return None
            start += float(values.min()) - origin
            dimensions += _dimensions(values, axis.extent, part)
        return Axes(start, tuple(dimensions))

    def share_reached(self) -> float:
        columns = _mesh([axis.extent for axis in self._axes])
        address, *conditions = self._at(columns, "mesh")
        if address is None:
            return 1.0
        passed = np.ones(len(address), dtype=bool)
        for condition in conditions:
            if condition is not None:
                passed &= condition != 0
        reached = len(distinct(address[passed]))
        return reached / len(distinct(address)) if reached else 1.0

    def _at(self, columns: list[Floats], where: object) -> list[Floats | None]:
        """The expressions where the axes have these places; None for what has no value.

        ``where`` names the places: others that have the same axes go through the same ones.
        """
        linear = self._linear
        counted = (
            [(symbol, self._extents[symbol]) for symbol, _ in linear.weights] if linear else ()
        )
        key = (where, linear, tuple(self._axes), tuple(counted))
        environment = self._along.get(key)
        if environment is None or environment.remembered > _MOST_REMEMBERED:
            environment = self._along[key] = self._there(columns)
        size = len(columns[0]) if columns else 1
        result: list[Floats | None] = []
        for expr in self._exprs:
            found = environment.evaluate(expr)
            if found is None:
                result.append(None)
            else:
                result.append(np.broadcast_to(np.asarray(found, dtype=np.float64), (size,)))
        return result

    def _there(self, columns: list[Floats]) -> Environment:
        values: dict[Symbol, object] = dict(self._environment.values)
        index = np.zeros(len(columns[0]) if columns else 1, dtype=np.int64)
        for axis, column in zip(self._axes, columns, strict=True):
            places = integers(column)
            if axis.symbol is None:
                index = index + places * axis.weight
            else:
                values[axis.symbol] = places
        if self._linear is not None:
            values.update(self._linear.symbols_at(index, self._extents))
        return Environment(values)


def _mesh(extents: list[float]) -> list[Floats]:
    """Places of several axes in all combinations, of long axes only some."""
    counts = [max(1, math.ceil(extent)) for extent in extents]
    most = max(counts, default=1)
    while math.prod(min(count, most) for count in counts) > _MOST_IN_MESH and most > 1:
        most = most * 3 // 4
    chosen = [
        np.arange(count) if count <= most else np.arange(most) * (count / most) // 1
        for count in counts
    ]
    grids = np.meshgrid(*chosen, indexing="ij") if chosen else []
    return [np.asarray(grid, dtype=np.float64).ravel() for grid in grids]


def _places(extent: float) -> tuple[Floats, float]:
    """The places of an axis to look at, and the share of the axis that they are."""
    count = max(1, math.ceil(extent))
    if count <= _MOST_VALUES:
        return np.arange(count, dtype=np.float64), 1.0
    return np.arange(_MOST_VALUES, dtype=np.float64), _MOST_VALUES / extent


def _dimensions(values: Floats, extent: float, part: float) -> list[Dimension]:
    """Values along one axis as dimensions; ``part`` of the axis was looked at."""
    steps = np.diff(values)
    if not len(steps):
        return []
    if np.all(steps == steps[0]):
        return [Dimension(float(steps[0]), extent)] if steps[0] else []
    places = distinct(values)
    gaps = np.diff(places)
    if not len(gaps):
        return []
    typical = median(gaps)
    breaks = gaps > _FAR * typical
    runs = 1.0 + float(breaks.sum())
    length = len(places) / runs
    stride = float(gaps[~breaks].mean())
    rising = bool(np.all(steps >= 0) or np.all(steps <= 0))
    if runs > 1:
        starts = np.concatenate(([places[0]], places[1:][breaks]))
        far = float(np.diff(starts).mean())
        result = [Dimension(stride, length)] if length > 1 else []
        # What is not monotonous goes on within the range it has.
        return [*result, Dimension(far if rising else far * part, runs / part)]
    return [Dimension(stride if rising else stride * part, length / part)]
