"""Template parameters that nothing fixes: a kernel walked with the numbers that were assumed.

A first walk has symbols for them, so that what the kernel does with a number tells what it stands
for: the block, a vector's width. A compiler knows the number. Types, bounds of local arrays and
specialisations need it, and what is computed of it alone costs nothing. So the kernel is walked a
second time with the numbers of the first judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import make_symbol
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_MARGIN: Final = 0.01
"""How much less of the kernel may be followed with numbers than with symbols."""


def closed_parameters(kernel: Function, launch: BoundLaunch) -> Mapping[str, Type | int] | None:
    """All template parameters with the numbers that the launch was judged with.

    None where all are known.
    """
    values = launch.bound.values
    closed: dict[str, Type | int] = dict(launch.bindings)
    for parameter in kernel.template_params:
        if parameter.type is None or parameter.pack or parameter.name in closed:
            continue
        number = values.get(make_symbol(parameter.name, SymbolScope.PARAM))
        if number is not None:
            closed[parameter.name] = int(number)
    return closed if closed != launch.bindings else None


def taken_numbers(kernel: Function, launch: BoundLaunch) -> tuple[UnknownUsed, ...]:
    """The assumptions of a judgement that its template parameters rest on."""
    names = {parameter.name for parameter in kernel.template_params}
    return tuple(unknown for unknown in launch.bound.unknowns if unknown.name in names)


def sees_as_much(one: BoundLaunch, other: BoundLaunch) -> bool:
    """Whether as much of the kernel was followed for one judgement as for another."""
    left, right = one.prediction.sight, other.prediction.sight
    return left is not None and right is not None and left.share >= right.share - _MARGIN
