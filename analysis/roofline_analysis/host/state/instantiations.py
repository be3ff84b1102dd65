"""Function templates that the program instantiates explicitly: what their parameters stand for."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostPlace
from roofline_analysis.host.state.names import template_arguments
from roofline_analysis.host.state.templates import bind
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.symbols import matches
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type
from roofline_core.program.units import Function

Bindings = dict[str, Type | Expr]


def instances_of(
    interpreter: HostInterpreter, function: Function
) -> Iterator[tuple[Function, Bindings]]:
    """The explicit instantiations of a function template, and what each binds."""
    for instance in interpreter.symbols.instantiations.get(function.name, ()):
        same = matches(function.qualified_name, instance.qualified_name) or matches(
            instance.qualified_name, function.qualified_name
        )
        if not (same and function.template_params) or len(instance.params) != len(function.params):
            continue
        interpreter.enter(None, {})
        try:
            given = template_arguments(interpreter, instance.template_args)
            args: list[HostPlace] = [
                Cell("", resolve(interpreter, p.type)) for p in instance.params
            ]
            yield instance, bind(interpreter, function.template_params, given, function, args)
        finally:
            interpreter.frames.pop()


def record_instances(interpreter: HostInterpreter) -> None:
    """Keep a launch without dimensions for each instance of a kernel that nothing launches."""
    launched = {id(context.kernel) for context in interpreter.launches.values()}
    for function in interpreter.symbols.all_functions:
        if not (function.is_kernel and function.has_body) or id(function) in launched:
            continue
        for instance, bindings in instances_of(interpreter, function):
            interpreter.launches.setdefault(
                (id(function), tuple(bindings.items())),
                LaunchContext(
                    kernel=function,
                    template_bindings=bindings,
                    grid=None,
                    block=None,
                    shared_bytes=None,
                    args=(),
                    path=instance.path,
                    line=instance.span.line,
                    order=len(interpreter.launches),
                    certain=False,
                ),
            )
