"""Function templates that the program instantiates explicitly: what their parameters stand for."""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostPlace
from roofline_analysis.host.state.names import template_arguments
from roofline_analysis.host.state.templates import bind
from roofline_analysis.host.state.types import class_bindings, resolve
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.language.namespaces import same_name
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.templates import written
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type
from roofline_core.program.units import Function

Bindings = dict[str, Type | Expr]


def instances_of(
    interpreter: HostInterpreter, function: Function
) -> Iterator[tuple[Function, Bindings]]:
    """The explicit instantiations of a function template, and what each binds.

    A method's are those of its own and of its class; each gives the class's parameters, too.
    """
    if function.owner is not None and not function.template_params:
        yield from _instances_of_method(interpreter, function)
        return
    for instance in _named(interpreter, function):
        if not function.template_params or len(instance.params) != len(function.params):
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


def _named(interpreter: HostInterpreter, function: Function) -> Iterator[Function]:
    for instance in interpreter.symbols.instantiations.get(function.name, ()):
        if same_name(function.qualified_name, instance.qualified_name):
            yield instance


def _instances_of_method(
    interpreter: HostInterpreter, method: Function
) -> Iterator[tuple[Function, Bindings]]:
    owner = method.owner or ""
    given = [(instance, instance.owner_args) for instance in _named(interpreter, method)]
    for made in interpreter.symbols.class_instantiations.get(last_component(owner), ()):
        if same_name(owner, made.name):
            given.append((method, made.args))
    seen: set[tuple[tuple[str, Type | Expr], ...]] = set()
    for instance, own in given:
        interpreter.enter(None, {})
        try:
            args = template_arguments(interpreter, own) or ()
            fixed = [a if isinstance(a, Type) else a.constant for a in args]
            type_ = Type(owner, tuple(written(each) for each in fixed if each is not None))
            bindings = class_bindings(interpreter, type_)
        finally:
            interpreter.frames.pop()
        key = tuple(bindings.items())
        if bindings and key not in seen:
            seen.add(key)
            yield instance, bindings


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
