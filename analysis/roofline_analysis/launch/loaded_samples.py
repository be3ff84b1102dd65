"""Samples of what a kernel loads from memory that the host filled, by the symbols of the loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    KernelSummary,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol

_LOAD_APART: Final = 49
"""Shift between the samples of two loads, so that all pairs of values occur."""


def samples_of_loads(
    summary: KernelSummary, context: LaunchContext
) -> Iterator[tuple[Symbol, tuple[float, ...]]]:
    """Samples of the values of loads from host-filled memory or from an argument.

    Each load has its samples in another order, because two loads are taken to be independent.
    """
    known = {name: each for name, each in context.draws.items() if isinstance(each, tuple)}
    if not known:
        return
    accesses = [access for region in summary.root.walk() for access in region.accesses]
    related = _neighbours(accesses)
    for assumption in summary.assumptions:
        if assumption.name in known and assumption.symbol not in summary.tickets:
            if assumption.symbol not in related:
                yield assumption.symbol, known[assumption.name]
    for position, access in enumerate(accesses):
        loaded = [(access.array.name, access.yields)] if access.yields is not None else []
        for number, (name, symbol) in enumerate((*loaded, *access.members)):
            found = known.get(name)
            if found is not None and symbol not in related:
                yield symbol, _reordered(found, position + number * len(accesses))


def _neighbours(accesses: Sequence[Access]) -> set[Symbol]:
    """What is loaded at places that other loads name, of arrays that threads read elsewhere, too.

    It is as a rule of neighbours: the numbers of both belong together, and samples of either say
    nothing of the two.
    """
    reads = [access for access in accesses if access.mode is AccessMode.READ]
    plain = {access.array for access in reads if not _is_gathered(access)}
    found: set[Symbol] = set()
    for access in reads:
        if access.array in plain and _is_gathered(access):
            found.update(symbol for _, symbol in access.members)
            if access.yields is not None:
                found.add(access.yields)
    return found


def _is_gathered(access: Access) -> bool:
    return any(symbol.scope is SymbolScope.DATA for symbol in access.offset.symbols())


def _reordered(draws: tuple[float, ...], position: int) -> tuple[float, ...]:
    count, step = len(draws), 2 * position * _LOAD_APART + 1
    return tuple(draws[at * step % count] for at in range(count))
