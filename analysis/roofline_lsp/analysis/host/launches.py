"""Kernel launches: from the expression to a ``LaunchContext``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofline_lsp.analysis.host.access import deref, load, rvalue
from roofline_lsp.analysis.host.havoc import forget_reachable
from roofline_lsp.analysis.host.initialisers import initialise
from roofline_lsp.analysis.host.invoke import passed
from roofline_lsp.analysis.host.layout import resolve
from roofline_lsp.analysis.host.machine import EVALUATORS, Machine, handles
from roofline_lsp.analysis.host.memory import AUTO, Cell, Place, Storage
from roofline_lsp.analysis.host.operators import integer
from roofline_lsp.analysis.host.templates import bind, choose_overload
from roofline_lsp.analysis.host.values import (
    Aggregate,
    FunctionValue,
    HostUnknown,
    LaunchContext,
    Pointer,
    Scalar,
    Value,
)
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel.program import Function
from roofline_lsp.kernel.symbolic import ONE, ZERO, Expr, Symbol
from roofline_lsp.kernel.types import Type

Extents = tuple[Expr, Expr, Expr]

_MAX_PER_SITE = 48
"""Launches of one site with different shapes that are kept."""


@handles(EVALUATORS, ex.Launch)
def _launch(m: Machine, node: ex.Launch) -> Value:
    kernel = m.eval(node.kernel)
    if isinstance(kernel, Pointer):
        kernel = rvalue(m, deref(m, kernel))
    grid, block, shared = node.grid, node.block, node.shared_bytes
    shape: tuple[Extents | None, Extents | None] = (extents(m, grid), extents(m, block))
    shared_expr: Expr | None = ZERO if shared is None else _bytes(m, shared)
    args = _arguments(m, node)
    if node.packed_args is not None and grid is None and block is None:
        configured = _configuration(m, node.packed_args)
        if configured is not None:
            shape, shared_expr = configured[:2], configured[2]
    m.count_launch()
    if not isinstance(kernel, FunctionValue):
        name = node.kernel.name if isinstance(node.kernel, ex.Name) else "the launched expression"
        m.problem(f"which kernel '{name}' is was not found", node.line)
        m.reached.add(id(node))
        return integer(0)
    function = choose_overload(m, kernel, args)
    if function is not None:
        record(m, node, function, kernel, shape, shared_expr, args)
    return integer(0)


def _bytes(m: Machine, node: ex.Expression) -> Expr | None:
    number = m.number(m.eval(node), "unsigned long")
    return number.value if number is not None else None


def extents(m: Machine, node: ex.Expression | None) -> Extents | None:
    """A grid or block argument as three extents; None where nothing is known of it."""
    if node is None:
        return None
    if isinstance(node, ex.InitList):
        value: Value = initialise(m, Type("dim3"), node, "")
    else:
        value = load(m, m.place(node))
    return extents_of(m, value)


def extents_of(m: Machine, value: Value) -> Extents | None:
    """A ``dim3`` or a number as three extents."""
    if isinstance(value, Scalar):
        return value.value, ONE, ONE
    if not isinstance(value, Aggregate):
        number = m.number(value, "unsigned int")
        return (number.value, ONE, ONE) if number is not None else None
    found: list[Expr] = []
    for name in "xyz":
        number = m.number(value.fields.get(name), "unsigned int")
        if number is None:
            if name == "x":
                return None
            found.append(ONE)
        else:
            found.append(number.value)
    return found[0], found[1], found[2]


def _arguments(m: Machine, node: ex.Launch) -> list[Place]:
    if node.args is not None:
        return [m.place(argument) for argument in node.args]
    if node.packed_args is None:
        return []
    packed = m.eval(node.packed_args)
    if not (isinstance(packed, Pointer) and isinstance(packed.buffer, Storage)):
        return []
    elements = packed.buffer.elements
    return [deref(m, elements[position]) for position in sorted(elements)]


def _configuration(
    m: Machine, node: ex.Expression
) -> tuple[Extents | None, Extents | None, Expr | None] | None:
    value = m.eval(node)
    if isinstance(value, Pointer):
        value = load(m, deref(m, value))
    if not isinstance(value, Aggregate):
        return None
    grid, block = value.fields.get("gridDim"), value.fields.get("blockDim")
    shared = m.number(value.fields.get("dynamicSmemBytes"), "unsigned long")
    return (
        extents_of(m, grid) if grid is not None else None,
        extents_of(m, block) if block is not None else None,
        shared.value if shared is not None else ZERO,
    )


def record(
    m: Machine,
    node: ex.Launch,
    function: Function,
    kernel: FunctionValue,
    shape: tuple[Extents | None, Extents | None],
    shared: Expr | None,
    places: Sequence[Place],
) -> None:
    """Keep a launch unless one like it was met before, and forget what the kernel may write."""
    m.reached.add(id(node))
    bindings = bind(m, function.template_params, kernel.template_args, function, places)
    identity = (id(node), id(function), tuple(bindings.items()), shape, shared)
    if identity not in m.launches and len(m.launches) < m.options.max_launches:
        same_site = sum(1 for key in m.launches if isinstance(key, tuple) and key[0] == id(node))
        if same_site < _MAX_PER_SITE:
            args = _passed_arguments(m, function, bindings, places)
            repeat = _repeat(m)
            involved = [*(shape[0] or ()), *(shape[1] or ()), shared, repeat]
            involved += [b for b in bindings.values() if isinstance(b, Expr)]
            m.launches[identity] = LaunchContext(
                kernel=function,
                template_bindings=bindings,
                grid=shape[0],
                block=shape[1],
                shared_bytes=shared,
                args=args,
                path=m.path or function.path,
                line=node.line,
                order=len(m.launches),
                repeat=repeat,
                certain=m.doubt == 0,
                unknowns=_unknowns(m, involved, args),
            )
    _forget_written(m, function, places)


def _passed_arguments(
    m: Machine, function: Function, bindings: dict[str, Type | Expr], places: Sequence[Place]
) -> tuple[Value, ...]:
    args: list[Value] = []
    m.frame.scopes.append({})
    saved = m.frame.bindings
    m.frame.bindings = {**saved, **bindings}
    m.frame.resolved.clear()
    try:
        for position, formal in enumerate(function.params):
            type = resolve(m, formal.type)
            if position < len(places):
                args.append(passed(m, places[position], type))
            elif formal.init is not None:
                args.append(passed(m, Cell("", AUTO, m.eval(formal.init)), type))
    finally:
        m.frame.bindings = saved
        m.frame.resolved.clear()
        m.frame.scopes.pop()
    return tuple(args)


def _repeat(m: Machine) -> Expr | None:
    total = ONE
    for trips in m.repeat:
        if trips is None:
            return None
        total = total * trips
    return total


def _unknowns(
    m: Machine, expressions: Iterable[Expr | None], args: Sequence[Value]
) -> dict[Symbol, HostUnknown]:
    symbols: set[Symbol] = set()
    for expression in expressions:
        if expression is not None:
            symbols |= expression.symbols()
    for argument in args:
        _collect(argument, symbols, 0)
    return {s: m.unknowns[s] for s in sorted(symbols, key=_serial) if s in m.unknowns}


def _serial(symbol: Symbol) -> int:
    return symbol.serial


def _collect(value: Value | None, symbols: set[Symbol], depth: int) -> None:
    if isinstance(value, Scalar):
        symbols |= value.value.symbols()
    elif isinstance(value, Pointer):
        symbols |= value.offset_bytes.symbols()
        if value.buffer is not None and value.buffer.size_bytes is not None:
            symbols |= value.buffer.size_bytes.symbols()
    elif isinstance(value, Aggregate) and depth < 3:
        for held in value.fields.values():
            _collect(held, symbols, depth + 1)


def _forget_written(m: Machine, function: Function, places: Sequence[Place]) -> None:
    for formal, place in zip(function.params, places, strict=False):
        if formal.type.const and formal.type.pointers:
            continue
        held = place.get()
        if isinstance(held, (Pointer, Aggregate, Storage)):
            forget_reachable(m, held, 1)
