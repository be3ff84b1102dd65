"""Open numbers of the host that a kernel is given as they are, assumed by what it does with them.

A radius in a library is no extent, and the leading dimension of an array is not less than a row of
it. What kernels do with such numbers says which they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.argument_roles import (
    ITERATIONS,
    MARGIN,
    START,
    is_leading_dimension,
    iteration_counts,
    margins,
    masks,
    selectors,
    shifts,
    starts,
)
from roofline_analysis.launch.dense_strides import DENSE, only_in_addresses, spread
from roofline_analysis.launch.sizes_from_guards import KernelArguments
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, from_atom
from roofline_core.program.dims import Dim3

_SMALL: Final = "taken to be small, as it keeps threads from the edges"
_REPEATS: Final = "taken to be small, as it counts iterations"
_ROW: Final = "taken to be no less than a row, by its name"
_SHIFTS: Final = "taken to be small, as numbers are shifted by it"
_BEGINS: Final = "taken to be the first, as loops begin at it"
_PICKS_BITS: Final = "taken to be few bits, as it masks others"
_CHOOSES: Final = "taken to be a value that the kernel asks for"


def assume_roles(
    summary: KernelSummary, arguments: KernelArguments, context: LaunchContext
) -> None:
    """Give the host's open numbers that the kernel takes for no sizes the usual ones of their role.

    Margins, which keep indices away from edges, and numbers of iterations are made small.
    """
    own = _passed_alone(arguments, context)
    for symbol in sorted(margins(summary) & own.keys(), key=lambda s: s.name):
        if (arguments.values.get(symbol) or 0) > MARGIN:
            arguments.host.learn(own[symbol], MARGIN, _SMALL)
    for symbol in sorted(iteration_counts(summary) & own.keys(), key=lambda s: s.name):
        if (arguments.values.get(symbol) or 0) > ITERATIONS:
            arguments.host.suppose(own[symbol], ITERATIONS, _REPEATS)
    for symbol in sorted(starts(summary) & own.keys(), key=lambda s: s.name):
        arguments.host.suppose(own[symbol], START, _BEGINS)
    chosen = selectors(summary)
    for symbol in sorted(chosen.keys() & own.keys(), key=lambda s: s.name):
        arguments.host.suppose(own[symbol], chosen[symbol], _CHOOSES)
    shifted = shifts(summary)
    for symbol in sorted(shifted.keys() & own.keys(), key=lambda s: s.name):
        if (arguments.values.get(symbol) or 0) > shifted[symbol]:
            arguments.host.suppose(own[symbol], shifted[symbol], _SHIFTS)
    bits = masks(summary)
    for symbol in sorted(bits.keys() & own.keys(), key=lambda s: s.name):
        arguments.host.suppose(own[symbol], bits[symbol], _PICKS_BITS)
    _lengthen_rows(arguments, own)
    arguments.refresh()


def _lengthen_rows(arguments: KernelArguments, own: Mapping[Symbol, Symbol]) -> None:
    """Make leading dimensions no less than the largest extent that is assumed."""
    rows = {symbol for symbol in own if is_leading_dimension(symbol.name)}
    extents = [
        arguments.values[symbol]
        for symbol in arguments.ties.keys() - rows
        if symbol.scope is SymbolScope.PARAM
    ]
    longest = max(extents, default=0)
    for symbol in sorted(rows, key=lambda s: s.name):
        if arguments.values[symbol] < longest:
            arguments.host.suppose(own[symbol], longest, _ROW)


def spread_arrays(
    summary: KernelSummary,
    arguments: KernelArguments,
    context: LaunchContext | None,
    grid: Dim3,
    block: Dim3,
) -> None:
    """Set strides that nothing fixes to those of dense arrays, the host's open numbers too."""
    only = only_in_addresses(summary)
    own = _decided(arguments, context, only) if context is not None else {}
    strides = {s: arguments.ties[s] for s in only & own.keys()}
    for symbol in strides:
        arguments.ties.pop(symbol)
        arguments.assumed[symbol] = int(arguments.values[symbol])
    spread(summary, arguments, grid, block)
    widest: dict[Symbol, int] = {}
    for symbol, tie in strides.items():
        arguments.ties[symbol] = tie
        arguments.assumed.pop(symbol, None)
        number = arguments.dense.pop(symbol, None)
        if number is not None and tie == from_atom(own[symbol]):
            widest[own[symbol]] = max(widest.get(own[symbol], 1), int(number))
        elif number is not None:
            arguments.host.solve(tie, number, DENSE)
    for unknown, number in widest.items():
        arguments.host.learn(unknown, number, DENSE)
    arguments.refresh()


def _passed_alone(arguments: KernelArguments, context: LaunchContext) -> dict[Symbol, Symbol]:
    """Kernel arguments that are an open number of the host, which decides nothing else."""
    found = _decided_alone(arguments, context)
    return {s: unknown for s, unknown in found.items() if arguments.ties[s] == from_atom(unknown)}


def _decided_alone(arguments: KernelArguments, context: LaunchContext) -> dict[Symbol, Symbol]:
    """Kernel arguments that are computed of one open number, which decides nothing else."""
    return _decided(arguments, context, frozenset())


def _decided(
    arguments: KernelArguments, context: LaunchContext, strides: AbstractSet[Symbol]
) -> dict[Symbol, Symbol]:
    """Kernel arguments that are computed of one open number, which decides nothing else.

    Several of ``strides`` may be one such number: the pitch of two images of one class.
    """
    dims = [*(context.grid or ()), *(context.block or ())]
    elsewhere = {symbol for extent in dims for symbol in extent.symbols()}
    users = Counter(
        symbol
        for _, tie in {(s.name, tie) for s, tie in arguments.ties.items()}
        for symbol in tie.symbols()
    )
    rows = {s.name for s in strides}
    alone = {s.name: tie for s, tie in arguments.ties.items() if s.name in rows}
    shared = Counter(
        symbol for tie in alone.values() for symbol in tie.symbols() if tie == from_atom(symbol)
    )
    found: dict[Symbol, Symbol] = {}
    for symbol, tie in arguments.ties.items():
        numbers = arguments.host.open_symbols(tie)
        if len(numbers) != 1 or numbers[0] in elsewhere:
            continue
        if users[numbers[0]] in (1, shared[numbers[0]]):
            found[symbol] = numbers[0]
    return found
