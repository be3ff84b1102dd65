"""Conditions that are affine in the thread indices, counted exactly over all threads."""

from __future__ import annotations

import numpy as np

from roofline_analysis.device.values import THREAD
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.folding import FOLD
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class PassingRange:
    """The places of a progression of thread indices at which a condition holds."""

    digits: tuple[tuple[Symbol, float], ...]
    """What the progression runs over: indices and their weights."""
    count: int
    """Places in all."""
    first: int | None
    """The first that passes; None where those that pass are not consecutive."""
    passing: int

    @property
    def share(self) -> float:
        """The share of the places that pass."""
        return self.passing / self.count

    def meet(self, other: PassingRange) -> PassingRange | None:
        """Where both hold; None if that cannot be told from their ends."""
        if self.first is None or other.first is None:
            return None
        first = max(self.first, other.first)
        end = min(self.first + self.passing, other.first + other.passing)
        return PassingRange(self.digits, self.count, first, max(0, end - first))


def exact_condition(
    condition: Expr, grid: Dim3, block: Dim3, environment: Environment
) -> PassingRange | None:
    """Where a condition holds that is affine in indices; None if it is none of these."""
    if len(condition.terms) != 1:
        return None
    (monomial, factor), *_ = condition.terms.items()
    if factor != 1 or len(monomial) != 1 or not isinstance(monomial[0], Apply):
        return None
    comparison = monomial[0]
    if comparison.op not in ("lt", "le", "eq", "ne"):
        return None
    found = progression(comparison.args[0], grid, block, environment)
    if found is None:
        return None
    start, step, count, digits = found
    passing = count_satisfying(comparison.op, start, step, count)
    first: int | None = count - passing if step < 0 else 0
    if comparison.op == "eq" and passing == 1 and step:
        first = int(-start / step)
    elif comparison.op == "ne" and 0 < passing < count:
        first = None
    return PassingRange(digits, count, first, passing)


def progression(
    expr: Expr, grid: Dim3, block: Dim3, environment: Environment
) -> tuple[float, float, int, tuple[tuple[Symbol, float], ...]] | None:
    """``start + step * j`` for j below ``count``, if that is what the threads' values are.

    The last part says what ``j`` is: each index and its weight, the finest first.
    """
    extents = thread_extents(grid, block)
    rest = expr
    digits: list[tuple[Symbol, float]] = []
    for symbol in expr.symbols():
        if symbol.scope is not SymbolScope.THREAD:
            continue
        coefficient = expr.coefficient(symbol)
        value = environment.evaluate(coefficient) if coefficient is not None else None
        if value is None or coefficient is None:
            return None
        rest = rest.without(symbol)
        if value != 0 and extents[symbol] > 1:
            digits.append((symbol, float(value)))
    start = environment.evaluate(rest)
    if start is None or any(s.scope is SymbolScope.THREAD for s in rest.symbols()):
        return None
    if not digits:
        return float(start), 0.0, 1, ()
    digits.sort(key=lambda digit: abs(digit[1]))
    first, step = digits[0]
    count = extents[first]
    for symbol, value in digits[1:]:
        if value != step * count:
            return None
        count *= extents[symbol]
    return float(start), step, count, tuple((s, value / step) for s, value in digits)


def thread_extents(grid: Dim3, block: Dim3) -> dict[Symbol, int]:
    """How many values each thread index takes; first the index that changes from lane to lane."""
    return {
        **{THREAD[f"threadIdx.{axis}"]: n for axis, n in zip("xyz", block, strict=True)},
        **{THREAD[f"blockIdx.{axis}"]: n for axis, n in zip("xyz", grid, strict=True)},
    }


def count_satisfying(op: str, start: float, step: float, count: int) -> int:
    """How many of ``start + step * j``, j below ``count``, compare so with 0."""
    if step == 0:
        return count if FOLD[op](start) else 0
    if op in ("eq", "ne"):
        root = -start / step
        hit = int(0 <= root < count and root == int(root))  # A step so small makes it infinite.
        return hit if op == "eq" else count - hit
    if step > 0:
        # start + step * j < 0  <=>  j < -start / step
        bound = -start / step
        return int(np.clip(np.ceil(bound) if op == "lt" else np.floor(bound) + 1, 0, count))
    bound = start / -step
    below = np.clip(np.floor(bound) + 1 if op == "lt" else np.ceil(bound), 0, count)
    return int(count - below)
