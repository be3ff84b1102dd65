"""Sizes that a program takes from outside, assumed by what the launch does with them.

A block has at most 1024 threads, and what is subtracted from an extent is less than the extent.
No size in a library is fixed: one number for all of them gives blocks of a million threads and
extents below zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import ARGUMENT_COUNT, Aggregate, LaunchContext, Scalar, Value
from roofline_analysis.names.usual_numbers import TEMPLATE_NUMBER, usual_number
from roofline_core.algebra.evaluate import Environment
from roofline_core.algebra.symbolic import Expr, Symbol, from_atom

MARGIN: Final = 2
"""The assumed value of what is subtracted from extents: a halo, a radius, a border.

Assumed, chosen without measurement."""
MOST_THREADS: Final = 1024
"""The most threads of a block on any GPU (CUDA C++ programming guide; HIP and OpenCL alike)."""
_NOTHING_KNOWN: Final = 1
"""What the host's execution assumes for a number of which not even the type is known."""
_USUAL_THREADS: Final = 256
"""Threads of a block of an open size. Assumed, chosen without measurement."""
_HUGE: Final = 1 << 22
"""A size with which no block is possible, to see whether the block grows with the size."""
_MAX_DEPTH: Final = 3
"""The deepest nesting of objects whose fields are looked at. A limit on the work."""

Sizes = dict[Symbol, int]


def assume_by_role(interpreter: HostInterpreter) -> None:
    """Replace the assumed values of open sizes that make the block, or that extents exceed."""
    sizes: Sizes = {}
    for context in sorted(interpreter.launches.values(), key=lambda c: (not c.certain, c.order)):
        sizes.update(_named(interpreter, context, sizes))
        if context.block is not None:
            sizes.update(_block_sizes(interpreter, context, context.block, sizes))
        sizes.update(_margins(interpreter, context, sizes))
    put_sizes(interpreter, sizes)


def put_sizes(interpreter: HostInterpreter, sizes: Mapping[Symbol, int]) -> None:
    """Assume these values, in the launches that were recorded too."""
    for symbol, size in sizes.items():
        interpreter.assume(symbol, size)
    for key, context in interpreter.launches.items():
        if not sizes.keys().isdisjoint(context.unknowns):
            unknowns = {symbol: interpreter.unknowns[symbol] for symbol in context.unknowns}
            interpreter.launches[key] = replace(context, unknowns=unknowns)


def open_sizes(interpreter: HostInterpreter, exprs: Iterable[Expr]) -> set[Symbol]:
    """The unknown symbols of expressions, for which any size may be assumed."""
    found = {symbol for expr in exprs for symbol in expr.symbols()}
    return {symbol for symbol in found if interpreter.is_open(symbol)}


def _values(context: LaunchContext, sizes: Sizes) -> dict[Symbol, int | float]:
    return {s: sizes.get(s, u.assumed) for s, u in context.unknowns.items()}


def _block_sizes(
    interpreter: HostInterpreter, context: LaunchContext, block: Iterable[Expr], sizes: Sizes
) -> Sizes:
    """The value to assume for the sizes with which the block grows: one for all of them."""
    usual = (interpreter.options.default_size, TEMPLATE_NUMBER, _NOTHING_KNOWN)
    symbols = {symbol for extent in block for symbol in extent.symbols()} - sizes.keys()
    free = {
        symbol
        for symbol, unknown in context.unknowns.items()
        if symbol in symbols
        and unknown.assumed in usual
        and not unknown.is_default
        and unknown.name != ARGUMENT_COUNT
    }
    values = _values(context, sizes)

    def threads(size: int) -> float:
        """The threads of a block if each free size is ``size``."""
        environment = Environment({**values, **dict.fromkeys(free, size)})
        total = 1.0
        for extent in block:
            total *= max(0.0, float(environment.evaluate(extent) or 0.0))
        return total

    if not free or threads(_HUGE) <= MOST_THREADS:
        return {}
    for most in (_USUAL_THREADS, MOST_THREADS):
        size = _USUAL_THREADS
        while size:
            if 0 < threads(size) <= most:
                return dict.fromkeys(free, size)
            size //= 2
    return {}


def _named(interpreter: HostInterpreter, context: LaunchContext, sizes: Sizes) -> Sizes:
    """What the names of the kernel's parameters say of the sizes that they are given.

    A size that also makes the grid, or goes to a parameter whose name says nothing, is an extent.
    """
    said: dict[Symbol, set[int | None]] = {}
    for formal, value in zip(context.kernel.params, context.args, strict=False):
        if not isinstance(value, Scalar):
            continue
        for symbol in open_sizes(interpreter, [value.value]) - sizes.keys():
            usual, added = usual_number(formal.name), (value.value - from_atom(symbol)).constant
            alone = None if usual is None or added is None else usual - int(added)
            said.setdefault(symbol, set()).add(alone)
    for symbol in open_sizes(interpreter, context.grid or ()):
        said.pop(symbol, None)
    return {s: usual for s, (usual, *more) in said.items() if usual and usual > 0 and not more}


def _margins(interpreter: HostInterpreter, context: LaunchContext, sizes: Sizes) -> Sizes:
    """The value to assume for sizes that make an extent or an argument less than 1."""
    found: Sizes = {}
    exprs = [*(context.grid or ()), *_numbers(context.args, 0)]
    for expr in sorted(exprs, key=lambda each: len(each.terms)):
        free = open_sizes(interpreter, [expr]) - sizes.keys() - found.keys()
        values = _values(context, {**sizes, **found})
        now = Environment(values).evaluate(expr)
        if not free or now is None or now >= 1:
            continue
        tried = {s: Environment({**values, s: MARGIN}).evaluate(expr) for s in free}
        reached = {s: float(value) for s, value in tried.items() if value is not None}
        best = max(reached, key=lambda s: (reached[s], s.sort_key), default=None)
        if best is not None and reached[best] >= 1:
            found[best] = MARGIN
    return found


def _numbers(values: Iterable[Value], depth: int) -> Iterator[Expr]:
    """The whole numbers that a launch is given."""
    for value in values:
        if isinstance(value, Scalar) and value.type_name not in ("float", "double", "bool"):
            yield value.value
        elif isinstance(value, Aggregate) and depth < _MAX_DEPTH:
            yield from _numbers(value.fields.values(), depth + 1)
