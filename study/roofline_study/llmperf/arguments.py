"""The arguments of a launch, by memory analysis or of the simplest sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Final

from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import is_float, vector_parts
from roofline_analysis.launch.binding import Binding, bind
from roofline_analysis.regions.kernel_summary import KernelSummary, MemorySpace
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, make_symbol
from roofline_core.program.errors import RooflineError
from roofline_core.program.types import Type
from roofline_study.llmperf.argument_sizes import ArraySize, array_sizes
from roofline_study.llmperf.sampling import Configuration

CONTENT_END: Final = 64
"""Integer arrays are filled with numbers from 0 to below this: indices, lengths of rows."""
_UNBOUNDED_ITEMS: Final = 4
"""Elements for each work-item of an array whose accesses have no bound. Assumed."""


class Method(Enum):
    """How argument sizes are chosen; the values are what tables and files have."""

    ANALYSIS = "memory analysis"
    SIMPLE = "simple"
    """An element for each work-item; integers as large as the launch is wide, or 1."""


class ArgumentError(RooflineError):
    """A kernel that takes something which the study cannot give it."""


@dataclass(frozen=True, slots=True)
class BufferArgument:
    """Device memory."""

    name: str
    element: str
    """The scalar type of its elements: ``float``."""
    size_bytes: int
    unbounded: bool = False
    """The analysis has no bound of some access: the size is assumed."""


@dataclass(frozen=True, slots=True)
class LocalArgument:
    """Memory of a work-group, sized by the host."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class NumberArgument:
    """A number, or a vector of equal ones."""

    name: str
    element: str
    """The scalar type: ``int``."""
    value: int | float
    width: int = 1
    """Elements of a vector; 3 take the place of 4."""


Argument = BufferArgument | LocalArgument | NumberArgument


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """A parameter of a kernel, its type resolved."""

    name: str
    element: str
    """The scalar type: of a pointer what it points to."""
    width: int
    size_bytes: int
    """Of an element, a vector's whole."""
    pointer: bool


@dataclass(frozen=True, slots=True)
class LaunchArguments:
    """What a launch is given, and the binding by which the analysis sees the same numbers."""

    values: tuple[Argument, ...]
    binding: Binding
    apart: bool
    """Whether some number that decides the work is not the launch's size."""


def parameters_of(summary: KernelSummary, types: TypeSystem) -> tuple[KernelParameter, ...]:
    """A kernel's parameters. Raises ArgumentError for images, classes and pointers to pointers."""
    return tuple(_parameter(each.name, each.type, types) for each in summary.kernel.params)


def _parameter(name: str, type_: Type, types: TypeSystem) -> KernelParameter:
    closed = types.resolve(type_)
    if closed.pointers > 1 or closed.dims:
        raise ArgumentError(f"parameter '{name}' is a pointer to pointers")
    value = closed.pointee() if closed.pointers else closed
    parts = vector_parts(value.name)
    element, width = parts if parts is not None else (value.name, 1)
    size = types.size(value)
    if size is not None and closed.pointers and types.is_class(value):
        element = OBJECTS
    if element not in NUMBER_TYPES or size is None:
        raise ArgumentError(f"parameter '{name}' has type {value.name}, which is no number")
    return KernelParameter(name, element, width, size, bool(closed.pointers))


OBJECTS: Final = "object"
"""Stands for the element type of arrays of a class, which are filled with zeros."""


NUMBER_TYPES: Final[Mapping[str, str]] = {
    "bool": "u1",
    "char": "i1",
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned int": "u4",
    "long": "i8",
    "unsigned long": "u8",
    "long long": "i8",
    "unsigned long long": "u8",
    "float": "f4",
    "double": "f8",
    OBJECTS: "u1",
}
"""Types of OpenCL that the study can fill, with numpy's names of them."""


def analysed(
    summary: KernelSummary,
    parameters: Sequence[KernelParameter],
    configuration: Configuration,
    open_size: int,
) -> LaunchArguments:
    """Arguments by memory analysis.

    Bounds that guards compare with work-item ids are the launch's size; ``open_size`` is given to
    integers that nothing ties to the launch.
    """
    binding = bind(summary, None, configuration.groups, configuration.local_size, size=open_size)
    _give_all(parameters, binding, open_size)
    sizes = _sizes(summary, binding, configuration)
    values = [_analysed(each, summary, sizes, binding, configuration) for each in parameters]
    _tell_sizes(binding, values)
    return LaunchArguments(tuple(values), binding, bool(binding.guessed))


def simple(
    summary: KernelSummary, parameters: Sequence[KernelParameter], configuration: Configuration
) -> LaunchArguments | None:
    """Arguments of simple sizes; None where the accesses would leave them, as far as is seen.

    Arrays have an element for each work-item, integers are the launch's width, or else 1.
    """
    for number in (configuration.global_size[0], 1):
        binding = bind(summary, None, configuration.groups, configuration.local_size)
        _overwrite(parameters, binding, number)
        sizes = _sizes(summary, binding, configuration)
        if not all(_fits(each, sizes, configuration) for each in parameters):
            continue
        values = tuple(_simple(each, summary, binding, configuration) for each in parameters)
        _tell_sizes(binding, values)
        return LaunchArguments(values, binding, number != configuration.global_size[0])
    return None


def total_bytes(arguments: Sequence[Argument]) -> int:
    """Bytes of all buffers."""
    return sum(each.size_bytes for each in arguments if isinstance(each, BufferArgument))


def _sizes(
    summary: KernelSummary, binding: Binding, configuration: Configuration
) -> Mapping[str, ArraySize]:
    groups, local = configuration.groups, configuration.local_size
    return array_sizes(summary, binding.values, groups, local, CONTENT_END)


def _symbols(name: str) -> tuple[Symbol, ...]:
    return (
        make_symbol(name, SymbolScope.PARAM),
        make_symbol(name, SymbolScope.PARAM, nonnegative=True),
        make_symbol(name, SymbolScope.REAL),
    )


def _give_all(parameters: Sequence[KernelParameter], binding: Binding, open_size: int) -> None:
    """Give a value to each number that the analysis did not need."""
    for each in parameters:
        if each.pointer:
            continue
        names = _symbols(each.name)
        known = next((binding.values[s] for s in names if s in binding.values), None)
        value = known if known is not None else 1 if is_float(each.element) else open_size
        for symbol in names:
            binding.values.setdefault(symbol, value)


def _overwrite(parameters: Sequence[KernelParameter], binding: Binding, number: int) -> None:
    for each in parameters:
        if not each.pointer:
            for symbol in _symbols(each.name):
                binding.values[symbol] = 1 if is_float(each.element) else number


def _tell_sizes(binding: Binding, values: Sequence[Argument]) -> None:
    """Let the counting know how long the arrays are."""
    for each in values:
        if isinstance(each, BufferArgument):
            binding.sizes[each.name] = float(each.size_bytes)
    local = sum(each.size_bytes for each in values if isinstance(each, LocalArgument))
    binding.dynamic_shared_bytes = local


def _spaces(summary: KernelSummary) -> Mapping[str, MemorySpace]:
    return {array.name: array.space for array in summary.arrays}


def _number(parameter: KernelParameter, binding: Binding) -> NumberArgument:
    value = next((binding.values[s] for s in _symbols(parameter.name) if s in binding.values), 1)
    kept = float(value) if is_float(parameter.element) else int(value)
    return NumberArgument(parameter.name, parameter.element, kept, parameter.width)


def _analysed(
    parameter: KernelParameter,
    summary: KernelSummary,
    sizes: Mapping[str, ArraySize],
    binding: Binding,
    configuration: Configuration,
) -> Argument:
    if not parameter.pointer:
        return _number(parameter, binding)
    size = sizes.get(parameter.name, ArraySize(0))
    local = _spaces(summary).get(parameter.name) is MemorySpace.SHARED
    items = configuration.group_items if local else configuration.items
    assumed = _UNBOUNDED_ITEMS * items * parameter.size_bytes
    found = assumed if size.size_bytes is None else size.size_bytes
    whole = _whole(max(found, parameter.size_bytes), parameter.size_bytes)
    if local:
        return LocalArgument(parameter.name, whole)
    return BufferArgument(parameter.name, parameter.element, whole, size.size_bytes is None)


def _simple(
    parameter: KernelParameter,
    summary: KernelSummary,
    binding: Binding,
    configuration: Configuration,
) -> Argument:
    if not parameter.pointer:
        return _number(parameter, binding)
    if _spaces(summary).get(parameter.name) is MemorySpace.SHARED:
        return LocalArgument(parameter.name, configuration.group_items * parameter.size_bytes)
    size = configuration.items * parameter.size_bytes
    return BufferArgument(parameter.name, parameter.element, size)


def _fits(
    parameter: KernelParameter, sizes: Mapping[str, ArraySize], configuration: Configuration
) -> bool:
    """Whether the analysis sees that the accesses stay inside an array of simple size."""
    if not parameter.pointer or parameter.name not in sizes:
        return True
    size = sizes[parameter.name]
    most = configuration.items * parameter.size_bytes
    return size.size_bytes is not None and not size.below and size.size_bytes <= most


def _whole(size_bytes: int, element_bytes: int) -> int:
    return math.ceil(size_bytes / element_bytes) * element_bytes


def argument_record(argument: Argument) -> dict[str, object]:
    """An argument as JSON: its kind, and its fields under their names."""
    (kind,) = (name for name, made in _KINDS.items() if isinstance(argument, made))
    return {"kind": kind, **{each.name: getattr(argument, each.name) for each in fields(argument)}}


def argument_of(record: Mapping[str, object]) -> Argument:
    """The argument that ``argument_record`` wrote. Raises ArgumentError."""
    made = _KINDS.get(str(record.get("kind")))
    given: dict[str, Any] = {name: value for name, value in record.items() if name != "kind"}
    try:
        if made is not None:
            return made(**given)
    except TypeError:
        pass
    raise ArgumentError(f"not an argument: {dict(record)!r}")


_KINDS: Final[Mapping[str, type[BufferArgument | LocalArgument | NumberArgument]]] = {
    "buffer": BufferArgument,
    "local": LocalArgument,
    "number": NumberArgument,
}
