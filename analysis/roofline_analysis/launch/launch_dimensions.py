"""The grid and block of a launch: those that are given or the host's, else assumed ones."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.launch.host_numbers import HostNumbers, Known, solve_dimensions
from roofline_analysis.launch.impossible import MOST_BLOCKS, is_block
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    KernelSummary,
    MemorySpace,
    Region,
    once_a_summary,
)
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, from_atom
from roofline_core.program.dims import Dim3
from roofline_core.program.records import record

ASSUMED_BLOCK: Final = 256
"""Threads of a block of an unknown size.

Assumed, chosen without measurement, as are the launches below: common block dimensions, and a grid
that fills any GPU."""
ASSUMED_THREADS: Final = 1 << 20
"""Threads of a launch with an unknown grid."""
_ASSUMED_BLOCKS: Final = {1: (ASSUMED_BLOCK, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_ASSUMED_EXTENTS: Final = {2: (1 << 10, 1 << 10, 1), 3: (1 << 7, 1 << 7, 1 << 6)}
"""Threads in x, y and z of such a launch, by the number of dimensions that the kernel uses."""
_BY_INDICES: Final = "taken to be the usual one for the indices that the kernel uses"
_INDICES: Final = frozenset(THREAD.values())
_BLOCKS: Final = frozenset(
    symbol
    for name, symbol in (*THREAD.items(), *LAUNCH.items())
    if name.startswith(("blockIdx", "gridDim"))
)
_OPEN: Final = frozenset((SymbolScope.DATA, SymbolScope.CARRIED, SymbolScope.UNKNOWN))
_THREADS: Final = frozenset(s for name, s in THREAD.items() if name.startswith("threadIdx"))


@record(frozen=True, slots=True)
class LaunchDimensions:
    """The grid and block that a launch is analysed with."""

    grid: Dim3
    block: Dim3
    """Threads of a block in x, y and z."""
    given_grid: Known
    """The grid that overrides the host's, as of a measurement; None where there is none."""
    given_block: Known
    grid_known: bool
    """False where the whole grid is assumed: it is neither given nor computed by the host."""
    block_known: bool
    """As for the grid, but for a block that the kernel itself may require."""
    grid_too_large: bool = False
    """The host computes a grid that no GPU runs, with the numbers that are assumed for it."""

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    def of_host(self, context: LaunchContext | None) -> list[Expr]:
        """The host's numbers for what is not given; none where no launch was found."""
        if context is None:
            return []
        grid = context.grid if self.given_grid is None else None
        block = context.block if self.given_block is None else None
        return [*(grid or ()), *(block or ())]


def launch_dimensions(
    summary: KernelSummary,
    context: LaunchContext | None,
    host: HostNumbers,
    grid: Known,
    block: Known,
) -> LaunchDimensions:
    """The dimensions of a launch; ``grid`` and ``block``, if given, override the host's.

    The host's open numbers are solved for them first. A block of unknown size is the one that the
    kernel requires, if it does.
    """
    if context is not None:
        # The block first, because grids are computed from it. A block at its limit tells less.
        solve_dimensions(host, context.block, block, saturated=False)
        solve_dimensions(host, context.grid, grid, saturated=True)
        solve_dimensions(host, context.block, block, saturated=True)
        _suppose_dimensions(summary, context, host)
    required = summary.required_block
    required = required if required is not None and is_block(required) else None
    found_block = block or required or _block(context, host)
    found_grid = grid or _dimensions(context.grid if context is not None else None, host)
    wanted = wanted_symbols(summary)
    used_block = found_block or _assumed_block(summary, wanted)
    return LaunchDimensions(
        grid=found_grid or _assumed_grid(summary, wanted, used_block),
        block=used_block,
        given_grid=grid,
        given_block=block,
        grid_known=found_grid is not None,
        block_known=found_block is not None,
        grid_too_large=found_grid is None and context is not None and _is_counted(context, host),
    )


def _suppose_dimensions(summary: KernelSummary, context: LaunchContext, host: HostNumbers) -> None:
    """Assume usual dimensions where host code takes a grid or block whole from unseen callers."""
    wanted = wanted_symbols(summary)
    block = _assumed_block(summary, wanted)
    _suppose_all(host, context.block, block)
    used = _block(context, host) or block
    _suppose_all(host, context.grid, _assumed_grid(summary, wanted, used))


def _suppose_all(host: HostNumbers, dims: Sequence[Expr] | None, usual: Dim3) -> None:
    """Assume the usual extents where each is a number of its own of which nothing is known."""
    opened = [(dim, host.open_symbols(dim)) for dim in dims or ()]
    alone = {symbols[0] for dim, symbols in opened if [from_atom(s) for s in symbols] == [dim]}
    if len(alone) == len(usual):
        for (_, symbols), extent in zip(opened, usual, strict=True):
            host.suppose(symbols[0], extent, _BY_INDICES)


@once_a_summary
def wanted_symbols(summary: KernelSummary) -> AbstractSet[Symbol]:
    """The symbols that conditions, trip counts and addresses mention."""
    wanted: set[Symbol] = set()
    for region in summary.root.walk():
        for condition in region.conditions:
            if condition is not None:
                wanted |= condition.symbols()
        if region.trips is not None:
            wanted |= region.trips.symbols()
        for access in _shared_between_threads(region):
            wanted |= access.offset.symbols()
    return wanted


def _shared_between_threads(region: Region) -> Iterator[Access]:
    """The accesses whose addresses tell what threads are for: a local array's name each thread."""
    return (each for each in region.accesses if each.array.space is not MemorySpace.LOCAL)


@once_a_summary
def idle_axes(summary: KernelSummary) -> AbstractSet[str]:
    """The axes that conditions alone ask for, as x in ``if (x < n && y < m) a[y] = 0;``.

    All threads along such an axis would do the same, so it has one.
    """
    asked: set[Symbol] = set()
    used: set[Symbol] = set()
    for region in summary.root.walk():
        for condition in region.conditions:
            asked |= condition.symbols() if condition is not None else frozenset()
        used |= region.trips.symbols() if region.trips is not None else frozenset()
        for access in _shared_between_threads(region):
            used |= access.offset.symbols()
    busy = {_axis(symbol) for symbol in used} - {None}
    if not busy:
        return frozenset()
    return {axis for symbol in asked & _BLOCKS if (axis := _axis(symbol)) and axis not in busy}


def _axis(symbol: Symbol) -> str | None:
    return symbol.name[-1] if symbol in _INDICES else None


def _along(dims: Dim3, idle: AbstractSet[str], axes: int) -> Dim3:
    """Usual extents for ``axes`` dimensions, of which those that are idle have 1."""
    taken = iter(dims)
    found = [1 if axis in idle else next(taken) for axis in "xyz"[:axes]]
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


def _assumed_block(summary: KernelSummary, wanted: AbstractSet[Symbol]) -> Dim3:
    """The usual block for the indices that a kernel uses."""
    axes, idle = _dimensions_used(wanted, _THREADS), idle_axes(summary)
    busy = max(1, sum(axis not in idle for axis in "xyz"[:axes]))
    return _along(_ASSUMED_BLOCKS[busy], idle, axes)


def _dimensions_used(wanted: AbstractSet[Symbol], indices: Container[Symbol]) -> int:
    """The number of dimensions, 1 to 3, of those of the indices that a kernel uses."""
    axes = {s.name[-1] for s in wanted if s in indices}
    return 3 if "z" in axes else 2 if "y" in axes else 1


def _assumed_grid(summary: KernelSummary, wanted: AbstractSet[Symbol], block: Dim3) -> Dim3:
    """The blocks of a launch that was not found: one where no block does anything of its own."""
    if _blocks_are_alike(summary, wanted):
        return 1, 1, 1
    dimensions = _dimensions_used(wanted, _BLOCKS)
    if block[1] * block[2] == 1 or dimensions > 1:
        dimensions = _dimensions_used(wanted, _INDICES)
    idle = idle_axes(summary)
    busy = sum(axis not in idle for axis in "xyz"[:dimensions])
    extents = _ASSUMED_EXTENTS.get(busy)
    if extents is None:
        blocks = max(1, ASSUMED_THREADS // max(1, block[0] * block[1] * block[2]))
        return _along((blocks, 1, 1), idle, dimensions)
    extents = _along(extents, idle, dimensions)
    x, y, z = (-(-extent // size) for extent, size in zip(extents, block, strict=True))
    return x, y, z


def _dimensions(dims: Sequence[Expr] | None, host: HostNumbers) -> Dim3 | None:
    if dims is None:
        return None
    numbers = [host.number(dim) for dim in dims]
    if any(number is None or not 1 <= number < 2**40 for number in numbers):
        return None
    x, y, z = (int(number) for number in numbers if number is not None)
    return (x, y, z) if x * y * z <= MOST_BLOCKS else None


def _is_counted(context: LaunchContext, host: HostNumbers) -> bool:
    """Whether the host's numbers for a grid are known or assumed, be they possible or not."""
    return context.grid is not None and None not in [host.number(dim) for dim in context.grid]


def _block(context: LaunchContext | None, host: HostNumbers) -> Dim3 | None:
    """The host's block; None if it is unknown or impossible."""
    if context is None or context.block is None:
        return None
    found = _dimensions(context.block, host)
    return found if found is not None and is_block(found) else None


def _blocks_are_alike(summary: KernelSummary, wanted: AbstractSet[Symbol]) -> bool:
    """Whether it is known that each block would write the same places, whatever data say."""
    if not wanted.isdisjoint(_BLOCKS) or any(s.scope in _OPEN for s in wanted):
        return False
    regions = list(summary.root.walk())
    stored = (a for r in regions for a in r.accesses if a.mode is not AccessMode.READ)
    global_ = any(access.array.space is MemorySpace.GLOBAL for access in stored)
    return global_ and not any(region.unseen for region in regions)
