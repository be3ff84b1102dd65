"""Ranges of indices inside guards: ``x < width`` shortens a range, ``x == 0`` leaves one value.

A condition that compares an index, or a linear index over several symbols (``blockIdx.x *
blockDim.x + threadIdx.x < n``), reduces the extents of its symbols. For other conditions, the
remaining addresses are counted. A condition on data alone removes none: its threads are scattered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from roofline_analysis.counting.branch_odds import odds_of
from roofline_analysis.counting.execution import Execution
from roofline_analysis.regions.conditions import has_a_trip
from roofline_analysis.regions.kernel_summary import Access, Region, RegionForm
from roofline_analysis.traffic.index_axes import Along, share_reached
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import DATA_SCOPES, SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol
from roofline_core.program.records import record

_TRUTHS: Final = frozenset(("lt", "le", "eq", "ne", "land", "lor"))


@record(frozen=True, slots=True)
class _Condition:
    expr: Expr
    odds: float | None
    """For a comparison of an index with data: the share of the index's values for which it holds.
    None for other conditions."""
    guard: Region


@record(frozen=True, slots=True)
class IndexRanges:
    """The index values of the threads and loop trips that pass the guards around a region."""

    extents: Mapping[Symbol, float]
    """The number of values of each symbol."""
    conditions: tuple[_Condition, ...]
    """The conditions that do not reduce an extent."""
    _shares: dict[tuple[Expr, tuple[Expr, ...]], float] = field(default_factory=dict)
    """Cache of shares, by the part of the address that varies and the conditions."""
    _along: Along = field(default_factory=dict)
    """Cache of what the conditions are along the axes of addresses."""

    def leaves_out(self, offset: Expr) -> bool:
        """Whether a condition on an address's indices is not in the extents."""
        symbols = {symbol for symbol in offset.symbols() if symbol in self.extents}
        return any(not symbols.isdisjoint(each.expr.symbols()) for each in self.conditions)

    def share_of(self, offset: Expr, access: Access, environment: Environment) -> float:
        """The share of an address's values, 0 to 1, that remain under ``conditions``."""
        symbols = {symbol for symbol in offset.symbols() if symbol in self.extents}
        cutting = [c for c in self.conditions if not symbols.isdisjoint(c.expr.symbols())]
        share = 1.0
        for condition in cutting:
            if condition.odds is not None and not _otherwise(condition.guard, access):
                share *= condition.odds
        exact = tuple(condition.expr for condition in cutting if condition.odds is None)
        if not exact:
            return share
        moving = Expr({monomial: n for monomial, n in offset.terms.items() if monomial})
        if (moving, exact) not in self._shares:
            reached = share_reached(moving, exact, environment, self.extents, self._along)
            self._shares[moving, exact] = reached
        return share * self._shares[moving, exact]


def _otherwise(guard: Region, access: Access) -> bool:
    """Whether threads that fail a guard access the same array in its other branch."""
    return guard.parent is not None and any(
        other.array is access.array and other.mode is access.mode
        for sibling in guard.parent.children
        if sibling is not guard and sibling.form is RegionForm.GUARD and sibling.site == guard.site
        for region in sibling.walk()
        for other in region.accesses
    )


def cut_by_guards(
    region: Region, execution: Execution, extents: Mapping[Symbol, float]
) -> IndexRanges:
    """``extents`` reduced by the guards around a region."""
    left = dict(extents)
    others: list[_Condition] = []
    for guard in region.guards():
        runs = execution.regions.get(guard)
        if runs is None or runs.share >= 1.0:
            continue
        for condition in guard.conditions:
            if condition is None or _cut_by(condition, execution.environment, left):
                continue
            on_data = any(s.scope in DATA_SCOPES for s in condition.symbols())
            odds = odds_of(condition, guard) if on_data else None
            others.append(_Condition(condition, odds, guard))
    for loop in region.loops():
        # Threads without a trip, as those of a grid-stride loop beyond the data, do not come here.
        entered = has_a_trip(loop.trips) if loop.trips is not None else None
        if entered is not None and any(s.scope is SymbolScope.THREAD for s in entered.symbols()):
            _enter(loop, entered, execution.environment, left)
    return IndexRanges(left, tuple(others))


def _enter(
    loop: Region, entered: Expr, environment: Environment, left: dict[Symbol, float]
) -> None:
    """Leave the threads that have a trip of a loop, each with the trips that it has."""
    before = dict(left)
    if not _cut_by(entered, environment, left) or loop.counter not in left:
        return
    assert loop.counter is not None
    fewer = math.prod(extent / left[symbol] for symbol, extent in before.items() if left[symbol])
    left[loop.counter] *= fewer


def _cut_by(condition: Expr, environment: Environment, left: dict[Symbol, float]) -> bool:
    """Reduce ``left`` by one condition; False if the condition is not a range of an index."""
    comparison = _single(condition)
    if comparison is None or comparison.op not in ("lt", "le", "eq"):
        return False
    operand = comparison.args[0]
    if comparison.op == "eq" and _is_truth(operand):
        return False
    digits: list[tuple[float, Symbol]] = []
    rest = operand
    for symbol in operand.symbols():
        if symbol not in left:
            continue
        coefficient = operand.coefficient(symbol)
        weight = environment.evaluate(coefficient) if coefficient is not None else None
        if coefficient is None or weight is None or any(s in left for s in coefficient.symbols()):
            return False
        rest = rest.without(symbol)
        if weight and left[symbol] > 1:
            digits.append((float(weight), symbol))
    start = environment.evaluate(rest)
    if start is None or not digits or len({weight > 0 for weight, _ in digits}) > 1:
        return False
    digits.sort(key=lambda digit: abs(digit[0]))
    reach = 1.0
    for weight, symbol in digits:
        if comparison.op != "eq" and abs(weight) < abs(digits[0][0]) * reach:
            return _cut_coarsest(comparison.op, float(start), digits, left)
        reach += abs(weight / digits[0][0]) * (left[symbol] - 1)
    if comparison.op == "eq":
        values = 1.0
    else:
        values = _passing(comparison.op, float(start), digits[0][0], reach)
    _shrink(left, digits, values)
    return True


def _cut_coarsest(
    op: str, start: float, digits: list[tuple[float, Symbol]], left: dict[Symbol, float]
) -> bool:
    """Reduce the coarsest of indices whose steps overlap: tiles with a border, say."""
    *finer, (step, coarsest) = digits
    lowest = start + sum(min(0.0, weight * (left[symbol] - 1)) for weight, symbol in finer)
    if any(symbol in left and weight == step for weight, symbol in finer):
        return False
    left[coarsest] = max(1.0, _passing(op, lowest, step, left[coarsest]))
    return True


def _passing(op: str, start: float, step: float, count: float) -> float:
    """The number of ``start + step * j``, 0 <= j < ``count``, below 0 (``lt``) or at most 0."""
    bound = -start / step
    closed = op == "le"
    if step > 0:
        below = bound // 1 + 1 if closed else -(-bound // 1)
        return min(count, max(0.0, below))
    below = -(-bound // 1) if closed else bound // 1 + 1
    return min(count, max(0.0, count - below))


def _shrink(left: dict[Symbol, float], digits: list[tuple[float, Symbol]], values: float) -> None:
    """Reduce a linear index, given by its symbols and weights, to ``values`` values."""
    unit = abs(digits[0][0])
    for weight, symbol in reversed(digits):
        left[symbol] = min(left[symbol], max(1.0, values * unit / abs(weight)))
        if left[symbol] > 1:
            # All finer digits keep their whole range.
            break


def _single(condition: Expr) -> Apply | None:
    if len(condition.terms) != 1:
        return None
    (monomial, factor), *_ = condition.terms.items()
    if factor != 1 or len(monomial) != 1 or not isinstance(monomial[0], Apply):
        return None
    return monomial[0]


def _is_truth(operand: Expr) -> bool:
    """Whether an operand is a truth value, so that ``operand == 0`` is its negation."""
    found = _single(operand)
    return found is not None and found.op in _TRUTHS
