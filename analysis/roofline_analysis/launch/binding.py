"""Binding: the values of one launch for the symbols of a kernel."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from roofline_analysis.device.values import LAUNCH, THREAD
from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    HostUnknown,
    LaunchContext,
    OpaqueValue,
    Pointer,
    Scalar,
    Value,
)
from roofline_analysis.language.types import SCALARS, TYPE_NOT_GIVEN
from roofline_analysis.launch.assumed_arguments import (
    ASSUMED_SIZE,
    assume_arguments,
    assume_block_arguments,
)
from roofline_analysis.launch.dense_strides import DENSE
from roofline_analysis.launch.given_dimensions import another_launch
from roofline_analysis.launch.host_numbers import HostNumbers, solve_dimensions
from roofline_analysis.launch.host_roles import assume_roles, spread_arrays
from roofline_analysis.launch.impossible import MOST_BLOCKS, is_block, launch_fault
from roofline_analysis.launch.sizes_from_guards import COVERED, KernelArguments, cover, fit
from roofline_analysis.regions.kernel_summary import (
    TEXTURE_HEIGHT,
    TEXTURE_PITCH,
    AccessMode,
    Array,
    KernelSummary,
    MemorySpace,
    once_a_summary,
)
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_core.algebra.operations import finite, truncated
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, from_atom, make_symbol
from roofline_core.program.dims import Dim3
from roofline_core.program.stages import Stage, stage

ASSUMED_BLOCK: Final = 256
"""Threads of a block of an unknown size.

Assumed, chosen without measurement, as are the launches below: common block dimensions, and a grid
that fills any GPU."""
ASSUMED_THREADS: Final = 1 << 20
"""Threads of a launch with an unknown grid."""
ASSUMED_PITCH: Final = 1 << 18
"""Bytes of a row of a texture of unknown width, so many that no two rows overlap: as many as CUDA
lets a row of 65536 texels of 4 bytes have."""
ASSUMED_ROWS: Final = 1 << 14
"""Rows of a slice of a texture of unknown height: the most that CUDA allows."""
_ASSUMED_BLOCKS: Final = {1: (ASSUMED_BLOCK, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_ASSUMED_EXTENTS: Final = {2: (1 << 10, 1 << 10, 1), 3: (1 << 7, 1 << 7, 1 << 6)}
"""Threads in x, y and z of such a launch, by the number of dimensions that the kernel uses."""
_BY_INDICES: Final = "taken to be the usual one for the indices that the kernel uses"
_MOST_SHARED_BYTES: Final = 1 << 32
"""What the launch's argument of 32 bits holds."""
_LOAD_APART: Final = 49
"""Shift between the samples of two loads, so that all pairs of values occur."""
_INDICES: Final = frozenset(THREAD.values())
_BLOCKS: Final = frozenset(
    symbol
    for name, symbol in (*THREAD.items(), *LAUNCH.items())
    if name.startswith(("blockIdx", "gridDim"))
)
_OPEN: Final = frozenset((SymbolScope.DATA, SymbolScope.CARRIED, SymbolScope.UNKNOWN))
_THREADS: Final = frozenset(s for name, s in THREAD.items() if name.startswith("threadIdx"))


@dataclass(slots=True)
class Binding:
    """Values of a kernel's symbols in one launch."""

    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int
    values: dict[Symbol, int | float] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    """Bytes of the allocations behind pointer arguments, by array name."""
    host_arrays: set[str] = field(default_factory=set)
    """Pointer arguments into mapped host memory instead of device DRAM."""
    unknowns: list[UnknownUsed] = field(default_factory=list)
    draws: dict[Symbol, tuple[float, ...]] = field(default_factory=dict)
    """Samples of loaded values, for loads from memory that the host filled."""
    guessed: tuple[str, ...] = ()
    """The numbers, by name, that decide how much work there is and are assumed."""
    dims_given: bool = False
    """Grid and block come from a measurement, so assumed sizes may contradict them."""
    grid_invented: bool = False
    """No launch says how many blocks there are."""
    grid_guessed: bool = False
    """How many blocks or threads there are rests on assumed numbers."""
    fault: str | None = None
    """Why no GPU takes the launch; None where nothing is known against it."""


@stage(Stage.BIND)
def bind(
    summary: KernelSummary,
    context: LaunchContext | None,
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
    fixed: Mapping[Symbol, int] = MappingProxyType({}),
    size: int = ASSUMED_SIZE,
) -> Binding:
    """The values of one launch. ``grid`` and ``block``, if given, override the host's.

    ``fixed`` has values for the host program's unknowns; they count as known. ``size`` is assumed
    for sizes of which nothing is known.
    """
    wanted = _wanted(summary)
    host = HostNumbers(_sized(context.unknowns, size) if context is not None else {}, fixed)
    if context is not None:
        _fit_dimensions(host, context, grid, block)
        _suppose_dimensions(summary, context, host, wanted)
    required = summary.required_block
    required = required if required is not None and is_block(required) else None
    found_block = block or required or _block(context, host)
    found_grid = grid or _dimensions(context.grid if context is not None else None, host)
    used_block = found_block or _ASSUMED_BLOCKS[_dimensions_used(wanted, _THREADS)]
    threads = used_block[0] * used_block[1] * used_block[2]
    used_grid = found_grid or _assumed_grid(summary, wanted, used_block)
    dynamic = host.number(context.shared_bytes) if context is not None else None
    result = Binding(used_grid, used_block, _shared_bytes(dynamic))
    result.dims_given, result.grid_invented = grid is not None, found_grid is None
    if context is not None and grid is None and block is None:
        result.fault = launch_fault(context)
    arguments = KernelArguments(result.values, host)
    given = zip(summary.params, context.args, strict=False) if context is not None else ()
    for name, value in given:
        _bind_value(arguments, name, value)
    if context is not None:
        _bind_template(arguments, context)
        _bind_contents(arguments, summary, context)
        result.draws.update(_drawn(summary, context))
        _bind_textures(arguments, summary, context)
    assume_block_arguments(summary, arguments, used_block)
    if context is not None:
        assume_roles(summary, arguments, context)
    if grid is not None or found_grid is None:
        cover(summary, arguments, used_grid, used_block)
    _bind_pitches(arguments, summary)
    assume_arguments(summary, arguments, wanted, size)
    fit(summary, arguments, used_grid, used_block)
    spread_arrays(summary, arguments, context, used_grid, used_block)
    for name, value in _passed(summary, context):
        _bind_array(result, name, value, host)
    dims = [
        *(context.grid or () if context is not None and grid is None else ()),
        *(context.block or () if context is not None and block is None else ()),
    ]
    result.grid_guessed = None in (found_grid, found_block) or any(map(host.guessed, dims))
    result.guessed = _guessed(arguments, wanted, dims, open_dims=result.grid_guessed)
    result.unknowns.extend(_assumptions(arguments))
    result.unknowns.extend(host.used())
    result.unknowns.extend(another_launch(context, host, grid, block))
    result.unknowns.extend(_open_types(context))
    result.unknowns.extend(_unknown_sizes(summary, result.unknowns))
    why = "no launch was found" if result.fault is None else "the launch fails"
    if found_block is None:
        result.unknowns.append(UnknownUsed("block size", why, threads))
    if found_grid is None:
        result.unknowns.append(UnknownUsed("grid size", why, used_grid[0]))
    return result


def _shared_bytes(asked: float | None) -> int:
    """What a launch asks for; 0 for what no launch can, which fails."""
    return int(asked) if asked is not None and 0 <= asked <= _MOST_SHARED_BYTES else 0


def _sized(unknowns: Mapping[Symbol, HostUnknown], size: int) -> Mapping[Symbol, HostUnknown]:
    """The host's unknowns with smaller numbers where the usual one, or a larger one, is assumed."""
    if size == ASSUMED_SIZE:
        return unknowns
    return {
        symbol: each
        if each.average or each.stated or each.assumed < ASSUMED_SIZE
        else replace(each, assumed=int(each.assumed) * size // ASSUMED_SIZE)
        for symbol, each in unknowns.items()
    }


def _unknown_sizes(summary: KernelSummary, named: Sequence[UnknownUsed]) -> Iterator[UnknownUsed]:
    """The kernel's types of unknown size, except those already reported for the host."""
    known = {unknown.name for unknown in named}
    for type_name, size_bytes in summary.unknown_sizes.items():
        name = f"sizeof({type_name})"
        if name not in known:
            yield UnknownUsed(name, "the type's layout is not known", size_bytes)


def _open_types(context: LaunchContext | None) -> Iterator[UnknownUsed]:
    """Type parameters of the host code around a launch that nothing instantiates."""
    for name in context.open_types if context is not None else ():
        why = f"{name} is not instantiated in the program; taken for {TYPE_NOT_GIVEN.name}"
        yield UnknownUsed(f"sizeof({name})", why, SCALARS[TYPE_NOT_GIVEN.name])


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
    extents = _ASSUMED_EXTENTS.get(dimensions)
    if extents is None:
        return max(1, ASSUMED_THREADS // max(1, block[0] * block[1] * block[2])), 1, 1
    x, y, z = (-(-extent // size) for extent, size in zip(extents, block, strict=True))
    return x, y, z


def _fit_dimensions(
    host: HostNumbers, context: LaunchContext, grid: Dim3 | None, block: Dim3 | None
) -> None:
    """Solve the host's unknowns from dimensions that are given.

    The block first, because grids are computed from it. A block at its limit tells less.
    """
    solve_dimensions(host, context.block, block, saturated=False)
    solve_dimensions(host, context.grid, grid, saturated=True)
    solve_dimensions(host, context.block, block, saturated=True)


def _suppose_dimensions(
    summary: KernelSummary, context: LaunchContext, host: HostNumbers, wanted: AbstractSet[Symbol]
) -> None:
    """Assume usual dimensions where host code takes a grid or block whole from unseen callers."""
    block = _ASSUMED_BLOCKS[_dimensions_used(wanted, _THREADS)]
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


def _dimensions(dims: Sequence[Expr] | None, host: HostNumbers) -> Dim3 | None:
    if dims is None:
        return None
    numbers = [host.number(dim) for dim in dims]
    if any(number is None or not 1 <= number < 2**40 for number in numbers):
        return None
    x, y, z = (int(number) for number in numbers if number is not None)
    return (x, y, z) if x * y * z <= MOST_BLOCKS else None


def _block(context: LaunchContext | None, host: HostNumbers) -> Dim3 | None:
    """The host's block; None if it is unknown or impossible."""
    if context is None or context.block is None:
        return None
    found = _dimensions(context.block, host)
    return found if found is not None and is_block(found) else None


def _bind_value(arguments: KernelArguments, path: str, value: Value) -> None:
    if isinstance(value, Scalar):
        number = arguments.host.number(value.value)
        if number is None:
            return
        is_open = arguments.host.is_open(value.value)
        for symbol in (
            make_symbol(path, SymbolScope.PARAM),
            make_symbol(path, SymbolScope.PARAM, nonnegative=True),
            make_symbol(path, SymbolScope.REAL),
        ):
            arguments.values[symbol] = number
            if is_open:
                arguments.ties[symbol] = value.value
    elif isinstance(value, Aggregate):
        for name, inner in value.fields.items():
            if not isinstance(inner, OpaqueValue):
                _bind_value(arguments, f"{path}.{name}", inner)
    elif isinstance(value, Buffer):  # An array within an object.
        for index, inner in value.elements.items():
            _bind_value(arguments, f"{path}[{index}]", inner)


def _passed(summary: KernelSummary, context: LaunchContext | None) -> Iterator[tuple[str, Value]]:
    """The arguments, and the memory that texture references are bound to, by name."""
    if context is not None:
        yield from zip(summary.params, context.args, strict=False)
        yield from context.textures.items()


def _memory(name: str, value: Value) -> Iterator[tuple[str, Pointer]]:
    """The pointers in an argument, by their paths."""
    if isinstance(value, Pointer):
        yield name, value
    elif isinstance(value, Aggregate):
        for field_name, inner in value.fields.items():
            yield from _memory(f"{name}.{field_name}", inner)


def _bind_textures(
    arguments: KernelArguments, summary: KernelSummary, context: LaunchContext
) -> None:
    """Bind the bytes of a row, and the rows of a slice, of the memory behind textures."""
    textures = {array.name for array in summary.arrays if array.texels}
    if not textures:
        return
    for name, value in _passed(summary, context):
        for path, pointer in _memory(name, value):
            if path not in textures or pointer.buffer is None:
                continue
            buffer = pointer.buffer
            for what, extent in (
                (TEXTURE_PITCH, buffer.pitch_bytes),
                (TEXTURE_HEIGHT, buffer.rows),
            ):
                number = arguments.host.number(extent) if extent is not None else None
                if number is not None:
                    symbol = make_symbol(f"{path}.{what}", SymbolScope.PARAM, nonnegative=True)
                    arguments.values[symbol] = number


def _bind_pitches(arguments: KernelArguments, summary: KernelSummary) -> None:
    """Bind the extents of textures that no launch fixes so that their rows lie apart."""
    for array in summary.arrays:
        if array.texels:
            for what, number in ((TEXTURE_PITCH, ASSUMED_PITCH), (TEXTURE_HEIGHT, ASSUMED_ROWS)):
                symbol = make_symbol(f"{array.name}.{what}", SymbolScope.PARAM, nonnegative=True)
                if symbol not in arguments.values and symbol in _used(summary, array):
                    arguments.values[symbol] = arguments.assumed[symbol] = number


def _used(summary: KernelSummary, array: Array) -> set[Symbol]:
    """The symbols in the addresses of an array's accesses."""
    return {
        symbol
        for region in summary.root.walk()
        for access in region.accesses
        if access.array is array
        for symbol in access.offset.symbols()
    }


def _bind_template(arguments: KernelArguments, context: LaunchContext) -> None:
    """Bind template arguments that the host code computes from unknowns."""
    for name, value in context.template_bindings.items():
        if isinstance(value, Expr) and value.constant is None:
            _bind_value(arguments, name, Scalar(value, "int"))


def _bind_contents(
    arguments: KernelArguments, summary: KernelSummary, context: LaunchContext
) -> None:
    """Bind loads from memory that the host filled and the kernel only reads."""
    if not context.contents:
        return
    accesses = [access for region in summary.root.walk() for access in region.accesses]
    written = {access.array for access in accesses if access.mode is not AccessMode.READ}
    for access in accesses:
        held = context.contents.get(access.array.name)
        if held is None or access.yields is None or access.array in written:
            continue
        at = truncated(access.offset.constant)
        value = held.get(at) if at is not None else None
        if value is None or arguments.host.is_open(value):
            continue
        number = arguments.host.number(value)
        # An assumed number would count as knowledge of the data: leave it out.
        if number is not None:
            arguments.values[access.yields] = number


def _drawn(
    summary: KernelSummary, context: LaunchContext
) -> Iterator[tuple[Symbol, tuple[float, ...]]]:
    """Samples of the values of loads from host-filled memory or from an argument.

    Each load has its samples in another order, because two loads are taken to be independent.
    """
    if not context.draws:
        return
    accesses = [access for region in summary.root.walk() for access in region.accesses]
    written = {access.array for access in accesses if access.mode is not AccessMode.READ}
    for assumption in summary.assumptions:
        if assumption.name in context.draws:
            yield assumption.symbol, context.draws[assumption.name]
    for position, access in enumerate(accesses):
        found = context.draws.get(access.array.name)
        if found is not None and access.yields is not None and access.array not in written:
            count, step = len(found), 2 * position * _LOAD_APART + 1
            yield access.yields, tuple(found[at * step % count] for at in range(count))


def _bind_array(result: Binding, path: str, value: Value, host: HostNumbers) -> None:
    """Bind the size and kind of the memory behind a pointer argument."""
    if isinstance(value, Pointer) and value.buffer is not None:
        if value.buffer.space is BufferSpace.PINNED:
            result.host_arrays.add(path)
        if value.buffer.size_bytes is not None:
            size = host.number(value.buffer.size_bytes)
            start = host.number(value.offset_bytes)
            open_size = host.is_open(value.buffer.size_bytes) and result.dims_given
            room = None if size is None else finite(size)
            before = finite(start or 0)
            if room and room > 0 and before is not None and not open_size:
                result.sizes[path] = max(0.0, room - before)
    elif isinstance(value, Aggregate):
        for name, inner in value.fields.items():
            _bind_array(result, f"{path}.{name}", inner, host)


def _blocks_are_alike(summary: KernelSummary, wanted: AbstractSet[Symbol]) -> bool:
    """Whether it is known that each block would write the same places, whatever data say."""
    if not wanted.isdisjoint(_BLOCKS) or any(s.scope in _OPEN for s in wanted):
        return False
    regions = list(summary.root.walk())
    stored = (a for r in regions for a in r.accesses if a.mode is not AccessMode.READ)
    global_ = any(access.array.space is MemorySpace.GLOBAL for access in stored)
    return global_ and not any(region.unseen for region in regions)


@once_a_summary
def _wanted(summary: KernelSummary) -> AbstractSet[Symbol]:
    """The symbols that conditions, trip counts and addresses mention."""
    wanted: set[Symbol] = set()
    for region in summary.root.walk():
        for condition in region.conditions:
            if condition is not None:
                wanted |= condition.symbols()
        if region.trips is not None:
            wanted |= region.trips.symbols()
        for access in region.accesses:
            wanted |= access.offset.symbols()
    return wanted


def _guessed(
    arguments: KernelArguments,
    wanted: AbstractSet[Symbol],
    dims: Sequence[Expr],
    *,
    open_dims: bool,
) -> tuple[str, ...]:
    """The assumed numbers that the launch's dimensions, trips, guards and addresses rest on.

    ``dims`` are the dimensions that the host code gives; ``open_dims``: some are guessed or not
    known at all. A bound that a known grid just covers is no guess.
    """
    host = arguments.host
    names = dict.fromkeys(name for dim in dims for name in host.guessed(dim))
    for symbol in sorted(wanted & arguments.values.keys(), key=lambda s: s.name):
        if symbol.scope is SymbolScope.REAL:
            continue
        if symbol in arguments.ties:
            names.update(dict.fromkeys(host.guessed(arguments.ties[symbol])))
        elif symbol in arguments.assumed or (open_dims and symbol in arguments.covered):
            names[symbol.name] = None
    if open_dims and not names:
        names["the launch"] = None
    return tuple(names)


def _assumptions(arguments: KernelArguments) -> Iterator[UnknownUsed]:
    """The assumptions for arguments that no launch fixes, one for each name."""
    why = "the launch does not fix it"
    for symbol, number in arguments.covered.items():
        yield UnknownUsed(symbol.name, f"{why}; {COVERED}", number)
    for symbol, number in arguments.dense.items():
        yield UnknownUsed(symbol.name, f"{why}; {DENSE}", number)
    for symbol, number in arguments.assumed.items():
        yield UnknownUsed(symbol.name, why, number)
