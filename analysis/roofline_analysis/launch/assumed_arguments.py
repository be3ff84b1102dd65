"""What is assumed for kernel arguments that no launch fixes, by what the kernel does with them.

One number for all of them would give flags of 1024 and radii as large as the arrays. What a guard
or the launch says goes before this; see ``sizes_from_guards``.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from roofline_analysis.device.values import THREAD
from roofline_analysis.launch.argument_roles import (
    FLAG,
    ITERATIONS,
    MARGIN,
    START,
    iteration_counts,
    margins,
    masks,
    selectors,
    shifts,
    starts,
)
from roofline_analysis.launch.sizes_from_guards import KernelArguments
from roofline_analysis.names.usual_numbers import macro_number, usual_number
from roofline_analysis.regions.kernel_summary import KernelSummary, once_a_summary
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Apply, Expr, Symbol
from roofline_core.program.dims import Dim3
from roofline_core.program.expressions import Literal
from roofline_core.program.types import Type

ASSUMED_SIZE: Final = 1024
"""The value of an unknown integer argument.

Assumed, chosen without measurement, as are the other numbers here."""
_TEMPLATE_NUMBER: Final = 8
"""A number among the template parameters that does not stand for the block: items a thread, the
width of a vector, a small dimension. Code that is compiled for each value has small ones."""
_LARGEST_PART: Final = 1024
"""The most that a template parameter is taken to be counted in."""
_REAL: Final = 1
"""A number with a fraction, as the host's are taken to be."""
_AXES: Final = tuple("xyz")


def assume_block_arguments(summary: KernelSummary, arguments: KernelArguments, block: Dim3) -> None:
    """Give arguments that stand for the block its extents, where they have no value."""
    for symbol, axis in _block_axes(summary):
        if symbol not in arguments.values:
            arguments.values[symbol] = arguments.assumed[symbol] = block[axis]


def assume_arguments(
    summary: KernelSummary, arguments: KernelArguments, wanted: AbstractSet[Symbol], size: int
) -> None:
    """Give each of the ``wanted`` arguments that has no value the usual one of its role.

    ``size`` is that of an extent.
    """
    types, defaults = _declared(summary)
    roles: dict[Symbol, int] = {
        **dict.fromkeys(starts(summary), START),
        **dict.fromkeys(iteration_counts(summary), ITERATIONS),
        **dict.fromkeys(margins(summary), MARGIN),
        **selectors(summary),
        **shifts(summary),
        **masks(summary),
    }
    for symbol in sorted(wanted, key=lambda s: s.name):
        if symbol.scope not in (SymbolScope.PARAM, SymbolScope.REAL) or symbol in arguments.values:
            continue
        type_, default = types.get(symbol.name), defaults.get(symbol.name)
        if symbol.scope is SymbolScope.REAL:
            number = _REAL
        elif type_ is not None and type_.name == "bool":
            number = FLAG if default is None else int(bool(default))
        elif symbol.name in defaults:
            number = _template_number(summary, symbol) if default is None else default
        else:
            role = roles.get(symbol)
            undeclared = type_ is None and symbol.name.isupper()
            usual = macro_number if undeclared else usual_number
            number = role if role is not None else usual(symbol.name) or size
        arguments.values[symbol] = arguments.assumed[symbol] = number


def _declared(summary: KernelSummary) -> tuple[dict[str, Type], dict[str, int | None]]:
    """The types of arguments and template parameters, and the latters' own defaults."""
    kernel = summary.kernel
    types = {variable.name: variable.type for variable in kernel.params}
    defaults: dict[str, int | None] = {}
    for parameter in kernel.template_params:
        if parameter.type is not None:
            types[parameter.name] = parameter.type
            given = parameter.default.value if isinstance(parameter.default, Literal) else None
            defaults[parameter.name] = int(given) if isinstance(given, (int, bool)) else None
    return types, defaults


def _template_number(summary: KernelSummary, symbol: Symbol) -> int:
    """The number of a template parameter; of one that is counted in parts, as many of these."""
    part = max((size for each, size in _parts(summary) if each == symbol), default=1)
    return _TEMPLATE_NUMBER if part <= _TEMPLATE_NUMBER else part * _TEMPLATE_NUMBER


@once_a_summary
def _parts(summary: KernelSummary) -> frozenset[tuple[Symbol, int]]:
    """What is divided by constants, and by which: the bytes of a row by those of a vector."""
    exprs = [*_expressions(summary)]
    exprs += [each.trips for each in summary.root.walk() if each.trips is not None]
    found = set()
    while exprs:
        for atom in exprs.pop().atoms():
            if not isinstance(atom, Apply):
                continue
            exprs += atom.args
            divisor = atom.args[1].constant if atom.op == "div" else None
            if divisor is not None and 1 < divisor <= _LARGEST_PART:
                found |= {(symbol, int(divisor)) for symbol in atom.args[0].symbols()}
    return frozenset(found)


def _expressions(summary: KernelSummary) -> Iterator[Expr]:
    """Addresses, and the sides of comparisons, all written as differences."""
    for region in summary.root.walk():
        for condition in region.conditions:
            for atom in condition.atoms() if condition is not None else ():
                if isinstance(atom, Apply):
                    yield from atom.args
        for access in region.accesses:
            yield access.offset


@once_a_summary
def _block_axes(summary: KernelSummary) -> tuple[tuple[Symbol, int], ...]:
    """Arguments that stand for the block: ``blockIdx.x * N + threadIdx.x`` makes N its width."""
    return tuple(each for expr in _expressions(summary) for each in _axes_in(expr))


def _axes_in(expr: Expr) -> Iterator[tuple[Symbol, int]]:
    for axis, name in enumerate(_AXES):
        inner = expr.terms.get((THREAD[f"threadIdx.{name}"],))
        if inner is None:
            continue
        for monomial, number in expr.terms.items():
            if number == inner and len(monomial) == 2 and THREAD[f"blockIdx.{name}"] in monomial:
                for atom in monomial:
                    if isinstance(atom, Symbol) and atom.scope is SymbolScope.PARAM:
                        yield atom, axis
