"""Exact trip counts of grid-stride loops over all threads of a launch, as sums of floors."""

from __future__ import annotations

from roofline_core.algebra.symbolic import Apply, Expr


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
