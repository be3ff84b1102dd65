"""Where the values of a launch come from, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from roofline_analysis.host.values import (
    Aggregate,
    HostUnknown,
    LaunchContext,
    OpaqueValue,
    Origin,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.launch.binding import Binding
from roofline_analysis.regions.unknowns import UnknownUsed
from roofline_analysis.report.report import ArgumentUsed
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, Symbol, constant, make_symbol

_LITERAL = "literal"


def arguments_used(
    names: Iterable[str], context: LaunchContext, bound: Binding
) -> tuple[ArgumentUsed, ...]:
    """The arguments of a launch, in the order of the kernel's parameters."""
    return tuple(
        _argument(name, value, context, bound)
        for name, value in zip(names, context.args, strict=False)
    )


def origin_text(origin: Origin | None) -> str | None:
    """``argv[1] at main.cu:42``; ``main.cu:42`` for a number that is written there.

    Of a value computed from several each is named, a comma between them.
    """
    if origin is None:
        return None
    if origin.also:
        parts = (replace(origin, also=()), *origin.also)
        return ", ".join(dict.fromkeys(text for part in parts if (text := origin_text(part))))
    where = place(origin.path, origin.line)
    if origin.text == _LITERAL:
        return where
    return f"{origin.text} at {where}" if where is not None else origin.text


def open_values(
    expressions: Iterable[Expr], unknowns: Mapping[Symbol, HostUnknown]
) -> tuple[UnknownUsed, ...]:
    """The host's unknowns on which expressions depend, in the program's order, with assumptions.

    An unknown that another one makes irrelevant is left out: with ``argc`` assumed 1,
    ``argv[1]`` in ``argc > 1 ? atoi(argv[1]) : 1024``.
    """
    found: dict[UnknownUsed, None] = {}
    for expression in expressions:
        rest = expression
        for symbol, unknown in unknowns.items():
            if rest.constant is not None or symbol not in rest.symbols():
                continue
            rest = rest.substitute({symbol: constant(unknown.assumed)})
            if unknown.stated:
                continue
            number = float(unknown.assumed)
            found[UnknownUsed(unknown.name, unknown.why, number, unknown.path, unknown.line)] = None
    return tuple(found)


def place(path: Path | None, line: int | None) -> str | None:
    """``main.cu:42``."""
    if path is None or line is None:
        return None
    return f"{path.name}:{line}"


def _argument(name: str, value: Value, context: LaunchContext, bound: Binding) -> ArgumentUsed:
    used, size = None, None
    assumed: tuple[UnknownUsed, ...] = ()
    if isinstance(value, Scalar):
        used = _number(name, bound)
        assumed = _as_used(open_values([value.value], context.unknowns), bound)
    elif isinstance(value, OpaqueValue):
        used = _number(name, bound)
        assumed = () if used is None else (UnknownUsed(name, value.why, used),)
    elif isinstance(value, Pointer) and value.buffer is not None:
        size = bound.sizes.get(name)
        if size is not None and value.buffer.size_bytes is not None:
            assumed = open_values([value.buffer.size_bytes], context.unknowns)
    return ArgumentUsed(
        name,
        _value_text(value),
        origin_text(getattr(value, "origin", None)),
        used=used,
        buffer_bytes=size,
        assumed=assumed,
    )


def _as_used(found: tuple[UnknownUsed, ...], bound: Binding) -> tuple[UnknownUsed, ...]:
    """The host's unknowns with the values that the launch was given in the end."""
    given = {(each.name, each.path, each.line): each for each in bound.unknowns}
    return tuple(given.get((each.name, each.path, each.line), each) for each in found)


def _number(name: str, bound: Binding) -> float | None:
    """The value used for an argument; None if it is not a number."""
    for scope in (SymbolScope.PARAM, SymbolScope.REAL):
        found = bound.values.get(make_symbol(name, scope))
        if found is not None:
            return finite(found)
    found = bound.values.get(make_symbol(name, SymbolScope.PARAM, nonnegative=True))
    return None if found is None else finite(found)


def _value_text(value: Value) -> str:
    if isinstance(value, Scalar):
        known = value.value.constant
        return "unknown" if known is None else f"{known}"
    if isinstance(value, Text):
        return repr(value.value)
    if isinstance(value, Pointer):
        return _pointer_text(value)
    if isinstance(value, Aggregate):
        return f"{value.type.name} object"
    if isinstance(value, OpaqueValue):
        return "unknown"
    return "value"


def _pointer_text(value: Pointer) -> str:
    if value.buffer is None:
        return "nullptr"
    size = value.buffer.size_bytes.constant if value.buffer.size_bytes is not None else None
    amount = "unknown size" if size is None else f"{size} bytes"
    return f"{value.buffer.space.value} buffer '{value.buffer.name}' of {amount}"
