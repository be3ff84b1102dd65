"""The thread blocks of a grid at which conditions turn from true to false, or back.

Between them a sample of blocks is taken for itself, so that a condition which only the first blocks
of a large grid meet is neither missed nor taken for one that half of them meet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.counting.progressions import thread_extents
from roofline_analysis.device.values import THREAD
from roofline_analysis.regions.kernel_summary import Region
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol
from roofline_core.program.dims import Dim3

_COMPARISONS: Final = frozenset(("lt", "le", "eq", "ne"))
_CHOICES: Final = frozenset(("min", "max"))
_MOST: Final = 8
"""The most blocks that are found. A limit on the work."""
_AXES: Final = "xyz"


def turning_blocks(root: Region, grid: Dim3, block: Dim3, environment: Environment) -> list[int]:
    """The linear indices of blocks at which a part of the grid begins, in order, without 0.

    A condition that is affine in one block index and in thread indices has two: the first block in
    which some thread is on the other side, and the first in which all are.
    """
    extents = thread_extents(grid, block)
    found: set[int] = set()
    seen: set[int] = set()
    for compared in _compared(root, seen):
        found.update(_turns(compared, grid, extents, environment))
        if len(found) >= _MOST:
            break
    return sorted(found)[:_MOST]


def _compared(region: Region, seen: set[int]) -> Iterator[Expr]:
    """What the conditions and trip counts of a region and those in it compare with 0."""
    for expr in (*region.conditions, region.trips):
        if expr is not None:
            yield from _in_expression(expr, seen)
    for child in region.children:
        yield from _compared(child, seen)


def _in_expression(expr: Expr, seen: set[int]) -> Iterator[Expr]:
    for monomial in expr.terms:
        for factor in monomial:
            if not isinstance(factor, Apply) or id(factor) in seen:
                continue
            seen.add(id(factor))
            if not any(symbol.scope is SymbolScope.THREAD for symbol in factor.symbols):
                continue
            if factor.op in _COMPARISONS:
                yield factor.args[0]
            elif factor.op in _CHOICES and len(factor.args) == 2:
                yield factor.args[0] - factor.args[1]
            for argument in factor.args:
                yield from _in_expression(argument, seen)


def _turns(
    expr: Expr, grid: Dim3, extents: Mapping[Symbol, int], environment: Environment
) -> Iterator[int]:
    """The blocks at which an expression's sign begins and ends to turn."""
    indices = [symbol for symbol in expr.symbols() if symbol.scope is SymbolScope.THREAD]
    axes = [axis for axis in _AXES if THREAD[f"blockIdx.{axis}"] in indices]
    if len(axes) != 1 or not _is_row(axes[0], grid):
        return
    slopes: dict[Symbol, float] = {}
    rest = expr
    for symbol in indices:
        coefficient = expr.coefficient(symbol)
        value = environment.evaluate(coefficient) if coefficient is not None else None
        if value is None or coefficient is None:
            return
        slopes[symbol] = float(value)
        rest = rest.without(symbol)
    start = environment.evaluate(rest)
    slope = slopes.pop(THREAD[f"blockIdx.{axes[0]}"])
    if start is None or not slope:
        return
    ends = [each * (extents[symbol] - 1) for symbol, each in slopes.items()]
    lowest = float(start) + sum(min(0.0, each) for each in ends)
    highest = float(start) + sum(max(0.0, each) for each in ends)
    first, last = sorted((-lowest / slope, -highest / slope))
    if not (math.isfinite(first) and math.isfinite(last)):
        return  # A slope so small, or an end so far, that no block is it.
    position = _AXES.index(axes[0])
    stride = math.prod(grid[:position])
    for turn in (math.floor(first), math.floor(last) + 1):
        if 0 < turn < grid[position]:
            yield turn * stride


def _is_row(axis: str, grid: Dim3) -> bool:
    """Whether blocks of one index lie together in the grid's linear order."""
    return all(count == 1 for count in grid[_AXES.index(axis) + 1 :])
