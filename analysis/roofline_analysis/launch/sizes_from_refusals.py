"""Assumed numbers, made small enough for a kernel to accept them.

``if (n > MAX_N) return;`` at the head of a kernel says that no launch with a larger n is meant.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from roofline_analysis.launch.assumed_numbers import AssumedNumber, largest, numbers_behind
from roofline_analysis.launch.sizes_from_guards import KernelArguments
from roofline_analysis.regions.conditions import single_apply
from roofline_analysis.regions.kernel_summary import KernelSummary, Region, Role, once_a_summary
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr

ACCEPTED: Final = "so that the kernel does not return at once"


def accept(summary: KernelSummary, arguments: KernelArguments) -> None:
    """Reduce assumed numbers for which all threads of a kernel would leave it.

    Those of the kernel alone, or of the host; what is reduced stays a guess.
    """
    if not (arguments.assumed or arguments.ties):
        return
    for condition in _demands(summary):
        if Environment(arguments.values).evaluate(condition) != 0:
            continue
        for number in numbers_behind(condition.symbols(), arguments):
            size = largest(partial(_holds, condition, number), number.now)
            if size is not None:
                number.reduce(size, ACCEPTED)
                break


def _holds(condition: Expr, number: AssumedNumber, size: int) -> bool:
    return bool(Environment(number.values(size)).evaluate(condition))


@once_a_summary
def _demands(summary: KernelSummary) -> tuple[Expr, ...]:
    """The comparisons of arguments that hold for the threads that did not leave at once."""
    return tuple(
        condition
        for region in summary.root.walk()
        if region.role is Role.FALLS_THROUGH and region.innermost_loop is None
        if _is_idle_elsewhere(region)
        for condition in region.conditions
        if condition is not None and _is_of_arguments(condition)
    )


def _is_idle_elsewhere(region: Region) -> bool:
    """Whether the threads that leave there have done nothing: no other way to the same result."""
    beside = region.parent.children if region.parent is not None else []
    before = beside[: next(at for at, each in enumerate(beside) if each is region)]
    leaving = before[-1] if before and before[-1].role is Role.EXITS else None
    return leaving is not None and not any(each.accesses for each in leaving.walk())


def _is_of_arguments(condition: Expr) -> bool:
    compared = single_apply(condition)
    scopes = {symbol.scope for symbol in condition.symbols()}
    return compared is not None and compared.op in ("lt", "le") and scopes == {SymbolScope.PARAM}
