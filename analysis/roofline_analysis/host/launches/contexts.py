"""Kernel launches: from the expression to a ``LaunchContext``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.host.launches.bound_textures import bound_textures
from roofline_analysis.host.launches.closures import kernel_argument
from roofline_analysis.host.launches.constant_memory import constant_contents, constant_values
from roofline_analysis.host.launches.contents import contents_of
from roofline_analysis.host.launches.launch_forms import Shape, arguments_of, shape_of
from roofline_analysis.host.launches.sampled_contents import passed_draws
from roofline_analysis.host.launches.written_contents import forget_written
from roofline_analysis.host.state.access import deref, is_class, rvalue
from roofline_analysis.host.state.interpreter_state import (
    SCALARS,
    Evaluators,
    HostInterpreter,
)
from roofline_analysis.host.state.invoke import passed
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.path_conditions import conditions_on
from roofline_analysis.host.state.templates import Binding, bind, choose_overload, unbound_around
from roofline_analysis.host.state.types import field_type, resolve
from roofline_analysis.host.values import (
    Aggregate,
    Buffer,
    FunctionValue,
    LaunchContext,
    OpaqueValue,
    Pointer,
    Scalar,
    Value,
)
from roofline_analysis.language.open_types import type_not_given
from roofline_analysis.language.opencl_types import field_names
from roofline_analysis.language.packs import before_pack, written_out
from roofline_analysis.language.types import vector_parts
from roofline_core.algebra.symbolic import Expr, Symbol
from roofline_core.program import expressions as ex
from roofline_core.program.statements import Offload
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_MAX_DEPTH = 3
"""The deepest nesting of objects that is inspected."""
_MAX_PER_SITE = 48
"""The most launches of one kernel in different shapes that are kept for one site."""


def _launch(interpreter: HostInterpreter, node: ex.Launch) -> Value:
    kernel = interpreter.eval(node.kernel)
    if isinstance(kernel, Pointer):
        kernel = rvalue(interpreter, deref(interpreter, kernel))
    shape = shape_of(interpreter, node)
    args = [kernel_argument(interpreter, place) for place in arguments_of(interpreter, node)]
    interpreter.count_launch()
    if not isinstance(kernel, FunctionValue):
        interpreter.reached.add(id(node))
        if not _other_node(node):
            interpreter.problem(f"which kernel '{_label(node.kernel)}' is was not found", node.line)
        return integer(0)
    interpreter.doubt += bool(kernel.alternatives)
    try:
        for each in (kernel, *kernel.alternatives):
            _launch_one(interpreter, node, each, shape, args)
    finally:
        interpreter.doubt -= bool(kernel.alternatives)
    return integer(0)


def _label(kernel: ex.Expression) -> str:
    return kernel.name if isinstance(kernel, ex.Name) else "the launched expression"


def _other_node(node: ex.Launch) -> bool:
    """Whether this adds a node to a graph that may be no kernel's."""
    config = node.config.operand if isinstance(node.config, ex.Unary) else None
    return isinstance(config, ex.Member) and isinstance(node.kernel, ex.Member)


def _launch_one(
    interpreter: HostInterpreter,
    node: ex.Launch,
    kernel: FunctionValue,
    shape: Shape,
    args: list[HostPlace],
) -> None:
    kernels = tuple(each for each in kernel.functions if each.is_kernel)
    if kernels and len(kernels) < len(kernel.functions):  # no other function is launched
        kernel = replace(kernel, functions=kernels)
    function = choose_overload(interpreter, kernel, args)
    if function is not None:
        given = before_pack(function, kernel.template_args)
        function = written_out(function, len(args))
        bindings = bind(interpreter, function.template_params, given, function, args)
        not_given = _not_known(interpreter, bindings)
        bindings |= {name: type_not_given(name) for name in not_given}
        launch = record(interpreter, node, function, bindings, shape, args, not_given)
        forget_all_written(interpreter, function, args, launch)


def _not_known(interpreter: HostInterpreter, bindings: Mapping[str, Binding]) -> tuple[str, ...]:
    """The template parameters for which stands the type of something of which nothing is known."""
    unknown = {"auto", "decltype", *unbound_around(interpreter)}
    types = ((name, bound) for name, bound in bindings.items() if isinstance(bound, Type))
    return tuple(name for name, type_ in types if type_.name.partition("::")[0] in unknown)


def record(
    interpreter: HostInterpreter,
    node: ex.Expression | Offload,
    function: Function,
    bindings: dict[str, Type | Expr],
    shape: Shape,
    places: Sequence[HostPlace],
    not_given: tuple[str, ...] = (),
) -> LaunchContext | None:
    """Record a launch, and return what was recorded; None if an equal one is already recorded.

    Types of which nothing is known are taken for the template parameters ``not_given``.
    """
    interpreter.reached.add(id(node))
    dimensions = (shape.grid, shape.block, shape.shared_bytes)
    identity = (id(node), id(function), tuple(bindings.items()), dimensions)
    recorded: LaunchContext | None = None
    if (
        identity not in interpreter.launches
        and len(interpreter.launches) < interpreter.options.max_launches
    ):
        if _kept_at(interpreter, node, function) < _MAX_PER_SITE:
            args = _passed_arguments(interpreter, function, bindings, places)
            repeat, certain = interpreter.repeat_count(), interpreter.doubt == 0
            if interpreter.threads is not None:
                repeat, certain = interpreter.threads.reached(interpreter.doubt, repeat)
            involved = [*(shape.grid or ()), *(shape.block or ()), shape.shared_bytes, repeat]
            involved += [b for b in bindings.values() if isinstance(b, Expr)]
            contents = constant_contents(interpreter, function)
            contents |= contents_of(interpreter, function, args)
            textures = bound_textures(interpreter)
            constants = constant_values(interpreter, function)
            involved += [number for each in contents.values() for number in each.values()]
            held = (*args, *textures.values(), *constants.values())
            symbols = _symbols_of(involved, held)
            conditions, related = conditions_on(interpreter, symbols)
            recorded = interpreter.launches[identity] = LaunchContext(
                kernel=function,
                template_bindings=bindings,
                grid=shape.grid,
                block=shape.block,
                shared_bytes=shape.shared_bytes,
                args=args,
                path=interpreter.path or function.path,
                line=node.line,
                order=len(interpreter.launches),
                repeat=repeat,
                certain=certain,
                unknowns={s: each for s, each in interpreter.unknowns.items() if s in related},
                conditions=conditions,
                grid_origin=shape.grid_origin,
                block_origin=shape.block_origin,
                contents=contents,
                draws=passed_draws(interpreter, function, args),
                open_types=(*interpreter.open_types, *not_given) if bindings else (),
                open_numbers=interpreter.open_numbers,
                textures=textures,
                constants=constants,
                is_one_of_several=isinstance(getattr(node, "stream", None), ex.Index),
            )
    if identity in interpreter.launches:
        interpreter.launch_events.append(identity)
    return recorded


def _kept_at(interpreter: HostInterpreter, node: object, function: Function) -> int:
    """How many launches of a kernel are kept for a site."""
    return sum(
        isinstance(key, tuple) and key[0] == id(node) and launch.kernel is function
        for key, launch in interpreter.launches.items()
    )


def _passed_arguments(
    interpreter: HostInterpreter,
    function: Function,
    bindings: dict[str, Type | Expr],
    places: Sequence[HostPlace],
) -> tuple[Value, ...]:
    args: list[Value] = []
    interpreter.frame.scopes.append({})
    saved = interpreter.frame.bindings
    interpreter.frame.rebind({**saved, **bindings})
    try:
        for position, formal in enumerate(function.params):
            type = resolve(interpreter, formal.type)
            if position < len(places):
                args.append(
                    _numbered(interpreter, passed(interpreter, places[position], type), type)
                )
            elif formal.init is not None:
                args.append(
                    passed(interpreter, Cell("", AUTO, interpreter.eval(formal.init)), type)
                )
    finally:
        interpreter.frame.rebind(saved)
        interpreter.frame.scopes.pop()
    return tuple(args)


def _numbered(interpreter: HostInterpreter, value: Value, type: Type, depth: int = 0) -> Value:
    """A value in which each number known only by name is that name's symbol.

    A size from which the grid was computed then reaches the kernel as the same symbol.
    """
    if isinstance(value, OpaqueValue):
        type = value.type or type
        if type.pointers or type.dims:
            return value
        if type.name in SCALARS:
            return (
                interpreter.named.get((value.name, "int"))
                or interpreter.number(value, type.name)
                or value
            )
        if depth >= _MAX_DEPTH or not is_class(interpreter, type):
            return value
        value = Aggregate(
            type, {name: _member_of(value, name) for name in _members(interpreter, type)}
        )
    if isinstance(value, Aggregate) and depth < _MAX_DEPTH:
        for name, held in value.fields.items():
            if isinstance(held, (OpaqueValue, Aggregate)):
                kind = held.type or field_type(interpreter, value.type, name) or AUTO
                value.fields[name] = _numbered(interpreter, held, kind, depth + 1)
    return value


def _member_of(value: OpaqueValue, name: str) -> OpaqueValue:
    return OpaqueValue(f"{value.name}.{name}", value.why, None, value.origin)


def _members(interpreter: HostInterpreter, type: Type) -> Iterable[str]:
    vector = vector_parts(type.name)
    if vector is not None:
        return field_names(vector[1])
    layout = interpreter.types.layout(type)
    return layout.fields if layout is not None else ()


def _symbols_of(expressions: Iterable[Expr | None], args: Sequence[Value]) -> set[Symbol]:
    symbols: set[Symbol] = set()
    for expression in expressions:
        if expression is not None:
            symbols |= expression.symbols()
    for argument in args:
        _collect(argument, symbols, 0)
    return symbols


def _collect(value: Value | None, symbols: set[Symbol], depth: int) -> None:
    if isinstance(value, Scalar):
        symbols |= value.value.symbols()
    elif isinstance(value, Pointer):
        symbols |= value.offset_bytes.symbols()
        if value.buffer is not None:
            buffer = value.buffer
            for extent in (buffer.size_bytes, buffer.pitch_bytes, buffer.rows):
                symbols |= extent.symbols() if extent is not None else frozenset()
    elif isinstance(value, Aggregate) and depth < _MAX_DEPTH:
        for held in value.fields.values():
            _collect(held, symbols, depth + 1)
    elif isinstance(value, Buffer) and depth:
        for held in value.elements.values():
            _collect(held, symbols, depth + 1)


def forget_all_written(
    interpreter: HostInterpreter,
    function: Function,
    places: Sequence[HostPlace],
    launch: LaunchContext | None,
) -> None:
    """Make unknown all memory that a kernel may write through its arguments, but for samples."""
    for formal, place in zip(function.params, places, strict=False):
        if not (formal.type.const and formal.type.pointers):
            forget_written(interpreter, place, formal.name, launch)


EVALUATORS: Final[Evaluators] = {
    ex.Launch: _launch,
}
