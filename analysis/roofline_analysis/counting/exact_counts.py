"""Exact trip counts of grid-stride loops over all threads of a launch, as sums of floors."""

from __future__ import annotations

from roofline_analysis.counting.progressions import progression
from roofline_analysis.regions.conditions import single_apply
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.dims import Dim3


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
    outer = single_apply(trips)
    if outer is None or outer.op != "max" or outer.args[1].constant != 0:
        return None
    inner = single_apply(outer.args[0])
    return (inner.args[0], inner.args[1]) if inner is not None and inner.op == "div" else None


def mean_strided_trips(
    trips: Expr, grid: Dim3, block: Dim3, environment: Environment
) -> float | None:
    """The mean trips of a grid-stride loop over all threads; None for other loops."""
    form = strided_trips(trips)
    if form is None:
        return None
    found = progression(form[0], grid, block, environment)
    stride = environment.evaluate(form[1])
    if found is None or stride is None:
        return None
    start, step, count, _ = found
    whole = all(float(each).is_integer() for each in (start, step, stride))
    if not whole or stride <= 0 or not step:
        return None
    return sum_of_positive_floors(count, int(stride), int(step), int(start)) / count
