"""Exact counts over all threads of a launch, for cases that a sample of threads misses.

Sums of floors count the trips of grid-stride loops. Conditions on few indices are evaluated for
every combination of index values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol

_MAX_COMBINATIONS: Final = 1 << 16
"""The most combinations of indices that are tried one by one. A limit on the work."""


def floor_sum(count: int, divisor: int, step: int, start: int) -> int:
    """The sum of ``(start + step * j) // divisor`` for j below ``count``; ``divisor`` above 0.

    Works like the Euclidean algorithm: the number of steps is logarithmic in ``divisor``.
    """
    total = 0
    if step < 0:
        # The same terms in reverse order.
        start, step = start + step * (count - 1), -step
    while count > 0:
        total += count * (count - 1) // 2 * (step // divisor) + count * (start // divisor)
        step, start = step % divisor, start % divisor
        reached = step * count + start
        if reached < divisor:
            break
        count, start = divmod(reached, divisor)
        divisor, step = step, divisor
    return total


def sum_of_positive_floors(count: int, divisor: int, step: int, start: int) -> int:
    """The sum of ``max((start + step * j) // divisor, 0)`` for j below ``count``."""
    if step < 0:
        start, step = start + step * (count - 1), -step
    if start < divisor:
        # Terms before the first that is at least 1 contribute nothing.
        if step == 0:
            return 0
        skipped = min(count, -(-(divisor - start) // step))
        count, start = count - skipped, start + step * skipped
    return floor_sum(count, divisor, step, start) if count > 0 else 0


def strided_trips(trips: Expr) -> tuple[Expr, Expr] | None:
    """``(distance, stride)`` of a trip count ``max(distance / stride, 0)``; None for others."""
    outer = _single(trips)
    if outer is None or outer.op != "max" or outer.args[1].constant != 0:
        return None
    inner = _single(outer.args[0])
    return (inner.args[0], inner.args[1]) if inner is not None and inner.op == "div" else None


def _single(expr: Expr) -> Apply | None:
    if len(expr.terms) != 1:
        return None
    (monomial, factor), *_ = expr.terms.items()
    if factor != 1 or len(monomial) != 1 or not isinstance(monomial[0], Apply):
        return None
    return monomial[0]


def enumerated_share(
    conditions: Iterable[Expr | None],
    around: Iterable[Expr | None],
    environment: Environment,
    extents: Mapping[Symbol, int],
) -> float | None:
    """The share of threads that pass ``conditions``, among those that pass ``around``.

    None if a condition depends on anything but the launch and few thread indices.
    """
    wanted = list(conditions)
    used = _indices(wanted)
    if used is None or not used:
        return None
    outer = []
    for condition in around:
        theirs = _indices((condition,))
        if theirs is None:
            return None
        if theirs & used:
            outer.append(condition)
            used |= theirs
    if math.prod(extents[symbol] for symbol in used) > _MAX_COMBINATIONS:
        return None
    lanes = environment
    for axis, symbol in enumerate(sorted(used, key=lambda each: each.name)):
        shape = [1] * len(used)
        shape[axis] = extents[symbol]
        lanes = lanes.extended(symbol, np.arange(extents[symbol]).reshape(shape))
    inside = _passing(outer, lanes)
    both = _passing([*outer, *wanted], lanes)
    if inside is None or both is None:
        return None
    grid = np.ones([extents[symbol] for symbol in sorted(used, key=lambda each: each.name)])
    total = float((grid * inside).sum())
    return float((grid * both).sum()) / total if total else None


def _indices(conditions: Iterable[Expr | None]) -> set[Symbol] | None:
    """The thread indices in conditions; None if a condition has other symbols without a value."""
    found: set[Symbol] = set()
    for condition in conditions:
        if condition is None:
            return None
        for symbol in condition.symbols():
            if symbol.scope is SymbolScope.THREAD:
                found.add(symbol)
    return found


def _passing(conditions: Iterable[Expr | None], lanes: Environment) -> np.ndarray | None:
    passed = np.ones((), dtype=bool)
    for condition in conditions:
        value = lanes.evaluate(condition) if condition is not None else None
        if value is None:
            return None
        passed = passed & (np.asarray(value) != 0)
    return passed
