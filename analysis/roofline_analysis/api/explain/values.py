"""Step 1: the numbers that the host program decides, and how each was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.api.explain.formula import Names, informative
from roofline_analysis.api.explain.host_records import HostValue, HowKnown, SourcePlace
from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    Aggregate,
    HostUnknown,
    LaunchContext,
    OpaqueValue,
    Origin,
    Scalar,
    Value,
)
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.report.origins import open_values
from roofline_analysis.verdict.launch import BoundLaunch
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program.records import record

_LITERAL: Final = "literal"


@record(frozen=True, slots=True)
class HostNumbersUsed:
    """What a launch rests on of the host program."""

    unknowns: Mapping[Symbol, HostUnknown]
    """What is left open, each with the number that was used in the end."""
    names: Names
    """The kernel's parameters by what the host program computes for them."""


def host_values(launch: BoundLaunch) -> tuple[HostValue, ...]:
    """The numbers that the kernel's symbols were given, in the order of its parameters."""
    context, bound = launch.context, launch.bound
    params = launch.judged.summary.params
    passed = dict(_passed(params, context)) if context is not None else {}
    # Each is told by itself, not by another parameter of the same value.
    host = HostNumbersUsed(host_numbers_used(launch).unknowns, {})
    numbers = {
        symbol.name: float(number)
        for symbol, number in bound.values.items()
        if symbol.scope in (SymbolScope.PARAM, SymbolScope.REAL)
    }
    for name, value in passed.items():
        if isinstance(value, OpaqueValue) and value.type is not None and not value.type.pointers:
            numbers.setdefault(name, float("nan"))
    names = sorted(numbers, key=lambda name: _position(params, name))
    return tuple(_value(name, numbers[name], passed.get(name), host, bound) for name in names)


def host_numbers_used(launch: BoundLaunch) -> HostNumbersUsed:
    """What a launch rests on; a grid that is known, or a guard, may have told open numbers."""
    context, bound = launch.context, launch.bound
    if context is None:
        return HostNumbersUsed({}, {})
    params = launch.judged.summary.params
    names: dict[Expr, str] = {}
    for name, value in _passed(params, context):
        if isinstance(value, Scalar) and value.value.constant is None:
            names.setdefault(value.value, name)
    return HostNumbersUsed(_unknowns_used(context, bound), names)


def _unknowns_used(context: LaunchContext, bound: Binding) -> dict[Symbol, HostUnknown]:
    used = {(u.name, u.path, u.line): u for u in bound.unknowns}
    result = {}
    for symbol, unknown in context.unknowns.items():
        found = used.get((unknown.name, unknown.path, unknown.line))
        if found is None or found.assumed is None:
            result[symbol] = unknown
        else:
            result[symbol] = replace(unknown, assumed=found.assumed, why=found.why)
    return result


def value_of(
    name: str,
    number: float | None,
    expr: Expr | None,
    origin: Origin | None,
    host: HostNumbersUsed,
) -> HostValue:
    """A number with the expression of the host program that it is the value of."""
    assumed = open_values([expr], host.unknowns) if expr is not None else ()
    return HostValue(
        name,
        number,
        informative(expr, host.names),
        how_known(number, assumed, origin),
        places(origin),
        assumed,
    )


def how_known(
    number: float | None, assumed: Sequence[UnknownUsed], origin: Origin | None
) -> HowKnown:
    """How a number was found that rests on assumptions and comes from somewhere."""
    if assumed:
        only_count = {each.name for each in assumed} == {ARGUMENT_COUNT}
        untouched = all(each.assumed == 1 for each in assumed)
        return HowKnown.DEFAULT if only_count and untouched else HowKnown.ASSUMED
    if number is None:
        return HowKnown.UNKNOWN
    if origin is None or origin.also:
        return HowKnown.COMPUTED
    if origin.text.startswith("argv["):
        return HowKnown.ARGV
    return HowKnown.LITERAL if origin.text == _LITERAL else HowKnown.COMPUTED


def places(origin: Origin | None) -> tuple[SourcePlace, ...]:
    """The places of an origin and of those that it was computed with."""
    if origin is None:
        return ()
    found = (origin, *(each for other in origin.also for each in (other, *other.also)))
    return tuple(dict.fromkeys(SourcePlace(each.text, each.path, each.line) for each in found))


def _passed(names: Iterable[str], context: LaunchContext) -> Iterator[tuple[str, Value]]:
    """Arguments, constant memory and members of objects there, by their names in the kernel."""
    for name, value in zip(names, context.args, strict=False):
        yield from _members(name, value)
    for name, value in context.constants.items():
        yield from _members(name, value)


def _members(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Aggregate):
        for member, inner in value.fields.items():
            yield from _members(f"{name}.{member}", inner)
    else:
        yield name, value


def _value(
    name: str,
    number: float,
    passed: Value | None,
    host: HostNumbersUsed,
    bound: Binding,
) -> HostValue:
    known = None if number != number else number  # noqa: PLR0124 - not a number: none was taken
    if isinstance(passed, Scalar):
        made = value_of(name, known, passed.value, passed.origin, host)
        return replace(made, formula=None) if made.formula == name else made
    origin = getattr(passed, "origin", None)
    if isinstance(passed, OpaqueValue) and known is not None:
        assumed: tuple[UnknownUsed, ...] = (UnknownUsed(name, passed.why, known),)
    else:
        assumed = tuple(unknown for unknown in bound.unknowns if unknown.name == name)
    return HostValue(name, known, None, how_known(known, assumed, origin), places(origin), assumed)


def _position(params: Sequence[str], name: str) -> tuple[int, str]:
    """The kernel's parameters in their order, then what else there is by name."""
    base = name.partition(".")[0]
    return (params.index(base) if base in params else len(params)), name
