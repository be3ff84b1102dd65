"""Binding: the values of one launch for the symbols of a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

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
from roofline_analysis.language.open_types import type_not_given
from roofline_analysis.language.types import SCALARS, is_unsigned
from roofline_analysis.launch.assumed_arguments import (
    ASSUMED_SIZE,
    assume_arguments,
    assume_block_arguments,
)
from roofline_analysis.launch.dense_strides import DENSE
from roofline_analysis.launch.given_dimensions import another_launch
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_analysis.launch.host_roles import assume_roles, spread_arrays
from roofline_analysis.launch.impossible import launch_fault
from roofline_analysis.launch.launch_dimensions import (
    LaunchDimensions,
    launch_dimensions,
    wanted_symbols,
)
from roofline_analysis.launch.loaded_samples import samples_of_loads
from roofline_analysis.launch.sizes_from_conditions import meet
from roofline_analysis.launch.sizes_from_extents import keep_within
from roofline_analysis.launch.sizes_from_guards import COVERED, KernelArguments, cover, fit
from roofline_analysis.launch.sizes_from_refusals import accept
from roofline_analysis.launch.texture_extents import assume_textures, bind_textures
from roofline_analysis.regions.kernel_summary import (
    AccessMode,
    KernelSummary,
)
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_core.algebra.operations import finite, truncated
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, make_symbol
from roofline_core.program.dims import Dim3
from roofline_core.program.stages import Stage, stage

_MOST_SHARED_BYTES: Final = 1 << 32
"""What the launch's argument of 32 bits holds."""


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
    guessed_arguments: frozenset[Symbol] = frozenset()
    """The kernel's symbols that assumed numbers decide."""
    dims_given: bool = False
    """Grid and block come from a measurement, so assumed sizes may contradict them."""
    grid_invented: bool = False
    """No launch says how many blocks there are."""
    grid_guessed: bool = False
    """How many blocks or threads there are rests on assumed numbers."""
    grid_too_large: bool = False
    """The host's grid, with what is assumed for it, is one that no GPU runs."""
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
    taken: Sequence[UnknownUsed] = (),
) -> Binding:
    """The values of one launch. ``grid`` and ``block``, if given, override the host's.

    ``fixed`` has values for the host program's unknowns; they count as known. ``size`` is assumed
    for sizes of which nothing is known. ``taken`` are numbers with which the kernel was walked and
    that were assumed before.
    """
    host = _host_numbers(context, fixed, size)
    dims = launch_dimensions(summary, context, host, grid, block)
    dynamic = host.number(context.shared_bytes) if context is not None else None
    result = Binding(dims.grid, dims.block, _shared_bytes(dynamic))
    result.dims_given, result.grid_invented = grid is not None, not dims.grid_known
    result.grid_too_large = dims.grid_too_large
    if context is not None and grid is None and block is None:
        result.fault = launch_fault(context)
    arguments = KernelArguments(result.values, host)
    if context is not None:
        _bind_host_values(arguments, summary, context)
        result.draws.update(samples_of_loads(summary, context))
    _assume_rest(arguments, summary, context, dims, size)
    for name, value in _passed(summary, context):
        _bind_array(result, name, value, host)
    _note_assumptions(result, arguments, summary, context, dims)
    _note_taken(result, (*_open_numbers(context), *taken))
    return result


def bound_dimensions(
    summary: KernelSummary, context: LaunchContext, fixed: Mapping[Symbol, int]
) -> tuple[Dim3, Dim3]:
    """The grid and block that ``bind`` gives a launch with these values, and nothing else."""
    dims = launch_dimensions(summary, context, _host_numbers(context, fixed), None, None)
    return dims.grid, dims.block


def _host_numbers(
    context: LaunchContext | None, fixed: Mapping[Symbol, int], size: int = ASSUMED_SIZE
) -> HostNumbers:
    host = HostNumbers(_sized(context.unknowns, size) if context is not None else {}, fixed)
    meet(host, context.conditions if context is not None else ())
    return host


def _note_taken(result: Binding, taken: Sequence[UnknownUsed]) -> None:
    """Note the numbers that the walk of the kernel rests on, unless the launch names them."""
    named = {unknown.name for unknown in result.unknowns}
    result.unknowns += [unknown for unknown in taken if unknown.name not in named]
    result.guessed = tuple(dict.fromkeys((*result.guessed, *(each.name for each in taken))))


def _bind_host_values(
    arguments: KernelArguments, summary: KernelSummary, context: LaunchContext
) -> None:
    """Bind what the host passes: arguments, template arguments, memory's contents, textures.

    Numbers in constant memory are as arguments to a kernel.
    """
    for name, value in zip(summary.params, context.args, strict=False):
        _bind_value(arguments, name, value)
    for name, value in context.constants.items():
        _bind_value(arguments, name, value)
    _bind_template(arguments, context)
    _bind_contents(arguments, summary, context)
    bind_textures(arguments, summary, _passed(summary, context))


def _assume_rest(
    arguments: KernelArguments,
    summary: KernelSummary,
    context: LaunchContext | None,
    dims: LaunchDimensions,
    size: int,
) -> None:
    """Assume what no launch fixes: by what the kernel does with it, by guards, by its name.

    What is surer comes first, as later assumptions rest on earlier ones.
    """
    assume_block_arguments(summary, arguments, dims.block)
    if context is not None:
        assume_roles(summary, arguments, context)
    if dims.given_grid is not None or not dims.grid_known:
        cover(summary, arguments, dims.grid, dims.block)
    assume_textures(arguments, summary)
    assume_arguments(summary, arguments, wanted_symbols(summary), size)
    fit(summary, arguments, dims.grid, dims.block)
    accept(summary, arguments)
    keep_within(summary, arguments, dims.grid, dims.block)
    spread_arrays(summary, arguments, context, dims.grid, dims.block)


def _note_assumptions(
    result: Binding,
    arguments: KernelArguments,
    summary: KernelSummary,
    context: LaunchContext | None,
    dims: LaunchDimensions,
) -> None:
    """Note every assumption of a launch, and which of them decide how much work there is."""
    host, unknowns = arguments.host, result.unknowns
    of_host = dims.of_host(context)
    known = dims.grid_known and dims.block_known
    result.grid_guessed = not known or any(map(host.guessed, of_host))
    result.guessed = _guessed(
        arguments, wanted_symbols(summary), of_host, open_dims=result.grid_guessed
    )
    result.guessed_arguments = _guessed_arguments(arguments)
    unknowns.extend(_assumptions(arguments))
    unknowns.extend(host.used())
    unknowns.extend(another_launch(context, host, dims.given_grid, dims.given_block))
    unknowns.extend(_open_types(context))
    unknowns.extend(_unknown_sizes(summary, unknowns))
    why = "no launch was found" if result.fault is None else "the launch fails"
    if not dims.block_known:
        unknowns.append(UnknownUsed("block size", why, dims.threads))
    if not dims.grid_known:
        unknowns.append(UnknownUsed("grid size", why, dims.grid[0]))


def _shared_bytes(asked: float | None) -> int:
    """What a launch asks for; 0 for what no launch can, which fails."""
    return int(asked) if asked is not None and 0 <= asked <= _MOST_SHARED_BYTES else 0


def _sized(unknowns: Mapping[Symbol, HostUnknown], size: int) -> Mapping[Symbol, HostUnknown]:
    """The host's unknowns with smaller numbers where the usual one, or a larger one, is assumed.

    None that is smaller, as of a product of many, stays above ``size``.
    """
    if size == ASSUMED_SIZE:
        return unknowns
    return {
        symbol: each
        if each.average or each.stated or each.assumed <= size
        else replace(each, assumed=max(size, int(each.assumed) * size // ASSUMED_SIZE))
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
        taken = type_not_given(name)
        why = f"{name} is not instantiated in the program; taken for {taken.name}"
        yield UnknownUsed(f"sizeof({name})", why, SCALARS[taken.name])


def _open_numbers(context: LaunchContext | None) -> Iterator[UnknownUsed]:
    """Template numbers of the host code around a launch that nothing instantiates."""
    for name, number in context.open_numbers.items() if context is not None else ():
        yield UnknownUsed(name, f"{name} is not instantiated in the program", number)


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
            if symbol.scope is not SymbolScope.REAL and finite(number) is None:
                continue  # No integer holds it.
            if is_unsigned(value.type_name):
                arguments.unsigned[symbol] = value.type_name
            arguments.set(symbol, number)
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
    """The arguments, what texture references are bound to, and constant memory, by name."""
    if context is not None:
        yield from zip(summary.params, context.args, strict=False)
        yield from context.textures.items()
        yield from context.constants.items()


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


def _guessed_arguments(arguments: KernelArguments) -> frozenset[Symbol]:
    assumed = arguments.assumed.keys() | arguments.covered.keys() | arguments.dense.keys()
    by_host = {s for s, value in arguments.ties.items() if any(arguments.host.guessed(value))}
    return frozenset(assumed | by_host)


def _assumptions(arguments: KernelArguments) -> Iterator[UnknownUsed]:
    """The assumptions for arguments that no launch fixes, one for each name."""
    why = "the launch does not fix it"
    for symbol, number in arguments.covered.items():
        yield UnknownUsed(symbol.name, f"{why}; {COVERED}", number)
    for symbol, number in arguments.dense.items():
        yield UnknownUsed(symbol.name, f"{why}; {DENSE}", number)
    for symbol, number in arguments.assumed.items():
        yield UnknownUsed(symbol.name, why, number)
